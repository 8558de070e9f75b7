// Slows down whoever guesses: some wrong answers are free, then each makes everybody wait longer.
//
//     if (!gate.attempt([&] { return passwords.matches(given); })) throw wrong_password();
//
// One guess at a time is looked at, whatever number of connections they come from.
#pragma once

#include "base/clock.hpp"
#include "base/mutex.hpp"

#include <atomic>
#include <functional>

namespace slipway::server {

class Gate {
  public:
    explicit Gate(Clock& clock) : clock_(clock) {}

    // What `right` says; throws Problem 429 with Retry-After when it is too early to ask.
    bool attempt(const std::function<bool()>& right);

  private:
    void require_open() SLIPWAY_REQUIRES(mutex_);

    static constexpr int kFree = 5;
    static constexpr int kMostWaiting = 8;  // of guesses that would wait for their turn
    static constexpr std::chrono::seconds kLongest{60};

    Clock& clock_;
    std::atomic<int> waiting_{0};
    Mutex mutex_;
    int wrong_ SLIPWAY_GUARDED_BY(mutex_) = 0;
    SteadyTime closed_until_ SLIPWAY_GUARDED_BY(mutex_) = {};
};

}  // namespace slipway::server
