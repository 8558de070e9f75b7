#include "cli/commands.hpp"
#include "cli/control.hpp"

namespace slipway::cli {

namespace {

ExitCode run_skip(const Call& call) {
    const ClusterFolder cluster = find_cluster(call);
    const auto journal = open_journal(cluster);
    const std::int64_t alive = require_living_run(cluster, *journal);
    return leave_command(call, cluster, *journal, alive, "skip", call.arguments.value("STEP"));
}

}  // namespace

Command skip_command() {
    return {.name = "skip",
            .summary = "Leave a step of the living run out",
            .examples = "slipway skip sync-time\nslipway skip w2/sync-time --cluster demo",
            .details =
                "Only steps that declare it may be skipped: `slipway steps` shows which. To leave "
                "a step\n"
                "out of every run, name it in the spec: steps.skip.",
            .options = {cluster_option(), spec_option()},
            .positionals = {{.name = "STEP",
                             .help = "a step on every host, or HOST/STEP",
                             .required = true,
                             .complete = Complete::node}},
            .run = run_skip};
}

}  // namespace slipway::cli
