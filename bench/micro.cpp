// The small things, with Google Benchmark: `slipway_bench --micro [--benchmark_filter=…]`.
#include "base/digest.hpp"
#include "base/text.hpp"
#include "config/load.hpp"
#include "engine/frontier.hpp"
#include "flow.hpp"

#include <benchmark/benchmark.h>

namespace slipway::bench {

namespace {

void plan_build(benchmark::State& state) {
    const FlowOptions options{.hosts = static_cast<int>(state.range(0)), .steps = 100};
    for (auto _ : state) {
        benchmark::DoNotOptimize(engine::Plan::build(make_flow(options)));
    }
    state.SetItemsProcessed(state.iterations() * state.range(0) * 100);
}
BENCHMARK(plan_build)->Arg(10)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);

void frontier_schedules(benchmark::State& state) {
    const engine::Plan plan =
        engine::Plan::build(make_flow({.hosts = static_cast<int>(state.range(0)), .steps = 100}));
    const engine::Policy policy;
    const std::vector<double> tails = plan.tails(std::vector<double>(plan.size(), 1.0));
    for (auto _ : state) {
        engine::Frontier frontier(plan, policy, tails);
        frontier.open();
        std::vector<engine::NodeIndex> running;
        while (!frontier.done()) {
            while (const auto node = frontier.next_that_fits()) running.push_back(*node);
            for (const engine::NodeIndex node : running) frontier.settle_done(node);
            running.clear();
        }
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(plan.size()));
}
BENCHMARK(frontier_schedules)->Arg(10)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);

void fingerprint(benchmark::State& state) {
    const std::string content(static_cast<std::size_t>(state.range(0)), 'x');
    for (auto _ : state) benchmark::DoNotOptimize(Sha256().field("step").field(content).hex());
    state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(fingerprint)->Arg(64)->Arg(4096)->Arg(1 << 20);

void nearest_name(benchmark::State& state) {
    const std::vector<std::string> names = {"hosts",   "kubernetes",    "etcd",
                                            "runtime", "networkPlugin", "registry"};
    for (auto _ : state) benchmark::DoNotOptimize(nearest("kubernets", names));
}
BENCHMARK(nearest_name);

}  // namespace

}  // namespace slipway::bench
