#include "cli/commands.hpp"
#include "cli/control.hpp"
#include "cli/runner.hpp"

namespace slipway::cli {

namespace {

ExitCode run_resume(const Call& call) {
    const ClusterFolder cluster = find_cluster(call);
    {
        const auto journal = open_journal(cluster);
        if (const std::optional<std::int64_t> alive = living_run(cluster, *journal)) {
            return leave_command(call, cluster, *journal, *alive, "continue", "");
        }
    }
    return continue_last_run(call, cluster, "resume");
}

}  // namespace

Command resume_command() {
    return {
        .name = "resume",
        .summary = "Go on with a run that was paused, cancelled, killed or failed",
        .examples = "slipway resume demo",
        .details =
            "A run that is alive and paused goes on in its own process. Any other run goes on in "
            "this\n"
            "one, with the spec and the options it was started with: what it acknowledged is not\n"
            "repeated, everything else is looked at again.",
        .options = {cluster_option(), spec_option(), simulate_option(), accept_new_option(),
                    ssh_config_option(), ignore_option(), detach_option(), secrets_option(),
                    progress_option()},
        .positionals = {cluster_positional()},
        .run = run_resume};
}

}  // namespace slipway::cli
