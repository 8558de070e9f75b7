#include "cli/commands.hpp"
#include "cli/control.hpp"

namespace slipway::cli {

namespace {

ExitCode run_pause(const Call& call) {
    const ClusterFolder cluster = find_cluster(call);
    const auto journal = open_journal(cluster);
    return leave_command(call, cluster, *journal, require_living_run(cluster, *journal), "pause",
                         "");
}

}  // namespace

Command pause_command() {
    return {.name = "pause",
            .summary = "Let the steps that run end, and start no new ones",
            .examples = "slipway pause demo\nslipway resume demo",
            .options = {cluster_option(), spec_option()},
            .positionals = {cluster_positional()},
            .run = run_pause};
}

}  // namespace slipway::cli
