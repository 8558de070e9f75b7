#include "cli/preview.hpp"

#include "cli/fleet.hpp"
#include "cli/interrupt.hpp"
#include "cli/material.hpp"
#include "cli/plan_table.hpp"
#include "cli/saved_plan.hpp"
#include "cli/secrets.hpp"
#include "cli/spec_input.hpp"
#include "cli/state.hpp"
#include "cli/trust.hpp"
#include "cluster/operation.hpp"
#include "cluster/settled.hpp"
#include "config/load.hpp"
#include "engine/estimate.hpp"
#include "engine/preview.hpp"

#include <filesystem>

#include <fmt/format.h>

namespace slipway::cli {

namespace {

// What earlier runs recorded. A plan never makes a journal.
std::unique_ptr<store::Journal> journal_if_any(const ClusterFolder& cluster) {
    return std::filesystem::exists(cluster.journal()) ? open_journal(cluster) : nullptr;
}

}  // namespace

ExitCode show_preview(const Call& call) {
    const config::Spec spec = read_spec(call, LocalFiles::checked);
    const ClusterFolder cluster = cluster_folder(call.arguments, spec.name);
    RunOptions options;
    options.override_with(call.arguments);

    const Interrupts interrupts;
    const std::unique_ptr<remote::Fleet> fleet = open_fleet(
        spec, options, cluster, Keep::nothing, host_secrets(spec, nullptr, secret_prompt(call)));
    const std::unique_ptr<store::Journal> journal = journal_if_any(cluster);
    if (journal) cluster::refuse_what_is_settled(spec, *journal);
    cluster::Operation operation(
        spec, *fleet, system_clock(),
        {.ignore_checks = options.ignore_checks,
         .around = {.state_folder = cluster.folder.string(),
                    .material = open_material(call, spec, options, cluster, journal.get())}});
    gather_facts(call, operation, *fleet, cluster, interrupts.token());
    operation.require_all_facts();
    const engine::Plan& plan = operation.plan();
    const engine::Preview preview = operation.preview(
        journal ? journal->node_states() : std::vector<store::NodeState>(), interrupts.token());
    if (interrupts.token().stop_requested()) throw Cancelled();

    const engine::Estimate time = engine::estimate(
        plan, preview, journal ? journal->durations() : std::vector<store::Duration>(),
        operation.policy());
    json::object object = engine::to_json(plan, preview);
    object["estimate"] = engine::to_json(time);
    if (call.arguments.has("--out")) {
        save_plan(call.arguments.value("--out"), {.cluster = spec.name,
                                                  .spec = config::to_canonical_json(spec),
                                                  .options = options.to_json(),
                                                  .plan = object});
    }
    call.output.data(object, [&] {
        return plan_table(plan, preview, call.output.out_style, call.output.verbose) +
               estimate_line(time);
    });
    if (call.arguments.has("--out")) {
        call.output.note(fmt::format("saved; apply exactly this with: slipway apply --plan {}",
                                     call.arguments.value("--out")));
    }
    const bool tell = call.arguments.has("--detailed-exitcode");
    return tell && preview.to_change > 0 ? ExitCode::changes : ExitCode::ok;
}

}  // namespace slipway::cli
