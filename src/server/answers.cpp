#include "server/answers.hpp"

#include "base/digest.hpp"
#include "server/problem.hpp"

#include <algorithm>

namespace slipway::server {

std::optional<KeptAnswer> Answers::take(const std::string& key, const std::string& body) {
    const std::string hash = sha256_hex(body);
    const SteadyTime now = clock_.steady();
    const Lock lock(mutex_);
    std::erase_if(entries_, [&](const auto& item) {
        return item.second.answer && now - item.second.since >= kLifetime;
    });
    const auto found = entries_.find(key);
    if (found == entries_.end()) {
        if (entries_.size() >= kMost) {
            const auto oldest = std::ranges::min_element(
                entries_, {}, [](const auto& item) { return item.second.since; });
            if (oldest->second.answer) entries_.erase(oldest);
        }
        entries_[key] = {.body_hash = hash, .since = now, .answer = std::nullopt};
        return std::nullopt;
    }
    if (found->second.body_hash != hash)
        throw Problem(422, "SERVER-IDEMPOTENCY-KEY", "this key was used with another body");
    if (!found->second.answer)
        throw Problem(409, "SERVER-IDEMPOTENCY-KEY", "the first request with this key is under way",
                      {.remedy = "ask again in a moment"});
    return found->second.answer;
}

void Answers::keep(const std::string& key, KeptAnswer answer) {
    const Lock lock(mutex_);
    if (const auto found = entries_.find(key); found != entries_.end())
        found->second.answer = std::move(answer);
}

void Answers::give_up(const std::string& key) {
    const Lock lock(mutex_);
    entries_.erase(key);
}

}  // namespace slipway::server
