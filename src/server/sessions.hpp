// Browsers that have signed in. In memory only, by the hash of what their cookie holds: a copy of
// this memory, or of any file, lets nobody in.
#pragma once

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "server/role.hpp"

#include <map>
#include <optional>
#include <string>

namespace slipway::server {

struct Session {
    std::string csrf = {};
    Role role = Role::admin;
    std::int64_t expires_ms = 0;  // unless it is used before
};

class Sessions {
  public:
    explicit Sessions(Clock& clock) : clock_(clock) {}

    struct Opened {
        std::string id;  // for the cookie, this once
        Session session;
    };
    Opened open(Role role);
    // Uses it: it lives on from now.
    std::optional<Session> find(const std::string& id);
    // Without using it.
    bool lives(const std::string& id);
    void close(const std::string& id);
    void close_all_but(const std::string& id);
    std::size_t count();

    static constexpr std::chrono::hours kIdle{12};
    static constexpr std::size_t kMost = 200;  // the one unused for longest goes first

  private:
    struct Kept {
        Session session;
        SteadyTime used = {};
    };
    void forget_old() SLIPWAY_REQUIRES(mutex_);

    Clock& clock_;
    Mutex mutex_;
    std::map<std::string, Kept> sessions_ SLIPWAY_GUARDED_BY(mutex_);
};

}  // namespace slipway::server
