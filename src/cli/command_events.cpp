#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/event_line.hpp"
#include "cli/follow.hpp"
#include "cli/state.hpp"
#include "engine/event.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::cli {

namespace {

std::vector<std::string> wanted_types(const Arguments& arguments) {
    std::vector<std::string> known;
    for (const engine::EventType& type : engine::event_types()) known.emplace_back(type.name);
    const std::vector<std::string> wanted = arguments.list("--type");
    for (const std::string& type : wanted) {
        if (std::ranges::find(known, type) != known.end()) continue;
        const std::optional<std::string> near = nearest(type, known);
        throw UsageError("USAGE-BAD-VALUE",
                         fmt::format("there is no event type '{}'", printable(type)),
                         {.cause = "types: " + join(known, ", "),
                          .remedy = near ? fmt::format("did you mean '{}'?", *near) : ""});
    }
    return wanted;
}

ExitCode run_events(const Call& call) {
    const std::vector<std::string> types = wanted_types(call.arguments);
    const ClusterFolder cluster = find_cluster(call);
    const auto journal = open_journal(cluster);
    store::EventQuery query{.after_seq = call.arguments.number("--after", 0),
                            .host = call.arguments.value("--host"),
                            .step = call.arguments.value("--step"),
                            .types = types};
    const bool follow = call.arguments.has("--follow");
    if (follow || call.arguments.has("--run")) {
        query.run = find_run(*journal, cluster, call.arguments.number("--run", 0)).id;
    }
    const bool machine = call.output.format != Format::table;
    follow_events(cluster, *journal, query, follow, [&](const engine::Event& event) {
        if (machine) {
            call.output.record(event.to_json());
        } else if (event.type != "progress" || !types.empty() || call.output.verbose) {
            call.output.out() << event_line(event, call.output.out_style) << std::endl;
        }
        return call.output.out().good();  // the reader may have had enough
    });
    return ExitCode::ok;
}

}  // namespace

Command events_command() {
    return {
        .name = "events",
        .summary = "Show what happened, event by event",
        .examples =
            "slipway events demo --follow\nslipway events --run 3 --host w2\n"
            "slipway events demo -o json --after 1200 --type step.finished",
        .details =
            "With -o json (or yaml) each event is one JSON line; docs/events.md lists the types "
            "and their\n"
            "fields. --follow prints the events of the last run from its beginning and ends with "
            "it.\n"
            "In a table, progress is left out unless it is asked for with --type or -v.",
        .options =
            {{.name = "--run", .value = "N", .help = "only this run", .complete = Complete::run},
             {.name = "--follow", .letter = 'f', .help = "go on until the run has finished"},
             {.name = "--after", .value = "SEQ", .help = "only events after this number"},
             {.name = "--type", .value = "TYPE,…", .help = "only these types", .repeatable = true},
             {.name = "--host",
              .value = "HOST",
              .help = "only this host",
              .complete = Complete::host},
             {.name = "--step",
              .value = "STEP",
              .help = "only this step",
              .complete = Complete::step},
             cluster_option(),
             spec_option()},
        .positionals = {cluster_positional()},
        .run = run_events};
}

}  // namespace slipway::cli
