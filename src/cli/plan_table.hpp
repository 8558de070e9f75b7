// What a plan would change, for people: a block a host, a mark a step, the counts at the end.
#pragma once

#include "cli/output.hpp"
#include "engine/estimate.hpp"
#include "engine/preview.hpp"
#include "engine/undo.hpp"

#include <cstddef>
#include <string>

namespace slipway::cli {

struct PlanCounts {
    std::size_t create = 0, change = 0, remove = 0, run = 0, unknown = 0, skip = 0, delegate = 0,
                none = 0;

    std::string words() const;  // "4 to create, 2 to change, 1 to run; 10 as they should be"
};

PlanCounts count(const engine::Preview& preview);

// Steps with nothing to do are left out unless `verbose`.
std::string plan_table(const engine::Plan& plan, const engine::Preview& preview, const Style& style,
                       bool verbose);

// "Takes about 3 min 10 s (2 min 22 s to 3 min 58 s), by 40 of 44 steps measured before", or ""
// when nothing is to be done.
std::string estimate_line(const engine::Estimate& time);

// What a reset would undo, in the order of doing, and what it has to leave.
std::string undo_table(const engine::UndoPlan& undo, const Style& style);
json::object undo_json(const engine::UndoPlan& undo);

}  // namespace slipway::cli
