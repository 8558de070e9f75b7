#include "scenario.hpp"

#include "base/json.hpp"
#include "cluster/flow.hpp"
#include "cluster/flows/flows.hpp"
#include "config/load.hpp"
#include "engine/executor.hpp"
#include "engine/session.hpp"
#include "remote/simulated_fleet.hpp"

#include <chrono>
#include <iostream>

#include <fmt/format.h>

#include <sys/resource.h>

namespace slipway::bench {

namespace {

using Now = std::chrono::steady_clock;

double seconds_since(Now::time_point start) {
    return std::chrono::duration<double>(Now::now() - start).count();
}

double cpu_seconds() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double peak_mib() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

}  // namespace

int run_scenario(const ScenarioOptions& options) {
    const auto plan_start = Now::now();
    const engine::Plan plan = engine::Plan::build(make_flow(options.flow));
    const double plan_seconds = seconds_since(plan_start);

    std::vector<remote::SimulatedMachine> machines;
    for (int h = 0; h < options.flow.hosts; ++h) machines.push_back({.name = host_name(h)});
    remote::SimulatedFleet fleet(remote::load_profile("healthy"), machines, {}, system_clock());
    std::filesystem::remove_all(options.state);
    std::filesystem::create_directories(options.state);
    const auto journal = store::Journal::create_or_open(options.state / "journal.db");

    const double cpu_before = cpu_seconds();
    const auto run_start = Now::now();
    const engine::Session session = engine::start_session(*journal, plan, {}, system_clock());
    engine::Policy policy;
    policy.parallel_steps = options.parallel;
    engine::Executor executor(plan, {*journal, fleet, system_clock(), nullptr}, policy,
                              {.run = session.run});
    const engine::Outcome outcome = executor.run(session.states, {});
    const double run_seconds = seconds_since(run_start);
    const json::object figures{
        {"steps", plan.size()},       {"plan-seconds", plan_seconds},
        {"run-seconds", run_seconds}, {"cpu-seconds", cpu_seconds() - cpu_before},
        {"peak-mib", peak_mib()},     {"critical-path", critical_path(plan)},
        {"changed", outcome.changed}, {"result", engine::to_string(outcome.result)}};
    std::cout << json::serialize(figures) << std::endl;
    std::filesystem::remove_all(options.state);
    return outcome.result == engine::RunResult::succeeded ? 0 : 1;
}

int run_spec_scenario(int hosts) {
    std::string text =
        "apiVersion: slipway.dev/v1\nkind: Cluster\nmetadata: {name: bench}\nspec:\n  hosts:\n";
    for (int h = 0; h < hosts; ++h) {
        text += fmt::format("    - {{name: {}, address: 10.1.{}.{}, roles: [{}]}}\n", host_name(h),
                            h / 250, h % 250 + 1, h < 3 ? "control-plane" : "worker");
    }
    const auto load_start = Now::now();
    const config::LoadedSpec loaded = config::load_spec({{"bench.yaml", text}});
    const double load_seconds = seconds_since(load_start);
    for (const config::Problem& p : loaded.problems) std::cerr << p.line() << "\n";
    if (!loaded.ok()) return 1;
    const auto plan_start = Now::now();
    const engine::Plan plan =
        engine::Plan::build(cluster::instantiate(cluster::prepare_hosts(), loaded.spec, {}));
    const json::object figures{{"steps", plan.size()},
                               {"load-seconds", load_seconds},
                               {"plan-seconds", seconds_since(plan_start)},
                               {"peak-mib", peak_mib()}};
    std::cout << json::serialize(figures) << std::endl;
    return 0;
}

}  // namespace slipway::bench
