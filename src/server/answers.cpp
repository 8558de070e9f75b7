#include "server/answers.hpp"

#include "base/digest.hpp"
#include "server/problem.hpp"

#include <iterator>

namespace slipway::server {

std::size_t KeptAnswer::bytes() const {
    std::size_t out = body.size();
    for (const auto& [name, value] : headers) out += name.size() + value.size();
    return out;
}

std::optional<KeptAnswer> Answers::take(const std::string& key, const std::string& body) {
    const std::string hash = sha256_hex(body);
    const SteadyTime now = clock_.steady();
    const Lock lock(mutex_);
    for (auto at = entries_.begin(); at != entries_.end();) {
        const Entry& entry = at->second;
        const bool old = entry.answer && now - entry.since >= kLifetime;
        if (old) bytes_ -= entry.answer->bytes();
        at = old ? entries_.erase(at) : std::next(at);
    }
    const auto found = entries_.find(key);
    if (found == entries_.end()) {
        if (entries_.size() >= kMost) forget_oldest();
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

// Of those that are not under way.
void Answers::forget_oldest() {
    auto oldest = entries_.end();
    for (auto at = entries_.begin(); at != entries_.end(); ++at) {
        if (!at->second.answer) continue;
        if (oldest == entries_.end() || at->second.since < oldest->second.since) oldest = at;
    }
    if (oldest == entries_.end()) return;
    bytes_ -= oldest->second.answer->bytes();
    entries_.erase(oldest);
}

void Answers::keep(const std::string& key, KeptAnswer answer) {
    const std::size_t bytes = answer.bytes();
    const Lock lock(mutex_);
    const auto found = entries_.find(key);
    if (found == entries_.end()) return;
    if (bytes > kLargest) {
        entries_.erase(found);
        return;
    }
    while (bytes_ + bytes > kMostBytes) forget_oldest();
    bytes_ += bytes;
    found->second.answer = std::move(answer);
}

void Answers::give_up(const std::string& key) {
    const Lock lock(mutex_);
    entries_.erase(key);
}

}  // namespace slipway::server
