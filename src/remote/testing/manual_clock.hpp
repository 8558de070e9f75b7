// A clock that stands still until the test moves it.
//
//     ManualClock clock;
//     std::jthread worker([&] { clock.sleep_for(Millis(5000), {}); });
//     clock.wait_for_sleepers(1);       // the worker is now asleep, not about to be
//     clock.advance(Millis(5000));      // and now it is not
//
// With Mode::jump a sleep returns at once and time jumps to its end: retries with backoff,
// simulated latencies and deadlines pass in no time, and elapsed() tells how long they would have
// taken.
#pragma once

#include "base/clock.hpp"
#include "base/mutex.hpp"

#include <cstddef>

namespace slipway::remote::testing {

class ManualClock final : public Clock {
  public:
    enum class Mode { manual, jump };
    explicit ManualClock(Mode mode = Mode::manual) : mode_(mode) {}

    std::int64_t wall_ms() const override;
    SteadyTime steady() const override;
    bool sleep_until(SteadyTime until, const std::stop_token& stop) override;

    void advance(std::chrono::nanoseconds by);
    // Blocks until so many threads sleep on this clock. A test that waits in vain fails by its
    // timeout.
    void wait_for_sleepers(std::size_t count);
    std::chrono::nanoseconds elapsed() const;  // since the clock was made

  private:
    const Mode mode_;
    mutable Mutex mutex_;
    Condition changed_;
    std::chrono::nanoseconds now_ SLIPWAY_GUARDED_BY(mutex_) = std::chrono::nanoseconds(0);
    std::size_t sleepers_ SLIPWAY_GUARDED_BY(mutex_) = 0;
};

}  // namespace slipway::remote::testing
