#include "base/clock.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/control.hpp"
#include "desk/run_view.hpp"

#include <fmt/format.h>

namespace slipway::cli {

namespace {

std::string duration_of(const store::Run& run) {
    return run.finished_ms == 0 ? "" : format_duration(Millis(run.finished_ms - run.started_ms));
}

ExitCode run_runs(const Call& call) {
    const ClusterFolder cluster = find_cluster(call);
    const auto journal = open_journal(cluster);
    const std::optional<std::int64_t> alive = living_run(cluster, *journal);
    json::array list;
    std::vector<std::vector<std::string>> rows = {
        {"RUN", "KIND", "RESULT", "STARTED", "TOOK", "SESSIONS"}};
    for (const store::Run& row : journal->runs()) {
        const std::string result = desk::result_of(row, alive);
        list.push_back(desk::run_json(row, result));
        rows.push_back({fmt::format("{}", row.id), row.kind, result, format_utc(row.started_ms),
                        duration_of(row), fmt::format("{}", row.sessions)});
    }
    call.output.data({{"cluster", cluster.name}, {"runs", std::move(list)}},
                     [&] { return table(rows); });
    return ExitCode::ok;
}

}  // namespace

Command runs_command() {
    return {.name = "runs",
            .summary = "List the runs of a cluster, newest first",
            .examples = "slipway runs\nslipway runs demo -o json",
            .options = {cluster_option(), spec_option()},
            .positionals = {cluster_positional()},
            .run = run_runs};
}

}  // namespace slipway::cli
