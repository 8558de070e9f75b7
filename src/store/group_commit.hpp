// One writer thread; whatever is queued when a commit starts goes into that one transaction.
//
//     GroupCommit writer(connection, begin);
//     writer.run([&](Connection& db) { db.run("…"); });   // returns when it is on disk, or throws
//     writer.post(events);                                // returns at once
//
// An fsync costs about as much for one row as for a thousand: 256 callers share it. Each caller has
// a wake-up of its own, so a commit wakes exactly those it carried.
//
// A failed commit fails everybody it carried, and every write after it: what a failed fsync left on
// the disk is unknown until the journal is opened anew.
#pragma once

#include "base/mutex.hpp"
#include "store/journal.hpp"
#include "store/sqlite.hpp"
#include "store/state_errors.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

namespace slipway::store {

// A connection and who may use it.
struct GuardedConnection {
    explicit GuardedConnection(Connection connection) : db(std::move(connection)) {}
    Mutex mutex;
    Connection db SLIPWAY_GUARDED_BY(mutex);
};

class GroupCommit {
  public:
    using Work = std::function<void(Connection&)>;

    // `begin` runs first in every transaction. `connection` must outlive this.
    GroupCommit(GuardedConnection& connection, Work begin);
    ~GroupCommit();  // what is queued is still written

    void run(const Work& work, std::vector<EventRow> events = {});
    void post(std::vector<EventRow> events);  // waits only while the queue is full

  private:
    class Waiter;
    struct Item {
        Waiter* waiter;  // null for events nobody waits for
        std::vector<EventRow> events;
    };
    using Batch = std::vector<Item>;

    void push(Item item) SLIPWAY_REQUIRES(mutex_);
    void refuse_after_failure() SLIPWAY_REQUIRES(mutex_);
    void write_batches();
    bool worth_a_commit() const SLIPWAY_REQUIRES(mutex_);
    Batch next_batch();  // empty: stopped and nothing is left
    std::optional<StateError> commit(const Batch& batch);
    void settle(const Batch& batch, const std::optional<StateError>& failure);

    GuardedConnection& connection_;
    const Work begin_;

    Mutex mutex_;
    Condition work_;   // for the writer thread
    Condition space_;  // for post()
    std::deque<Item> queue_ SLIPWAY_GUARDED_BY(mutex_);
    std::size_t queued_rows_ SLIPWAY_GUARDED_BY(mutex_) = 0;
    std::size_t waiters_ SLIPWAY_GUARDED_BY(mutex_) = 0;
    std::chrono::steady_clock::time_point oldest_ SLIPWAY_GUARDED_BY(mutex_);
    std::optional<StateError> failure_ SLIPWAY_GUARDED_BY(mutex_);
    bool stop_ SLIPWAY_GUARDED_BY(mutex_) = false;

    std::thread thread_;  // last: it uses everything above
};

}  // namespace slipway::store
