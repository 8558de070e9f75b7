#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/event_line.hpp"
#include "cli/follow.hpp"
#include "cli/state.hpp"

namespace slipway::cli {

namespace {

// "w2/set-sysctls" names the host too.
store::EventQuery query_of(const Arguments& arguments) {
    store::EventQuery query{
        .host = arguments.value("--host"), .step = arguments.value("STEP"), .types = {"log.line"}};
    if (const std::size_t slash = query.step.find('/'); slash != std::string::npos) {
        query.host = query.step.substr(0, slash);
        query.step = query.step.substr(slash + 1);
    }
    return query;
}

ExitCode run_logs(const Call& call) {
    const ClusterFolder cluster = find_cluster(call);
    const auto journal = open_journal(cluster);
    store::EventQuery query = query_of(call.arguments);
    query.run = find_run(*journal, cluster, call.arguments.number("--run", 0)).id;
    std::size_t lines = 0;
    const auto show = [&](const engine::Event& event) {
        ++lines;
        if (call.output.format != Format::table) {
            call.output.record(event.to_json());
        } else {
            call.output.out() << clock_time(event.wall_ms) << "  " << event.host << "  "
                              << printable(string_at(event.body, "line")) << std::endl;
        }
        return call.output.out().good();  // the reader may have had enough
    };
    follow_events(cluster, *journal, query, call.arguments.has("--follow"), show);
    if (lines == 0)
        call.output.note("no output was recorded; `slipway events --step` shows what the step did");
    return ExitCode::ok;
}

}  // namespace

Command logs_command() {
    return {
        .name = "logs",
        .summary = "Show the output of a step",
        .examples =
            "slipway logs w2/set-sysctls\nslipway logs set-sysctls --host w2 --follow\n"
            "slipway logs cp1/load-kernel-modules --run 3 --cluster demo",
        .options = {{.name = "--host",
                     .value = "HOST",
                     .help = "only this host",
                     .complete = Complete::host},
                    {.name = "--run",
                     .value = "N",
                     .help = "of this run; else the last",
                     .complete = Complete::run},
                    {.name = "--follow", .letter = 'f', .help = "go on until the run has finished"},
                    cluster_option(),
                    spec_option()},
        .positionals = {{.name = "STEP",
                         .help = "a step on every host, or HOST/STEP",
                         .required = true,
                         .complete = Complete::node}},
        .run = run_logs};
}

}  // namespace slipway::cli
