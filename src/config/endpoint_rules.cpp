#include "config/endpoint_rules.hpp"

#include <fmt/format.h>

namespace slipway::config {

namespace {

constexpr const char* kId = "SPEC-ENDPOINT";
constexpr std::int64_t kApiPort = 6443;

void check_address(const Endpoint& endpoint, Findings& findings) {
    const std::string path = "kubernetes.endpoint.address";
    if (endpoint.kind == EndpointKind::local_haproxy) {
        if (endpoint.address.empty()) return;
        findings.error(kId, path, "is set, but with kind local-haproxy nothing answers there",
                       "remove it; for certificates there is kubernetes.certificates.extraSans");
        return;
    }
    if (!endpoint.address.empty()) return;
    if (endpoint.kind == EndpointKind::external)
        findings.error(kId, path, "is missing for kind external",
                       "add the address of the load balancer");
    if (endpoint.kind == EndpointKind::kube_vip)
        findings.error(kId, path, "is missing for kind kube-vip",
                       "add an address of the control planes' network that nobody has");
}

// Ports that other programs of a node have.
bool is_taken(const Spec& spec, std::int64_t port) {
    static constexpr struct {
        std::int64_t first, last;
    } kTaken[] = {{2379, 2381}, {10248, 10250}, {10256, 10259}, {30000, 32767}};
    for (const auto& range : kTaken) {
        if (port >= range.first && port <= range.last) return true;
    }
    return spec.registry.address.empty() && port == spec.registry.port;
}

void check_port(const Spec& spec, Findings& findings) {
    const Endpoint& endpoint = spec.kubernetes.endpoint;
    const std::string path = "kubernetes.endpoint.port";
    if (endpoint.port == kApiPort || endpoint.kind == EndpointKind::external) return;
    if (endpoint.kind != EndpointKind::local_haproxy) {
        findings.error(
            kId, path,
            fmt::format("is {}, and the API servers listen at {}", endpoint.port, kApiPort),
            "remove it, or use kind external or local-haproxy");
        return;
    }
    if (endpoint.port < 1024)
        findings.error(kId, path, "is a port that only root may open, and the proxy is not root",
                       "use 6443, or another port from 1024");
    else if (is_taken(spec, endpoint.port))
        findings.error(kId, path, "is a port of another program on nodes",
                       "use 6443, or a port that nothing else has");
}

void check_vip_parts(const Endpoint& endpoint, Findings& findings) {
    if (endpoint.kind == EndpointKind::kube_vip) return;
    const auto refuse = [&](const char* key) {
        findings.error(kId, fmt::format("kubernetes.endpoint.{}", key),
                       "is for kind kube-vip alone", "remove it, or use kind kube-vip");
    };
    if (!endpoint.interface.empty()) refuse("interface");
    if (endpoint.vip_mode != Endpoint().vip_mode) refuse("vipMode");
}

}  // namespace

void check_endpoint(const Spec& spec, Findings& findings) {
    check_address(spec.kubernetes.endpoint, findings);
    check_port(spec, findings);
    check_vip_parts(spec.kubernetes.endpoint, findings);
}

}  // namespace slipway::config
