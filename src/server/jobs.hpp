// What takes more than a moment and changes no machine: a child process each, asked about by its
// number until an hour after its end, or until there are too many or too large ones.
#pragma once

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "server/child.hpp"
#include "server/problem.hpp"

#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace slipway::server {

struct JobRequest {
    std::string kind = {};  // plan, preflight, keys, trust, verify, scan
    std::string spec = {};  // the draft it is about, or ""
    ChildCall call = {};
    // Makes the answer of what the child printed; unset: as it is.
    std::function<json::object(json::object)> shape = {};
    bool keeps_plan = false;  // --out FILE is added; plan_file() is where it is
};

class Jobs {
  public:
    static constexpr std::size_t kMostRunning = 4, kMostKept = 200, kMostLines = 500;
    static constexpr std::size_t kMostBytes = 128u << 20;  // of results, all together

    Jobs(const Children& children, std::filesystem::path plans, Clock& clock,
         std::size_t most_bytes = kMostBytes);
    ~Jobs();  // ends those that run

    // Its id. Throws Problem 503 when too many run.
    std::string start(JobRequest request);
    // nullopt when there is none (any more). Waits until it has ended, at most `wait`.
    std::optional<json::object> look(const std::string& id, Millis wait = Millis(0));
    bool cancel(const std::string& id);
    // Of a plan that was made; throws Problem 404 or 409.
    std::filesystem::path plan_file(const std::string& id, const std::string& spec);
    std::size_t running();
    // Wakes who waits and starts nothing more.
    void stop();

  private:
    struct Job {
        std::string id, kind, spec, state = "running";
        std::int64_t started_ms = 0, finished_ms = 0;
        SteadyTime ended = {};
        std::deque<std::string> lines = {};
        std::optional<json::object> result = {};
        std::size_t bytes = 0;  // of the result
        std::optional<Problem> problem = {};
        std::filesystem::path plan = {};
        std::stop_source stop = {};
        std::jthread thread = {};
    };

    void work(Job& job, JobRequest request);
    void settle(Job& job, std::optional<json::object> result, std::optional<Problem> problem,
                std::string state);
    using All = std::map<std::string, std::unique_ptr<Job>>;

    void forget_old() SLIPWAY_REQUIRES(mutex_);
    // The one that ended first, but not `kept`; false when there is none.
    bool forget_oldest(const Job* kept = nullptr) SLIPWAY_REQUIRES(mutex_);
    void forget(All::iterator item) SLIPWAY_REQUIRES(mutex_);
    std::size_t bytes_kept() const SLIPWAY_REQUIRES(mutex_);
    static json::object to_json(const Job& job);

    const Children& children_;
    const std::filesystem::path plans_;
    Clock& clock_;
    const std::size_t most_bytes_;
    Mutex mutex_;
    Condition changed_;
    bool stopping_ SLIPWAY_GUARDED_BY(mutex_) = false;
    // By unique_ptr: threads keep a reference to theirs.
    All jobs_ SLIPWAY_GUARDED_BY(mutex_);
};

}  // namespace slipway::server
