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
#include <functional>
#include <map>
#include <semaphore>
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
    // `warn` is told, once, when the file can no longer be read: what was read last holds until
    // then.
    explicit Logins(std::filesystem::path file, std::function<void(const std::string&)> warn = {});

    // busy: so many passwords are being looked at that this one would wait for long.
    enum class Verdict { right, wrong, busy };
    Verdict check(std::string_view authorization);  // the value of a header Authorization
    bool accepts(std::string_view authorization) { return check(authorization) == Verdict::right; }

  private:
    void read_again_if_changed() SLIPWAY_REQUIRES(mutex_);
    void cannot_read_again(const std::string& why) SLIPWAY_REQUIRES(mutex_);
    std::string hash_for(const std::string& user) const SLIPWAY_REQUIRES(mutex_);

    const std::filesystem::path file_;
    const std::string key_;  // of the digests, made anew by each process
    Mutex mutex_;
    // Few passwords at a time: guessing must not take all cores.
    static constexpr std::ptrdiff_t kAtOnce = 2;
    std::counting_semaphore<kAtOnce> free_{kAtOnce};
    int waiting_ SLIPWAY_GUARDED_BY(mutex_) = 0;
    const std::function<void(const std::string&)> warn_;
    bool has_warned_ SLIPWAY_GUARDED_BY(mutex_) = false;
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
