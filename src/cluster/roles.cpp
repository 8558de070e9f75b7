#include "cluster/roles.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace slipway::cluster {

using config::EtcdMode;
using config::Role;

bool is_node(const config::Host& host) {
    return host.has(Role::control_plane) || host.has(Role::worker);
}

bool has_any_role(const config::Host& host, const std::vector<Role>& roles) {
    return roles.empty() || std::ranges::any_of(roles, [&](Role role) { return host.has(role); });
}

bool runs_etcd(const config::Spec& spec, const config::Host& host) {
    switch (spec.etcd.mode) {
        case EtcdMode::stacked: return host.has(Role::control_plane);
        case EtcdMode::managed: return host.has(Role::etcd);
        case EtcdMode::external: return false;
    }
    return false;
}

std::vector<const config::Host*> registry_hosts(const config::Spec& spec) {
    if (!spec.registry.address.empty()) return {};
    std::vector<const config::Host*> all = spec.with_role(Role::registry);
    if (!all.empty() || spec.bundles.empty()) return all;
    all = spec.with_role(Role::control_plane);
    if (all.size() > 1) all.resize(1);
    return all;
}

bool serves_images(const config::Spec& spec, const config::Host& host) {
    if (host.has(Role::registry)) return spec.registry.address.empty();
    return std::ranges::any_of(registry_hosts(spec),
                               [&](const config::Host* one) { return one->name == host.name; });
}

bool runs_local_balancer(const config::Spec& spec, const config::Host& host) {
    const config::Endpoint& endpoint = spec.kubernetes.endpoint;
    if (endpoint.kind != config::EndpointKind::local_haproxy || !is_node(host)) return false;
    return !host.has(Role::control_plane) || endpoint.port != kApiPort;
}

bool wants_ipv6(const config::Spec& spec) {
    return std::ranges::any_of(spec.kubernetes.networks.pods, [](const std::string& network) {
        return network.find(':') != network.npos;
    });
}

int kubernetes_minor(const config::Spec& spec) {
    const std::string_view version = spec.kubernetes.version;
    if (!version.starts_with("v1.")) return 0;
    int minor = 0;
    std::from_chars(version.data() + 3, version.data() + version.size(), minor);
    return minor;
}

}  // namespace slipway::cluster
