#include "cluster/host_ports.hpp"

#include "cluster/roles.hpp"

#include <charconv>
#include <string_view>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

using config::EndpointKind;

// "8080/tcp", "30000-32767/udp", "9100": the spec's rules have let only such through.
HostPort extra_port(std::string_view text) {
    HostPort port{.use = PortUse::extra, .first = 0, .last = 0, .udp = text.ends_with("/udp")};
    const std::string_view range = text.substr(0, text.find('/'));
    std::from_chars(range.data(), range.data() + range.size(), port.first);
    const std::size_t dash = range.find('-');
    const std::string_view last = dash == range.npos ? range : range.substr(dash + 1);
    std::from_chars(last.data(), last.data() + last.size(), port.last);
    return port;
}

void add_network_plugin(std::vector<HostPort>& out, const std::string& kind) {
    const auto add = [&](std::uint32_t port, bool udp) {
        out.push_back({.use = PortUse::network_plugin, .first = port, .last = port, .udp = udp});
    };
    if (kind == "flannel" || kind == "cilium") add(8472, true);  // VXLAN on Linux's own port
    if (kind == "calico") {
        add(4789, true);  // VXLAN
        add(179, false);  // BGP
        add(5473, false);
    }
    if (kind == "cilium") add(4240, false);
}

}  // namespace

std::string HostPort::range() const {
    return first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
}

std::string HostPort::protocol() const { return udp ? "udp" : "tcp"; }

std::vector<HostPort> host_ports(const config::Spec& spec, const config::Host& host) {
    std::vector<HostPort> out;
    const auto add = [&](PortUse use, std::uint32_t first, std::uint32_t last, bool open = true) {
        out.push_back({.use = use, .first = first, .last = last, .open = open});
    };
    const config::Endpoint& endpoint = spec.kubernetes.endpoint;
    const auto endpoint_port = static_cast<std::uint32_t>(endpoint.port);
    const bool control_plane = host.has(config::Role::control_plane);
    if (control_plane) {
        add(PortUse::api, kApiPort, kApiPort);
        add(PortUse::control_plane, 10257, 10257);
        add(PortUse::control_plane, 10259, 10259);
    }
    if (runs_etcd(spec, host)) {
        add(PortUse::etcd, 2379, 2380);
        add(PortUse::etcd, 2381, 2381, false);  // its metrics
    }
    if (is_node(host)) {
        add(PortUse::kubelet, 10250, 10250);
        add(PortUse::kubelet, 10248, 10248, false);     // its health
        add(PortUse::kube_proxy, 10256, 10256);         // its health, for load balancers
        add(PortUse::kube_proxy, 10249, 10249, false);  // its metrics
        add(PortUse::node_ports, 30000, 32767);
        out.push_back({.use = PortUse::node_ports, .first = 30000, .last = 32767, .udp = true});
        add_network_plugin(out, spec.network_plugin.kind);
        if (spec.kubernetes.dns.node_local) {
            add(PortUse::name_cache, 53, 53);
            out.push_back({.use = PortUse::name_cache, .first = 53, .last = 53, .udp = true});
            add(PortUse::name_cache, 9253, 9253);  // its metrics
        }
        if (runs_local_balancer(spec, host))
            add(PortUse::balancer, endpoint_port, endpoint_port, false);
    }
    if (control_plane && endpoint.kind == EndpointKind::kube_vip)
        add(PortUse::balancer, 2112, 2112, false);  // kube-vip's metrics
    if (serves_images(spec, host)) {
        const auto port = static_cast<std::uint32_t>(spec.registry.port);
        add(PortUse::registry, port, port);
    }
    for (const std::string& extra : spec.os.extra_ports) out.push_back(extra_port(extra));
    return out;
}

}  // namespace slipway::cluster
