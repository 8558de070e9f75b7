#include "cli/checks_table.hpp"
#include "cli/commands.hpp"
#include "cli/fleet.hpp"
#include "cli/interrupt.hpp"
#include "cli/secrets.hpp"
#include "cli/slow_note.hpp"
#include "cli/spec_input.hpp"
#include "cli/terminal.hpp"
#include "cli/trust.hpp"
#include "cluster/operation.hpp"

#include <unistd.h>

namespace slipway::cli {

namespace {

// Into a file or a pipe lines may be as long as they like.
std::size_t width(const Output& output) {
    return output.out_is_terminal ? terminal_size(STDOUT_FILENO).width : 1000;
}

ExitCode run_preflight(const Call& call) {
    const config::Spec spec = read_spec(call, LocalFiles::checked);
    RunOptions options;
    options.override_with(call.arguments);
    const ClusterFolder cluster = cluster_folder(call.arguments, spec.name);

    const Interrupts interrupts;
    const std::unique_ptr<remote::Fleet> fleet = open_fleet(
        spec, options, cluster, Keep::nothing, host_secrets(spec, nullptr, secret_prompt(call)));
    cluster::Operation operation(spec, *fleet, system_clock(),
                                 {.ignore_checks = options.ignore_checks});
    gather_facts(call, operation, *fleet, cluster, interrupts.token());
    {
        const SlowNote note(call.output, [&] { return operation.looking_at(); });
        operation.probe_network(interrupts.token());
    }
    const std::vector<cluster::CheckResult>& checks = operation.run_checks();
    if (interrupts.token().stop_requested()) throw Cancelled();

    call.output.data(checks_json(checks, operation.checks_passed()), [&] {
        return checks_table(checks, call.output.out_style, call.output.verbose, width(call.output));
    });
    return operation.checks_passed() ? ExitCode::ok : ExitCode::preflight_failed;
}

}  // namespace

Command preflight_command() {
    return {.name = "preflight",
            .summary = "Ask every check of every host, and change nothing",
            .examples =
                "slipway preflight -c demo.yaml --simulate\n"
                "slipway preflight -c demo.yaml --simulate --ignore HOST-MEMORY",
            .details =
                "Reads facts of all hosts, lets them try to reach each other, and shows the checks "
                "that "
                "failed\n"
                "with what to do; -v shows all. Exit code 4 when one of them is an error. `slipway "
                "explain ID`\n"
                "says what a check is for.",
            .options = {spec_option(), simulate_option(), accept_new_option(), ssh_config_option(),
                        ignore_option(), ignore_checks_option(), secrets_option()},
            .run = run_preflight};
}

}  // namespace slipway::cli
