// The user's programs on this computer (hooks.operatorPreInstall and its kin): one step a program,
// of no host, named operator-pre-install-NAME and so on. docs/hooks.md says what they are given.
#pragma once

#include "cluster/flow.hpp"
#include "cluster/steps/named_steps.hpp"

namespace slipway::cluster {

// A step for each, in the order of the spec. `phase` is what SLIPWAY_PHASE says.
std::vector<engine::Step> operator_hook_steps(const StepInput& in,
                                              const std::vector<config::OperatorHook>& hooks,
                                              std::string_view prefix, std::string_view phase);

}  // namespace slipway::cluster
