// Threads for running steps: made when no idle one is left, kept until the run ends. A step blocks
// its thread (a command on a host, a wait for a commit), so there are as many as steps run at once.
#pragma once

#include "base/mutex.hpp"

#include <deque>
#include <functional>
#include <thread>
#include <vector>

namespace slipway::engine {

class Workers {
  public:
    Workers() = default;
    ~Workers();  // waits for running jobs
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    void start(std::function<void()> job);  // must not throw

  private:
    void work();

    Mutex mutex_;
    Condition changed_;
    std::deque<std::function<void()>> jobs_ SLIPWAY_GUARDED_BY(mutex_);
    std::size_t idle_ SLIPWAY_GUARDED_BY(mutex_) = 0;
    bool ending_ SLIPWAY_GUARDED_BY(mutex_) = false;
    std::vector<std::thread> threads_;  // only touched by the owner
};

}  // namespace slipway::engine
