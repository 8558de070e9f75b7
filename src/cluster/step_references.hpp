// What steps.skip and steps.delegate of a spec mean: ids of steps, for all hosts or as HOST/STEP,
// and other installers' names for them (aliases.hpp).
#pragma once

#include "cluster/flow.hpp"
#include "config/load.hpp"

#include <string>
#include <vector>

namespace slipway::cluster {

// Names that no step has, or that may not be skipped or delegated.
std::vector<config::Problem> check_step_references(const config::LoadedSpec& loaded);
std::vector<config::Problem> check_step_references(const config::LoadedSpec& loaded,
                                                   const Flow& flow);

// The same list as engine::Plan takes it: for other installers' names the steps themselves, and
// only what is among `steps`. A step this spec or bundle has no part for is skipped as it is; what
// no step is called stays, and the plan refuses it.
std::vector<std::string> expand_step_references(const std::vector<std::string>& references,
                                                const std::vector<engine::Step>& steps,
                                                const config::Spec& spec);

}  // namespace slipway::cluster
