#include "base/clock.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/control.hpp"
#include "cli/run_options.hpp"

#include <fmt/format.h>

namespace slipway::cli {

namespace {

std::string result_of(const store::Run& run, std::optional<std::int64_t> alive) {
    if (alive == run.id) return "running";
    return run.result.empty() ? "interrupted" : run.result;
}

std::string duration_of(const store::Run& run) {
    return run.finished_ms == 0 ? "" : format_duration(Millis(run.finished_ms - run.started_ms));
}

json::object run_json(const store::Run& run, const std::string& result) {
    json::object out = {{"run", run.id},
                        {"kind", run.kind},
                        {"result", result},
                        {"started", format_utc(run.started_ms)},
                        {"sessions", run.sessions},
                        {"plan", run.plan_hash}};
    const std::vector<std::string> ignored = RunOptions::from_json(run.options).ignore_checks;
    if (!ignored.empty()) out["ignoredChecks"] = json::array(ignored.begin(), ignored.end());
    if (run.finished_ms != 0) {
        out["finished"] = format_utc(run.finished_ms);
        out["seconds"] = static_cast<double>(run.finished_ms - run.started_ms) / 1000.0;
    }
    return out;
}

ExitCode run(const Call& call) {
    const ClusterFolder cluster = find_cluster(call);
    const auto journal = open_journal(cluster);
    const std::optional<std::int64_t> alive = living_run(cluster, *journal);
    json::array list;
    std::vector<std::vector<std::string>> rows = {
        {"RUN", "KIND", "RESULT", "STARTED", "TOOK", "SESSIONS"}};
    for (const store::Run& row : journal->runs()) {
        const std::string result = result_of(row, alive);
        list.push_back(run_json(row, result));
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
            .run = run};
}

}  // namespace slipway::cli
