#include "server/gate.hpp"

#include "server/problem.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::server {

namespace {

using std::chrono::seconds;

[[noreturn]] void refuse(seconds wait) {
    Problem problem(429, "SERVER-TOO-MANY-GUESSES",
                    fmt::format("too many wrong answers; try again in {} s", wait.count()));
    problem.headers.set("Retry-After", fmt::format("{}", wait.count()));
    throw problem;
}

struct Turn {
    explicit Turn(std::atomic<int>& count) : waiting(count), number(++count) {}
    ~Turn() { --waiting; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    std::atomic<int>& waiting;
    int number;
};

}  // namespace

void Gate::require_open() {
    const SteadyTime now = clock_.steady();
    if (now >= closed_until_) return;
    refuse(std::max(seconds(1), std::chrono::ceil<seconds>(closed_until_ - now)));
}

bool Gate::attempt(const std::function<bool()>& right) {
    const Turn turn(waiting_);
    if (turn.number > kMostWaiting) refuse(seconds(1));
    const Lock lock(mutex_);
    require_open();
    if (right()) {
        wrong_ = 0;
        return true;
    }
    ++wrong_;
    if (wrong_ >= kFree) {
        const int doubled = std::min(wrong_ - kFree, 6);
        closed_until_ = clock_.steady() + std::min(seconds(1ll << doubled), kLongest);
    }
    return false;
}

}  // namespace slipway::server
