#include "server/sessions.hpp"

#include "base/digest.hpp"

#include <algorithm>

namespace slipway::server {

namespace {

constexpr std::size_t kRandomBytes = 32;

std::int64_t expiry(const Clock& clock) {
    return clock.wall_ms() + std::chrono::duration_cast<Millis>(Sessions::kIdle).count();
}

}  // namespace

void Sessions::forget_old() {
    std::erase_if(sessions_,
                  [&](const auto& item) { return clock_.steady() - item.second.used >= kIdle; });
    while (sessions_.size() >= kMost) {
        sessions_.erase(std::ranges::min_element(
            sessions_, {}, [](const auto& item) { return item.second.used; }));
    }
}

Sessions::Opened Sessions::open(Role role) {
    Opened out{
        .id = random_hex(kRandomBytes),
        .session = {.csrf = random_hex(kRandomBytes), .role = role, .expires_ms = expiry(clock_)}};
    const Lock lock(mutex_);
    forget_old();
    sessions_[sha256_hex(out.id)] = {.session = out.session, .used = clock_.steady()};
    return out;
}

std::optional<Session> Sessions::find(const std::string& id) {
    const Lock lock(mutex_);
    const auto found = sessions_.find(sha256_hex(id));
    if (found == sessions_.end()) return std::nullopt;
    if (clock_.steady() - found->second.used >= kIdle) {
        sessions_.erase(found);
        return std::nullopt;
    }
    found->second.used = clock_.steady();
    found->second.session.expires_ms = expiry(clock_);
    return found->second.session;
}

bool Sessions::lives(const std::string& id) {
    const Lock lock(mutex_);
    const auto found = sessions_.find(sha256_hex(id));
    return found != sessions_.end() && clock_.steady() - found->second.used < kIdle;
}

void Sessions::close(const std::string& id) {
    const Lock lock(mutex_);
    sessions_.erase(sha256_hex(id));
}

void Sessions::close_all_but(const std::string& id) {
    const std::string kept = id.empty() ? "" : sha256_hex(id);
    const Lock lock(mutex_);
    std::erase_if(sessions_, [&](const auto& item) { return item.first != kept; });
}

std::size_t Sessions::count() {
    const Lock lock(mutex_);
    return sessions_.size();
}

}  // namespace slipway::server
