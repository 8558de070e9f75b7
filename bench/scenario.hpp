// One whole run in a process of its own, so that its CPU time and peak memory are its own. The
// figures go to stdout as one JSON object.
#pragma once

#include "flow.hpp"

#include <filesystem>
#include <string>

namespace slipway::bench {

struct ScenarioOptions {
    FlowOptions flow;
    std::size_t parallel = 256;
    std::filesystem::path state;  // a folder on a real disk
};

// Plan and run; prints plan-seconds, run-seconds, cpu-seconds, peak-mib, steps, critical-path,
// result.
int run_scenario(const ScenarioOptions& options);

// From a spec of N hosts in YAML to the plan of the real flow; prints load-seconds, plan-seconds,
// steps.
int run_spec_scenario(int hosts);

}  // namespace slipway::bench
