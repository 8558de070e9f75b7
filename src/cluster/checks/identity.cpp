// Who a host is, and that no other is the same. Comparing is linear in the number of hosts: a
// thousand hosts have half a million pairs.
#include "cluster/checks/report.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr std::size_t kLongestLabel = 63;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

// What is wrong with a name as the name of a node; "" when nothing is (RFC 1123, lower case).
std::string fault_of(const std::string& name) {
    if (name.empty()) return "is empty";
    if (std::ranges::any_of(name, [](char c) { return c >= 'A' && c <= 'Z'; }))
        return "has upper-case letters";
    if (name.size() > kLongestLabel) return fmt::format("is {} characters long", name.size());
    const bool known = std::ranges::all_of(
        name, [](char c) { return is_lower(c) || is_digit(c) || c == '-' || c == '.'; });
    if (!known) return "has characters that names of hosts do not have";
    const auto at_edge = [](char c) { return c == '-' || c == '.'; };
    if (at_edge(name.front()) || at_edge(name.back())) return "begins or ends with a dash or dot";
    if (std::ranges::all_of(name, is_digit)) return "is all digits";
    return "";
}

// Every host after the first with the same value fails, naming the first. Empty values say nothing.
template <class ValueOf>
void check_unique(const CheckInput& in, CheckReport& report, CheckSeverity severity,
                  ValueOf&& value_of, const std::string& wanted, const std::string& remedy) {
    std::unordered_map<std::string, std::string> owners;
    for (const auto& [host, facts] : in.hosts) {
        const std::string value = value_of(*host, *facts);
        if (value.empty()) continue;
        const auto [owner, fresh] = owners.emplace(value, host->name);
        if (fresh) {
            report.add(host->name, pass(value));
        } else {
            report.add(host->name, fail(severity, value, wanted, remedy), owner->second);
        }
    }
}

}  // namespace

Findings check_name(const HostView& v) {
    const std::string& name = v.spec.os.hostname ? v.host.name : v.facts.hostname;
    const std::string fault = fault_of(name);
    if (fault.empty()) return {pass(name)};
    return {fail(kError, fmt::format("'{}' {}", name, fault),
                 "lower-case letters, digits and dashes, 63 at most, not digits alone",
                 v.spec.os.hostname
                     ? fmt::format("rename the host {} in the spec", v.host.name)
                     : fmt::format("hostnamectl set-hostname {} on the host, or switch on "
                                   "os.hostname in the spec",
                                   v.host.name))};
}

Findings check_name_differs(const HostView& v) {
    if (v.spec.os.hostname) return {};  // Slipway gives the host its name of the spec
    if (v.facts.hostname == v.host.name) return {pass(v.facts.hostname)};
    return {fail(kWarning, v.facts.hostname.empty() ? "none" : v.facts.hostname, v.host.name,
                 fmt::format("hostnamectl set-hostname {} on the host, or switch on os.hostname in "
                             "the spec",
                             v.host.name))};
}

Findings check_own_machine_id(const HostView& v) {
    const std::string& id = v.facts.machine_id;
    if (!id.empty() && id != "uninitialized") return {pass(id)};
    return {fail(kError, id.empty() ? "none" : id, "a machine-id",
                 "on the host: systemd-machine-id-setup, then reboot")};
}

void check_machine_id(const CheckInput& in, CheckReport& report) {
    check_unique(
        in, report, kError, [](const auto&, const auto& facts) { return facts.machine_id; },
        "a machine-id of its own",
        "the machine is a clone: rm /etc/machine-id; systemd-machine-id-setup; reboot");
}

void check_product_uuid(const CheckInput& in, CheckReport& report) {
    // Only a warning: containers of one machine share it and work all the same.
    check_unique(
        in, report, kWarning, [](const auto&, const auto& facts) { return facts.product_uuid; },
        "a product UUID of its own",
        "give the virtual machine a new UUID in its hypervisor, unless it is a container");
}

void check_hostname(const CheckInput& in, CheckReport& report) {
    if (in.spec.os.hostname) return;  // Slipway gives every host its own
    check_unique(
        in, report, kError, [](const auto&, const auto& facts) { return facts.hostname; },
        "a hostname of its own",
        "hostnamectl set-hostname NAME on one of them, or switch on os.hostname in the spec");
}

void check_mac(const CheckInput& in, CheckReport& report) {
    const auto mac_of = [](const config::Host& host, const remote::Facts& facts) {
        const remote::Interface* interface = interface_with(facts, address_of(host, facts, facts));
        return interface == nullptr ? std::string() : interface->mac;
    };
    check_unique(in, report, kError, mac_of, "a MAC address of its own",
                 "give the virtual machine a new MAC address in its hypervisor, or correct the "
                 "one set in the host's network configuration");
}

void check_address(const CheckInput& in, CheckReport& report) {
    std::unordered_map<std::string, std::string> owners;  // node address -> host of the spec
    for (const auto& [host, facts] : in.hosts) owners.emplace(host->node_address(), host->name);
    for (const auto& [host, facts] : in.hosts) {
        bool clean = true;
        for (const std::string& address : facts->addresses) {
            const auto owner = owners.find(address);
            if (owner == owners.end() || owner->second == host->name) continue;
            clean = false;
            report.add(
                host->name,
                fail(kError, address, fmt::format("{} on {} alone", address, owner->second),
                     fmt::format("remove {} from {} (ip address del), or correct the address of {} "
                                 "in the spec",
                                 address, host->name, owner->second)),
                owner->second);
        }
        if (clean) report.add(host->name, pass(host->node_address()));
    }
}

}  // namespace slipway::cluster
