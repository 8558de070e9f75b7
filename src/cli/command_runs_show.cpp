#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/state.hpp"
#include "desk/run_view.hpp"

#include <fmt/format.h>

namespace slipway::cli {

namespace {

ExitCode show_steps(const Call& call, const ClusterFolder& cluster, const store::Run& run,
                    const desk::GanttModel& model) {
    std::vector<std::vector<std::string>> rows = {
        {"HOST", "STEP", "OUTCOME", "AT", "WAITED", "TOOK", "CRITICAL"}};
    for (const desk::GanttRow& row : model.rows) {
        for (const desk::GanttBar& bar : row.bars) {
            rows.push_back({row.host, row.step, bar.outcome, fmt::format("{:.1f} s", bar.start),
                            fmt::format("{:.1f} s", bar.waited()),
                            fmt::format("{:.1f} s", bar.took()), bar.critical ? "yes" : ""});
        }
    }
    call.output.data(desk::run_steps_json(cluster, run, model), [&] { return table(rows); });
    return ExitCode::ok;
}

ExitCode run_runs_show(const Call& call) {
    const ClusterFolder cluster = find_cluster(call);
    const auto journal = open_journal(cluster);
    const store::Run run = find_run(*journal, cluster, call.arguments.number("RUN", 0));
    const desk::GanttModel model = desk::gantt_model(desk::gantt_events(*journal, run.id));
    if (!call.arguments.has("--gantt")) return show_steps(call, cluster, run, model);
    const std::string picture = desk::gantt_svg(model, {.cluster = cluster.name, .run = run.id});
    const std::string file = call.arguments.value("--gantt");
    if (file.empty() || file == "-") {
        call.output.text(picture);
        return ExitCode::ok;
    }
    atomic_write(file, picture, 0644);
    call.output.data({{"cluster", cluster.name}, {"run", run.id}, {"gantt", file}},
                     [&] { return fmt::format("{}\n", file); });
    return ExitCode::ok;
}

}  // namespace

Command runs_show_command() {
    return {.name = "runs show",
            .summary = "Show when each step of a run was at work",
            .examples =
                "slipway runs show 3\nslipway runs show 3 --gantt=run.svg\n"
                "slipway runs show --cluster demo -o json",
            .details =
                "Times are seconds since the run began. A step is ready when the last of "
                "what it needs has ended; until a slot is free it waits. The critical path "
                "leads back from the step that ended last.",
            .options = {{.name = "--gantt",
                         .value = "FILE",
                         .help = "a picture (SVG) into FILE; without FILE to stdout",
                         .value_is_optional = true,
                         .complete = Complete::file},
                        cluster_option(),
                        spec_option()},
            .positionals = {{.name = "RUN",
                             .help = "its number; else the last",
                             .complete = Complete::run}},
            .run = run_runs_show};
}

}  // namespace slipway::cli
