// Who needs to reach whom, and at which port: the rule of pairs, in one place. A pure function;
// what is really open is found out by reachability.hpp.
#pragma once

#include "config/spec.hpp"
#include "remote/host.hpp"

#include <map>
#include <string>
#include <vector>

namespace slipway::cluster {

enum class LinkUse {
    api,             // nodes to API servers
    etcd,            // etcd to etcd, API servers to etcd
    kubelet,         // API servers to the kubelet of every node
    network_plugin,  // node to node, for pods
    path_mtu,        // the same pairs, with packets as large as the sender makes them
    registry,        // nodes to the hosts that serve images
    outside_registry,
    outside_etcd,
    name_server,
    balancer,  // nodes to a load balancer outside
    vip,       // control planes to an address that nobody may have yet
};

struct Link {
    LinkUse use;
    std::string from;          // host
    std::string to;            // host, "" when it is none of ours
    remote::Port target = {};  // with the address as `from` sees it
};

// Of the hosts with facts. Up to kAllPairs nodes every pair is asked for pod traffic, beyond that
// a sample: every node to its kRing next ones by name, and to all control planes.
inline constexpr std::size_t kAllPairs = 50;
inline constexpr std::size_t kRing = 8;
std::vector<Link> needed_links(const config::Spec& spec,
                               const std::map<std::string, remote::Facts>& facts);

// The address other nodes use for `host`, as a number: that of the spec, or what its name means to
// `asker`, or else what the host itself has.
std::string address_of(const config::Host& host, const remote::Facts& own,
                       const remote::Facts& asker);

// The interface that carries the address, nullptr when none does.
const remote::Interface* interface_with(const remote::Facts& facts, const std::string& address);

}  // namespace slipway::cluster
