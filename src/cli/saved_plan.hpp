// A plan in a file: what was reviewed is what is applied, or nothing is.
//
//     save_plan(file, {.cluster = "demo", .spec = canonical, .options = o, .plan = to_json(plan,
//     preview)}); SavedPlan saved = load_plan(file); require_same(saved, to_json(plan, preview));
//     // throws VerificationError naming what moved
#pragma once

#include "base/json.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace slipway::cli {

struct SavedPlan {
    std::string cluster;
    std::string spec;     // canonical JSON
    std::string options;  // RunOptions as JSON
    json::object plan;    // engine::to_json
};

void save_plan(const std::filesystem::path& file, const SavedPlan& saved);
SavedPlan load_plan(const std::filesystem::path& file);

// Ids of steps whose preview differs between the two, in order.
std::vector<std::string> moved_steps(const json::object& saved, const json::object& now);

// Throws VerificationError PLAN-STALE (the world moved) or PLAN-OTHER (the plan itself differs).
void require_same(const SavedPlan& saved, const json::object& now);

}  // namespace slipway::cli
