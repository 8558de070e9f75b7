// The network as one host has it: address, routes, MTU, firewall.
#include "base/ip.hpp"
#include "base/text.hpp"
#include "cluster/checks/report.hpp"
#include "cluster/host_ports.hpp"
#include "cluster/roles.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

// The least IPv6 needs, and what leaves pods 1,400 bytes below VXLAN's 50.
constexpr std::int64_t kMtuError = 1280;
constexpr std::int64_t kMtuWarning = 1450;

std::string ports_to_open(const HostView& v) {
    std::vector<std::string> words;
    for (const HostPort& port : host_ports(v.spec, v.host)) {
        if (port.open) words.push_back(fmt::format("{}/{}", port.range(), port.protocol()));
    }
    return join(words, ", ");
}

bool has_default_route(const remote::Facts& facts, bool v6) {
    return std::ranges::any_of(facts.routes, [&](const remote::Route& route) {
        return route.destination == (v6 ? "::/0" : "0.0.0.0/0");
    });
}

}  // namespace

Findings check_node_address(const HostView& v) {
    const std::string address = address_of(v.host, v.facts, v.facts);
    const auto ip = IpAddress::parse(address);
    if (!ip) return {};  // NET-RESOLVE says it of names
    const remote::Interface* interface = interface_with(v.facts, address);
    if (interface == nullptr) {
        return {
            fail(kError, fmt::format("no interface of the host has {}", address),
                 "the node's address on one of its interfaces",
                 fmt::format(
                     "behind a NAT set internalAddress of {} in the spec to the address "
                     "the machine itself has: {}",
                     v.host.name,
                     v.facts.addresses.empty() ? "it has none" : join(v.facts.addresses, ", ")))};
    }
    if (!interface->up) {
        return {fail(kError, fmt::format("{} has {} and is down", interface->name, address),
                     "an interface that is up",
                     fmt::format("on the host: ip link set {} up", interface->name))};
    }
    return {pass(fmt::format("{} on {}", address, interface->name))};
}

Findings check_default_route(const HostView& v) {
    const auto ip = IpAddress::parse(address_of(v.host, v.facts, v.facts));
    const bool v6 = ip && ip->is_v6();
    if (has_default_route(v.facts, v6)) return {pass("there")};
    const remote::Interface* interface = ip ? interface_with(v.facts, ip->text()) : nullptr;
    return {fail(kError, "none", "a default route",
                 fmt::format("ip{} route add default via GATEWAY, and for good in the host's "
                             "network configuration; without a gateway one that leads nowhere "
                             "will do: ip{} route add default dev {} metric 1000",
                             v6 ? " -6" : "", v6 ? " -6" : "",
                             interface == nullptr ? "INTERFACE" : interface->name))};
}

Findings check_mtu(const HostView& v) {
    const remote::Interface* interface =
        interface_with(v.facts, address_of(v.host, v.facts, v.facts));
    if (interface == nullptr || interface->mtu <= 0) return {};  // NET-ADDRESS says it
    const std::string seen = fmt::format("{} of {}", interface->mtu, interface->name);
    if (interface->mtu >= kMtuWarning) return {pass(seen)};
    return {fail(interface->mtu < kMtuError ? kError : kWarning, seen,
                 fmt::format("{} or more", kMtuWarning),
                 fmt::format("ip link set {} mtu 1500, and for good in the host's network "
                             "configuration, if the network carries that",
                             interface->name))};
}

Findings check_same_subnet(const HostView& v) {
    struct On {
        Network network;
        std::string interface;
    };
    std::vector<On> seen;
    for (const remote::Interface& interface : v.facts.interfaces) {
        if (!interface.up) continue;
        for (const std::string& address : interface.addresses) {
            const auto network = Network::parse(address);
            const bool single = !network || network->prefix() == (network->is_v6() ? 128 : 32);
            if (single || address.starts_with("fe80:")) continue;
            for (const On& other : seen) {
                if (other.interface == interface.name || !other.network.overlaps(*network))
                    continue;
                return {fail(kWarning,
                             fmt::format("{} and {} are both in {}", other.interface,
                                         interface.name, network->text()),
                             "one interface a network",
                             fmt::format("answers may leave by the other interface and get lost: "
                                         "join the two in a bond, or give {} another network",
                                         interface.name))};
            }
            seen.push_back({*network, interface.name});
        }
    }
    return {pass(fmt::format("{} networks", seen.size()))};
}

Findings check_ipv6(const HostView& v) {
    if (!wants_ipv6(v.spec)) return {};
    if (!v.facts.ipv6) {
        return {fail(kError, "IPv6 is switched off", "IPv6, for the networks of the spec",
                     "sysctl -w net.ipv6.conf.all.disable_ipv6=0, and remove what switches it off "
                     "from /etc/sysctl.d and from ipv6.disable=1 on the kernel's command line")};
    }
    const auto is_v6 = [](const std::string& address) { return address.find(':') != address.npos; };
    const auto address = std::ranges::find_if(v.facts.addresses, is_v6);
    if (address != v.facts.addresses.end()) return {pass(*address)};
    return {fail(kError, "no IPv6 address beside link-local ones", "an IPv6 address",
                 "give the host an IPv6 address of your network (fd00::/8 will do), or leave IPv6 "
                 "out of kubernetes.networks in the spec")};
}

Findings check_firewall(const HostView& v) {
    if (v.facts.firewall.empty()) return {pass("none")};
    if (v.spec.os.firewall) return {pass(v.facts.firewall + "; Slipway opens the ports")};
    return {fail(
        kWarning, v.facts.firewall + " is on, and os.firewall is off in the spec",
        "the host's ports open",
        fmt::format("switch on os.firewall in the spec, or open by hand: {}", ports_to_open(v)))};
}

Findings check_firewall_rules(const HostView& v) {
    if (v.facts.firewall_rules == 0) return {pass("none")};
    return {
        fail(kWarning,
             fmt::format("{} rules that neither firewalld nor ufw made", v.facts.firewall_rules),
             "no rules of others",
             fmt::format("look at them (nft list ruleset; iptables-save) and make sure they "
                         "let pass: {}",
                         ports_to_open(v)))};
}

void check_mtu_mix(const CheckInput& in, CheckReport& report) {
    std::map<std::int64_t, std::vector<std::string>> hosts;
    for (const auto& [host, facts] : in.hosts) {
        const remote::Interface* interface =
            interface_with(*facts, address_of(*host, *facts, *facts));
        if (interface != nullptr && interface->mtu > 0) hosts[interface->mtu].push_back(host->name);
    }
    if (hosts.empty()) return;
    if (hosts.size() == 1) {
        report.add("", pass(fmt::format("{}", hosts.begin()->first)));
        return;
    }
    std::vector<std::string> words;
    for (const auto& [mtu, names] : hosts) {
        words.push_back(
            fmt::format("{} on {}{}", mtu, names.front(),
                        names.size() == 1 ? "" : fmt::format(" and {} more", names.size() - 1)));
    }
    report.add("", fail(kWarning, join(words, ", "), "one MTU on all hosts",
                        "ip link set INTERFACE mtu N to the same on all, and for good in the "
                        "hosts' network configuration: large packets get lost otherwise"));
}

}  // namespace slipway::cluster
