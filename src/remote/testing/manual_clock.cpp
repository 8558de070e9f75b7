#include "remote/testing/manual_clock.hpp"

#include <algorithm>

namespace slipway::remote::testing {

namespace {

constexpr std::int64_t kStartWallMs = 1'767'225'600'000;  // 2026-01-01T00:00:00Z
// Not zero, so that "an hour ago" is still a time.
constexpr SteadyTime kStartSteady = SteadyTime(std::chrono::hours(1000));

}  // namespace

std::int64_t ManualClock::wall_ms() const {
    return kStartWallMs + std::chrono::duration_cast<Millis>(elapsed()).count();
}

SteadyTime ManualClock::steady() const { return kStartSteady + elapsed(); }

std::chrono::nanoseconds ManualClock::elapsed() const {
    const Lock lock(mutex_);
    return now_;
}

bool ManualClock::sleep_until(SteadyTime until, const std::stop_token& stop) {
    const Lock lock(mutex_);
    if (mode_ == Mode::jump) {
        if (stop.stop_requested()) return false;
        now_ = std::max(now_, std::chrono::nanoseconds(until - kStartSteady));
        return true;
    }
    ++sleepers_;
    changed_.notify_all();
    const bool reached = changed_.wait(
        mutex_, stop, [&]() SLIPWAY_REQUIRES(mutex_) { return kStartSteady + now_ >= until; });
    --sleepers_;
    changed_.notify_all();
    return reached;
}

void ManualClock::advance(std::chrono::nanoseconds by) {
    const Lock lock(mutex_);
    now_ += by;
    changed_.notify_all();
}

void ManualClock::wait_for_sleepers(std::size_t count) {
    const Lock lock(mutex_);
    changed_.wait(mutex_, [&]() SLIPWAY_REQUIRES(mutex_) { return sleepers_ >= count; });
}

}  // namespace slipway::remote::testing
