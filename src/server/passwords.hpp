// The administrator's password, and the code that may set it once.
//
//     FOLDER/users.json    scrypt with its parameters, 0600
//
// While there is no password the server is locked: each start makes a new code, which only the
// console sees and no file holds.
#pragma once

#include "base/mutex.hpp"
#include "base/secret.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace slipway::server {

class Passwords {
  public:
    // Throws StateError STATE-DAMAGED when the file cannot be understood.
    explicit Passwords(std::filesystem::path folder);

    bool locked() const;
    // A new code in the place of the last; "" when a password is set.
    Secret make_code();
    bool code_matches(std::string_view code) const;

    bool matches(std::string_view password) const;
    // Another for every password that is set; "" while there is none. No secret.
    std::string mark() const;
    // Throws Problem 422 for one that is too short. Durable.
    void set(const Secret& password);
    // By the code, of which one alone can make use: Problem 409 for whoever comes second.
    void set_first(std::string_view code, const Secret& password);

  private:
    struct Kept {
        std::uint64_t n = 0, r = 0, p = 0;
        std::string salt, hash;  // hex
    };
    static std::string hash_of(std::string_view password, const Kept& how);
    static Kept made_of(const Secret& password);
    void load();
    bool is_code(std::string_view code) const SLIPWAY_REQUIRES(mutex_);
    void keep(const Kept& made) SLIPWAY_REQUIRES(mutex_);

    const std::filesystem::path folder_;
    mutable Mutex mutex_;
    Kept kept_ SLIPWAY_GUARDED_BY(mutex_);
    std::string code_hash_ SLIPWAY_GUARDED_BY(mutex_);
};

}  // namespace slipway::server
