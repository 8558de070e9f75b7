#include "cli/checks_table.hpp"
#include "cli/commands.hpp"
#include "cli/fleet.hpp"
#include "cli/interrupt.hpp"
#include "cli/secrets.hpp"
#include "cli/spec_input.hpp"
#include "cluster/operation.hpp"

namespace slipway::cli {

namespace {

ExitCode run(const Call& call) {
    const config::Spec spec = read_spec(call);
    RunOptions options;
    options.override_with(call.arguments);
    const ClusterFolder cluster = cluster_folder(call.arguments, spec.name);

    const Interrupts interrupts;
    const std::unique_ptr<remote::Fleet> fleet = open_fleet(
        spec, options, cluster, Keep::nothing, host_secrets(spec, nullptr, terminal_prompt()));
    cluster::Operation operation(spec, *fleet, system_clock(),
                                 {.ignore_checks = options.ignore_checks});
    operation.gather_facts(interrupts.token());
    const std::vector<cluster::CheckResult>& checks = operation.run_checks();
    if (interrupts.token().stop_requested()) throw Cancelled();

    call.output.data(checks_json(checks, operation.checks_passed()), [&] {
        return checks_table(checks, call.output.out_style, call.output.verbose);
    });
    return operation.checks_passed() ? ExitCode::ok : ExitCode::preflight_failed;
}

}  // namespace

Command preflight_command() {
    return {
        .name = "preflight",
        .summary = "Ask every check of every host, and change nothing",
        .examples =
            "slipway preflight -c demo.yaml --simulate\n"
            "slipway preflight -c demo.yaml --simulate --ignore-checks HOST-MEMORY",
        .details =
            "Shows the checks that failed; -v shows all. Exit code 4 when one of them is an error.",
        .options = {spec_option(),
                    simulate_option(),
                    accept_new_option(),
                    ssh_config_option(),
                    {.name = "--ignore-checks",
                     .value = "ID,…",
                     .help = "checks that may fail, by id",
                     .repeatable = true,
                     .complete = Complete::check}},
        .run = run};
}

}  // namespace slipway::cli
