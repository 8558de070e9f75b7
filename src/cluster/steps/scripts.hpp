// The user's scripts (hooks.preInstall and its kin): one step a script and host, named
// pre-install-script-NAME and so on.
#pragma once

#include "cluster/flow.hpp"
#include "cluster/steps/named_steps.hpp"

namespace slipway::cluster {

// The steps of those scripts that are for this host's roles, in the order of the spec.
std::vector<engine::Step> script_steps(const StepInput& in,
                                       const std::vector<config::Script>& scripts,
                                       std::string_view prefix);

}  // namespace slipway::cluster
