#include "agent/patience.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include <poll.h>

namespace slipway::agent {

Patience::Milliseconds Patience::left(Milliseconds most) const {
    if (end_ == Clock::time_point::max()) return most;
    const auto rest = std::chrono::ceil<Milliseconds>(end_ - Clock::now());
    return std::clamp(rest, Milliseconds(0), most);
}

void Patience::check() const {
    if (request_.cancelled()) throw Failed("cancelled", "cancelled");
    if (Clock::now() >= end_) throw Failed("timeout", "the deadline has passed");
}

void Patience::wait(int fd, short events, Milliseconds stall) const {
    const Clock::time_point give_up = Clock::now() + stall;
    while (true) {
        check();
        const auto rest = std::chrono::ceil<Milliseconds>(give_up - Clock::now());
        if (rest.count() <= 0) {
            throw Failed("timeout",
                         "nothing came for " + std::to_string(stall.count() / 1000) + " s");
        }
        std::array<pollfd, 2> ends = {pollfd{fd, events, 0},
                                      pollfd{request_.cancel_fd(), POLLIN, 0}};
        const int ready = ::poll(ends.data(), ends.size(), static_cast<int>(left(rest).count()));
        if (ready < 0 && errno != EINTR) fail_with_errno("wait for", "a connection");
        if (ready > 0 && ends[0].revents != 0) return;
    }
}

}  // namespace slipway::agent
