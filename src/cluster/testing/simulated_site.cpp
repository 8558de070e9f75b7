#include "cluster/testing/simulated_site.hpp"

#include "cluster/flows/flows.hpp"
#include "engine/session.hpp"

#include <fmt/format.h>

namespace slipway::cluster::testing {

namespace {

constexpr const char* kMixed = R"(
defaults: {files: {/etc/timezone: {content: "Etc/UTC\n"}}}
hosts:
  cp1: {facts: {os: rocky, firewall: firewalld}}
  w1: {facts: {os: ubuntu, firewall: ufw, time-service: chrony}}
)";

}  // namespace

SimulatedSite::SimulatedSite(config::Spec spec)
    : spec_(std::move(spec)),
      fleet_(remote::testing::make_test_fleet({"cp1", "w1", "w2"}, kMixed)) {}

std::vector<engine::Step> SimulatedSite::steps() {
    std::map<std::string, remote::Facts> facts;
    for (const config::Host& host : spec_.hosts)
        facts[host.name] = fleet_->host(host.name).facts({}, {});
    return instantiate(prepare_hosts(), spec_, facts);
}

engine::Plan SimulatedSite::plan() { return engine::Plan::build(steps()); }

engine::UndoPlan SimulatedSite::undo_plan() {
    return engine::reverse(plan(), journal_.node_states(), journal_.baselines());
}

engine::Outcome SimulatedSite::apply() { return run(plan(), "apply"); }
engine::Outcome SimulatedSite::reset() { return run(undo_plan().plan, "reset"); }

engine::Outcome SimulatedSite::run(const engine::Plan& plan, const std::string& kind) {
    const auto session = engine::start_session(journal_, plan, {.kind = kind}, system_clock());
    engine::Executor executor(plan, {journal_, *fleet_, system_clock()}, {},
                              {.run = session.run, .undo = kind == "reset", .tick = Millis(2)});
    return executor.run(session.states, {});
}

std::string SimulatedSite::file(const std::string& host, const std::string& path) {
    return remote::testing::content_of(*fleet_, host, path);
}

// "host section name" of everything that is not alike in two snapshots of a site.
std::vector<std::string> differences(const json::object& a, const json::object& b) {
    std::vector<std::string> out;
    const auto look = [&](const json::object& x, const json::object& y) {
        for (const auto& [host, sections] : x) {
            for (const auto& [section, entries] : sections.as_object()) {
                const json::object& others = y.at(host).at(section).as_object();
                for (const auto& [name, value] : entries.as_object()) {
                    const json::value* other = others.if_contains(name);
                    if (other && *other == value) continue;
                    out.push_back(fmt::format("{} {} {}: {}", std::string_view(host),
                                              std::string_view(section), std::string_view(name),
                                              json::serialize(value)));
                }
            }
        }
    };
    look(a, b);
    look(b, a);
    return out;
}

}  // namespace slipway::cluster::testing
