// Answers to requests with an Idempotency-Key: the same again for the same request, for a day.
//
//     if (auto kept = answers.take(key, body)) return *kept;
//     …do it…; answers.keep(key, {200, {{"Content-Type", "application/json"}}, text});
//
// Bounded in bytes: an answer that is too large is not kept, and the oldest go first.
#pragma once

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "net/headers.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace slipway::server {

struct KeptAnswer {
    int status = 0;
    net::Headers headers = {};
    std::string body = {};

    std::size_t bytes() const;
};

class Answers {
  public:
    explicit Answers(Clock& clock) : clock_(clock) {}

    // The answer kept for this key; nullopt when the caller is to make it, and then to call keep()
    // or give_up(). Throws Problem 422 when the key was used for something else, 409 while the
    // first request is under way.
    std::optional<KeptAnswer> take(const std::string& key, const std::string& body);
    void keep(const std::string& key, KeptAnswer answer);
    void give_up(const std::string& key);

    static constexpr std::chrono::hours kLifetime{24};
    static constexpr std::size_t kMost = 1000;
    static constexpr std::size_t kMostBytes = 8u << 20, kLargest = 64u << 10;

  private:
    struct Entry {
        std::string body_hash;
        SteadyTime since;
        std::optional<KeptAnswer> answer;
    };

    void forget_oldest() SLIPWAY_REQUIRES(mutex_);

    Clock& clock_;
    Mutex mutex_;
    std::map<std::string, Entry> entries_ SLIPWAY_GUARDED_BY(mutex_);
    std::size_t bytes_ SLIPWAY_GUARDED_BY(mutex_) = 0;  // of the answers that are kept
};

}  // namespace slipway::server
