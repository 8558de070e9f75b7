#include "cli/commands.hpp"
#include "cli/control.hpp"
#include "cli/runner.hpp"

namespace slipway::cli {

namespace {

std::string target_of(const Arguments& arguments) {
    const std::string host = arguments.value("--host");
    const std::string step = arguments.value("--step");
    return host.empty() || step.empty() ? host + step : host + "/" + step;
}

ExitCode run_retry(const Call& call) {
    const ClusterFolder cluster = find_cluster(call);
    {
        const auto journal = open_journal(cluster);
        if (const std::optional<std::int64_t> alive = living_run(cluster, *journal)) {
            return leave_command(call, cluster, *journal, *alive, "retry",
                                 target_of(call.arguments));
        }
    }
    return continue_last_run(call, cluster, "retry", target_of(call.arguments));
}

}  // namespace

Command retry_command() {
    return {
        .name = "retry",
        .summary = "Try failed steps again",
        .examples =
            "slipway retry demo\nslipway retry demo --host w2\nslipway retry demo --host w2 "
            "--step set-sysctls",
        .details =
            "A run that is alive takes the named host or step (or everything that failed) up "
            "again.\n"
            "Otherwise the run goes on in this process, as with `slipway resume`; what else had "
            "failed\nstays so.",
        .options = {{.name = "--host",
                     .value = "HOST",
                     .help = "only this host",
                     .complete = Complete::host},
                    {.name = "--step",
                     .value = "STEP",
                     .help = "only this step",
                     .complete = Complete::step},
                    cluster_option(),
                    spec_option(),
                    simulate_option(),
                    accept_new_option(),
                    ssh_config_option(),
                    ignore_option(),
                    detach_option(),
                    secrets_option(),
                    progress_option()},
        .positionals = {cluster_positional()},
        .run = run_retry};
}

}  // namespace slipway::cli
