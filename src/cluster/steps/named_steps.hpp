// The names of the steps the spec names: those that run the user's scripts and programs, and one a
// component. A beginning for each sort, then the name in the spec.
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

inline constexpr std::string_view kInstallComponent = "install-component-";

// Every such step of the spec, whatever the host.
std::vector<std::string> named_step_ids(const config::Spec& spec);

}  // namespace slipway::cluster
