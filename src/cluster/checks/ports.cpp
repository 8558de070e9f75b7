// Ports a host's roles need and another program has.
#include "base/text.hpp"
#include "cluster/checks/report.hpp"
#include "cluster/host_ports.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

bool takes(const remote::ListeningPort& taken, const HostPort& port) {
    return taken.protocol == port.protocol() && taken.port >= port.first && taken.port <= port.last;
}

std::string words_for(const remote::ListeningPort& taken) {
    return fmt::format("{}/{}{}", taken.port, taken.protocol,
                       taken.process.empty() ? "" : " by " + taken.process);
}

Findings check_free(const HostView& v, PortUse use, CheckSeverity severity = kError) {
    std::vector<std::string> needed, in_use;
    std::string first;
    for (const HostPort& port : host_ports(v.spec, v.host)) {
        if (port.use != use) continue;
        needed.push_back(fmt::format("{}/{}", port.range(), port.protocol()));
        for (const remote::ListeningPort& taken : v.facts.listening) {
            if (!takes(taken, port)) continue;
            const std::string words = words_for(taken);
            if (std::ranges::find(in_use, words) != in_use.end()) continue;  // on IPv6 as well
            in_use.push_back(words);
            if (first.empty()) first = fmt::format("{}", taken.port);
        }
    }
    if (needed.empty()) return {};
    if (in_use.empty()) return {pass(join(needed, ", ") + " free")};
    return {fail(severity, "in use: " + join(in_use, ", "), join(needed, ", ") + " free",
                 fmt::format("see who has it (ss -tulpn | grep ':{} '), and stop it or move it to "
                             "another port; after another Kubernetes: kubeadm reset",
                             first))};
}

}  // namespace

Findings check_port_api(const HostView& v) { return check_free(v, PortUse::api); }
Findings check_port_etcd(const HostView& v) { return check_free(v, PortUse::etcd); }
Findings check_port_control_plane(const HostView& v) {
    return check_free(v, PortUse::control_plane);
}
Findings check_port_kubelet(const HostView& v) { return check_free(v, PortUse::kubelet); }
Findings check_port_kube_proxy(const HostView& v) { return check_free(v, PortUse::kube_proxy); }
Findings check_port_node_ports(const HostView& v) {
    return check_free(v, PortUse::node_ports, kWarning);
}
Findings check_port_network_plugin(const HostView& v) {
    return check_free(v, PortUse::network_plugin);
}
Findings check_port_registry(const HostView& v) { return check_free(v, PortUse::registry); }
Findings check_port_balancer(const HostView& v) { return check_free(v, PortUse::balancer); }

}  // namespace slipway::cluster
