// The computer's clock, but a thread that sleeps has hardly slept: a step that waits minutes for
// something that does not come is over soon, and the deadlines of others are no shorter.
#pragma once

#include "base/clock.hpp"

#include <stop_token>

namespace slipway::cluster::testing {

class HastyClock final : public Clock {
  public:
    explicit HastyClock(int faster = 100) : faster_(faster) {}

    std::int64_t wall_ms() const override { return system_clock().wall_ms(); }
    SteadyTime steady() const override { return system_clock().steady() + slept(); }
    bool sleep_until(SteadyTime until, const std::stop_token& stop) override {
        if (stop.stop_requested()) return false;
        const auto rest = until - steady();
        if (rest.count() <= 0) return true;
        slept() += rest - rest / faster_;
        return system_clock().sleep_until(system_clock().steady() + rest / faster_, stop);
    }

  private:
    const int faster_;

    static SteadyTime::duration& slept() {
        thread_local SteadyTime::duration time{0};
        return time;
    }
};

}  // namespace slipway::cluster::testing
