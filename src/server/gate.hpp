// Slows down whoever guesses: some wrong answers are free, then each makes the one who gave it wait
// longer.
//
//     if (!gate.attempt(peer, [&] { return passwords.matches(given); })) throw wrong_password();
//
// By address, so that nobody can keep others out by guessing. One guess at a time is looked at,
// whatever number of connections they come from; when many addresses guess, one a second.
#pragma once

#include "base/clock.hpp"
#include "base/mutex.hpp"

#include <atomic>
#include <functional>
#include <map>
#include <string>

namespace slipway::server {

// Whose guesses count together, of "10.0.0.7:51234": the address; of IPv6 the network of 64 bits,
// as one computer has all of its addresses.
std::string guesser_of(const std::string& peer);

class Gate {
  public:
    explicit Gate(Clock& clock) : clock_(clock) {}

    // What `right` says; throws Problem 429 with Retry-After when it is too early to ask.
    bool attempt(const std::string& peer, const std::function<bool()>& right);

    static constexpr int kFree = 5;
    static constexpr int kFreeOfAll = 50;            // wrong ones of all addresses
    static constexpr std::size_t kMostKnown = 1000;  // addresses; the one that is free first goes

  private:
    struct Guesser {
        int wrong = 0;
        SteadyTime closed_until = {};
        SteadyTime last = {};
    };
    void require_open(const std::string& who) SLIPWAY_REQUIRES(mutex_);
    void note_wrong(const std::string& who) SLIPWAY_REQUIRES(mutex_);
    void forget_old() SLIPWAY_REQUIRES(mutex_);

    static constexpr int kMostWaiting = 8;  // of guesses that would wait for their turn
    static constexpr std::chrono::seconds kLongest{60};
    static constexpr std::chrono::minutes kForget{15};

    Clock& clock_;
    std::atomic<int> waiting_{0};
    Mutex mutex_;
    std::map<std::string, Guesser> guessers_ SLIPWAY_GUARDED_BY(mutex_);
    int wrong_of_all_ SLIPWAY_GUARDED_BY(mutex_) = 0;
    SteadyTime closed_to_all_until_ SLIPWAY_GUARDED_BY(mutex_) = {};
};

}  // namespace slipway::server
