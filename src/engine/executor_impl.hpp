// The executor from the inside: for executor.cpp (the loop), executor_control.cpp (what others
// wish) and executor_report.cpp (what is told) only.
#pragma once

#include "engine/attempt.hpp"
#include "engine/estimate.hpp"
#include "engine/executor.hpp"
#include "engine/frontier.hpp"
#include "engine/inbox.hpp"
#include "engine/progress.hpp"
#include "engine/workers.hpp"

#include <map>
#include <unordered_map>

namespace slipway::engine {

inline double seconds_since(SteadyTime then, SteadyTime now) {
    return std::chrono::duration<double>(now - then).count();
}

struct Executor::Impl {
    Impl(const Plan& plan, World world, Policy policy, ExecutorOptions options)
        : plan_(plan),
          world_(world),
          policy_(std::move(policy)),
          options_(options),
          seconds_(expected_seconds(plan, world.journal.durations())),
          frontier_(plan, policy_, plan.tails(seconds_)),
          progress_(plan, seconds_, parallel_bound(plan, policy_)) {}

    Outcome run(const std::vector<store::NodeState>& known, const std::stop_token& stop);
    std::size_t abandoned() const { return outcome_.abandoned; }

  private:
    // The life of a run.
    void load(const std::vector<store::NodeState>& known);
    void announce();
    void turn(const std::stop_token& stop);
    bool over() const;
    void start(NodeIndex node);
    void take_in(Finished finished);
    Outcome conclude();

    // What a finished step means.
    void settle_failure(Finished finished);
    void stop_run(const std::string& why);
    void lose_journal(std::exception_ptr error);

    // What others wish (executor_control.cpp).
    void tick();
    void obey(const store::CommandRow& command);
    void refuse_commands(std::string_view answer);
    void stop_only_if_still_lost();
    std::string answer_to(const store::CommandRow& command);
    std::string retry(const std::string& target, const std::string& by);
    std::string skip(const std::string& target);
    void cancel(const std::string& by);
    void offer(NodeIndex node);
    void look_at_delegations();
    void look_at_deadlines();

    // What is told (executor_report.cpp).
    void report_progress(bool at_once);
    void resync_progress();
    void publish(std::string_view type, Level level, NodeIndex node, json::object body);
    void publish_for_host(std::string_view type, Level level, const std::string& host,
                          json::object body);
    void publish(Event event);
    bool may_start() const { return !paused_ && !stopping_ && !cancelling_; }

    struct Running {
        std::stop_source stop;
        std::shared_ptr<std::atomic<StopReason>>
            why;  // shared with the worker, which outlives our entry
        SteadyTime since;
        bool slow = false;
    };

    const Plan& plan_;
    World world_;
    Policy policy_;
    ExecutorOptions options_;
    std::vector<double> seconds_;
    Frontier frontier_;
    Progress progress_;
    Inbox inbox_;
    std::unordered_map<NodeIndex, Running> running_;
    std::vector<bool> recorded_;  // an earlier run finished the node with the same inputs
    // When this run began the nodes in whose midst it was interrupted.
    std::map<NodeIndex, std::int64_t> open_intents_;
    std::unordered_map<std::string, std::string> before_;
    std::map<NodeIndex, Failure> failures_;
    std::map<NodeIndex, std::string> holders_;  // of delegated steps
    Outcome outcome_;
    bool paused_ = false;
    bool stopping_ = false;
    bool cancelling_ = false;
    SteadyTime ending_since_;  // a cancel, or the loss of the journal
    SteadyTime started_;
    SteadyTime last_progress_;
    double last_percent_ = -1;
    std::exception_ptr journal_error_;
    Workers workers_;  // last: its destructor waits for jobs that use everything above
};

}  // namespace slipway::engine
