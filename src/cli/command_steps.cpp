#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cluster/aliases.hpp"
#include "cluster/flow.hpp"

#include <fmt/format.h>

namespace slipway::cli {

namespace {

json::object step_json(const cluster::CatalogEntry& step) {
    return {{"id", step.id},
            {"title", step.title},
            {"where", step.where},
            {"needs", json::array(step.needs.begin(), step.needs.end())},
            {"spec", step.part},
            {"skippable", step.skippable},
            {"whyNotSkippable", step.why_not_skippable},
            {"delegable", step.delegable},
            {"undo", step.undo},
            {"whyNoUndo", step.why_no_undo}};
}

std::string words(const cluster::StepAlias& alias) {
    return alias.nothing.empty() ? join(alias.step_ids(), ", ")
                                 : fmt::format("nothing to do here: {}", alias.nothing);
}

ExitCode list_aliases(const Call& call) {
    json::array list;
    std::vector<std::vector<std::string>> rows = {{"NAME", "OF", "STEPS"}};
    for (const cluster::StepAlias& alias : cluster::step_aliases()) {
        const std::vector<std::string> ids = alias.step_ids();
        list.push_back({{"name", alias.name},
                        {"of", alias.of},
                        {"steps", json::array(ids.begin(), ids.end())},
                        {"nothing", alias.nothing}});
        rows.push_back({std::string(alias.name), std::string(alias.of), words(alias)});
    }
    call.output.data({{"aliases", std::move(list)}}, [&] { return table(rows); });
    return ExitCode::ok;
}

ExitCode run_steps(const Call& call) {
    if (call.arguments.has("--aliases")) return list_aliases(call);
    json::array list;
    std::vector<std::vector<std::string>> rows = {
        {"STEP", "WHERE", "SKIP", "DELEGATE", "UNDO", "SPEC", "WHAT", "NEEDS"}};
    for (const cluster::CatalogEntry& step : cluster::step_catalog()) {
        list.push_back(step_json(step));
        rows.push_back({step.id, step.where, step.skippable ? "yes" : "no",
                        step.delegable ? "yes" : "no", step.undo ? "yes" : "no", step.part,
                        step.title, join(step.needs, ", ")});
    }
    call.output.data({{"steps", std::move(list)}}, [&] { return table(rows); });
    return ExitCode::ok;
}

}  // namespace

Command steps_command() {
    return {
        .name = "steps",
        .summary = "List the steps Slipway knows",
        .examples = "slipway steps\nslipway steps -o json\nslipway steps --aliases",
        .details =
            "The ids are what steps.skip, steps.delegate, `slipway skip` and `slipway logs` take. "
            "Names "
            "of TKE conditions, TKE installer steps and KubeKey modules stand for steps, too, in "
            "steps.skip and steps.delegate; upper and lower case and a leading Ensure make no "
            "difference.",
        .options = {{.name = "--aliases", .help = "list other installers' names for steps"}},
        .run = run_steps};
}

}  // namespace slipway::cli
