#include "engine/executor.hpp"

#include "engine/executor_impl.hpp"

#include <cmath>
#include <set>

#include <fmt/format.h>

namespace slipway::engine {

namespace {

bool finished_well(const std::string& outcome) {
    return outcome == "changed" || outcome == "unchanged" || outcome == "skipped" ||
           outcome == "undone";
}

}  // namespace

std::string_view to_string(RunResult result) {
    switch (result) {
        case RunResult::succeeded: return "succeeded";
        case RunResult::partial: return "partial";
        case RunResult::failed: return "failed";
        case RunResult::cancelled: return "cancelled";
    }
    return "failed";
}

Executor::Executor(const Plan& plan, World world, Policy policy, ExecutorOptions options)
    : impl_(std::make_unique<Impl>(plan, world, std::move(policy), options)) {}

Executor::~Executor() = default;

Outcome Executor::run(const std::vector<store::NodeState>& known, std::stop_token stop) {
    return impl_->run(known, stop);
}

// Start what fits, wait until something happens, settle it. A step has recorded its own end on disk
// before its message arrives here, so whatever this loop knows, a restarted one would know too.
Outcome Executor::Impl::run(const std::vector<store::NodeState>& known,
                            const std::stop_token& stop) {
    const std::stop_callback on_stop(stop, [this] { inbox_.wake(); });
    load(known);
    announce();
    while (!over()) {
        while (may_start()) {
            const std::optional<NodeIndex> node = frontier_.next_that_fits();
            if (!node) break;
            start(*node);
        }
        for (Message& message : inbox_.take(options_.tick)) {
            if (auto* finished = std::get_if<Finished>(&message)) take_in(std::move(*finished));
            if (auto* event = std::get_if<Event>(&message);
                event != nullptr && world_.sink != nullptr) {
                world_.sink->on_event(*event);
            }
        }
        if (stop.stop_requested()) cancel("signal");
        tick();
    }
    return conclude();
}

void Executor::Impl::load(const std::vector<store::NodeState>& known) {
    started_ = world_.clock.steady();
    recorded_.assign(plan_.size(), false);
    open_intent_.assign(plan_.size(), false);
    for (const store::NodeState& state : known) {
        const NodeIndex node = plan_.find(state.node);
        if (node == kNoNode || plan_.node(node).fingerprint != state.fingerprint) continue;
        const bool ours = state.run == options_.run;
        recorded_[node] = state.outcome == "changed" || state.outcome == "unchanged";
        // Serves the crash between intent and result, and the step a cancel cut short.
        open_intent_[node] = ours && (state.outcome.empty() || state.outcome == "cancelled");
        if (ours && finished_well(state.outcome)) {
            frontier_.mark_done(node);
            progress_.settled(node);
            ++outcome_.done_before;
        }
    }
    if (options_.resumed) {
        for (const store::EventRow& row : world_.journal.events(
                 {.run = options_.run, .types = {"progress"}, .limit = 1, .newest_first = true})) {
            progress_.at_least(from_row(row).body.at("percent").to_number<double>());
        }
    }
    for (store::Baseline& b : world_.journal.baselines()) before_[b.node] = std::move(b.before);
    frontier_.open();
}

void Executor::Impl::announce() {
    std::set<std::string> hosts;
    for (const Node& node : plan_.nodes()) hosts.insert(node.step.host);
    hosts.erase("");
    json::object body{{"kind", options_.undo ? "reset" : "apply"},
                      {"plan", plan_.hash()},
                      {"steps", plan_.size()},
                      {"hosts", hosts.size()}};
    if (options_.resumed) body["done"] = outcome_.done_before;
    publish(options_.resumed ? "run.resumed" : "run.started", Level::info, kNoNode,
            std::move(body));
    report_progress(true);
}

bool Executor::Impl::over() const {
    if (journal_error_) return running_.empty();
    if (cancelling_) {
        return running_.empty() || world_.clock.steady() - cancelled_at_ > options_.cancel_grace;
    }
    return frontier_.done() || (stopping_ && running_.empty());
}

void Executor::Impl::start(NodeIndex node) {
    if (plan_.node(node).mode == Mode::delegate) {
        offer(node);
        return;
    }
    Running& running = running_[node];
    running.why = std::make_shared<std::atomic<StopReason>>(StopReason::none);
    running.since = world_.clock.steady();
    std::function<void(Event)> publish;
    if (world_.sink != nullptr) publish = [this](Event event) { inbox_.push(std::move(event)); };
    const auto known_before = before_.find(plan_.node(node).id);
    AttemptInput input{.plan = plan_,
                       .node = node,
                       .world = world_,
                       .policy = policy_,
                       .run = options_.run,
                       .undo = options_.undo,
                       .recorded_as_done = recorded_[node],
                       .open_intent = open_intent_[node],
                       .before = known_before == before_.end() ? "" : known_before->second,
                       .stop = running.stop.get_token(),
                       .why = running.why,
                       .publish = std::move(publish)};
    workers_.start([this, input = std::move(input)] { inbox_.push(attempt_step(input)); });
}

void Executor::Impl::take_in(Finished finished) {
    const NodeIndex node = finished.node;
    running_.erase(node);
    if (!finished.before.empty()) before_[plan_.node(node).id] = std::move(finished.before);
    switch (finished.end) {
        case StepEnd::changed:
            ++outcome_.changed;
            progress_.measured(node, finished.seconds);
            break;
        case StepEnd::unchanged: ++outcome_.unchanged; break;
        case StepEnd::skipped: ++outcome_.skipped; break;
        case StepEnd::cancelled: frontier_.settle_interrupted(node); return;
        case StepEnd::journal_failed:
            // The disk holds less than we did: nothing further may be done or claimed.
            journal_error_ = finished.journal_error;
            stopping_ = true;
            frontier_.settle_interrupted(node);
            for (auto& [other, running] : running_) running.stop.request_stop();
            return;
        case StepEnd::failed:
        case StepEnd::needs_user: settle_failure(std::move(finished)); return;
    }
    frontier_.settle_done(node);
    progress_.settled(node);
}

void Executor::Impl::settle_failure(Finished finished) {
    const NodeIndex node = finished.node;
    if (finished.end == StepEnd::needs_user && options_.wait_for_user && may_start()) {
        frontier_.settle_waiting(node);
        const Failure& f = finished.failure;
        publish("step.waiting", Level::warning, node,
                {{"for", "user"},
                 {"error", f.error},
                 {"message", f.message},
                 {"cause", f.cause},
                 {"remedy", f.remedy}});
        return;
    }
    const Frontier::Loss loss = frontier_.settle_failed(node);
    if (!loss.host_set_aside.empty()) {
        publish_for_host(
            "host.set-aside", Level::error, loss.host_set_aside,
            {{"error", finished.failure.error}, {"message", finished.failure.message}});
    }
    failures_[node] = std::move(finished.failure);
    if (!loss.domain_lost.empty()) stop_run(loss.domain_lost);
    resync_progress();
}

void Executor::Impl::stop_run(const std::string& domain) {
    if (stopping_) return;
    stopping_ = true;
    outcome_.stopped_by = domain;
    publish(
        "run.stopping", Level::error, kNoNode,
        {{"domain", domain},
         {"message", fmt::format("too much of {} has failed to go on; running steps are let finish",
                                 domain)}});
}

Outcome Executor::Impl::conclude() {
    if (journal_error_) std::rethrow_exception(journal_error_);
    outcome_.abandoned = running_.size();
    outcome_.failed = failures_.size();
    for (auto& [node, failure] : failures_) outcome_.failures.push_back(failure);
    outcome_.set_aside = frontier_.set_aside_hosts();
    outcome_.blocked = frontier_.count(NodePhase::blocked) + frontier_.count(NodePhase::set_aside);
    if (cancelling_) {
        outcome_.result = RunResult::cancelled;
    } else if (stopping_) {
        outcome_.blocked += frontier_.count(NodePhase::pending) + frontier_.count(NodePhase::ready);
        outcome_.result = RunResult::failed;
    } else if (outcome_.failed + outcome_.blocked > 0) {
        outcome_.result = RunResult::partial;
    }
    const double seconds = seconds_since(started_, world_.clock.steady());
    outcome_.duration = Millis(static_cast<std::int64_t>(seconds * 1000));
    report_progress(true);
    publish("run.finished", outcome_.result == RunResult::succeeded ? Level::info : Level::error,
            kNoNode,
            {{"result", to_string(outcome_.result)},
             {"changed", outcome_.changed},
             {"unchanged", outcome_.unchanged},
             {"skipped", outcome_.skipped},
             {"failed", outcome_.failed},
             {"blocked", outcome_.blocked},
             {"seconds", std::round(seconds * 1000) / 1000}});
    world_.journal.finish_run(options_.run, to_string(outcome_.result), world_.clock.wall_ms());
    return outcome_;
}

}  // namespace slipway::engine
