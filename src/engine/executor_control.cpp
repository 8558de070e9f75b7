// What others wish of a running engine: commands left in the journal, reports of delegated steps,
// and the deadlines of steps. Looked at once a tick, by the executor's loop.
#include "engine/executor_impl.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace slipway::engine {

void Executor::Impl::tick() {
    if (journal_error_) return;
    for (const store::CommandRow& command : world_.journal.open_commands(options_.run))
        obey(command);
    look_at_deadlines();
    if (!holders_.empty()) look_at_delegations();
    report_progress(false);
}

void Executor::Impl::refuse_commands(std::string_view answer) {
    for (const store::CommandRow& command : world_.journal.open_commands(options_.run)) {
        world_.journal.answer_command(command.id, answer);
    }
}

// After a retry or a skip: the run goes on only when nothing that must not be lost still is.
void Executor::Impl::stop_only_if_still_lost() {
    if (!stopping_) return;
    outcome_.stopped_by = frontier_.lost();
    stopping_ = !outcome_.stopped_by.empty();
}

void Executor::Impl::obey(const store::CommandRow& command) {
    world_.journal.answer_command(command.id, answer_to(command));
}

std::string Executor::Impl::answer_to(const store::CommandRow& command) {
    if (command.verb == "pause") {
        if (paused_) return "already paused";
        paused_ = true;
        publish("run.paused", Level::info, kNoNode, {{"by", command.by}});
        return "paused; steps that run are let finish";
    }
    if (command.verb == "continue") {
        if (!paused_) return "was not paused";
        paused_ = false;
        publish("run.continued", Level::info, kNoNode, {{"by", command.by}});
        return "going on";
    }
    if (command.verb == "cancel") {
        cancel(command.by);
        return "cancelling";
    }
    if (command.verb == "retry") return retry(command.target, command.by);
    if (command.verb == "skip") return skip(command.target);
    return "refused: unknown command " + command.verb;
}

std::string Executor::Impl::retry(const std::string& target, const std::string& by) {
    const std::vector<std::string> aside = frontier_.set_aside_hosts();
    const std::size_t count = frontier_.retry(target);
    if (count == 0) return "refused: nothing to retry there";
    stop_only_if_still_lost();
    for (const std::string& host : aside) {
        const auto& still = frontier_.set_aside_hosts();
        if (std::ranges::find(still, host) == still.end()) {
            publish_for_host("host.returned", Level::info, host, {{"by", by}});
        }
    }
    std::erase_if(failures_,
                  [&](const auto& f) { return frontier_.phase(f.first) != NodePhase::failed; });
    resync_progress();
    return fmt::format("{} steps are tried again", count);
}

std::string Executor::Impl::skip(const std::string& target) {
    std::size_t count = 0;
    for (NodeIndex i = 0; i < plan_.size(); ++i) {
        const Node& node = plan_.node(i);
        if (node.id != target && node.step.id != target) continue;
        if (!node.step.skippable) {
            return fmt::format("refused: {} cannot be skipped{}{}", node.id,
                               node.step.why_not_skippable.empty() ? "" : ": ",
                               node.step.why_not_skippable);
        }
        if (!frontier_.skip(i)) continue;
        ++count;
        ++outcome_.skipped;
        failures_.erase(i);
        holders_.erase(i);
        Event event{.run = options_.run,
                    .wall_ms = world_.clock.wall_ms(),
                    .type = "step.finished",
                    .host = node.step.host,
                    .step = node.step.id,
                    .body = {{"outcome", "skipped"}, {"attempt", 1}, {"seconds", 0.0}}};
        world_.journal.record_result({.run = options_.run,
                                      .node = node.id,
                                      .fingerprint = node.fingerprint,
                                      .outcome = "skipped",
                                      .started_ms = event.wall_ms,
                                      .finished_ms = event.wall_ms},
                                     {to_row(event)});
        if (world_.sink != nullptr) world_.sink->on_event(event);
    }
    if (count == 0) return "refused: no step of that name is still to be done";
    stop_only_if_still_lost();
    resync_progress();
    return fmt::format("{} steps are skipped", count);
}

