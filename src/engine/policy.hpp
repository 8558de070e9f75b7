// What a failure may take with it.
//
// A host that fails is set aside and the others go on, as long as every failure domain it belongs
// to keeps `must_survive` hosts. Losing more (the majority of the control planes, say) stops the
// run: what runs is let finish, nothing new starts.
#pragma once

#include "base/clock.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace slipway::engine {

struct FailureDomain {
    std::string name;  // "control-plane"
    std::vector<std::string> hosts;
    std::size_t must_survive = 0;
};

struct Policy {
    std::vector<FailureDomain> domains = {};
    bool stop_on_first_failure = false;
    // A failed step of no host takes only what needs it with it; else it ends the run.
    bool steps_fail_alone = false;
    std::map<std::string, std::size_t> pools = {};  // slots; a pool not named here has one
    std::size_t parallel_steps = 256;
    std::size_t parallel_per_host = 4;
    int retries = -1;        // -1: what each step says
    Millis step_timeout{0};  // 0: what each step says
};

}  // namespace slipway::engine
