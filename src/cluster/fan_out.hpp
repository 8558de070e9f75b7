// The same work on many hosts at once, and a second try where a link failed for a moment.
//
//     in_parallel(hosts.size(), 128, stop, [&](std::size_t i) { ask(hosts[i]); });
//     Facts facts = with_retries(clock, 4, stop, [&] { return host.facts(query, {.stop = stop});
//     });
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"

#include <atomic>
#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>

namespace slipway::cluster {

// How many hosts have answered, told across threads.
class HostCount {
  public:
    void begin(const char* what, std::size_t total);  // a literal: "reading facts"
    void add_one() { ++done_; }
    void end() { total_ = 0; }
    std::string words() const;  // "reading facts: 12 of 30 hosts", "" when nothing goes on

  private:
    std::atomic<const char*> what_{""};
    std::atomic<std::size_t> done_{0};
    std::atomic<std::size_t> total_{0};
};

// What a computer takes easily; each of these threads spends its time waiting for a host.
inline constexpr std::size_t kManyThreads = 128;

// Calls `work` for 0 … count-1, each once, on at most `threads` threads; returns when all are done.
// After a stop no further one is begun. What the first failing `work` throws is thrown at the end.
void in_parallel(std::size_t count, std::size_t threads, const std::stop_token& stop,
                 const std::function<void(std::size_t)>& work);

// A link that fails once is no reason to give a machine up: transient errors are tried again. One
// that hangs is: others wait for the answer.
template <class F>
auto with_retries(Clock& clock, std::int64_t retries, const std::stop_token& stop, F&& call) {
    constexpr Millis kPatience = std::chrono::seconds(30);
    const SteadyTime until = clock.steady() + kPatience;
    for (std::int64_t tries = 0;; ++tries) {
        try {
            return call();
        } catch (const Error& error) {
            if (error.recovery() != Recovery::transient || tries >= retries) throw;
            if (clock.steady() > until) throw;
        }
        if (!clock.sleep_for(Millis(250) * (tries + 1), stop)) throw Cancelled();
    }
}

}  // namespace slipway::cluster