void Executor::Impl::cancel(const std::string& by) {
    if (cancelling_) return;
    cancelling_ = true;
    ending_since_ = world_.clock.steady();
    for (auto& [node, running] : running_) {
        StopReason none = StopReason::none;
        running.why->compare_exchange_strong(none, StopReason::cancel);
        running.stop.request_stop();
    }
    publish("run.cancelling", Level::warning, kNoNode, {{"by", by}});
}

void Executor::Impl::offer(NodeIndex node) {
    world_.journal.offer_delegation(options_.run, plan_.node(node).id);
    holders_[node] = "";
    frontier_.settle_waiting(node);
    publish("step.waiting", Level::info, node,
            {{"for", "delegate"}, {"message", "waits for an outside program"}});
}

void Executor::Impl::look_at_delegations() {
    for (const store::Delegation& d : world_.journal.delegations(options_.run)) {
        const NodeIndex node = plan_.find(d.node);
        if (node == kNoNode || !holders_.contains(node)) continue;
        const bool leased = d.state == "leased" && d.lease_until_ms > world_.clock.wall_ms();
        const std::string holder = leased ? d.holder : "";
        if (d.state == "leased" && holders_[node] != holder) {
            holders_[node] = holder;
            publish("step.waiting", leased ? Level::info : Level::warning, node,
                    {{"for", "delegate"},
                     {"holder", d.holder},
                     {"message", leased ? "an outside program works on it"
                                        : "the lease ran out without a report"}});
        }
        if (d.state != "succeeded" && d.state != "failed") continue;
        holders_.erase(node);
        const bool well = d.state == "succeeded";
        const json::object error{{"error", "STEP-DELEGATE-FAILED"},
                                 {"message", "the outside program reported a failure"}};
        Event event{.run = options_.run,
                    .wall_ms = world_.clock.wall_ms(),
                    .type = "step.finished",
                    .level = well ? Level::info : Level::error,
                    .host = plan_.node(node).step.host,
                    .step = plan_.node(node).step.id,
                    .body = {{"outcome", well ? "changed" : "failed"},
                             {"attempt", 1},
                             {"seconds", 0.0},
                             {"holder", d.holder}}};
        if (!well) event.body.insert(error.begin(), error.end());
        world_.journal.record_result({.run = options_.run,
                                      .node = d.node,
                                      .fingerprint = plan_.node(node).fingerprint,
                                      .outcome = well ? "changed" : "failed",
                                      .started_ms = event.wall_ms,
                                      .finished_ms = event.wall_ms,
                                      .detail = d.report},
                                     {to_row(event)});
        if (world_.sink != nullptr) world_.sink->on_event(event);
        Finished finished;
        finished.node = node;
        finished.end = well ? StepEnd::changed : StepEnd::failed;
        finished.failure = {.node = d.node,
                            .host = event.host,
                            .step = event.step,
                            .error = "STEP-DELEGATE-FAILED",
                            .message = "the outside program reported a failure",
                            .cause = d.report,
                            .remedy = "repair it there, then: slipway retry --step " + d.node};
        take_in(std::move(finished));
    }
}

void Executor::Impl::look_at_deadlines() {
    const SteadyTime now = world_.clock.steady();
    for (auto& [node, running] : running_) {
        const Step& step = plan_.node(node).step;
        const Millis deadline =
            policy_.step_timeout.count() > 0 ? policy_.step_timeout : step.deadline;
        const Millis soft = step.soft_deadline.count() > 0 ? step.soft_deadline : deadline / 2;
        if (now - running.since > deadline) {
            StopReason none = StopReason::none;
            if (running.why->compare_exchange_strong(none, StopReason::deadline))
                running.stop.request_stop();
        } else if (!running.slow && now - running.since > soft) {
            running.slow = true;
            publish("step.slow", Level::warning, node,
                    {{"seconds", std::round(seconds_since(running.since, now))},
                     {"deadline-seconds", std::chrono::duration<double>(deadline).count()}});
        }
    }
}

}  // namespace slipway::engine
