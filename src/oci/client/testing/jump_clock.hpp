// A clock whose sleeps end at once, with time moved on: waits between tries cost a test nothing.
#pragma once

#include "base/clock.hpp"
#include "base/mutex.hpp"

namespace slipway::oci::testing {

class JumpClock final : public Clock {
  public:
    std::int64_t wall_ms() const override { return passed().count(); }
    SteadyTime steady() const override {
        const Lock lock(mutex_);
        return now_;
    }
    bool sleep_until(SteadyTime until, const std::stop_token& stop) override {
        const Lock lock(mutex_);
        if (until > now_) now_ = until;
        return !stop.stop_requested();
    }
    void advance(Millis by) { sleep_for(by, {}); }
    Millis passed() const {
        return std::chrono::duration_cast<Millis>(steady().time_since_epoch());
    }

  private:
    mutable Mutex mutex_;
    SteadyTime now_ SLIPWAY_GUARDED_BY(mutex_) = {};
};

}  // namespace slipway::oci::testing
