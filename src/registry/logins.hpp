// Who may use the registry: a file of htpasswd's form, bcrypt only.
//
//     team:$2b$10$…
//
// The file is read again when it changes. A password that was right is remembered as a keyed
// digest: bcrypt takes a tenth of a second, and a pull is many requests.
#pragma once

#include "base/mutex.hpp"
#include "base/secret.hpp"

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include <sys/types.h>
#include <time.h>

namespace slipway::registry {

class Logins {
  public:
    // Throws UserError LOGIN-FILE, with every bad line in it.
    explicit Logins(std::filesystem::path file);

    // The value of a header Authorization.
    bool accepts(std::string_view authorization);

  private:
    void read_again_if_changed() SLIPWAY_REQUIRES(mutex_);

    const std::filesystem::path file_;
    const std::string key_;  // of the digests, made anew by each process
    Mutex mutex_;
    Mutex checking_;  // one password at a time: guessing must not take all cores
    using Version = std::tuple<time_t, long, ino_t, off_t>;
    Version read_ SLIPWAY_GUARDED_BY(mutex_) = {};
    std::map<std::string, std::string> users_ SLIPWAY_GUARDED_BY(mutex_);
    std::set<std::string> known_ SLIPWAY_GUARDED_BY(mutex_);
};

// Reads the file's text; throws UserError LOGIN-FILE.
std::map<std::string, std::string> parse_logins(std::string_view text, const std::string& name);

// The file's text with this user's password set, or without the user when there is none.
std::string with_login(std::string_view text, const std::string& user, const Secret* password);

}  // namespace slipway::registry
