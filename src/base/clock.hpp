// Time as an interface, so that scheduling, deadlines and retries are tested without waiting.
//
// Wall time is for people and records; steady time is for every timeout (a clock that jumps an hour
// must not end a step). Waits end early when the stop token says so.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

namespace slipway {

using Millis = std::chrono::milliseconds;
using SteadyTime = std::chrono::steady_clock::time_point;

class Clock {
  public:
    virtual ~Clock() = default;

    virtual std::int64_t wall_ms() const = 0;  // since 1970, UTC
    virtual SteadyTime steady() const = 0;

    // Sleeps until `until`; returns false when stopped before.
    virtual bool sleep_until(SteadyTime until, const std::stop_token& stop) = 0;

    bool sleep_for(Millis duration, const std::stop_token& stop) {
        return sleep_until(steady() + duration, stop);
    }
};

// The computer's clocks.
Clock& system_clock();

// 2026-11-15T10:02:52.123Z
std::string format_utc(std::int64_t wall_ms);

// "850 ms", "12 s", "3 min 05 s", "1 h 02 min": for people.
std::string format_duration(Millis duration);

}  // namespace slipway
