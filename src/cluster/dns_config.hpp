// What CoreDNS is told, from the spec alone: the cluster's own, and the cache of each node.
#pragma once

#include "config/spec.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace slipway::cluster {

// Of the cache, the same on every node and routed nowhere.
inline constexpr std::string_view kNodeDnsAddress = "169.254.25.10";

// `has_name_servers`: the nodes have some, which the pods of CoreDNS get from them.
std::string corefile(const config::Spec& spec, bool has_name_servers);
std::string node_corefile(const config::Spec& spec);

// What pods ask, in this order. A pod whose cache does not answer goes on to CoreDNS itself.
std::vector<std::string> dns_servers(const config::Spec& spec);

// As it stands below a key of a manifest.
std::string indented(std::string_view text, std::string_view by);

}  // namespace slipway::cluster
