#include "net/pace.hpp"

#include "net/failure.hpp"

#include <cerrno>
#include <system_error>

#include <poll.h>

namespace slipway::net {

void Pace::wait(int fd, short events) {
    const Millis most = limits_.deadline.left(limits_.idle - since_moved_);
    if (most <= Millis(0)) throw Failure(Failure::Kind::timeout, "nothing was heard for too long");
    pollfd waiting{.fd = fd, .events = events, .revents = 0};
    const auto begin = Deadline::Clock::now();
    const int ready = ::poll(&waiting, 1, static_cast<int>(most.count()));
    const auto took = std::chrono::ceil<Millis>(Deadline::Clock::now() - begin);
    since_moved_ += took;
    waited_ += took;
    if (ready < 0 && errno != EINTR)
        throw std::system_error(errno, std::generic_category(), "poll");
    check_rate();
}

void Pace::moved(std::uint64_t bytes) {
    if (bytes > 0) since_moved_ = Millis(0);
    bytes_ += bytes;
}

void Pace::check_rate() const {
    if (limits_.least_per_second == 0 || waited_ < limits_.grace) return;
    const auto seconds = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::seconds>(waited_).count());
    if (bytes_ / std::max<std::uint64_t>(seconds, 1) < limits_.least_per_second)
        throw Failure(Failure::Kind::timeout, "the other side is too slow");
}

}  // namespace slipway::net
