// How steps.skip and steps.delegate name a step: STEP, or HOST/STEP.
#pragma once

#include <string>
#include <string_view>

namespace slipway::config {

struct StepReference {
    std::string host;  // "": on all hosts
    std::string step;
};

// A slash divides only when what is before it can be a host's name: some installers have slashes in
// the names of their steps.
StepReference parse_step_reference(std::string_view text);

}  // namespace slipway::config
