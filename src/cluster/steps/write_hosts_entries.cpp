#include "base/ip.hpp"
#include "cluster/steps/steps.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

// What the name in the certificates resolves to before anything else can answer for it; "" when
// there is no such name or no address known for it.
std::string endpoint_address(const config::Spec& spec) {
    const config::Endpoint& endpoint = spec.kubernetes.endpoint;
    if (endpoint.domain.empty()) return "";
    switch (endpoint.kind) {
        case config::EndpointKind::local_haproxy: return "127.0.0.1";
        case config::EndpointKind::first_control_plane: {
            const auto control_planes = spec.with_role(config::Role::control_plane);
            return control_planes.empty() ? "" : control_planes.front()->node_address();
        }
        default: return endpoint.address;
    }
}

std::string hosts_lines(const config::Spec& spec) {
    std::string out;
    for (const config::Host* host : spec.sorted_hosts()) {
        // A host reached by a name (or `local`) already resolves; the file takes addresses only.
        if (IpAddress::parse(host->node_address())) {
            out += fmt::format("{} {}\n", host->node_address(), host->name);
        }
    }
    if (const std::string address = endpoint_address(spec); IpAddress::parse(address)) {
        out += fmt::format("{} {}\n", address, spec.kubernetes.endpoint.domain);
    }
    return out;
}

}  // namespace

// Nodes find each other without DNS. Equal on every host, so it is made and hashed once.
StepKind write_hosts_entries() {
    return {
        .id = "write-hosts-entries",
        .title = "Write the hosts entries",
        .part = "os.hostsEntries",
        .enabled = [](const config::Spec& spec) { return spec.os.hosts_entries; },
        // Some images rewrite the file when the hostname changes.
        .needs = {kAfterPreInstall, "set-hostname"},
        .weight = 0.3,
        .make = shared_step_of(
            "write-hosts-entries", [](const StepInput&) { return ""; },
            [](const StepInput& in) -> std::vector<ResourcePtr> {
                return {text_block("/etc/hosts", hosts_lines(in.spec))};
            }),
    };
}

}  // namespace slipway::cluster
