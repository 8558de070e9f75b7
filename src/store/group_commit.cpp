#include "store/group_commit.hpp"

#include "base/failpoint.hpp"
#include "store/event_table.hpp"

#include <cerrno>
#include <exception>
#include <utility>

#include <semaphore.h>

namespace slipway::store {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kRowsPerCommit = 1000;
constexpr std::size_t kQueuedRows = 20'000;  // some megabytes of events
// Events alone wait this long for a commit they can travel with (the promise is 100 ms).
constexpr auto kEventDelay = 50ms;

const Failpoint kBeforeCommit("store.before-commit", Failpoint::Where::apply,
                              "a transaction is written but not committed");
const Failpoint kAfterCommit("store.after-commit", Failpoint::Where::apply,
                             "a transaction is on disk, nobody has been told");

// For the caller in whose hands it ends: several threads get one each, as contexts are added to
// them.
StateError failure_from(const std::exception_ptr& thrown, const Path& file) {
    try {
        std::rethrow_exception(thrown);
    } catch (const Error& e) {
        return {e.id(), e.message(), {.cause = e.cause(), .remedy = e.remedy()}};
    } catch (const std::exception& e) {
        return io_failed(file, e.what());
    }
}

}  // namespace

class GroupCommit::Waiter {
  public:
    explicit Waiter(const Work& what) : work(what) { sem_init(&done_, 0, 0); }
    ~Waiter() { sem_destroy(&done_); }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;

    void wait() {
        while (sem_wait(&done_) != 0 && errno == EINTR) {
        }
    }
    void wake() { sem_post(&done_); }  // the waiter may be gone right after

    const Work& work;
    std::optional<StateError> failure;

  private:
    sem_t done_{};
};

GroupCommit::GroupCommit(GuardedConnection& connection, Work begin)
    : connection_(connection), begin_(std::move(begin)), thread_([this] { write_batches(); }) {}

GroupCommit::~GroupCommit() {
    {
        const Lock lock(mutex_);
        stop_ = true;
    }
    work_.notify_one();
    thread_.join();
}

void GroupCommit::run(const Work& work, std::vector<EventRow> events) {
    Waiter waiter(work);
    {
        const Lock lock(mutex_);
        refuse_after_failure();
        push({&waiter, std::move(events)});
    }
    work_.notify_one();
    waiter.wait();
    if (waiter.failure) throw StateError(*waiter.failure);
}

void GroupCommit::post(std::vector<EventRow> events) {
    if (events.empty()) return;
    {
        const Lock lock(mutex_);
        while (queued_rows_ >= kQueuedRows && !failure_) space_.wait(mutex_);
        refuse_after_failure();
        push({nullptr, std::move(events)});
    }
    work_.notify_one();
}

void GroupCommit::push(Item item) {
    if (queue_.empty()) oldest_ = std::chrono::steady_clock::now();
    queued_rows_ += item.events.size() + 1;
    if (item.waiter != nullptr) ++waiters_;
    queue_.push_back(std::move(item));
}

void GroupCommit::refuse_after_failure() {
    if (!failure_) return;
    StateError refusal = *failure_;
    refusal.add_context(
        "an earlier write failed; the journal takes no more until it is opened anew");
    throw refusal;
}

bool GroupCommit::worth_a_commit() const {
    return waiters_ > 0 || queued_rows_ >= kRowsPerCommit || stop_;
}

GroupCommit::Batch GroupCommit::next_batch() {
    const Lock lock(mutex_);
    while (!worth_a_commit()) {
        if (queue_.empty()) {
            work_.wait(mutex_);
        } else if (work_.wait_until(mutex_, oldest_ + kEventDelay) == std::cv_status::timeout) {
            break;
        }
    }
    Batch batch;
    std::size_t rows = 0;
    while (!queue_.empty() && rows < kRowsPerCommit) {
        rows += queue_.front().events.size() + 1;
        if (queue_.front().waiter != nullptr) --waiters_;
        batch.push_back(std::move(queue_.front()));
        queue_.pop_front();
    }
    queued_rows_ -= rows;
    return batch;
}

void GroupCommit::write_batches() {
    while (true) {
        const Batch batch = next_batch();
        if (batch.empty()) return;
        settle(batch, commit(batch));
    }
}

std::optional<StateError> GroupCommit::commit(const Batch& batch) {
    {
        const Lock lock(mutex_);
        if (failure_) return failure_;
    }
    const Lock lock(connection_.mutex);
    Connection& db = connection_.db;
    try {
        Transaction transaction(db);
        begin_(db);
        std::int64_t last_seq = last_event_seq(db);
        for (const Item& item : batch) {
            append_events(db, item.events, last_seq);
            if (item.waiter != nullptr) item.waiter->work(db);
        }
        kBeforeCommit.hit();
        transaction.commit();
        kAfterCommit.hit();
        return std::nullopt;
    } catch (...) {
        db.leave_wal_alone();
        return failure_from(std::current_exception(), db.file());
    }
}

void GroupCommit::settle(const Batch& batch, const std::optional<StateError>& failure) {
    {
        const Lock lock(mutex_);
        if (failure && !failure_) failure_ = failure;
    }
    space_.notify_all();
    for (const Item& item : batch) {
        if (item.waiter == nullptr) continue;
        item.waiter->failure = failure;
        item.waiter->wake();
    }
}

}  // namespace slipway::store
