// One step, from its first probe to its recorded end: probe → intent → act → verify → result, with
// retries of transient errors in between. Runs on a worker thread; everything it does to the
// journal is durable before it returns.
#pragma once

#include "engine/event.hpp"
#include "engine/executor.hpp"
#include "engine/plan.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace slipway::engine {

// Why a running step was asked to stop.
enum class StopReason { none, cancel, deadline };

enum class StepEnd {
    changed,
    unchanged,
    skipped,
    delegated,  // to be offered to an outside program; nothing was recorded
    failed,
    needs_user,
    cancelled,
    journal_failed
};

struct Finished {
    NodeIndex node = kNoNode;
    StepEnd end = StepEnd::unchanged;
    Failure failure = {};
    double seconds = 0;
    std::string before = {};                // as recorded by now, for the next try
    std::exception_ptr journal_error = {};  // the journal itself failed: the run cannot go on
};

struct AttemptInput {
    const Plan& plan;
    NodeIndex node;
    World world;
    const Policy& policy;
    std::int64_t run;
    bool undo;
    bool recorded_as_done;  // an earlier run finished it with the same inputs
    // When this run began it, if it was interrupted since.
    std::optional<std::int64_t> open_intent;
    std::string before;  // what an earlier intent recorded
    std::string after;   // the node whose end let it start; "" when nothing held it up
    std::stop_token stop;
    std::shared_ptr<std::atomic<StopReason>> why;  // shared with the executor's loop
    // Events that are in the journal already, for the view; called on the worker's thread.
    std::function<void(Event)> publish;
};

Finished attempt_step(const AttemptInput& input);

// An event as the journal keeps it.
store::EventRow to_row(const Event& event);
Event from_row(const store::EventRow& row);

}  // namespace slipway::engine
