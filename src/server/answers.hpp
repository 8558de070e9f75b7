// Answers to requests with an Idempotency-Key: the same again for the same request, for a day.
//
//     if (auto kept = answers.take(key, body)) return *kept;
//     …do it…; answers.keep(key, {200, "application/json", text});
#pragma once

#include "base/clock.hpp"
#include "base/mutex.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace slipway::server {

struct KeptAnswer {
    int status = 0;
    std::string type = {};
    std::string body = {};
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

  private:
    struct Entry {
        std::string body_hash;
        SteadyTime since;
        std::optional<KeptAnswer> answer;
    };

    Clock& clock_;
    Mutex mutex_;
    std::map<std::string, Entry> entries_ SLIPWAY_GUARDED_BY(mutex_);
};

}  // namespace slipway::server
