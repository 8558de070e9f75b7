// The executor: runs a plan to its end, one short loop (executor.cpp).
//
//     Executor executor(plan, {journal, fleet, clock, &view}, policy, {.run = session.run});
//     Outcome outcome = executor.run(session.states, stop);
//
// Start what fits, wait until something happens, record it, settle it. Steps run on threads of
// their own (one a running step); the loop owns all scheduling state, so nothing in it is locked.
// What other processes wish (pause, cancel, retry, skip, reports of delegated steps) is read from
// the journal.
#pragma once

#include "engine/event.hpp"
#include "engine/plan.hpp"
#include "engine/policy.hpp"
#include "remote/host.hpp"
#include "store/journal.hpp"

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace slipway::engine {

// What a run touches of the world.
struct World {
    store::Journal& journal;
    remote::Fleet& fleet;
    Clock& clock;
    EventSink* sink = nullptr;  // may be absent
};

enum class RunResult { succeeded, partial, failed, cancelled };
std::string_view to_string(RunResult result);

struct Failure {
    std::string node;
    std::string host;
    std::string step;
    std::string error;  // id
    std::string message;
    std::string cause;
    std::string remedy;
};

struct Outcome {
    RunResult result = RunResult::succeeded;
    std::size_t changed = 0;
    std::size_t unchanged = 0;
    std::size_t skipped = 0;
    std::size_t done_before = 0;  // by an earlier session of the same run
    std::size_t failed = 0;
    std::size_t blocked = 0;  // never started because of a failure
    std::vector<Failure> failures = {};
    std::vector<std::string> set_aside = {};
    std::string stopped_by = {};  // why it could not go on
    Millis duration{0};
    // Steps that did not end within the grace time after a cancel. Their intents stand in the
    // journal and are probed by the next run; the process should exit without waiting for their
    // threads.
    std::size_t abandoned = 0;
};

struct ExecutorOptions {
    std::int64_t run = 0;
    bool resumed = false;
    bool undo = false;           // a reversed plan: acts are undos and outcomes are `undone`
    bool wait_for_user = false;  // a needs-user error waits for retry, skip or cancel
    // Of what failed in earlier sessions only this host, step or node is tried again; "": all of
    // it.
    std::string retry_only = {};
    Millis tick{200};  // how often commands and deadlines are looked at
    Millis cancel_grace{4000};
};

class Executor {
  public:
    Executor(const Plan& plan, World world, Policy policy, ExecutorOptions options);
    ~Executor();
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;

    // `known` is what the journal says of nodes; those finished in this very run with the same
    // fingerprint are not run again.
    Outcome run(const std::vector<store::NodeState>& known, std::stop_token stop);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace slipway::engine
