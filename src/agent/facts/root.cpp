#include "agent/facts/root.hpp"

#include "agent/facts/lines.hpp"
#include "base/files.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <memory>

#include <dirent.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace slipway::agent {

namespace {

// Calls `use` with the open folder and each name until it says stop (false).
template <class Use>
void each_name(const std::string& folder, Use use) {
    const std::unique_ptr<DIR, int (*)(DIR*)> names(::opendir(folder.c_str()), &::closedir);
    if (!names) return;
    while (const dirent* entry = ::readdir(names.get())) {
        const std::string_view name = entry->d_name;
        if (name != "." && name != ".." && !use(::dirfd(names.get()), entry->d_name)) return;
    }
}

}  // namespace

std::string Root::path(std::string_view absolute) const { return folder_ + std::string(absolute); }

std::string Root::read(std::string_view absolute, std::size_t limit) const {
    // Not blocking: a name that should be a file may be a pipe nobody writes to.
    const Fd fd(::open(path(absolute).c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    std::string out;
    if (!fd) return out;
    std::array<char, 16384> buffer;
    while (out.size() < limit) {
        const ssize_t n =
            ::read(fd.get(), buffer.data(), std::min(buffer.size(), limit - out.size()));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        out.append(buffer.data(), static_cast<std::size_t>(n));
    }
    return out;
}

std::string Root::line(std::string_view absolute) const {
    return std::string(trimmed(read(absolute, 4096)));
}

std::string Root::link(std::string_view absolute) const {
    std::array<char, PATH_MAX> buffer;
    const ssize_t n = ::readlink(path(absolute).c_str(), buffer.data(), buffer.size());
    return n > 0 ? std::string(buffer.data(), static_cast<std::size_t>(n)) : "";
}

std::vector<std::string> Root::list(std::string_view folder) const {
    std::vector<std::string> out;
    each_name(path(folder), [&](int, const char* name) {
        out.emplace_back(name);
        return true;
    });
    return out;
}

std::vector<std::string> Root::links(std::string_view folder) const {
    std::vector<std::string> out;
    std::array<char, PATH_MAX> buffer;
    each_name(path(folder), [&](int open_folder, const char* name) {
        const ssize_t n = ::readlinkat(open_folder, name, buffer.data(), buffer.size());
        if (n > 0) out.emplace_back(buffer.data(), static_cast<std::size_t>(n));
        return true;
    });
    return out;
}

bool Root::exists(std::string_view absolute) const {
    struct stat info{};
    return ::lstat(path(absolute).c_str(), &info) == 0;
}

bool Root::is_folder(std::string_view absolute) const {
    struct stat info{};
    return ::stat(path(absolute).c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

bool Root::is_program(std::string_view absolute) const {
    struct stat info{};
    const std::string real = path(absolute);
    return ::stat(real.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
           ::access(real.c_str(), X_OK) == 0;
}

bool Root::holds_something(std::string_view absolute) const {
    if (!is_folder(absolute)) return exists(absolute);
    bool something = false;
    each_name(path(absolute), [&](int, const char*) {
        something = true;
        return false;
    });
    return something;
}

std::string Root::nearest_folder(std::string_view absolute) const {
    std::string folder(absolute);
    while (folder.size() > 1 && !is_folder(folder)) {
        const std::size_t slash = folder.rfind('/');
        folder.resize(slash == std::string::npos || slash == 0 ? 0 : slash);
        if (folder.empty()) folder = "/";
    }
    return folder;
}

}  // namespace slipway::agent
