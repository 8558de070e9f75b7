// Putting things back: the plan turned round. Steps that changed something are undone in reverse
// order of their needs, by the same executor, journal and crash rules as any run.
#pragma once

#include "engine/plan.hpp"
#include "store/journal.hpp"

#include <string>
#include <vector>

namespace slipway::engine {

struct UndoFilter {
    std::vector<std::string> hosts = {};  // empty: all
    std::vector<std::string> steps = {};  // step ids or node ids; empty: all
    // A reset that is gone on with: what this run has undone already stays in its plan, so that it
    // is the same plan.
    std::int64_t continuing = 0;
};

struct UndoPlan {
    Plan plan;
    // Steps that changed something and cannot be undone, with their reason.
    std::vector<std::pair<std::string, std::string>> left;
};

UndoPlan reverse(const Plan& plan, const std::vector<store::NodeState>& states,
                 const std::vector<store::Baseline>& baselines, const UndoFilter& filter = {});

}  // namespace slipway::engine
