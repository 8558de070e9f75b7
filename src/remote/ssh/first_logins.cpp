#include "remote/ssh/first_logins.hpp"

#include "base/error.hpp"

namespace slipway::remote {

bool FirstLogins::claim(const std::string& login, const std::stop_token& stop) {
    const Lock lock(mutex_);
    Entry& entry = entries_[login];
    const std::uint64_t before = entry.tries;
    const bool waited = entry.trying;
    const auto tried = [&] { return entry.tries != before; };
    if (waited && !changed_.wait(mutex_, stop, tried)) throw Cancelled();
    if (entry.refused) std::rethrow_exception(entry.refused);
    // Who waited for a try that could not tell goes on, and does not hold up those behind it.
    if (entry.good || waited) return false;
    entry.trying = true;
    return true;
}

void FirstLogins::settle(const std::string& login, const Try& attempt,
                         const std::stop_token& stop) {
    if (!claim(login, stop)) return;
    bool good = false;
    std::exception_ptr refused, other;
    try {
        good = attempt() == Verdict::good;
    } catch (const HostError&) {
        refused = std::current_exception();
    } catch (...) {
        other = std::current_exception();
    }
    {
        const Lock lock(mutex_);
        Entry& entry = entries_[login];
        entry.trying = false;
        entry.good = good;
        entry.refused = refused;
        ++entry.tries;
        changed_.notify_all();
    }
    if (refused) std::rethrow_exception(refused);
    if (other) std::rethrow_exception(other);
}

}  // namespace slipway::remote
