// Address ranges of pods and services against what hosts reach, and against how much they hold.
#include "base/endpoint.hpp"
#include "base/ip.hpp"
#include "base/text.hpp"
#include "cluster/checks/report.hpp"
#include "cluster/roles.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

// Of pods' own networks, ours or left over: what they route lies in the range on purpose.
bool belongs_to_pods(const std::string& interface) {
    static constexpr std::array<std::string_view, 9> kBeginnings = {
        "cni", "flannel", "cali", "vxlan.calico", "tunl", "cilium", "lxc", "kube-", "veth"};
    return std::ranges::any_of(kBeginnings, [&](auto b) { return interface.starts_with(b); });
}

bool is_default(const remote::Route& route) { return route.destination.ends_with("/0"); }

// What of the host's world lies in the range; "" when nothing does.
std::string conflict(const remote::Facts& facts, const Network& range) {
    for (const remote::Interface& interface : facts.interfaces) {
        if (belongs_to_pods(interface.name)) continue;
        for (const std::string& address : interface.addresses) {
            const auto network = Network::parse(address);
            if (network && network->overlaps(range))
                return fmt::format("{} on {}", address, interface.name);
        }
    }
    for (const remote::Route& route : facts.routes) {
        if (belongs_to_pods(route.interface) || is_default(route)) continue;
        const auto network = Network::parse(route.destination);
        if (network && network->overlaps(range))
            return fmt::format("a route to {} by {}", route.destination, route.interface);
    }
    return "";
}

Findings check_ranges(const HostView& v, const std::vector<std::string>& ranges,
                      std::string_view field) {
    for (const std::string& text : ranges) {
        const auto range = Network::parse(text);
        if (!range) continue;
        const std::string found = conflict(v.facts, *range);
        if (found.empty()) continue;
        return {fail(
            kError, fmt::format("{} overlaps {}", text, found), "a range that nothing else uses",
            fmt::format("choose another kubernetes.networks.{} in the spec (of 10.0.0.0/8, "
                        "172.16.0.0/12 or 192.168.0.0/16), or remove the route",
                        field))};
    }
    return {pass(join(ranges, ", ") + " is free")};
}

// 2^bits, as far as a number holds it.
std::int64_t power(int bits) {
    return bits >= 62 ? std::int64_t{1} << 62 : std::int64_t{1} << bits;
}

std::int64_t node_mask(const config::Networks& networks, const Network& range) {
    return range.is_v6() ? networks.node_mask_v6 : networks.node_mask_v4;
}

}  // namespace

Findings check_pod_range(const HostView& v) {
    return check_ranges(v, v.spec.kubernetes.networks.pods, "pods");
}

Findings check_service_range(const HostView& v) {
    return check_ranges(v, v.spec.kubernetes.networks.services, "services");
}

// Addresses the host has to reach outside would be taken for pods or services.
Findings check_services_outside(const HostView& v) {
    std::vector<std::pair<std::string, std::string>> used;
    for (const std::string& server : v.facts.name_servers) used.emplace_back(server, "name server");
    for (const std::string& server : v.spec.os.time_sync.servers)
        used.emplace_back(server, "time server");
    for (const remote::Route& route : v.facts.routes) {
        if (!route.gateway.empty() && !belongs_to_pods(route.interface))
            used.emplace_back(route.gateway, "gateway");
    }
    if (const auto registry = parse_endpoint(v.spec.registry.address, 443))
        used.emplace_back(registry->host, "registry");
    const config::Networks& networks = v.spec.kubernetes.networks;
    std::vector<std::string> ranges = networks.pods;
    ranges.insert(ranges.end(), networks.services.begin(), networks.services.end());
    for (const auto& [text, what] : used) {
        const auto address = IpAddress::parse(text);
        for (const std::string& range : ranges) {
            const auto network = Network::parse(range);
            if (!address || !network || !network->contains(*address)) continue;
            return {fail(kError, fmt::format("the {} {} lies in {}", what, text, range),
                         "ranges of pods and services apart from everything hosts use",
                         "choose another kubernetes.networks range in the spec: packets to that "
                         "address would not leave the cluster")};
        }
    }
    return {pass(fmt::format("{} addresses outside of the ranges", used.size()))};
}

void check_pod_capacity(const CheckInput& in, CheckReport& report) {
    const auto nodes = std::ranges::count_if(in.spec.hosts, is_node);
    const config::Networks& networks = in.spec.kubernetes.networks;
    for (const std::string& text : networks.pods) {
        const auto range = Network::parse(text);
        if (!range) continue;
        const std::int64_t mask = node_mask(networks, *range);
        const std::int64_t parts = power(static_cast<int>(mask) - range->prefix());
        const std::string seen =
            fmt::format("{} holds {} nodes with /{} each, there are {}", text, parts, mask, nodes);
        if (parts >= nodes) {
            report.add("", pass(seen));
            continue;
        }
        report.add("", fail(kError, seen, "a part of the range for every node",
                            fmt::format("widen kubernetes.networks.pods, or raise nodeMask{} in "
                                        "the spec",
                                        range->is_v6() ? "V6" : "V4")));
    }
}

void check_node_pods(const CheckInput& in, CheckReport& report) {
    const config::Networks& networks = in.spec.kubernetes.networks;
    for (const std::string& text : networks.pods) {
        const auto range = Network::parse(text);
        if (!range) continue;
        const std::int64_t mask = node_mask(networks, *range);
        // Network, gateway and broadcast are not given to pods.
        const std::int64_t addresses =
            power((range->is_v6() ? 128 : 32) - static_cast<int>(mask)) - 3;
        const std::string seen = fmt::format("/{} has {} addresses for {} pods a node", mask,
                                             addresses, in.spec.kubernetes.max_pods);
        if (addresses >= in.spec.kubernetes.max_pods) {
            report.add("", pass(seen));
            continue;
        }
        report.add("", fail(kError, seen, "an address for every pod a node may run",
                            fmt::format("lower nodeMask{} or kubernetes.maxPods in the spec",
                                        range->is_v6() ? "V6" : "V4")));
    }
}

void check_service_capacity(const CheckInput& in, CheckReport& report) {
    // The API server refuses larger ones: 20 bits until 1.33, then 64 of an IPv6 range.
    const bool any_size = kubernetes_minor(in.spec) >= 34;
    constexpr int kFewBits = 8;
    for (const std::string& text : in.spec.kubernetes.networks.services) {
        const auto range = Network::parse(text);
        if (!range) continue;
        const int bits = (range->is_v6() ? 128 : 32) - range->prefix();
        const int most_bits = any_size ? 64 : 20;
        if (bits > most_bits) {
            report.add("", fail(kError, text + " is larger than the API server takes",
                                fmt::format("a range of /{} or smaller",
                                            (range->is_v6() ? 128 : 32) - most_bits),
                                "choose a smaller range in kubernetes.networks.services; for IPv6 "
                                "a /108 is usual"));
        } else if (bits < kFewBits) {
            report.add("",
                       fail(kWarning, fmt::format("{} holds {} services", text, power(bits) - 1),
                            "room for 254 services or more",
                            "widen kubernetes.networks.services in the spec; it cannot be "
                            "changed easily later"));
        } else {
            report.add("", pass(fmt::format("{} holds {} services", text, power(bits) - 1)));
        }
    }
}

}  // namespace slipway::cluster
