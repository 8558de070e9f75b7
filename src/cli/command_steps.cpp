#include "base/text.hpp"
#include "cli/commands.hpp"
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

ExitCode run(const Call& call) {
    json::array list;
    std::vector<std::vector<std::string>> rows = {
        {"STEP", "WHERE", "SKIP", "DELEGATE", "UNDO", "SPEC", "WHAT"}};
    for (const cluster::CatalogEntry& step : cluster::step_catalog()) {
        list.push_back(step_json(step));
        rows.push_back({step.id, step.where, step.skippable ? "yes" : "no",
                        step.delegable ? "yes" : "no", step.undo ? "yes" : "no", step.part,
                        step.title});
    }
    call.output.data({{"steps", std::move(list)}}, [&] { return table(rows); });
    return ExitCode::ok;
}

}  // namespace

Command steps_command() {
    return {
        .name = "steps",
        .summary = "List the steps Slipway knows",
        .examples = "slipway steps\nslipway steps -o json",
        .details =
            "The ids are what steps.skip, steps.delegate, `slipway skip` and `slipway logs` take.",
        .run = run};
}

}  // namespace slipway::cli
