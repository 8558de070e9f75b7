#include "flow.hpp"

#include "cluster/resources/kinds.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace slipway::bench {

namespace {

// A hash to [0, 1): the same latencies in every run and every shape.
double unit(std::uint64_t a, std::uint64_t b) {
    std::uint64_t x = a * 0x9e3779b97f4a7c15ULL + b * 0xbf58476d1ce4e5b9ULL + 0x94d049bb133111ebULL;
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ULL;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebULL;
    x ^= x >> 31;
    return static_cast<double>(x >> 11) / static_cast<double>(1ULL << 53);
}

std::string step_name(int step) { return fmt::format("step-{:03}", step); }

std::vector<std::string> needs_of(int host, int step) {
    std::vector<std::string> needs;
    const auto on = [](int h, int s) { return host_name(h) + "/" + step_name(s); };
    if (step == 0) return needs;
    // Every third step runs beside the main line and is gathered by a later one.
    const bool side = step % 3 == 2;
    needs.push_back(on(host, step - (step % 3 == 0 ? 2 : 1)));
    if (!side && step % 9 == 0) needs.push_back(on(host, step - 1));
    if (host != 0 && step % 25 == 0) needs.push_back(on(0, step - 1));
    return needs;
}

}  // namespace

std::string host_name(int host) { return fmt::format("node{:04}", host); }

double model_seconds(int host, int step) {
    const double base = 0.05 * std::pow(30.0, unit(1, static_cast<std::uint64_t>(step)));
    const double of_host = 0.75 + 0.75 * unit(2, static_cast<std::uint64_t>(host));
    const bool outlier =
        unit(static_cast<std::uint64_t>(host) + 3, static_cast<std::uint64_t>(step)) < 0.005;
    return base * of_host * (outlier ? 3.0 : 1.0);
}

std::vector<engine::Step> make_flow(const FlowOptions& options) {
    // One file a step, the same on every host: hosts share the resource and its digest.
    std::vector<cluster::ResourceListPtr> lists;
    for (int s = 0; s < options.steps; ++s) {
        lists.push_back(cluster::resource_list({cluster::file(
            fmt::format("/etc/slipway/bench/{}.conf", step_name(s)), {.content = step_name(s)})}));
    }
    std::vector<engine::Step> out;
    out.reserve(static_cast<std::size_t>(options.hosts) * static_cast<std::size_t>(options.steps));
    for (int s = 0; s < options.steps; ++s) {
        for (int h = 0; h < options.hosts; ++h) {
            engine::Step step =
                cluster::resources_step(step_name(s), lists[static_cast<std::size_t>(s)]);
            step.host = host_name(h);
            step.weight = model_seconds(h, s);
            step.needs = needs_of(h, s);
            if (options.shape == Shape::barrier && s > 0)
                step.needs = {"barrier-" + step_name(s - 1)};
            if (options.time_scale > 0) {
                const Millis latency(
                    static_cast<std::int64_t>(1000 * step.weight * options.time_scale));
                step.act = [latency, act = step.act](engine::Context& c) {
                    c.clock().sleep_for(latency, c.stop());
                    act(c);
                };
            }
            out.push_back(std::move(step));
        }
        if (options.shape == Shape::barrier) {
            engine::Step gate;
            gate.id = "barrier-" + step_name(s);
            gate.weight = 0;
            for (int h = 0; h < options.hosts; ++h)
                gate.needs.push_back(host_name(h) + "/" + step_name(s));
            gate.act = [](engine::Context&) {};
            out.push_back(std::move(gate));
        }
    }
    return out;
}

double critical_path(const engine::Plan& plan) {
    std::vector<double> seconds;
    for (const engine::Node& node : plan.nodes()) seconds.push_back(node.step.weight);
    const std::vector<double> tails = plan.tails(seconds);
    return tails.empty() ? 0 : *std::ranges::max_element(tails);
}

}  // namespace slipway::bench
