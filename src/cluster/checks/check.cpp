#include "cluster/checks/check.hpp"

#include "cluster/checks/report.hpp"

#include <algorithm>
#include <array>

namespace slipway::cluster {

namespace {

struct Check {
    std::string_view id;
    std::string_view question;
    void (*run)(const CheckInput&, CheckReport&);
};

// Every check there is, in the order users read the results.
constexpr std::array<Check, 13> kChecks = {{
    {"HOST-UNREACHABLE", "Can the host be reached and its facts be read?", check_reachable},
    {"HOST-ARCH", "Is the architecture supported, and the one the spec says?", check_arch},
    {"HOST-OS", "Is the operating system one Slipway is tested on?", check_os},
    {"HOST-CPU", "Has a control plane at least two processors?", check_cpu},
    {"HOST-MEMORY", "Is there memory enough for the host's roles?", check_memory},
    {"HOST-DISK", "Is there room under /var/lib?", check_disk},
    {"HOST-CGROUP", "Does the host use cgroup version 2?", check_cgroup},
    {"HOST-TIME-SERVICE", "Does a time service run?", check_time_service},
    {"HOST-DUPLICATE-MACHINE-ID", "Has every host its own machine-id?", check_machine_id},
    {"HOST-DUPLICATE-PRODUCT-UUID", "Has every host its own product UUID?", check_product_uuid},
    {"HOST-DUPLICATE-HOSTNAME", "Has every host its own hostname?", check_hostname},
    {"HOST-DUPLICATE-ADDRESS", "Is no host's address also on another host?", check_address},
    {"HOST-CLOCK-SKEW", "Do the clocks of all hosts agree?", check_clock},
}};

}  // namespace

std::string_view to_string(CheckOutcome outcome) {
    return outcome == CheckOutcome::passed ? "passed" : "failed";
}

std::string_view to_string(CheckSeverity severity) {
    return severity == CheckSeverity::error ? "error" : "warning";
}

std::vector<CheckResult> run_checks(const config::Spec& spec,
                                    const std::map<std::string, remote::Facts>& facts,
                                    const std::map<std::string, std::string>& unreachable,
                                    const std::vector<std::string>& ignored) {
    CheckInput input{spec, unreachable, {}};
    for (const config::Host* host : spec.sorted_hosts()) {
        const auto known = facts.find(host->name);
        if (known != facts.end()) input.hosts.emplace_back(host, &known->second);
    }
    std::vector<CheckResult> out;
    for (const Check& check : kChecks) {
        CheckReport report{std::string(check.id)};
        check.run(input, report);
        const bool is_ignored = std::ranges::find(ignored, check.id) != ignored.end();
        for (CheckResult& result : report.take()) {
            result.ignored = is_ignored;
            out.push_back(std::move(result));
        }
    }
    return out;
}

std::vector<CheckInfo> check_catalog() {
    std::vector<CheckInfo> out;
    for (const Check& check : kChecks) out.push_back({check.id, check.question});
    return out;
}

}  // namespace slipway::cluster
