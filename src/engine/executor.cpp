#include "engine/executor.hpp"

#include "base/error.hpp"
#include "engine/executor_impl.hpp"
#include "engine/session.hpp"

#include <cmath>
#include <set>

#include <fmt/format.h>

namespace slipway::engine {

namespace {

bool finished_well(const std::string& outcome) {
    return outcome == "changed" || outcome == "unchanged" || outcome == "skipped" ||
           outcome == "undone";
}

// What an earlier session said of a step that is not tried again.
Failure recorded_failure(const store::NodeState& state, const Step& step) {
    const json::value detail =
        state.detail.empty() ? json::object() : parse_json(state.detail, state.node);
    const json::object error = detail.is_object() ? detail.get_object() : json::object();
    return {.node = state.node,
            .host = step.host,
            .step = step.id,
            .error = string_at(error, "error"),
            .message = string_at(error, "message"),
            .cause = string_at(error, "cause"),
            .remedy = string_at(error, "remedy")};
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

// A step that does not listen keeps its thread, and the thread what it uses: joining it would break
// the promise that a cancelled run ends. The process is about to exit.
Executor::~Executor() {
    if (impl_->abandoned() == 0) return;
    [[maybe_unused]] const Impl* left_to_its_threads = impl_.release();
}

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
        try {
            turn(stop);
        } catch (const StateError&) {
            lose_journal(std::current_exception());
        }
    }
    return conclude();
}

void Executor::Impl::turn(const std::stop_token& stop) {
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

void Executor::Impl::load(const std::vector<store::NodeState>& known) {
    started_ = world_.clock.steady();
    recorded_.assign(plan_.size(), false);
    std::vector<NodeIndex> left_failed;
    for (const store::NodeState& state : known) {
        const NodeIndex node = plan_.find(state.node);
        if (node == kNoNode || plan_.node(node).fingerprint != state.fingerprint) continue;
        const bool ours = state.run == options_.run;
        recorded_[node] = recorded_as_done(state, plan_.node(node));
        // Serves the crash between intent and result, and the step a cancel cut short.
        if (ours && (state.outcome.empty() || state.outcome == "cancelled"))
            open_intents_[node] = state.started_ms;
        const Step& step = plan_.node(node).step;
        const bool chosen = options_.retry_only.empty() || options_.retry_only == step.host ||
                            options_.retry_only == step.id || options_.retry_only == state.node;
        if (ours && state.outcome == "failed" && !chosen) {
            left_failed.push_back(node);
            failures_[node] = recorded_failure(state, step);
        }
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
    for (const NodeIndex node : left_failed) frontier_.settle_failed(node);
    // Meant for a process that has died since; obeying it now would surprise everybody.
    refuse_commands("refused: the process it was meant for has ended");
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
    if (journal_error_ || cancelling_) {
        return running_.empty() || world_.clock.steady() - ending_since_ > options_.cancel_grace;
    }
    if (stopping_ && running_.empty()) return true;
    return frontier_.done() || (frontier_.idle() && frontier_.waiting() == 0 && !paused_);
}

// The disk holds less than we did: nothing further may be done or claimed.
void Executor::Impl::lose_journal(std::exception_ptr error) {
    if (journal_error_) return;
    journal_error_ = std::move(error);
    stopping_ = true;
    if (!cancelling_) ending_since_ = world_.clock.steady();
    for (auto& [node, running] : running_) running.stop.request_stop();
}

void Executor::Impl::start(NodeIndex node) {
    Running& running = running_[node];
    running.why = std::make_shared<std::atomic<StopReason>>(StopReason::none);
    running.since = world_.clock.steady();
    std::function<void(Event)> publish;
    if (world_.sink != nullptr) publish = [this](Event event) { inbox_.push(std::move(event)); };
    const auto known_before = before_.find(plan_.node(node).id);
    const auto open = open_intents_.find(node);
    const NodeIndex released_by = frontier_.released_by(node);
    AttemptInput input{
        .plan = plan_,
        .node = node,
        .world = world_,
        .policy = policy_,
        .run = options_.run,
        .undo = options_.undo,
        .recorded_as_done = recorded_[node],
        .open_intent = open == open_intents_.end() ? std::nullopt : std::optional(open->second),
        .before = known_before == before_.end() ? "" : known_before->second,
        .after = released_by == kNoNode ? "" : plan_.node(released_by).id,
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
        case StepEnd::delegated: offer(node); return;
        case StepEnd::journal_failed:
            frontier_.settle_interrupted(node);
            lose_journal(finished.journal_error);
            return;
        case StepEnd::failed:
        case StepEnd::needs_user: settle_failure(std::move(finished)); return;
    }
    frontier_.settle_done(node);
    progress_.settled(node);
}

void Executor::Impl::settle_failure(Finished finished) {
    const NodeIndex node = finished.node;
    // The failure is recorded: whoever tries again begins anew, and does not go on with what a
    // crash had cut off.
    open_intents_.erase(node);
    if (finished.end == StepEnd::needs_user && options_.wait_for_user && !stopping_ &&
        !cancelling_) {
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
    if (!loss.run_stops.empty()) stop_run(loss.run_stops);
    resync_progress();
}

void Executor::Impl::stop_run(const std::string& why) {
    if (stopping_) return;
    stopping_ = true;
    outcome_.stopped_by = why;
    publish("run.stopping", Level::error, kNoNode,
            {{"why", why}, {"message", "running steps are let finish, nothing new starts"}});
}

Outcome Executor::Impl::conclude() {
    outcome_.abandoned = running_.size();
    if (journal_error_) std::rethrow_exception(journal_error_);
    refuse_commands("refused: the run has ended");
    outcome_.failed = failures_.size();
    for (auto& [node, failure] : failures_) outcome_.failures.push_back(failure);
    outcome_.set_aside = frontier_.set_aside_hosts();
    outcome_.blocked = frontier_.count(NodePhase::blocked) + frontier_.count(NodePhase::set_aside);
    const bool all_done = frontier_.done() && failures_.empty();
    if (cancelling_ && !all_done) {  // a wish that came with the last step changes nothing
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
