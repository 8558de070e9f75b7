// The user's patches of what the kubelet is told.
#pragma once

#include "cluster/kubernetes_config.hpp"
#include "config/load.hpp"
#include "config/patch_file.hpp"

#include <string>
#include <vector>

namespace slipway::cluster {

// Throws UserError PATCH-INVALID, which names the file.
std::string patched_kubelet_config(const std::string& ours,
                                   const std::vector<config::PatchFile>& patches);

// Tries them on the text of every kind of node. Files that are no patches at all are the business
// of config::check_local_files.
std::vector<config::Problem> check_kubelet_patches(const config::LoadedSpec& loaded);

}  // namespace slipway::cluster
