#include "cluster/checks/testing/cases.hpp"

#include "cluster/checks/facts_query.hpp"
#include "cluster/testing/sample_spec.hpp"
#include "remote/testing/test_fleet.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace slipway::cluster::testing {

using config::Role;

CheckedFleet::CheckedFleet() {
    spec.name = "demo";
    spec.hosts = {sample_host("cp1", "10.0.0.11", {Role::control_plane}),
                  sample_host("cp2", "10.0.0.12", {Role::control_plane}),
                  sample_host("cp3", "10.0.0.13", {Role::control_plane}),
                  sample_host("w1", "10.0.0.14", {Role::worker, Role::registry}),
                  sample_host("w2", "10.0.0.15", {Role::worker})};
    auto fleet = remote::testing::make_test_fleet({"cp1", "cp2", "cp3", "w1", "w2"});
    for (const config::Host& one : spec.hosts)
        facts[one.name] = fleet->host(one.name).facts(facts_query(spec, one), {});
    open_all_links();
}

config::Host& CheckedFleet::host(const std::string& name) {
    return *std::ranges::find(spec.hosts, name, &config::Host::name);
}

void CheckedFleet::open_all_links() {
    reachability = {};
    for (Link& link : needed_links(spec, facts)) {
        const bool silent = link.use == LinkUse::vip;
        remote::ProbeAnswer answer{.reached = !silent && !link.to.empty(),
                                   .accepted = !silent && link.to.empty(),
                                   .reason = silent ? "timed out" : "",
                                   .micros = 200};
        reachability.links.push_back({std::move(link), std::move(answer)});
    }
}

void CheckedFleet::close(LinkUse use, const std::string& from, const std::string& to,
                         const std::string& reason) {
    bool any = false;
    for (ProbedLink& probed : reachability.links) {
        const Link& link = probed.link;
        const bool meant =
            link.use == use && (from == "*" || from == link.from) && (to == "*" || to == link.to);
        if (!meant) continue;
        probed.answer = {.reason = reason};
        any = true;
    }
    if (!any) throw std::logic_error("no such link to close");
}

std::vector<CheckResult> CheckedFleet::results(const std::vector<std::string>& ignored) const {
    return run_checks({spec, facts, troubles, reachability, ours}, ignored);
}

std::vector<std::string> CheckedFleet::failed(const std::vector<std::string>& ignored) const {
    std::vector<std::string> out;
    for (const CheckResult& r : results(ignored)) {
        if (r.outcome == CheckOutcome::passed) continue;
        const std::string hosts = r.other_host.empty() ? r.host : r.host + "," + r.other_host;
        out.push_back(
            fmt::format("{} {} {}", r.id, hosts.empty() ? "-" : hosts, to_string(r.severity)));
    }
    return out;
}

std::vector<Case> all_cases() {
    std::vector<Case> out;
    for (const auto& cases : {machine_cases(), network_cases(), together_cases()})
        out.insert(out.end(), cases.begin(), cases.end());
    return out;
}

}  // namespace slipway::cluster::testing
