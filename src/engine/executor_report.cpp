// What the executor's loop tells: events of its own, and progress.
#include "engine/executor_impl.hpp"

#include <cmath>

namespace slipway::engine {

namespace {

constexpr Millis kProgressEvery{500};

}  // namespace

void Executor::Impl::report_progress(bool at_once) {
    const SteadyTime now = world_.clock.steady();
    if (!at_once && now - last_progress_ < kProgressEvery) return;
    last_progress_ = now;
    std::vector<Progress::Running> running;
    running.reserve(running_.size());
    for (const auto& [node, r] : running_) running.push_back({node, seconds_since(r.since, now)});
    const ProgressReport p = progress_.report(frontier_, running);
    if (!at_once && p.percent == last_percent_ && running.empty()) return;
    last_percent_ = p.percent;
    const auto tenth = [](double s) { return std::round(s * 10) / 10; };
    publish("progress", Level::debug, kNoNode,
            {{"percent", tenth(p.percent)},
             {"done", p.done},
             {"total", p.total},
             {"running", p.running},
             {"seconds-left", tenth(p.left)},
             {"seconds-left-low", tenth(p.left_low)},
             {"seconds-left-high", tenth(p.left_high)}});
}

// A failure, a retry or a skip may settle or reopen many nodes at once.
void Executor::Impl::resync_progress() {
    for (NodeIndex i = 0; i < plan_.size(); ++i) {
        const NodePhase phase = frontier_.phase(i);
        const bool settled = phase == NodePhase::done || phase == NodePhase::failed ||
                             phase == NodePhase::blocked || phase == NodePhase::set_aside;
        settled ? progress_.settled(i) : progress_.reopened(i);
    }
}

void Executor::Impl::publish(std::string_view type, Level level, NodeIndex node,
                             json::object body) {
    Event event{.run = options_.run,
                .wall_ms = world_.clock.wall_ms(),
                .type = std::string(type),
                .level = level,
                .body = std::move(body)};
    if (node != kNoNode) {
        event.host = plan_.node(node).step.host;
        event.step = plan_.node(node).step.id;
    }
    publish(std::move(event));
}

void Executor::Impl::publish_for_host(std::string_view type, Level level, const std::string& host,
                                      json::object body) {
    publish({.run = options_.run,
             .wall_ms = world_.clock.wall_ms(),
             .type = std::string(type),
             .level = level,
             .host = host,
             .body = std::move(body)});
}

void Executor::Impl::publish(Event event) {
    if (!journal_error_) world_.journal.append_events({to_row(event)});
    if (world_.sink != nullptr) world_.sink->on_event(event);
}

}  // namespace slipway::engine
