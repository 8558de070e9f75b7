// What the workers and the outside tell the executor's loop: finished steps and events, in order.
#pragma once

#include "base/mutex.hpp"
#include "engine/attempt.hpp"

#include <chrono>
#include <variant>
#include <vector>

namespace slipway::engine {

using Message = std::variant<Finished, Event>;

class Inbox {
  public:
    void push(Message message) {
        const Lock lock(mutex_);
        messages_.push_back(std::move(message));
        // Only the loop waits, and only on an empty box.
        if (messages_.size() == 1) arrived_.notify_one();
    }

    void wake() {
        const Lock lock(mutex_);
        woken_ = true;
        arrived_.notify_one();
    }

    // Everything that came, at the latest after `longest` (real time: it paces the loop, it
    // measures nothing).
    std::vector<Message> take(std::chrono::milliseconds longest) {
        const auto until = std::chrono::steady_clock::now() + longest;
        const Lock lock(mutex_);
        while (messages_.empty() && !woken_) {
            if (arrived_.wait_until(mutex_, until) == std::cv_status::timeout) break;
        }
        woken_ = false;
        std::vector<Message> out;
        out.swap(messages_);
        return out;
    }

  private:
    Mutex mutex_;
    Condition arrived_;
    std::vector<Message> messages_ SLIPWAY_GUARDED_BY(mutex_);
    bool woken_ SLIPWAY_GUARDED_BY(mutex_) = false;
};

}  // namespace slipway::engine
