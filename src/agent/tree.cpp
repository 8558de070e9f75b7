#include "agent/tree.hpp"

#include "agent/machine.hpp"
#include "base/digest.hpp"
#include "base/files.hpp"
#include "base/removable.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <memory>
#include <sstream>
#include <utility>

#include <dirent.h>
#include <linux/openat2.h>

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace slipway::agent {

namespace {

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
// Folders deeper than this are moved up before they are removed: each level holds a descriptor
// open, and whoever filled the folder may have made a hundred thousand of them.
constexpr int kDeepest = 100;
// A folder someone still writes to is emptied this often.
constexpr int kPasses = 5;

void check_path(const std::string& path) {
    if (may_remove_tree(path)) return;
    throw Failed("bad-request", "'" + path + "' is not removed: no clean path, or the system's");
}

// The path with the links of its parents resolved, as everything that wrote there did. The last
// part stays what it is. "" when a parent is not there.
std::string resolved(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const std::unique_ptr<char, void (*)(void*)> parent(
        ::realpath(path.substr(0, slash).c_str(), nullptr), std::free);
    if (!parent && (errno == ENOENT || errno == ENOTDIR)) return "";
    if (!parent) fail_with_errno("remove", path);
    return (std::string_view(parent.get()) == "/" ? "" : parent.get()) + path.substr(slash);
}

// A folder in `parent`, never across a mount: a bind mount has the device of what it shows, so that
// comparing devices would not do. Old kernels (before 5.6) leave us nothing better.
Fd open_folder(int parent, const char* name) {
    open_how how{};
    how.flags = static_cast<std::uint64_t>(kFolderFlags);
    how.resolve = RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH;
    Fd fd(static_cast<int>(::syscall(SYS_openat2, parent, name, &how, sizeof how)));
    if (fd || errno != ENOSYS) return fd;
    Fd plain(::openat(parent, name, kFolderFlags));
    struct stat above{}, inside{};
    if (!plain || ::fstat(parent, &above) != 0 || ::fstat(plain.get(), &inside) != 0) return {};
    if (above.st_dev == inside.st_dev) return plain;
    errno = EXDEV;
    return {};
}

class Remover {
  public:
    Remover(int top, std::string path, Request& request)
        : top_(top), path_(std::move(path)), request_(request) {}

    void empty(int folder, int depth) {
        const int copy = ::fcntl(folder, F_DUPFD_CLOEXEC, 0);
        const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(copy), ::closedir);
        if (!entries) fail_with_errno("remove what is in", path_);
        ::rewinddir(entries.get());
        errno = 0;
        while (const dirent* entry = ::readdir(entries.get())) {
            if (request_.cancelled()) throw Failed("cancelled", "cancelled");
            const std::string_view name = entry->d_name;
            if (name != "." && name != "..") remove(folder, entry->d_name, depth);
            errno = 0;
        }
        if (errno != 0) fail_with_errno("remove what is in", path_);
    }

    void remove(int parent, const char* name, int depth) {
        // A folder is no file to be unlinked: EISDIR, or EPERM as POSIX has it.
        if (::unlinkat(parent, name, 0) == 0 || errno == ENOENT) return;
        if (errno != EISDIR && errno != EPERM) fail(name);
        const int reason = errno;
        if (depth >= kDeepest) return move_up(parent, name);
        for (int pass = 0; pass < kPasses; ++pass) {
            if (::unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT) return;
            if (errno != ENOTEMPTY && errno != EEXIST) {
                if (errno == ENOTDIR) errno = reason;
                fail(name);
            }
            const Fd folder = open_folder(parent, name);
            if (!folder) fail(name);
            empty(folder.get(), depth + 1);
        }
        if (::unlinkat(parent, name, AT_REMOVEDIR) != 0 && errno != ENOENT) fail(name);
    }

    // Whether something was too deep, since it was asked last.
    bool take_moved() { return std::exchange(moved_, false); }

  private:
    // To be found again by whoever empties the top, which is done until nothing is left.
    void move_up(int parent, const char* name) {
        const std::string place = ".slipway-removing-" + random_hex(8);
        if (::renameat(parent, name, top_, place.c_str()) != 0 && errno != ENOENT) fail(name);
        moved_ = true;
    }

    [[noreturn]] void fail(const char* name) const {
        fail_with_errno("remove", "'" + std::string(name) + "' in " + path_);
    }

    const int top_;
    const std::string path_;
    Request& request_;
    bool moved_ = false;
};

void unmount_all(const std::string& path, bool only_below) {
    constexpr int kRounds = 20;  // several may be mounted over each other, or come meanwhile
    for (int round = 0; round < kRounds; ++round) {
        const auto folders =
            mounts_under(read_text("/proc/self/mountinfo").value_or(""), path, only_below);
        if (folders.empty()) return;
        for (const std::string& folder : folders) {
            if (::umount2(folder.c_str(), UMOUNT_NOFOLLOW) == 0) continue;
            if (errno == EBUSY && ::umount2(folder.c_str(), UMOUNT_NOFOLLOW | MNT_DETACH) == 0)
                continue;
            if (errno != EINVAL && errno != ENOENT) fail_with_errno("unmount", folder);
        }
    }
    throw Failed("system", "something is mounted below " + path + " again and again");
}

void empty_top(int top, const std::string& path, Request& request) {
    Remover remover(top, path, request);
    do remover.empty(top, 0);
    while (remover.take_moved());
}

// `name` in `parent`, a folder. Others may still write to it.
void remove_folder(int parent, const std::string& name, const wire::RemoveTree& wanted,
                   Request& request) {
    for (int pass = 0; pass < kPasses; ++pass) {
        const Fd top(::openat(parent, name.c_str(), kFolderFlags));
        if (!top && errno == ENOENT) return;
        if (!top) fail_with_errno("remove", wanted.path);
        empty_top(top.get(), wanted.path, request);
        if (wanted.keep_top) return;
        if (::unlinkat(parent, name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return;
        if (errno != ENOTEMPTY && errno != EEXIST) break;
    }
    fail_with_errno("remove", wanted.path);
}

}  // namespace

std::vector<std::string> mounts_under(std::string_view mountinfo, const std::string& path,
                                      bool only_below) {
    std::vector<std::string> out;
    std::istringstream lines{std::string(mountinfo)};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string word, folder;
        for (int i = 0; i < 4; ++i) words >> word;
        if (!(words >> folder)) continue;
        folder = unescape_octal(folder);
        if (folder.starts_with(path + "/") || (!only_below && folder == path))
            out.push_back(std::move(folder));
    }
    // The innermost first; of those at one place the last one mounted, which comes by itself: only
    // the topmost can be unmounted.
    std::ranges::sort(out, std::greater{}, &std::string::size);
    return out;
}

void remove_tree(const wire::RemoveTree& wanted, Request& request) {
    check_path(wanted.path);
    const std::string path = resolved(wanted.path);
    if (path.empty()) return;
    check_path(path);
    unmount_all(path, wanted.keep_top);
    const std::size_t slash = path.rfind('/');
    const std::string parent = path.substr(0, slash), name = path.substr(slash + 1);
    const Fd above(::open(parent.c_str(), kFolderFlags));
    if (!above && (errno == ENOENT || errno == ENOTDIR)) return;
    if (!above) fail_with_errno("remove", path);
    struct stat info{};
    if (::fstatat(above.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno == ENOENT) return;
        fail_with_errno("remove", path);
    }
    if (S_ISDIR(info.st_mode)) {
        remove_folder(above.get(), name, wanted, request);
    } else if (::unlinkat(above.get(), name.c_str(), 0) != 0 && errno != ENOENT) {
        fail_with_errno("remove", path);
    }
    ::fsync(above.get());
}

}  // namespace slipway::agent
