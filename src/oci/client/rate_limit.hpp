// A bound on bytes a second, shared by everything that sends: a token bucket.
//
//     const std::size_t now = limit.take(room.size(), stop);   // waits until some may go
#pragma once

#include "base/clock.hpp"
#include "base/mutex.hpp"

#include <cstdint>
#include <stop_token>

namespace slipway::oci {

class RateLimit {
  public:
    RateLimit(std::uint64_t bytes_per_second, Clock& clock);

    // How many of `wanted` bytes may go now, at least one. Throws Cancelled when stopped.
    std::size_t take(std::size_t wanted, const std::stop_token& stop);
    std::uint64_t taken() const;

  private:
    void refill() SLIPWAY_REQUIRES(mutex_);

    const std::uint64_t rate_;
    const std::uint64_t burst_;
    Clock& clock_;
    mutable Mutex mutex_;
    std::uint64_t tokens_ SLIPWAY_GUARDED_BY(mutex_);
    SteadyTime filled_ SLIPWAY_GUARDED_BY(mutex_);
    std::uint64_t taken_ SLIPWAY_GUARDED_BY(mutex_) = 0;
};

}  // namespace slipway::oci
