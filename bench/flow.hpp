// The flow the benchmarks run: as many steps a host as asked, shaped like an installation. Most
// steps of a host follow one another, some run beside; now and then every host waits for the first
// one (as nodes wait for the first control plane).
#pragma once

#include "engine/plan.hpp"

#include <string>
#include <vector>

namespace slipway::bench {

enum class Shape {
    graph,    // only true dependencies wait
    barrier,  // every host waits for every host after each step, as tools do that run task by task
};

struct FlowOptions {
    int hosts = 1000;
    int steps = 100;
    Shape shape = Shape::graph;
    double time_scale = 0;  // 0: no latency; 1: steps take as long as the model says
};

std::string host_name(int host);

// Seconds the model gives to one step on one host: steps differ by a factor of thirty, hosts by
// two, and one call in two hundred takes three times as long.
double model_seconds(int host, int step);

std::vector<engine::Step> make_flow(const FlowOptions& options);

// What the plan's longest chain takes, in model seconds.
double critical_path(const engine::Plan& plan);

}  // namespace slipway::bench
