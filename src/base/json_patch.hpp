// Changes to JSON, written as JSON.
//
//     merge_patch(config, {{"maxPods", 200}});                        // RFC 7396
//     apply_patch(config, parse_json(R"([{"op": "remove", "path": "/maxPods"}])", "patch"));
#pragma once

#include "base/json.hpp"

namespace slipway {

// Maps merge; null takes a member away; anything else replaces what was there.
void merge_patch(json::value& target, const json::value& patch);

// RFC 6902 with add, remove, replace and test. Throws UserError PATCH-INVALID when an operation is
// none of these or does not fit the target.
void apply_patch(json::value& target, const json::value& operations);

}  // namespace slipway
