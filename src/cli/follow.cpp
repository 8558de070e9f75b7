#include "cli/follow.hpp"

#include "base/clock.hpp"
#include "cli/event_line.hpp"

namespace slipway::cli {

namespace {

constexpr Millis kLook{200};

bool is_over(const ClusterFolder& cluster, store::Journal& journal, std::int64_t id) {
    const std::optional<store::Run> run = journal.run(id);
    return !run || !run->result.empty() || !store::RunLock::holder(cluster.folder);
}

}  // namespace

void follow_events(const ClusterFolder& cluster, store::Journal& journal, store::EventQuery query,
                   bool follow, const std::function<bool(const engine::Event&)>& show) {
    while (true) {
        // Asked before reading: what was written until the end is then certainly seen.
        const bool over = !follow || is_over(cluster, journal, query.run.value_or(0));
        const std::vector<store::EventRow> rows = journal.events(query);
        for (const store::EventRow& row : rows) {
            if (!show(event_from_row(row))) return;
            query.after_seq = row.seq;
        }
        if (rows.size() >= query.limit) continue;
        if (over) return;
        system_clock().sleep_for(kLook, {});
    }
}

}  // namespace slipway::cli
