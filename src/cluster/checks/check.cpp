#include "cluster/checks/check.hpp"

#include "cluster/checks/report.hpp"

#include <algorithm>

namespace slipway::cluster {

std::string_view to_string(CheckOutcome outcome) {
    return outcome == CheckOutcome::passed ? "passed" : "failed";
}

std::string_view to_string(CheckSeverity severity) {
    return severity == CheckSeverity::error ? "error" : "warning";
}

std::vector<CheckResult> run_checks(const CheckSubject& subject,
                                    const std::vector<std::string>& ignored) {
    CheckInput input{subject, subject.spec};
    for (const config::Host* host : subject.spec.sorted_hosts()) {
        const auto known = subject.facts.find(host->name);
        if (known != subject.facts.end()) input.hosts.emplace_back(host, &known->second);
    }
    std::vector<CheckResult> out;
    for (const Check& check : all_checks()) {
        CheckReport report{std::string(check.id)};
        if (const FleetCheck* together = std::get_if<FleetCheck>(&check.run)) {
            (*together)(input, report);
        } else {
            for (const auto& [host, facts] : input.hosts) {
                for (Finding& finding :
                     std::get<HostCheck>(check.run)({subject.spec, *host, *facts}))
                    report.add(host->name, std::move(finding));
            }
        }
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
    for (const Check& check : all_checks()) {
        out.push_back({check.id, check.severity, check.question, check.why});
    }
    return out;
}

}  // namespace slipway::cluster
