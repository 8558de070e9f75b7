#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/ask.hpp"
#include "cli/commands.hpp"
#include "cli/fleet.hpp"
#include "cli/interrupt.hpp"
#include "cli/plan_table.hpp"
#include "cli/runner.hpp"
#include "cli/secrets.hpp"
#include "cli/spec_input.hpp"
#include "cluster/flow.hpp"

#include <set>

#include <fmt/format.h>

namespace slipway::cli {

namespace {

ExitCode show_undo(const Call& call, const RunRequest& request) {
    const Interrupts interrupts;
    const std::unique_ptr<remote::Fleet> fleet =
        open_fleet(request.spec, request.options, request.cluster, Keep::nothing,
                   host_secrets(request.spec, nullptr, secret_prompt(call)));
    cluster::Operation operation(request.spec, *fleet, system_clock());
    operation.gather_facts(interrupts.token());
    if (interrupts.token().stop_requested()) throw Cancelled();
    const auto journal = open_journal(request.cluster);
    const engine::UndoPlan undo = operation.undo_plan(*journal, request.options.undo);
    call.output.data(undo_json(undo), [&] { return undo_table(undo, call.output.out_style); });
    return ExitCode::ok;
}

// A mistyped name would undo nothing, and call that a success.
void require_known(const std::vector<std::string>& wanted, const std::set<std::string>& known,
                   std::string_view what, const std::string& cluster) {
    for (const std::string& name : wanted) {
        if (known.contains(name)) continue;
        const std::vector<std::string> names(known.begin(), known.end());
        const std::optional<std::string> near = nearest(name, names);
        throw UsageError("USAGE-BAD-VALUE",
                         fmt::format("{} has no {} '{}'", cluster, what, printable(name)),
                         {.remedy = near ? fmt::format("did you mean {}?", *near)
                                         : "see: slipway reset " + cluster + " --dry-run"});
    }
}

// What may be named: hosts and steps of the spec, and of the journal when the spec has them no
// more.
void check_names(const engine::UndoFilter& wanted, const RunRequest& request,
                 store::Journal& journal) {
    std::set<std::string> hosts, steps;
    for (const config::Host& host : request.spec.hosts) hosts.insert(host.name);
    for (const cluster::CatalogEntry& step : cluster::step_catalog()) steps.insert(step.id);
    for (const store::NodeState& state : journal.node_states()) {
        const std::size_t slash = state.node.find('/');
        if (slash != std::string::npos) hosts.insert(state.node.substr(0, slash));
        steps.insert(state.node);
        steps.insert(state.node.substr(slash + 1));  // npos + 1 is 0
    }
    require_known(wanted.hosts, hosts, "host", request.cluster.name);
    require_known(wanted.steps, steps, "step", request.cluster.name);
}

ExitCode start_reset(const Call& call) {
    const bool dry = call.arguments.has("--dry-run");
    if (!dry) require_answerable(call);
    const ClusterFolder cluster = find_cluster(call);
    const store::Run applied = last_apply(*open_journal(cluster), cluster);
    RunRequest request{.command = "reset",
                       .cluster = cluster,
                       .spec = stored_spec(applied.spec, fmt::format("spec of run {}", applied.id)),
                       .options = RunOptions::from_json(applied.options),
                       .ask = !call.arguments.has("--yes")};
    request.options.override_with(call.arguments);
    for (const char* option : {"--host", "--step"}) {
        // Nothing would stand for everything.
        if (call.arguments.has(option) && call.arguments.list(option).empty())
            throw UsageError("USAGE-BAD-VALUE", fmt::format("{} names nothing", option));
    }
    request.options.undo = {.hosts = call.arguments.list("--host"),
                            .steps = call.arguments.list("--step")};
    check_names(request.options.undo, request, *open_journal(cluster));
    return dry ? show_undo(call, request) : run_where_asked(call, request, run_reset);
}

}  // namespace

Command reset_command() {
    return {
        .name = "reset",
        .summary = "Put the hosts back as they were found, in reverse order",
        .examples =
            "slipway reset demo --dry-run\nslipway reset demo\nslipway reset demo --host w2 --yes",
        .details =
            "Undoes every step that changed something, newest first, with what was recorded before "
            "it.\n"
            "On a terminal the cluster's name has to be typed, unless --yes is given.",
        .options = {{.name = "--host",
                     .value = "HOST,…",
                     .help = "only these hosts",
                     .repeatable = true,
                     .complete = Complete::host},
                    {.name = "--step",
                     .value = "STEP,…",
                     .help = "only these steps, or HOST/STEP",
                     .repeatable = true,
                     .complete = Complete::node},
                    {.name = "--dry-run", .help = "say what would be undone and stop"},
                    yes_option(),
                    detach_option(),
                    secrets_option(),
                    cluster_option(),
                    spec_option(),
                    simulate_option(),
                    accept_new_option(),
                    ssh_config_option(),
                    progress_option()},
        .positionals = {cluster_positional()},
        .run = start_reset};
}

}  // namespace slipway::cli
