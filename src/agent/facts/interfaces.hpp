// Network interfaces with their addresses, as the kernel tells them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <ifaddrs.h>

namespace slipway::agent {

struct InterfaceFact {
    std::string name;
    std::string mac;
    std::int64_t mtu = 0;
    bool up = false;
    std::vector<std::string> addresses;  // with prefix
};

using MtuOf = std::function<std::int64_t(const std::string& name)>;

// Loopback is left out; order is the kernel's.
std::vector<InterfaceFact> interfaces_of(const ifaddrs* list, const MtuOf& mtu_of);

std::vector<InterfaceFact> interfaces();  // of this machine

// Those others can reach it by: without prefix, without link-local ones.
std::vector<std::string> reachable_addresses(const std::vector<InterfaceFact>& interfaces);

}  // namespace slipway::agent
