#include "cluster/checks/check.hpp"

#include "cluster/checks/report.hpp"

#include <algorithm>
#include <array>

namespace slipway::cluster {

std::string_view to_string(CheckOutcome outcome) {
    return outcome == CheckOutcome::passed ? "passed" : "failed";
}

std::string_view to_string(CheckSeverity severity) {
    return severity == CheckSeverity::error ? "error" : "warning";
}

namespace {

// Questions to a machine nothing of ours is on yet: free ports, no traces, room for everything. An
// installed one was asked before.
bool is_about_bare_hosts(std::string_view id) {
    static constexpr std::array<std::string_view, 11> kBeginnings = {
        "HOST-LEFTOVER-", "HOST-FOREIGN-RUNTIME", "HOST-DISK",      "HOST-MEMORY-AVAILABLE",
        "HOST-ETCD-DISK", "NET-FIREWALL-RULES",   "NET-PORT-",      "NET-PROBE",
        "NET-REACH-",     "NET-RANGE-",           "NET-SAME-SUBNET"};
    return id == "CLUSTER-VIP-FREE" || id == "NET-PATH-MTU" || id == "HOST-DUPLICATE-ADDRESS" ||
           std::ranges::any_of(
               kBeginnings, [&](std::string_view beginning) { return id.starts_with(beginning); });
}

// Of a pair one is enough: who is installed holds the ports the other would try.
bool is_settled(const CheckSubject& subject, const CheckResult& result) {
    if (subject.ours.empty() || !is_about_bare_hosts(result.id)) return false;
    return result.host.empty() || subject.ours.contains(result.host) ||
           subject.ours.contains(result.other_host);
}

}  // namespace

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
            if (is_settled(subject, result)) result.outcome = CheckOutcome::passed;
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
