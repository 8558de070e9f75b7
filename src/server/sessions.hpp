// Browsers that have signed in, by the hash of what their cookie holds: a copy of this memory, or
// of the file, lets nobody in.
//
//     FOLDER/sessions.json   0600; a server that is started again goes on with them
//
// Each belongs to the password it was opened under: when another one is set, by whatever way, it is
// over. A file that cannot be understood is a file without sessions.
#pragma once

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "server/role.hpp"

#include <filesystem>
#include <functional>
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
    using Warn = std::function<void(const std::string&)>;
    // `password` says which one is set now, and is "" while there is none.
    Sessions(const std::filesystem::path& folder, Clock& clock,
             std::function<std::string()> password, Warn warn);

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
    // How much of its use a session may lose with the server: less to write, never too long a life.
    static constexpr std::chrono::minutes kSaveEvery{10};
    static constexpr std::size_t kMost = 200;  // the one unused for longest goes first

  private:
    struct Kept {
        Role role = Role::viewer;
        std::string password = {};
        SteadyTime used = {};
    };
    using Hashes = std::map<std::string, Kept>;
    Hashes load() const;
    Session session_of(const std::string& id, const Kept& kept) const;
    void forget_old() SLIPWAY_REQUIRES(mutex_);
    void save() SLIPWAY_REQUIRES(mutex_);

    const std::filesystem::path file_;
    Clock& clock_;
    const std::function<std::string()> password_;
    const Warn warn_;
    Mutex mutex_;
    Hashes sessions_ SLIPWAY_GUARDED_BY(mutex_);
    SteadyTime saved_ SLIPWAY_GUARDED_BY(mutex_) = {};
};

}  // namespace slipway::server
