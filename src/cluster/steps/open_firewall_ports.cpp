#include "base/text.hpp"
#include "cluster/steps/steps.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

struct Port {
    std::string range;     // "6443", "30000-32767"
    std::string protocol;  // tcp, udp
};

// What other machines of the cluster, and its users, must reach on a host of these roles.
std::vector<Port> ports_of(const config::Spec& spec, const config::Host& host) {
    std::vector<Port> out;
    const bool control_plane = host.has(config::Role::control_plane);
    const bool etcd =
        spec.etcd.mode == config::EtcdMode::managed ? host.has(config::Role::etcd) : control_plane;
    if (control_plane) {
        out.push_back({"6443", "tcp"});
        const std::string endpoint = std::to_string(spec.kubernetes.endpoint.port);
        if (endpoint != "6443") out.push_back({endpoint, "tcp"});
        out.push_back({"10257", "tcp"});  // controller manager's and scheduler's metrics
        out.push_back({"10259", "tcp"});
    }
    if (etcd && spec.etcd.mode != config::EtcdMode::external) out.push_back({"2379-2380", "tcp"});
    if (control_plane || host.has(config::Role::worker)) {
        out.push_back({"10250", "tcp"});  // kubelet
        out.push_back({"10256", "tcp"});  // kube-proxy's health
        out.push_back({"30000-32767", "tcp"});
        out.push_back({"30000-32767", "udp"});
        if (spec.network_plugin.kind == "flannel") out.push_back({"8472", "udp"});
    }
    if (host.has(config::Role::registry))
        out.push_back({std::to_string(spec.registry.port), "tcp"});
    for (const std::string& extra : spec.os.extra_ports) {
        const std::size_t slash = extra.find('/');
        out.push_back(
            {extra.substr(0, slash), slash == extra.npos ? "tcp" : extra.substr(slash + 1)});
    }
    return out;
}

std::vector<ResourcePtr> firewalld(const std::vector<Port>& ports) {
    std::string xml =
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
        "<!-- Written by Slipway; changes are overwritten. -->\n"
        "<service>\n  <short>Slipway</short>\n"
        "  <description>Ports of this Kubernetes host.</description>\n";
    for (const Port& port : ports) {
        xml += fmt::format("  <port protocol=\"{}\" port=\"{}\"/>\n", port.protocol, port.range);
    }
    xml += "</service>\n";
    // firewalld takes a new service definition only on reload.
    const std::vector<std::string> reload = {"firewall-cmd", "--reload"};
    return {activated_file("/etc/firewalld/services/slipway.xml", std::move(xml),
                           {.command = reload, .undo_command = reload}),
            firewalld_service("slipway")};
}

std::vector<ResourcePtr> ufw(const std::vector<Port>& ports) {
    std::vector<std::string> list;
    for (const Port& port : ports) {
        std::string range = port.range;
        std::ranges::replace(range, '-', ':');
        // One rule a port: a single rule takes 15 ports at most.
        list.push_back(fmt::format("{}/{}", range, port.protocol));
    }
    std::string profile = fmt::format(
        "{}[Slipway]\ntitle=Slipway\ndescription=Ports of this Kubernetes host\nports={}\n",
        kWrittenBySlipway, join(list, "|"));
    // `app update` renews the rules of a profile whose ports changed.
    return {activated_file("/etc/ufw/applications.d/slipway", std::move(profile),
                           {.command = {"ufw", "app", "update", "Slipway"}}),
            ufw_profile("Slipway")};
}

}  // namespace

// The firewall stays on: only the ports this host's roles need are opened.
StepKind open_firewall_ports() {
    return {
        .id = "open-firewall-ports",
        .title = "Open firewall ports",
        .part = "os.firewall",
        .enabled = [](const config::Spec& spec) { return spec.os.firewall; },
        .needs = {kAfterPreInstall},
        .weight = 1.0,
        .make = shared_step_of(
            "open-firewall-ports",
            [](const StepInput& in) { return in.facts.firewall + " " + roles_of(*in.host); },
            [](const StepInput& in) -> std::vector<ResourcePtr> {
                const std::vector<Port> ports = ports_of(in.spec, *in.host);
                if (in.facts.firewall == "firewalld") return firewalld(ports);
                if (in.facts.firewall == "ufw") return ufw(ports);
                return {};
            }),
    };
}

}  // namespace slipway::cluster
