// How long an apply of a plan will take, before it begins; as time left is computed during a run
// (progress.hpp): the longest chain, or all work over what runs at once, whichever is longer.
//
//     Estimate e = estimate(plan, preview, journal->durations(), operation.policy());
//     e.seconds;    // of steps that have something to do; the others take next to nothing
#pragma once

#include "base/json.hpp"
#include "engine/plan.hpp"
#include "engine/policy.hpp"
#include "engine/preview.hpp"
#include "store/journal.hpp"

#include <vector>

namespace slipway::engine {

struct Estimate {
    double seconds = 0, low = 0, high = 0;
    std::size_t steps = 0;     // that have something to do
    std::size_t measured = 0;  // of them, those whose time was measured by earlier runs
};

Estimate estimate(const Plan& plan, const Preview& preview,
                  const std::vector<store::Duration>& measured, const Policy& policy);

// {"seconds":…, "low":…, "high":…, "steps":…, "measured":…}
json::object to_json(const Estimate& estimate);

// Steps that can run at once, over all hosts.
std::size_t parallel_bound(const Plan& plan, const Policy& policy);

}  // namespace slipway::engine
