// Runs and events as `-o json` and the server say them.
#pragma once

#include "base/json.hpp"
#include "desk/gantt.hpp"
#include "desk/state.hpp"

#include <optional>
#include <string>
#include <vector>

namespace slipway::desk {

engine::Event event_from_row(const store::EventRow& row);

// running, interrupted, or what its journal says.
std::string result_of(const store::Run& run, std::optional<std::int64_t> living);

std::vector<std::string> ignored_checks(const store::Run& run);

// A row of `slipway runs`.
json::object run_json(const store::Run& run, const std::string& result);

// Every event a picture of the run needs.
std::vector<engine::Event> gantt_events(store::Journal& journal, std::int64_t run);

// `slipway runs show`: when each step was at work.
json::object run_steps_json(const ClusterFolder& cluster, const store::Run& run,
                            const GanttModel& model);

}  // namespace slipway::desk
