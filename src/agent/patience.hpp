// How long a request waits for the other end of a socket: until it is cancelled, until its
// deadline, or until nothing has moved for a while.
#pragma once

#include "agent/request.hpp"

#include <chrono>

namespace slipway::agent {

class Patience {
  public:
    using Clock = std::chrono::steady_clock;
    using Milliseconds = std::chrono::milliseconds;

    // `deadline` counts from now; 0: there is none.
    Patience(const Request& request, Milliseconds deadline)
        : request_(request),
          end_(deadline.count() > 0 ? Clock::now() + deadline : Clock::time_point::max()) {}

    // Returns when `fd` is ready for `events` (of poll). Throws Failed("cancelled"), or
    // Failed("timeout") when the deadline or `stall` has passed.
    void wait(int fd, short events, Milliseconds stall) const;

    // Throws as wait() does; for long work without a socket.
    void check() const;

    const Request& request() const { return request_; }
    // What is left until the deadline, at most `most`.
    Milliseconds left(Milliseconds most) const;

  private:
    const Request& request_;
    Clock::time_point end_;
};

}  // namespace slipway::agent
