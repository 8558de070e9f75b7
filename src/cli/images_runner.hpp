// A push in this process, from the lock to the report: images push, copy, sync, import, and resume
// of any of them.
#pragma once

#include "cli/command.hpp"
#include "cli/state.hpp"
#include "images/push_run.hpp"

#include <string>

namespace slipway::cli {

// The state of pushes to this registry: a folder of its own beside those of clusters.
ClusterFolder images_folder(const Arguments& arguments, const std::string& registry);

ExitCode run_push(const Call& call, const images::PushOptions& options);

// Goes on with a run of kind images-push as it was started.
ExitCode continue_push(const Call& call, const ClusterFolder& folder, const store::Run& run);

}  // namespace slipway::cli
