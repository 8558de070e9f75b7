#include "base/text.hpp"
#include "cluster/host_ports.hpp"
#include "cluster/steps/steps.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

// What other machines of the cluster, and its users, must reach on a host of these roles.
std::vector<HostPort> open_ports(const config::Spec& spec, const config::Host& host) {
    std::vector<HostPort> ports = host_ports(spec, host);
    std::erase_if(ports, [](const HostPort& port) { return !port.open; });
    return ports;
}

std::vector<ResourcePtr> firewalld(const std::vector<HostPort>& ports) {
    std::string xml =
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
        "<!-- Written by Slipway; changes are overwritten. -->\n"
        "<service>\n  <short>Slipway</short>\n"
        "  <description>Ports of this Kubernetes host.</description>\n";
    for (const HostPort& port : ports) {
        xml +=
            fmt::format("  <port protocol=\"{}\" port=\"{}\"/>\n", port.protocol(), port.range());
    }
    xml += "</service>\n";
    // firewalld takes a new service definition only on reload.
    const std::vector<std::string> reload = {"firewall-cmd", "--reload"};
    return {activated_file("/etc/firewalld/services/slipway.xml", std::move(xml),
                           {.command = reload, .undo_command = reload}),
            firewalld_service("slipway")};
}

std::vector<ResourcePtr> ufw(const std::vector<HostPort>& ports) {
    std::vector<std::string> list;
    for (const HostPort& port : ports) {
        std::string range = port.range();
        std::ranges::replace(range, '-', ':');
        // One rule a port: a single rule takes 15 ports at most.
        list.push_back(fmt::format("{}/{}", range, port.protocol()));
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
                const std::vector<HostPort> ports = open_ports(in.spec, *in.host);
                if (in.facts.firewall == "firewalld") return firewalld(ports);
                if (in.facts.firewall == "ufw") return ufw(ports);
                return {};
            }),
    };
}

}  // namespace slipway::cluster
