#include "server/run_views.hpp"

#include "base/json.hpp"
#include "desk/gantt.hpp"
#include "desk/run_view.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::server {

bool RunViews::serves(const View& view, const store::Run& run, std::int64_t seq) const {
    if (view.started_ms != run.started_ms || view.result != run.result) return false;
    return view.seq == seq || (run.result.empty() && clock_.steady() - view.made < kFresh);
}

void RunViews::make_room() {
    if (views_.size() < kMost) return;
    views_.erase(
        std::ranges::min_element(views_, {}, [](const auto& item) { return item.second.made; }));
}

std::string RunViews::of(const desk::ClusterFolder& cluster, const store::Run& run,
                         store::Journal& journal) {
    const std::string key = fmt::format("{} {}", run.id, cluster.journal().string());
    const std::int64_t seq = journal.last_event_seq();
    const Lock lock(mutex_);
    if (const auto known = views_.find(key); known != views_.end()) {
        if (serves(known->second, run, seq)) return known->second.body;
        views_.erase(known);
    }
    make_room();
    const auto events = desk::gantt_events(journal, run.id);
    return views_
        .emplace(key, View{.started_ms = run.started_ms,
                           .seq = seq,
                           .result = run.result,
                           .made = clock_.steady(),
                           .body = json::serialize(
                               desk::run_steps_json(cluster, run, desk::gantt_model(events)))})
        .first->second.body;
}

}  // namespace slipway::server
