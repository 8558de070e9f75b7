// The names of the steps that run the user's scripts and programs: a beginning for each point, then
// the name the spec gives.
#pragma once

#include "config/spec.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace slipway::cluster {

inline constexpr std::string_view kPreInstallScript = "pre-install-script-";
inline constexpr std::string_view kPostClusterReadyScript = "post-cluster-ready-script-";
inline constexpr std::string_view kPostInstallScript = "post-install-script-";

inline constexpr std::string_view kOperatorPreInstall = "operator-pre-install-";
inline constexpr std::string_view kOperatorPostClusterReady = "operator-post-cluster-ready-";
inline constexpr std::string_view kOperatorPostInstall = "operator-post-install-";

// Every such step of the spec, whatever the host.
std::vector<std::string> hook_step_ids(const config::Spec& spec);

}  // namespace slipway::cluster
