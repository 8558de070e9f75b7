// A dry run: another executor, not an `if`. Probes every step and changes nothing.
//
//     Preview preview = preview_plan(plan, states, fleet, clock, 64, stop);
//     preview.steps[i].change;    // none, create, change, remove, run, unknown, skip, delegate
//     preview.world;              // digest of all that was seen; a saved plan is refused when it
//     differs
#pragma once

#include "engine/plan.hpp"
#include "remote/host.hpp"
#include "store/journal.hpp"

#include <stop_token>
#include <string>
#include <vector>

namespace slipway::engine {

struct StepPreview {
    NodeIndex node = kNoNode;
    std::string change;  // the strongest verb of `changes`, or none, unknown, skip, delegate
    std::string reason;  // new, inputs changed, drift, undone, or ""
    std::vector<Change> changes = {};
    std::string problem = {};  // why it is unknown
};

struct Preview {
    std::vector<StepPreview> steps;  // in plan order
    std::string world;
    std::size_t to_change = 0;  // steps that would change something (or cannot tell)
};

// `states` may be empty (no journal yet).
Preview preview_plan(const Plan& plan, const std::vector<store::NodeState>& states,
                     remote::Fleet& fleet, Clock& clock, std::size_t parallel,
                     std::stop_token stop);

// {"hash":…, "world":…, "steps":[{"id","step","host","title","needs","change","reason","changes"}]}
json::object to_json(const Plan& plan, const Preview& preview);

}  // namespace slipway::engine
