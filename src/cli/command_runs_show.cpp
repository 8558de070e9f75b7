#include "base/clock.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/follow.hpp"
#include "cli/gantt.hpp"
#include "cli/state.hpp"

#include <fmt/format.h>

namespace slipway::cli {

namespace {

std::vector<engine::Event> events_of(const ClusterFolder& cluster, store::Journal& journal,
                                     std::int64_t run) {
    std::vector<engine::Event> out;
    follow_events(cluster, journal, {.run = run, .types = gantt_event_types()}, false,
                  [&](const engine::Event& event) {
                      out.push_back(event);
                      return true;
                  });
    return out;
}

json::object bar_json(const GanttRow& row, const GanttBar& bar) {
    return {{"host", row.host},      {"step", row.step},     {"outcome", bar.outcome},
            {"ready", bar.ready},    {"started", bar.start}, {"finished", bar.end},
            {"seconds", bar.took()}, {"after", bar.after},   {"critical", bar.critical}};
}

ExitCode show_steps(const Call& call, const ClusterFolder& cluster, const store::Run& run,
                    const GanttModel& model) {
    json::array steps;
    std::vector<std::vector<std::string>> rows = {
        {"HOST", "STEP", "OUTCOME", "AT", "WAITED", "TOOK", "CRITICAL"}};
    for (const GanttRow& row : model.rows) {
        for (const GanttBar& bar : row.bars) {
            steps.push_back(bar_json(row, bar));
            rows.push_back({row.host, row.step, bar.outcome, fmt::format("{:.1f} s", bar.start),
                            fmt::format("{:.1f} s", bar.waited()),
                            fmt::format("{:.1f} s", bar.took()), bar.critical ? "yes" : ""});
        }
    }
    call.output.data({{"cluster", cluster.name},
                      {"run", run.id},
                      {"kind", run.kind},
                      {"result", model.result},
                      {"started", format_utc(run.started_ms)},
                      {"seconds", model.total},
                      {"criticalSeconds", model.critical_seconds},
                      {"steps", std::move(steps)}},
                     [&] { return table(rows); });
    return ExitCode::ok;
}

ExitCode run(const Call& call) {
    const ClusterFolder cluster = find_cluster(call);
    const auto journal = open_journal(cluster);
    const store::Run run = find_run(*journal, cluster, call.arguments.number("RUN", 0));
    const GanttModel model = gantt_model(events_of(cluster, *journal, run.id));
    if (!call.arguments.has("--gantt")) return show_steps(call, cluster, run, model);
    const std::string picture = gantt_svg(model, {.cluster = cluster.name, .run = run.id});
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
            .run = run};
}

}  // namespace slipway::cli
