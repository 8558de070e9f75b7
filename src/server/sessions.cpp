#include "server/sessions.hpp"

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::server {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRandomBytes = 32;
constexpr std::size_t kLargestFile = 1u << 20;
constexpr Millis kClockError = std::chrono::minutes(1);

// Out of the secret of the cookie, so that no file has to hold it. Whoever sees it learns neither
// that secret nor its hash.
std::string csrf_of(const std::string& id) { return sha256_hex("slipway csrf " + id); }

[[noreturn]] void refuse(const fs::path& file) {
    throw StateError("STATE-DAMAGED", fmt::format("{} cannot be understood", file.string()));
}

}  // namespace

Sessions::Sessions(const fs::path& folder, Clock& clock, std::function<std::string()> password,
                   Warn warn)
    : file_(folder / "sessions.json"),
      clock_(clock),
      password_(std::move(password)),
      warn_(std::move(warn)) {
    const Lock lock(mutex_);
    saved_ = clock_.steady();
    try {
        sessions_ = load();
    } catch (const Error& error) {
        if (warn_) warn_(fmt::format("everybody has to sign in again: {}", error.what()));
    }
}

Sessions::Hashes Sessions::load() const {
    Hashes out;
    const auto text = read_file_if_any(file_, kLargestFile);
    if (!text) return out;
    const json::value root = parse_json(*text, file_.string());
    const json::value* list =
        root.is_object() ? root.get_object().if_contains("sessions") : nullptr;
    if (list == nullptr || !list->is_array()) refuse(file_);
    const std::string password = password_();
    for (const json::value& item : list->get_array()) {
        if (!item.is_object()) refuse(file_);
        const json::object& kept = item.get_object();
        const std::string hash = string_at(kept, "sha256");
        const auto role = role_of(string_at(kept, "role"));
        const std::int64_t used_ms = int_at(kept, "usedMs");
        if (hash.size() != 64 || !role || used_ms <= 0) refuse(file_);
        const Millis age(clock_.wall_ms() - used_ms);
        if (age < -kClockError || age >= kIdle) continue;
        if (password.empty() || string_at(kept, "password") != password) continue;
        out[hash] = {.role = *role,
                     .password = password,
                     .used = clock_.steady() - std::max(age, Millis(0))};
    }
    return out;
}

void Sessions::save() {
    json::array list;
    for (const auto& [hash, kept] : sessions_) {
        const auto age = std::chrono::duration_cast<Millis>(clock_.steady() - kept.used);
        list.push_back(json::object{{"sha256", hash},
                                    {"role", to_string(kept.role)},
                                    {"usedMs", clock_.wall_ms() - age.count()},
                                    {"password", kept.password}});
    }
    saved_ = clock_.steady();
    try {
        atomic_write(file_,
                     json::serialize(json::object{{"version", 1}, {"sessions", std::move(list)}}),
                     0600);
    } catch (const Error& error) {
        // What has just ended must not be there again at the next start.
        std::error_code ignored;
        fs::remove(file_, ignored);
        if (warn_) warn_(fmt::format("sessions will end with the server: {}", error.what()));
    }
}

Session Sessions::session_of(const std::string& id, const Kept& kept) const {
    return {.csrf = csrf_of(id),
            .role = kept.role,
            .expires_ms = clock_.wall_ms() + std::chrono::duration_cast<Millis>(kIdle).count()};
}

void Sessions::forget_old() {
    std::erase_if(sessions_,
                  [&](const auto& item) { return clock_.steady() - item.second.used >= kIdle; });
    while (sessions_.size() >= kMost) {
        sessions_.erase(std::ranges::min_element(
            sessions_, {}, [](const auto& item) { return item.second.used; }));
    }
}

Sessions::Opened Sessions::open(Role role) {
    const std::string id = random_hex(kRandomBytes);
    const Kept kept{.role = role, .password = password_(), .used = clock_.steady()};
    const Lock lock(mutex_);
    forget_old();
    sessions_[sha256_hex(id)] = kept;
    save();
    return {.id = id, .session = session_of(id, kept)};
}

std::optional<Session> Sessions::find(const std::string& id) {
    const Lock lock(mutex_);
    const auto found = sessions_.find(sha256_hex(id));
    if (found == sessions_.end()) return std::nullopt;
    if (clock_.steady() - found->second.used >= kIdle) {
        sessions_.erase(found);
        save();
        return std::nullopt;
    }
    found->second.used = clock_.steady();
    if (clock_.steady() - saved_ >= kSaveEvery) save();
    return session_of(id, found->second);
}

bool Sessions::lives(const std::string& id) {
    const Lock lock(mutex_);
    const auto found = sessions_.find(sha256_hex(id));
    return found != sessions_.end() && clock_.steady() - found->second.used < kIdle;
}

void Sessions::close(const std::string& id) {
    const Lock lock(mutex_);
    if (sessions_.erase(sha256_hex(id)) > 0) save();
}

void Sessions::close_all_but(const std::string& id) {
    const std::string kept = id.empty() ? "" : sha256_hex(id);
    const Lock lock(mutex_);
    std::erase_if(sessions_, [&](const auto& item) { return item.first != kept; });
    for (auto& [hash, session] : sessions_) session.password = password_();
    save();
}

std::size_t Sessions::count() {
    const Lock lock(mutex_);
    return sessions_.size();
}

}  // namespace slipway::server
