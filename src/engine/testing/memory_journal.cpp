#include "engine/testing/memory_journal.hpp"

#include "base/error.hpp"

#include <algorithm>

namespace slipway::engine::testing {

void MemoryJournal::fail_after(int writes) {
    const Lock lock(mutex_);
    writes_left_ = writes;
}

void MemoryJournal::write() {
    if (writes_left_ > 0) --writes_left_;
    if (writes_left_ == 0) {
        throw StateError("STATE-FULL", "no space left",
                         {.cause = "the disk is full", .remedy = "free some"});
    }
}

void MemoryJournal::keep(std::vector<store::EventRow> events) {
    for (store::EventRow& row : events) {
        row.seq = static_cast<std::int64_t>(events_.size()) + 1;
        events_.push_back(std::move(row));
    }
}

std::int64_t MemoryJournal::begin_run(const store::Run& run) {
    const Lock lock(mutex_);
    write();
    runs_.push_back(run);
    runs_.back().id = static_cast<std::int64_t>(runs_.size());
    return runs_.back().id;
}

void MemoryJournal::resume_run(std::int64_t run) {
    const Lock lock(mutex_);
    write();
    store::Run& row = runs_.at(static_cast<std::size_t>(run - 1));
    ++row.sessions;
    row.result.clear();
    row.finished_ms = 0;
}

void MemoryJournal::finish_run(std::int64_t run, std::string_view result, std::int64_t at_ms) {
    const Lock lock(mutex_);
    write();
    runs_.at(static_cast<std::size_t>(run - 1)).result = result;
    runs_.at(static_cast<std::size_t>(run - 1)).finished_ms = at_ms;
}

std::vector<store::Run> MemoryJournal::runs() {
    const Lock lock(mutex_);
    return {runs_.rbegin(), runs_.rend()};
}

std::optional<store::Run> MemoryJournal::run(std::int64_t id) {
    const Lock lock(mutex_);
    if (id < 1 || id > static_cast<std::int64_t>(runs_.size())) return std::nullopt;
    return runs_[static_cast<std::size_t>(id - 1)];
}

std::optional<store::Run> MemoryJournal::last_run() {
    const Lock lock(mutex_);
    if (runs_.empty()) return std::nullopt;
    return runs_.back();
}

void MemoryJournal::record_intent(const store::Intent& intent,
                                  std::vector<store::EventRow> events) {
    const Lock lock(mutex_);
    write();
    store::NodeState& state = nodes_[intent.node];
    state.node = intent.node;
    state.fingerprint = intent.fingerprint;
    state.outcome.clear();
    state.run = intent.run;
    state.attempt = intent.attempt;
    state.started_ms = intent.at_ms;
    if (!intent.before.empty()) {
        baselines_.insert_or_assign(intent.node,
                                    store::Baseline{intent.node, intent.before, intent.run});
    }
    keep(std::move(events));
}

void MemoryJournal::record_result(const store::Result& result,
                                  std::vector<store::EventRow> events) {
    const Lock lock(mutex_);
    write();
    nodes_[result.node] = {.node = result.node,
                           .fingerprint = result.fingerprint,
                           .outcome = result.outcome,
                           .run = result.run,
                           .attempt = result.attempt,
                           .started_ms = result.started_ms,
                           .finished_ms = result.finished_ms,
                           .detail = result.detail,
                           .order = ++order_};
    if (result.outcome == "undone") baselines_.erase(result.node);
    keep(std::move(events));
}

std::vector<store::NodeState> MemoryJournal::node_states() {
    const Lock lock(mutex_);
    std::vector<store::NodeState> out;
    for (const auto& [id, state] : nodes_) out.push_back(state);
    return out;
}

std::vector<store::Baseline> MemoryJournal::baselines() {
    const Lock lock(mutex_);
    std::vector<store::Baseline> out;
    for (const auto& [id, baseline] : baselines_) out.push_back(baseline);
    return out;
}

std::vector<store::Duration> MemoryJournal::durations() { return {}; }

void MemoryJournal::append_events(std::vector<store::EventRow> events) {
    const Lock lock(mutex_);
    keep(std::move(events));
}

std::vector<store::EventRow> MemoryJournal::events(const store::EventQuery& query) {
    const Lock lock(mutex_);
    std::vector<store::EventRow> out;
    std::vector<store::EventRow> rows = events_;
    if (query.newest_first) std::ranges::reverse(rows);
    for (const store::EventRow& row : rows) {
        const bool type =
            query.types.empty() || std::ranges::find(query.types, row.type) != query.types.end();
        if (row.seq > query.after_seq && type && out.size() < query.limit) out.push_back(row);
    }
    return out;
}

std::int64_t MemoryJournal::last_event_seq() {
    const Lock lock(mutex_);
    return static_cast<std::int64_t>(events_.size());
}

std::int64_t MemoryJournal::leave_command(const store::CommandRow& command) {
    const Lock lock(mutex_);
    commands_.push_back(command);
    commands_.back().id = static_cast<std::int64_t>(commands_.size());
    return commands_.back().id;
}

std::vector<store::CommandRow> MemoryJournal::open_commands(std::int64_t run) {
    const Lock lock(mutex_);
    std::vector<store::CommandRow> out;
    for (const store::CommandRow& c : commands_) {
        if (c.run == run && c.answer.empty()) out.push_back(c);
    }
    return out;
}

void MemoryJournal::answer_command(std::int64_t id, std::string_view answer) {
    const Lock lock(mutex_);
    commands_.at(static_cast<std::size_t>(id - 1)).answer = answer;
}

std::optional<store::CommandRow> MemoryJournal::command(std::int64_t id) {
    const Lock lock(mutex_);
    return commands_.at(static_cast<std::size_t>(id - 1));
}

void MemoryJournal::offer_delegation(std::int64_t run, const std::string& node) {
    const Lock lock(mutex_);
    delegations_.try_emplace(
        node, store::Delegation{
                  .run = run, .node = node, .state = "waiting", .holder = "", .report = ""});
}

bool MemoryJournal::take_lease(std::int64_t, const std::string& node, const std::string& holder,
                               std::int64_t now_ms, std::int64_t until_ms) {
    const Lock lock(mutex_);
    const auto at = delegations_.find(node);
    if (at == delegations_.end()) return false;
    store::Delegation& d = at->second;
    const bool free = d.state == "waiting" || (d.state == "leased" && d.lease_until_ms < now_ms);
    if (!free) return false;
    d.state = "leased";
    d.holder = holder;
    d.lease_until_ms = until_ms;
    return true;
}

bool MemoryJournal::renew_lease(std::int64_t, const std::string& node, const std::string& holder,
                                std::int64_t now_ms, std::int64_t until_ms) {
    const Lock lock(mutex_);
    const auto at = delegations_.find(node);
    if (at == delegations_.end() || at->second.holder != holder || at->second.state != "leased" ||
        at->second.lease_until_ms < now_ms) {
        return false;
    }
    at->second.lease_until_ms = until_ms;
    return true;
}

bool MemoryJournal::report_delegation(std::int64_t, const std::string& node,
                                      const std::string& holder, std::int64_t now_ms,
                                      bool succeeded, const std::string& report) {
    const Lock lock(mutex_);
    const auto at = delegations_.find(node);
    if (at == delegations_.end() || at->second.holder != holder || at->second.state != "leased" ||
        at->second.lease_until_ms < now_ms) {
        return false;
    }
    at->second.state = succeeded ? "succeeded" : "failed";
    at->second.report = report;
    return true;
}

std::vector<store::Delegation> MemoryJournal::delegations(std::int64_t) {
    const Lock lock(mutex_);
    std::vector<store::Delegation> out;
    for (const auto& [id, d] : delegations_) out.push_back(d);
    return out;
}

}  // namespace slipway::engine::testing
