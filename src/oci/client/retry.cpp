#include "oci/client/retry.hpp"

#include <algorithm>
#include <random>

namespace slipway::oci {

namespace {

// A server that gives one byte a connection must not keep us for ever.
constexpr int kMostInAll = 1000;

// Half of it at random, so that many who failed together do not come back together.
Millis with_jitter(Millis wait) {
    thread_local std::minstd_rand numbers{std::random_device{}()};
    std::uniform_int_distribution<Millis::rep> some(wait.count() / 2, wait.count());
    return Millis(some(numbers));
}

}  // namespace

void Retry::wait_or_rethrow(const Error& error) {
    ++failures_;
    ++in_all_;
    if (error.recovery() != Recovery::transient || failures_ >= rules_.tries ||
        in_all_ >= kMostInAll) {
        throw;  // NOLINT(*-missing-exception): the one being handled
    }
    const auto doublings = std::min(failures_ - 1, 20);
    Millis wait = with_jitter(std::min(rules_.first_wait * (1 << doublings), rules_.longest_wait));
    if (const auto* busy = dynamic_cast<const BusyError*>(&error)) {
        if (busy->asked() > rules_.longest_asked) throw;
        wait = std::max(wait, busy->asked());
    }
    if (!clock_.sleep_for(wait, stop_)) throw Cancelled();
}

void Retry::gained() { failures_ = 0; }

}  // namespace slipway::oci
