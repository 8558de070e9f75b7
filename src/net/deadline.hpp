// A moment after which nobody waits any more. Steady time: a clock that jumps ends no transfer.
#pragma once

#include <algorithm>
#include <chrono>

namespace slipway::net {

using Millis = std::chrono::milliseconds;

class Deadline {
  public:
    using Clock = std::chrono::steady_clock;

    static Deadline never() { return Deadline(Clock::time_point::max()); }
    static Deadline after(Millis time) { return Deadline(Clock::now() + time); }

    Deadline or_earlier(Deadline other) const { return Deadline(std::min(at_, other.at_)); }
    bool passed() const { return at_ != Clock::time_point::max() && Clock::now() >= at_; }

    // What is left, at most `most`, never negative.
    Millis left(Millis most) const {
        if (at_ == Clock::time_point::max()) return most;
        const auto rest = std::chrono::ceil<Millis>(at_ - Clock::now());
        return std::max(Millis(0), std::min(rest, most));
    }

  private:
    explicit Deadline(Clock::time_point at) : at_(at) {}
    Clock::time_point at_;
};

}  // namespace slipway::net
