// Checks of hosts compared with one another. Each is linear in the number of hosts: a thousand
// hosts have half a million pairs.
#include "cluster/checks/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <unordered_map>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr std::int64_t kSkewWarningMs = 5'000;
constexpr std::int64_t kSkewErrorMs = 30'000;

// Every host after the first with the same value fails, naming the first. Empty values say nothing.
template <class ValueOf>
void check_unique(const CheckInput& in, CheckReport& report, CheckSeverity severity,
                  ValueOf&& value_of, const std::string& wanted, const std::string& remedy) {
    std::unordered_map<std::string, std::string> owners;
    for (const auto& [host, facts] : in.hosts) {
        const std::string& value = value_of(*facts);
        if (value.empty()) continue;
        const auto [owner, fresh] = owners.emplace(value, host->name);
        if (fresh) {
            report.pass(host->name, value);
        } else {
            report.fail(severity, host->name, value, wanted, remedy, owner->second);
        }
    }
}

}  // namespace

void check_machine_id(const CheckInput& in, CheckReport& report) {
    check_unique(
        in, report, CheckSeverity::error, [](const auto& f) -> auto& { return f.machine_id; },
        "a machine-id of its own",
        "the machine is a clone: rm /etc/machine-id; systemd-machine-id-setup; reboot");
}

void check_product_uuid(const CheckInput& in, CheckReport& report) {
    // Only a warning: containers of one machine share it and work all the same.
    check_unique(
        in, report, CheckSeverity::warning, [](const auto& f) -> auto& { return f.product_uuid; },
        "a product UUID of its own",
        "give the virtual machine a new UUID in its hypervisor, unless it is a container");
}

void check_hostname(const CheckInput& in, CheckReport& report) {
    if (in.spec.os.hostname) return;  // Slipway gives every host its own
    check_unique(
        in, report, CheckSeverity::error, [](const auto& f) -> auto& { return f.hostname; },
        "a hostname of its own", "rename one of them, or switch on os.hostname in the spec");
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
            report.fail(CheckSeverity::error, host->name, address,
                        fmt::format("{} on {} alone", address, owner->second),
                        fmt::format("remove {} from {}, or correct the address of {} in the spec",
                                    address, host->name, owner->second),
                        owner->second);
        }
        if (clean) report.pass(host->name, host->node_address());
    }
}

// Against the host in the middle, so that one wrong clock is named and not all the others.
void check_clock(const CheckInput& in, CheckReport& report) {
    if (in.hosts.empty()) return;
    auto sorted = in.hosts;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 2);
    std::ranges::nth_element(sorted, middle, {},
                             [](const auto& h) { return h.second->clock_offset_ms; });
    const auto [reference, reference_facts] = *middle;
    for (const auto& [host, facts] : in.hosts) {
        const std::int64_t skew =
            std::llabs(facts->clock_offset_ms - reference_facts->clock_offset_ms);
        const std::string seen = fmt::format("{:.1f} s apart from {}",
                                             static_cast<double>(skew) / 1000.0, reference->name);
        if (skew > kSkewWarningMs) {
            const std::string remedy =
                facts->time_service.empty()
                    ? "install and start chrony on the host, or set its clock"
                    : fmt::format("see why {} on the host does not keep the clock right",
                                  facts->time_service);
            report.fail(skew > kSkewErrorMs ? CheckSeverity::error : CheckSeverity::warning,
                        host->name, seen, "5 s or less", remedy, reference->name);
        } else {
            report.pass(host->name, seen);
        }
    }
}

}  // namespace slipway::cluster
