#include "base/removable.hpp"

#include <algorithm>
#include <array>

namespace slipway {

namespace {

// Two parts deep, and still the system's.
constexpr std::array<std::string_view, 20> kOfTheSystem = {
    "/usr/bin",   "/usr/games",   "/usr/include", "/usr/lib",   "/usr/lib32",
    "/usr/lib64", "/usr/libexec", "/usr/local",   "/usr/sbin",  "/usr/share",
    "/usr/src",   "/var/backups", "/var/cache",   "/var/lib",   "/var/lock",
    "/var/log",   "/var/opt",     "/var/run",     "/var/spool", "/var/tmp"};

bool is_clean(std::string_view path) {
    if (!path.starts_with('/') || path.find('\0') != std::string_view::npos) return false;
    while (!path.empty()) {
        path.remove_prefix(1);
        const std::string_view part = path.substr(0, path.find('/'));
        if (part.empty() || part == "." || part == "..") return false;
        path.remove_prefix(part.size());
    }
    return true;
}

}  // namespace

bool may_remove_tree(std::string_view path) {
    if (!is_clean(path) || std::ranges::count(path, '/') < 2) return false;
    for (const std::string_view kernel : {"/proc/", "/sys/", "/dev/"})
        if (path.starts_with(kernel)) return false;
    return std::ranges::find(kOfTheSystem, path) == kOfTheSystem.end();
}

}  // namespace slipway
