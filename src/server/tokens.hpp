// Tokens of programs: a role, an end, and the hash of the text that is shown once.
//
//     FOLDER/tokens.json   0600
#pragma once

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/mutex.hpp"
#include "server/role.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace slipway::server {

struct Token {
    std::string id = {};
    std::string name = {};
    Role role = Role::viewer;
    std::int64_t created_ms = 0;
    std::int64_t expires_ms = 0;
    std::int64_t used_ms = 0;  // 0: never, as far as this process knows
    std::string hash = {};
};

class Tokens {
  public:
    // Throws StateError STATE-DAMAGED.
    Tokens(const std::filesystem::path& folder, Clock& clock);

    struct Made {
        Token token;
        std::string text;
    };
    Made make(const std::string& name, Role role, int days);
    // nullopt for one that is wrong, over or gone.
    std::optional<Token> find(const std::string& text);
    // Whether the token of this id is neither over nor gone.
    bool is_good(const std::string& id) const;
    std::vector<Token> list() const;
    bool remove(const std::string& id);

    static constexpr std::size_t kMost = 200;

  private:
    void save() SLIPWAY_REQUIRES(mutex_);

    const std::filesystem::path file_;
    Clock& clock_;
    mutable Mutex mutex_;
    std::vector<Token> tokens_ SLIPWAY_GUARDED_BY(mutex_);
};

json::object to_json(const Token& token);  // without the hash

}  // namespace slipway::server
