// The address that moves among the control planes.
#include "base/ip.hpp"
#include "base/text.hpp"
#include "cluster/checks/report.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

bool has_vip(const config::Spec& spec) {
    return spec.kubernetes.endpoint.kind == config::EndpointKind::kube_vip;
}

// Only the network itself was not there: a machine that is would have said something.
bool is_silence(const remote::ProbeAnswer& answer) {
    return !answer.reached && !answer.accepted && answer.reason != "refused";
}

}  // namespace

void check_vip_free(const CheckInput& in, CheckReport& report) {
    if (!has_vip(in.spec)) return;
    const std::string& vip = in.spec.kubernetes.endpoint.address;
    const std::string remedy =
        "set kubernetes.endpoint.address in the spec to an address that nobody has, or take it "
        "from the machine that has it (ip neigh show on a control plane shows its MAC address)";
    for (const auto& [host, facts] : in.hosts) {
        if (std::ranges::find(facts->addresses, vip) == facts->addresses.end()) continue;
        report.add(host->name, fail(kError, fmt::format("{} is on {}", vip, host->name),
                                    "an address that nobody has", remedy));
        return;
    }
    for (const ProbedLink& probed : in.subject.reachability.links) {
        if (probed.link.use != LinkUse::vip || is_silence(probed.answer)) continue;
        report.add("",
                   fail(kError,
                        fmt::format("a machine answers at {} (asked by {})", vip, probed.link.from),
                        "an address that nobody has", remedy));
        return;
    }
    report.add("", pass(vip + " does not answer"));
}

Findings check_vip_subnet(const HostView& v) {
    const config::Endpoint& endpoint = v.spec.kubernetes.endpoint;
    const auto vip = IpAddress::parse(endpoint.address);
    const bool asked = has_vip(v.spec) && endpoint.vip_mode == "arp" && vip &&
                       v.host.has(config::Role::control_plane);
    if (!asked) return {};
    std::vector<std::string> networks;
    for (const remote::Interface& interface : v.facts.interfaces) {
        if (!endpoint.interface.empty() && interface.name != endpoint.interface) continue;
        for (const std::string& address : interface.addresses) {
            const auto network = Network::parse(address);
            if (!network) continue;
            if (network->contains(*vip))
                return {pass(fmt::format("in {} of {}", network->text(), interface.name))};
            networks.push_back(network->text());
        }
    }
    return {fail(kError,
                 fmt::format("{} is in none of {}", endpoint.address,
                             networks.empty() ? "its networks" : join(networks, ", ")),
                 "an address in a network of every control plane",
                 "set kubernetes.endpoint.address to a free address of the control planes' "
                 "network, or use another kind of endpoint")};
}

Findings check_vip_interface(const HostView& v) {
    const std::string& wanted = v.spec.kubernetes.endpoint.interface;
    if (!has_vip(v.spec) || wanted.empty() || !v.host.has(config::Role::control_plane)) return {};
    std::vector<std::string> names;
    for (const remote::Interface& interface : v.facts.interfaces) names.push_back(interface.name);
    if (std::ranges::find(names, wanted) != names.end()) return {pass(wanted)};
    return {fail(kError, "it has " + (names.empty() ? "none" : join(names, ", ")), wanted,
                 "correct kubernetes.endpoint.interface in the spec, or leave it out if the "
                 "control planes name their interfaces differently")};
}

}  // namespace slipway::cluster
