#include "base/digest.hpp"
#include "base/failpoint.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/documents.hpp"
#include "cli/fleet.hpp"
#include "cli/runner.hpp"
#include "cli/spec_input.hpp"

#include <fmt/format.h>

namespace slipway::cli {

namespace {

ExitCode failpoints(const Call& call) {
    json::array list;
    std::vector<std::vector<std::string>> rows = {{"FAILPOINT", "WHERE", "PER STEP", "WHAT"}};
    for (const Failpoint* place : Failpoint::all()) {
        list.push_back(json::object{{"name", place->name()},
                                    {"where", to_string(place->where())},
                                    {"perStep", place->per_step()},
                                    {"description", place->description()}});
        rows.push_back({std::string(place->name()), std::string(to_string(place->where())),
                        place->per_step() ? "yes" : "no", std::string(place->description())});
    }
    call.output.data(
        {{"failpoints", std::move(list)}, {"arm", "SLIPWAY_FAILPOINT=NAME[@HOST/STEP]=kill"}},
        [&] { return table(rows); });
    return ExitCode::ok;
}

// The end state of the simulated hosts: what two runs are compared by.
ExitCode snapshot(const Call& call) {
    const ClusterFolder cluster = find_cluster(call);
    const store::Run applied = last_apply(*open_journal(cluster), cluster);
    const config::Spec spec = stored_spec(applied.spec, fmt::format("spec of run {}", applied.id));
    RunOptions options = RunOptions::from_json(applied.options);
    options.override_with(call.arguments);
    const auto fleet = open_simulated_fleet(spec, options, cluster, Keep::nothing);
    const json::object hosts = fleet->snapshot();
    call.output.data({{"sha256", fleet->fingerprint()}, {"hosts", hosts}},
                     [&] { return fleet->fingerprint() + "\n"; });
    return ExitCode::ok;
}

ExitCode docs(const Call& call) {
    call.output.text(document(call.arguments.value("PAGE")));
    return ExitCode::ok;
}

}  // namespace

Command debug_failpoints_command() {
    return {.name = "debug failpoints",
            .summary = "List the places where a test can kill the program",
            .examples = "slipway debug failpoints -o json",
            .run = failpoints,
            .hidden = true};
}

Command debug_snapshot_command() {
    return {.name = "debug snapshot",
            .summary = "Print the state of the simulated hosts",
            .examples = "slipway debug snapshot demo -o json",
            .options = {cluster_option(), spec_option(), simulate_option()},
            .positionals = {cluster_positional()},
            .run = snapshot,
            .hidden = true};
}

Command debug_docs_command() {
    return {.name = "debug docs",
            .summary = "Print a generated page of docs/",
            .examples = "slipway debug docs cli > docs/cli.md",
            .positionals = {{.name = "PAGE",
                             .help = "which page",
                             .required = true,
                             .complete = Complete::choices,
                             .choices = document_names()}},
            .run = docs,
            .hidden = true};
}

}  // namespace slipway::cli
