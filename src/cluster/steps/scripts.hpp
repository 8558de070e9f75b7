// The user's scripts (hooks.preInstall, hooks.postInstall): one step a script and host, named
// pre-install-script-NAME or post-install-script-NAME.
#pragma once

#include "cluster/flow.hpp"

namespace slipway::cluster {

inline constexpr std::string_view kPreInstallScript = "pre-install-script-";
inline constexpr std::string_view kPostInstallScript = "post-install-script-";

// The steps of those scripts that are for this host's roles, in the order of the spec.
std::vector<engine::Step> script_steps(const StepInput& in,
                                       const std::vector<config::Script>& scripts,
                                       std::string_view prefix);

// Every script step of the spec, whatever the host.
std::vector<std::string> script_step_ids(const config::Spec& spec);

}  // namespace slipway::cluster
