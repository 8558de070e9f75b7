#include "desk/run_view.hpp"

#include "base/clock.hpp"

namespace slipway::desk {

namespace {

json::object bar_json(const GanttRow& row, const GanttBar& bar) {
    return {{"host", row.host},      {"step", row.step},     {"outcome", bar.outcome},
            {"ready", bar.ready},    {"started", bar.start}, {"finished", bar.end},
            {"seconds", bar.took()}, {"after", bar.after},   {"critical", bar.critical}};
}

}  // namespace

engine::Event event_from_row(const store::EventRow& row) {
    engine::Event event;
    event.seq = row.seq;
    event.run = row.run;
    event.wall_ms = row.at_ms;
    event.type = row.type;
    for (const engine::Level level :
         {engine::Level::debug, engine::Level::warning, engine::Level::error}) {
        if (row.level == engine::to_string(level)) event.level = level;
    }
    event.host = row.host;
    event.step = row.step;
    if (!row.body.empty()) {
        const json::value body = parse_json(row.body, "an event of the journal");
        if (body.is_object()) event.body = body.get_object();
    }
    return event;
}

std::string result_of(const store::Run& run, std::optional<std::int64_t> living) {
    if (living == run.id) return "running";
    return run.result.empty() ? "interrupted" : run.result;
}

std::vector<std::string> ignored_checks(const store::Run& run) {
    std::vector<std::string> out;
    if (run.options.empty()) return out;
    const json::value options = parse_json(run.options, "the options of a run");
    const json::value* list =
        options.is_object() ? options.get_object().if_contains("ignoreChecks") : nullptr;
    if (list == nullptr || !list->is_array()) return out;
    for (const json::value& item : list->get_array()) {
        if (item.is_string()) out.emplace_back(item.get_string());
    }
    return out;
}

json::object run_json(const store::Run& run, const std::string& result) {
    json::object out = {{"run", run.id},
                        {"kind", run.kind},
                        {"result", result},
                        {"started", format_utc(run.started_ms)},
                        {"sessions", run.sessions},
                        {"plan", run.plan_hash}};
    const std::vector<std::string> ignored = ignored_checks(run);
    if (!ignored.empty()) out["ignoredChecks"] = json::array(ignored.begin(), ignored.end());
    if (run.finished_ms != 0) {
        out["finished"] = format_utc(run.finished_ms);
        out["seconds"] = static_cast<double>(run.finished_ms - run.started_ms) / 1000.0;
    }
    return out;
}

std::vector<engine::Event> gantt_events(store::Journal& journal, std::int64_t run) {
    std::vector<engine::Event> out;
    store::EventQuery query{.run = run, .types = gantt_event_types()};
    while (true) {
        const std::vector<store::EventRow> rows = journal.events(query);
        for (const store::EventRow& row : rows) out.push_back(event_from_row(row));
        if (rows.size() < query.limit) return out;
        query.after_seq = rows.back().seq;
    }
}

json::object run_steps_json(const ClusterFolder& cluster, const store::Run& run,
                            const GanttModel& model) {
    json::array steps;
    for (const GanttRow& row : model.rows) {
        for (const GanttBar& bar : row.bars) steps.push_back(bar_json(row, bar));
    }
    return {{"cluster", cluster.name},
            {"run", run.id},
            {"kind", run.kind},
            {"result", model.result},
            {"started", format_utc(run.started_ms)},
            {"seconds", model.total},
            {"criticalSeconds", model.critical_seconds},
            {"steps", std::move(steps)}};
}

}  // namespace slipway::desk
