#include "cli/commands.hpp"
#include "cli/control.hpp"

namespace slipway::cli {

namespace {

ExitCode run_cancel(const Call& call) {
    const ClusterFolder cluster = find_cluster(call);
    const auto journal = open_journal(cluster);
    return leave_command(call, cluster, *journal, require_living_run(cluster, *journal), "cancel",
                         "");
}

}  // namespace

Command cancel_command() {
    return {.name = "cancel",
            .summary = "Stop the run within seconds, with everything recorded",
            .examples = "slipway cancel demo\nslipway resume demo",
            .details =
                "Steps that run are asked to end and their commands on the hosts are stopped. "
                "`slipway\n"
                "resume` goes on where the run was.",
            .options = {cluster_option(), spec_option()},
            .positionals = {cluster_positional()},
            .run = run_cancel};
}

}  // namespace slipway::cli
