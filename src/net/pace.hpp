// How slow the other side of a transfer may be: how long nothing may move, how many bytes a second
// at least, and when it must be over. Only waiting counts, so a slow disk of ours is not held
// against the other side.
//
//     Pace pace({.idle = 30s, .least_per_second = 512});
//     pace.wait(fd, POLLIN);      // throws Failure(timeout)
//     pace.moved(bytes);
#pragma once

#include "net/deadline.hpp"

#include <cstdint>

namespace slipway::net {

struct PaceLimits {
    Millis idle{30'000};
    std::uint64_t least_per_second = 0;  // 0: any
    Millis grace{10'000};                // of waiting, before the rate is looked at
    Deadline deadline = Deadline::never();
};

class Pace {
  public:
    explicit Pace(PaceLimits limits) : limits_(limits) {}

    // Returns when `fd` is ready for `events` (of poll), has an error or was closed.
    void wait(int fd, short events);
    void moved(std::uint64_t bytes);

  private:
    void check_rate() const;

    PaceLimits limits_;
    Millis since_moved_{0};
    Millis waited_{0};
    std::uint64_t bytes_ = 0;
};

}  // namespace slipway::net
