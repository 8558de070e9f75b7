#include "agent/testing/own_namespace.hpp"

#include <fstream>
#include <string>

#include <sched.h>

#include <sys/mount.h>
#include <unistd.h>

namespace slipway::agent {

namespace {

// An ordinary user becomes root of a user namespace, where files it makes are its own.
bool become_root_of_a_namespace() {
    const std::string user = "0 " + std::to_string(::geteuid()) + " 1";
    const std::string group = "0 " + std::to_string(::getegid()) + " 1";
    if (::unshare(CLONE_NEWUSER) != 0) return false;
    const auto write = [](const char* file, const std::string& text) {
        return static_cast<bool>(std::ofstream(file) << text << std::flush);
    };
    return write("/proc/self/setgroups", "deny") && write("/proc/self/uid_map", user) &&
           write("/proc/self/gid_map", group);
}

}  // namespace

bool enter_own_namespace(int flags) {
    const bool entered =
        ::unshare(flags) == 0 || (become_root_of_a_namespace() && ::unshare(flags) == 0);
    if (!entered || (flags & CLONE_NEWNS) == 0) return entered;
    return ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

}  // namespace slipway::agent
