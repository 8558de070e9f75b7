#include "server/tokens.hpp"

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "server/problem.hpp"
#include "server/secrets_match.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::server {

namespace {

constexpr std::int64_t kDayMs = 24ll * 3600 * 1000;

Token token_of(const json::object& object) {
    return {.id = string_at(object, "id"),
            .name = string_at(object, "name"),
            .role = role_of(string_at(object, "role")).value_or(Role::viewer),
            .created_ms = int_at(object, "createdMs"),
            .expires_ms = int_at(object, "expiresMs"),
            .hash = string_at(object, "sha256")};
}

}  // namespace

Tokens::Tokens(const std::filesystem::path& folder, Clock& clock)
    : file_(folder / "tokens.json"), clock_(clock) {
    const auto text = read_file_if_any(file_);
    if (!text) return;
    const json::value root = parse_json(*text, file_.string());
    const json::value* list = root.is_object() ? root.get_object().if_contains("tokens") : nullptr;
    if (list == nullptr || !list->is_array())
        throw StateError("STATE-DAMAGED", fmt::format("{} cannot be understood", file_.string()));
    const Lock lock(mutex_);
    for (const json::value& item : list->get_array()) {
        if (item.is_object()) tokens_.push_back(token_of(item.get_object()));
    }
}

void Tokens::save() {
    json::array list;
    for (const Token& token : tokens_) {
        list.push_back(json::object{{"id", token.id},
                                    {"name", token.name},
                                    {"role", to_string(token.role)},
                                    {"createdMs", token.created_ms},
                                    {"expiresMs", token.expires_ms},
                                    {"sha256", token.hash}});
    }
    atomic_write(file_, json::serialize(json::object{{"version", 1}, {"tokens", std::move(list)}}),
                 0600);
}

Tokens::Made Tokens::make(const std::string& name, Role role, int days) {
    const std::int64_t now = clock_.wall_ms();
    Made made;
    made.token = {.id = random_hex(4),
                  .name = name,
                  .role = role,
                  .created_ms = now,
                  .expires_ms = now + days * kDayMs};
    made.text = fmt::format("slipway_{}_{}", made.token.id, random_hex(32));
    made.token.hash = sha256_hex(made.text);
    const Lock lock(mutex_);
    std::erase_if(tokens_, [&](const Token& token) { return token.expires_ms <= now; });
    if (tokens_.size() >= kMost)
        throw Problem(409, "SERVER-TOO-MANY", "there are too many tokens",
                      {.remedy = "remove those nobody uses"});
    tokens_.push_back(made.token);
    save();
    return made;
}

std::optional<Token> Tokens::find(const std::string& text) {
    const std::string hash = sha256_hex(text);
    const std::int64_t now = clock_.wall_ms();
    const Lock lock(mutex_);
    for (Token& token : tokens_) {
        if (!secrets_match(hash, token.hash)) continue;
        if (token.expires_ms <= now) return std::nullopt;
        token.used_ms = now;
        return token;
    }
    return std::nullopt;
}

bool Tokens::is_good(const std::string& id) const {
    const std::int64_t now = clock_.wall_ms();
    const Lock lock(mutex_);
    return std::ranges::any_of(
        tokens_, [&](const Token& token) { return token.id == id && token.expires_ms > now; });
}

std::vector<Token> Tokens::list() const {
    const Lock lock(mutex_);
    return tokens_;
}

bool Tokens::remove(const std::string& id) {
    const Lock lock(mutex_);
    const auto gone = std::erase_if(tokens_, [&](const Token& token) { return token.id == id; });
    if (gone > 0) save();
    return gone > 0;
}

json::object to_json(const Token& token) {
    json::object out = {{"id", token.id},
                        {"name", token.name},
                        {"role", to_string(token.role)},
                        {"created", format_utc(token.created_ms)},
                        {"expires", format_utc(token.expires_ms)}};
    if (token.used_ms != 0) out["lastUsed"] = format_utc(token.used_ms);
    return out;
}

}  // namespace slipway::server
