// Passwords of bastions: many hosts lie behind one, and each of their connections logs in there. A
// wrong password must be tried once, not once for every host.
//
//     first_logins.settle("gate", try_it, stop);  // throws when gate refuses, and for ever after
#pragma once

#include "base/mutex.hpp"

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <stop_token>
#include <string>

namespace slipway::remote {

class FirstLogins {
  public:
    // Logs in; throws HostError when the login is refused.
    enum class Verdict { good, unclear };
    using Try = std::function<Verdict()>;

    // Returns when this login is known to be good, or when one try could not tell. Only one caller
    // tries at a time; the others wait for what comes of it. Throws what the try threw, Cancelled.
    void settle(const std::string& login, const Try& attempt, const std::stop_token& stop);

  private:
    struct Entry {
        bool trying = false;
        bool good = false;
        std::exception_ptr refused;
        std::uint64_t tries = 0;
    };
    // Whether it is to be tried, by this caller.
    bool claim(const std::string& login, const std::stop_token& stop);

    Mutex mutex_;
    Condition changed_;
    std::map<std::string, Entry> entries_ SLIPWAY_GUARDED_BY(mutex_);
};

}  // namespace slipway::remote
