#include "cluster/topology.hpp"

#include "base/ip.hpp"
#include "cluster/roles.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace slipway::cluster {

using config::Role;

namespace {

void add_unique(std::vector<std::string>& out, const std::string& text) {
    if (!text.empty() && std::ranges::find(out, text) == out.end()) out.push_back(text);
}

bool has_local_balancers(const config::Spec& spec) {
    return spec.kubernetes.endpoint.kind == config::EndpointKind::local_haproxy;
}

}  // namespace

std::string bracketed(const std::string& address) {
    return address.find(':') == std::string::npos ? address : "[" + address + "]";
}

const config::Host& first_control_plane(const config::Spec& spec) {
    const std::vector<const config::Host*> all = spec.with_role(Role::control_plane);
    if (all.empty()) throw std::logic_error("a spec without a control plane was not refused");
    return *all.front();
}

std::vector<std::string> registry_urls(const config::Spec& spec) {
    const auto url = [&](const std::string& address) {
        return fmt::format("https://{}:{}", bracketed(address), spec.registry.port);
    };
    if (!spec.registry.address.empty()) return {url(spec.registry.address)};
    std::vector<std::string> out;
    for (const config::Host* host : registry_hosts(spec)) out.push_back(url(host->node_address()));
    return out;
}

std::string endpoint_host(const config::Spec& spec) {
    const config::Endpoint& e = spec.kubernetes.endpoint;
    if (!e.domain.empty()) return e.domain;
    if (!e.address.empty()) return e.address;
    return first_control_plane(spec).node_address();
}

std::string endpoint(const config::Spec& spec) {
    // The port of local proxies is open to their own machines alone.
    return fmt::format("{}:{}", bracketed(endpoint_host(spec)),
                       has_local_balancers(spec) ? kApiPort : spec.kubernetes.endpoint.port);
}

std::string endpoint_url(const config::Spec& spec) { return "https://" + endpoint(spec); }

std::string node_endpoint_host(const config::Spec& spec) {
    return has_local_balancers(spec) ? "127.0.0.1" : endpoint_host(spec);
}

std::string node_endpoint(const config::Spec& spec) {
    if (!has_local_balancers(spec)) return endpoint(spec);
    return fmt::format("{}:{}", node_endpoint_host(spec), spec.kubernetes.endpoint.port);
}

std::string api_url(const config::Spec& spec, const config::Host& host) {
    if (!host.has(Role::control_plane)) return "https://" + node_endpoint(spec);
    return fmt::format("https://{}:{}", bracketed(host.node_address()), kApiPort);
}

std::string service_address(const config::Spec& spec, unsigned n) {
    const auto network = Network::parse(spec.kubernetes.networks.services.front());
    if (!network) throw std::logic_error("a service network that is none was not refused");
    return network->address(n).text();
}

std::string dns_address(const config::Spec& spec) { return service_address(spec, 10); }

std::vector<std::string> host_names(const config::Host& host) {
    std::vector<std::string> out;
    add_unique(out, host.name);
    add_unique(out, host.node_address());
    if (host.address != "local") add_unique(out, host.address);
    return out;
}

std::vector<std::string> api_server_names(const config::Spec& spec, const config::Host& host) {
    const std::string& domain = spec.kubernetes.dns_domain;
    std::vector<std::string> out = {"kubernetes", "kubernetes.default", "kubernetes.default.svc",
                                    "kubernetes.default.svc." + domain, "localhost"};
    add_unique(out, "127.0.0.1");
    add_unique(out, service_address(spec, 1));
    add_unique(out, spec.kubernetes.endpoint.domain);
    add_unique(out, spec.kubernetes.endpoint.address);
    add_unique(out, endpoint_host(spec));
    for (const std::string& name : host_names(host)) add_unique(out, name);
    for (const std::string& name : spec.kubernetes.certificates.extra_sans) add_unique(out, name);
    return out;
}

bool is_schedulable(const config::Host& host) { return host.has(Role::worker); }

}  // namespace slipway::cluster
