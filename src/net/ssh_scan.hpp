// Which addresses of a range have an SSH server: connects to each, reads the line it introduces
// itself by, and leaves. One thread, so many at once, so long each; nothing is sent.
//
//     for (const SshServer& found : scan_ssh({.addresses = range_of(network)}, stop)) …
#pragma once

#include "base/ip.hpp"
#include "net/deadline.hpp"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace slipway::net {

inline constexpr std::size_t kMostScanned = 1024;  // a /22 of IPv4

// How many addresses; what no scan could look at is told as the largest number.
std::size_t size_of(const Network& network);

// Those a machine may have: of IPv4 without the network's own and the broadcast address.
std::vector<IpAddress> range_of(const Network& network);

struct ScanRequest {
    std::vector<IpAddress> addresses = {};
    std::uint16_t port = 22;
    std::size_t at_once = 128;
    Millis each{2000};                                   // to connect and to say hello
    std::function<void(std::size_t done)> on_done = {};  // after each address
};

struct SshServer {
    std::string address;
    std::string banner;  // SSH-2.0-OpenSSH_9.2p1
};

// In the order of the addresses. What was found so far when `stop` is asked for.
std::vector<SshServer> scan_ssh(const ScanRequest& request, const std::stop_token& stop = {});

}  // namespace slipway::net
