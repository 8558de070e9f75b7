// A run in this process, from the lock to the report. apply, resume, retry and reset end here.
//
//     return run_apply(call, {.command = "apply", .cluster = …, .spec = …, .options = …, .ask =
//     true});
#pragma once

#include "cli/command.hpp"
#include "cli/detach.hpp"
#include "cli/run_options.hpp"
#include "cli/saved_plan.hpp"
#include "cli/state.hpp"
#include "cluster/operation.hpp"
#include "config/spec.hpp"

#include <string>

namespace slipway::cli {

struct RunRequest {
    std::string command;  // what the lock says of us
    ClusterFolder cluster;
    config::Spec spec;
    RunOptions options;
    bool ask = false;                  // show the counts and ask before the run begins
    const SavedPlan* saved = nullptr;  // must still fit
    Detached* detached = nullptr;      // go on in the background
    std::string retry_only = {};       // of what had failed: a host, a step, or HOST/STEP
};

ExitCode run_apply(const Call& call, const RunRequest& request);
ExitCode run_reset(const Call& call, const RunRequest& request);

// With --detach `run` (one of the two above) goes on in a process of its own once it has begun,
// and its number is shown; without it, as `run`. Must be called while the process has one thread.
ExitCode run_where_asked(const Call& call, RunRequest& request,
                         ExitCode (*run)(const Call&, const RunRequest&));

// Goes on with the last run as it was started; throws RUN-COMPLETE when there is nothing to go on
// with.
ExitCode continue_last_run(const Call& call, const ClusterFolder& cluster,
                           const std::string& command, const std::string& retry_only = "");

// The spec and options of the last apply: what a reset undoes.
store::Run last_apply(store::Journal& journal, const ClusterFolder& cluster);

}  // namespace slipway::cli
