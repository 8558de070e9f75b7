#include "cli/ask.hpp"
#include "cli/bundle_trust.hpp"
#include "cli/commands.hpp"
#include "cli/preview.hpp"
#include "cli/runner.hpp"
#include "cli/spec_input.hpp"

namespace slipway::cli {

namespace {

// What to apply: the spec of -c, or the one inside a saved plan.
RunRequest request_of(const Call& call, const std::optional<SavedPlan>& saved) {
    RunRequest request{.command = "apply", .cluster = {}, .spec = {}, .options = {}};
    if (saved && !call.arguments.has("--config")) {
        request.spec = stored_spec(saved->spec, "spec of the saved plan");
    } else {
        request.spec = read_spec(call, LocalFiles::checked);
    }
    if (saved) request.options = RunOptions::from_json(saved->options);
    request.options.override_with(call.arguments);
    request.cluster = cluster_folder(call.arguments, request.spec.name);
    request.saved = saved ? &*saved : nullptr;
    // Reviewing a plan and saving it is the answer to the question.
    request.ask = !call.arguments.has("--yes") && !saved;
    return request;
}

ExitCode start_apply(const Call& call) {
    std::optional<SavedPlan> saved;
    if (call.arguments.has("--plan")) saved = load_plan(call.arguments.value("--plan"));
    if (call.arguments.has("--dry-run")) return show_preview(call);
    if (!saved) require_answerable(call);
    RunRequest request = request_of(call, saved);
    return run_where_asked(call, request, run_apply);
}

}  // namespace

Command apply_command() {
    return {
        .name = "apply",
        .summary = "Make the hosts as the spec says",
        .examples =
            "slipway apply -c demo.yaml --simulate\n"
            "slipway apply -c demo.yaml --simulate=demo --yes\n"
            "slipway plan -c demo.yaml --simulate --out demo.plan && slipway apply --plan "
            "demo.plan\n"
            "slipway apply -c demo.yaml --simulate --yes --detach",
        .details =
            "Reads facts, runs every check, then works through the plan. Kill it at any moment: "
            "the next\n"
            "apply, or `slipway resume`, goes on where it was. Applied twice, the second changes "
            "nothing.\n"
            "A saved plan is refused when the spec or the hosts have changed since it was "
            "reviewed.",
        .options = {spec_option(),
                    simulate_option(),
                    accept_new_option(),
                    ssh_config_option(),
                    yes_option(),
                    {.name = "--plan",
                     .value = "FILE",
                     .help = "apply exactly this saved plan, or nothing",
                     .complete = Complete::file},
                    {.name = "--dry-run",
                     .help = "say what would change and stop: the same as plan"},
                    detach_option(),
                    secrets_option(),
                    ignore_option(),
                    ignore_checks_option(),
                    admission_options()[0],
                    admission_options()[1],
                    progress_option()},
        .run = start_apply};
}

}  // namespace slipway::cli
