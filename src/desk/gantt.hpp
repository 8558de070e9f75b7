// A run as a picture: which step ran when, on which host, and what everything waited for.
//
//     const GanttModel model = gantt_model(events);
//     atomic_write("run.svg", gantt_svg(model, {.cluster = "demo", .run = 3}), 0644);
//
// Both are pure functions: the same events give the same bytes.
#pragma once

#include "engine/event.hpp"

#include <string>
#include <vector>

namespace slipway::desk {

// One execution of a step. Times are seconds since the run began.
struct GanttBar {
    double ready = 0;  // when the last of what it waited for had ended
    double start = 0;
    double end = 0;
    std::string outcome = {};  // changed, unchanged, skipped, failed, cancelled, undone, running
    std::string after = {};    // the node whose end made it ready; "" when nothing held it up
    bool critical = false;

    double waited() const { return start - ready; }
    double took() const { return end - start; }
};

struct GanttRow {
    std::string host;  // "" for steps of no host
    std::string step;
    std::vector<GanttBar> bars;  // more than one when it was tried in several sessions

    std::string node() const { return host.empty() ? step : host + "/" + step; }
};

struct GanttModel {
    std::vector<GanttRow> rows;   // by host in natural order, no host first; then by begin
    std::vector<double> resumed;  // where further sessions of the run begin
    std::string kind;             // apply, reset
    std::string result;           // "" while it runs
    double total = 0;
    double critical_seconds = 0;  // the time steps of the critical path were at work
    std::size_t critical_steps = 0;
};

// Of the types below; others are passed over.
GanttModel gantt_model(const std::vector<engine::Event>& events);
const std::vector<std::string>& gantt_event_types();

struct GanttHeading {
    std::string cluster;
    std::int64_t run = 0;
};

// Hosts beyond the first 40 (those with failures and on the critical path first) share one row that
// shows how many of their steps were at work.
std::string gantt_svg(const GanttModel& model, const GanttHeading& heading);

}  // namespace slipway::desk
