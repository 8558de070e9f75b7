#include "agent/files.hpp"

#include "agent/accounts.hpp"
#include "agent/machine.hpp"
#include "base/digest.hpp"
#include "base/files.hpp"

#include <cerrno>
#include <filesystem>
#include <memory>
#include <vector>

#include <dirent.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace slipway::agent {

void write_all(int fd, std::string_view bytes, const std::string& path) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail_with_errno("write", path);
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
}

namespace {

constexpr mode_t kModeBits = 07777;

void check_path(const std::string& path) {
    if (path.size() < 2 || path.front() != '/' || path.find('\0') != std::string::npos)
        throw Failed("bad-request", "'" + path + "' is no absolute path");
}

std::string parent_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == 0 ? "/" : path.substr(0, slash);
}

void sync_folder(const std::string& folder) {
    const Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd.get() >= 0) ::fsync(fd.get());
}

std::string link_target(const std::string& path) {
    std::string target(4096, '\0');
    const ssize_t n = ::readlink(path.c_str(), target.data(), target.size());
    if (n < 0) fail_with_errno("read", path);
    target.resize(static_cast<std::size_t>(n));
    return target;
}

wire::FileInfo describe(const std::string& path, const struct stat& info) {
    return {.found = true,
            .folder = S_ISDIR(info.st_mode),
            .link_target = S_ISLNK(info.st_mode) ? link_target(path) : "",
            .mode = static_cast<std::uint32_t>(info.st_mode & kModeBits),
            .owner = owner_name(info.st_uid),
            .group = group_name(info.st_gid),
            .size = S_ISREG(info.st_mode) ? static_cast<std::uint64_t>(info.st_size) : 0};
}

template <class Sink>
std::string hash_content(const std::string& path, Request& request, Sink&& sink) {
    const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (fd.get() < 0) fail_with_errno("read", path);
    Sha256 digest;
    std::vector<char> buffer(wire::kDataChunk);
    while (true) {
        if (request.cancelled()) throw Failed("cancelled", "cancelled");
        const ssize_t n = ::read(fd.get(), buffer.data(), buffer.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail_with_errno("read", path);
        if (n == 0) return digest.hex();
        const std::string_view bytes(buffer.data(), static_cast<std::size_t>(n));
        digest.update(bytes);
        sink(bytes);
    }
}

// A new file beside its place, gone again unless it is put there.
class NewFile {
  public:
    explicit NewFile(std::string place)
        : place_(std::move(place)), path_(parent_of(place_) + "/.slipway-" + random_hex(8)) {}
    ~NewFile() {
        if (!placed_) ::unlink(path_.c_str());
    }
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    const std::string& path() const { return path_; }
    void put_in_place() {
        if (::rename(path_.c_str(), place_.c_str()) != 0) fail_with_errno("replace", place_);
        placed_ = true;
        sync_folder(parent_of(place_));
    }

  private:
    const std::string place_;
    const std::string path_;
    bool placed_ = false;
};

void write_content(const wire::WriteFile& wanted, Request& request, NewFile& file) {
    const Fd fd(
        ::open(file.path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (fd.get() < 0) fail_with_errno("write", wanted.path);
    Sha256 digest;
    std::uint64_t size = 0;
    while (std::optional<std::string> bytes = request.receive()) {
        size += bytes->size();
        if (size > wanted.size) throw Failed("bad-request", "more content than was announced");
        digest.update(*bytes);
        write_all(fd.get(), *bytes, wanted.path);
    }
    if (digest.hex() != wanted.sha256)
        throw Failed("digest-mismatch",
                     "the content of " + wanted.path + " was damaged on the way");
    if (::fchown(fd.get(), uid_of(wanted.owner), gid_of(wanted.group)) != 0)
        fail_with_errno("set the owner of", wanted.path);
    if (::fchmod(fd.get(), wanted.mode & kModeBits) != 0)
        fail_with_errno("set the mode of", wanted.path);
    if (::fsync(fd.get()) != 0) fail_with_errno("write", wanted.path);
}

// The content that is about to be replaced stays available by its digest.
void keep_content(const std::string& path, const std::string& digest) {
    const std::string folder = state_folder() + "/kept";
    make_parents(folder + "/x");
    ::chmod(folder.c_str(), 0700);
    const std::string kept = folder + "/" + digest;
    if (::link(path.c_str(), kept.c_str()) == 0 || errno == EEXIST) return;
    std::error_code error;  // another file system
    std::filesystem::copy_file(path, kept, error);
    if (error) throw Failed("system", "cannot keep the former " + path + ": " + error.message());
    ::chmod(kept.c_str(), 0600);
}

void write_folder(const wire::WriteFile& wanted) {
    if (::mkdir(wanted.path.c_str(), 0700) != 0 && errno != EEXIST)
        fail_with_errno("make", wanted.path);
    const Fd fd(::open(wanted.path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (fd.get() < 0) fail_with_errno("make", wanted.path);
    if (::fchown(fd.get(), uid_of(wanted.owner), gid_of(wanted.group)) != 0)
        fail_with_errno("set the owner of", wanted.path);
    if (::fchmod(fd.get(), wanted.mode & kModeBits) != 0)
        fail_with_errno("set the mode of", wanted.path);
    sync_folder(parent_of(wanted.path));
}

void write_link(const wire::WriteFile& wanted) {
    NewFile link(wanted.path);
    if (::symlink(wanted.link_target.c_str(), link.path().c_str()) != 0)
        fail_with_errno("make", wanted.path);
    if (::lchown(link.path().c_str(), uid_of(wanted.owner), gid_of(wanted.group)) != 0)
        fail_with_errno("set the owner of", wanted.path);
    link.put_in_place();
}

}  // namespace

wire::FileInfo read_file(const wire::Path& wanted, Request& request) {
    check_path(wanted.path);
    struct stat info{};
    if (::lstat(wanted.path.c_str(), &info) != 0) {
        if (errno == ENOENT || errno == ENOTDIR) return {};
        fail_with_errno("read", wanted.path);
    }
    wire::FileInfo out = describe(wanted.path, info);
    if (!S_ISREG(info.st_mode)) {
        if (!S_ISDIR(info.st_mode) && !S_ISLNK(info.st_mode))
            throw Failed("bad-request", wanted.path + " is neither a file nor a folder nor a link");
        return out;
    }
    if (wanted.content && wanted.limit != 0 && out.size > wanted.limit)
        throw Failed("too-large", wanted.path + " has " + std::to_string(out.size) + " bytes");
    std::uint64_t sent = 0;
    out.sha256 = hash_content(wanted.path, request, [&](std::string_view bytes) {
        if (!wanted.content) return;
        sent += bytes.size();
        if (wanted.limit != 0 && sent > wanted.limit)
            throw Failed("too-large", wanted.path + " grows while it is read");
        request.send(wire::Stream::out, bytes);
    });
    return out;
}

wire::Written write_file(const wire::WriteFile& wanted, Request& request) {
    check_path(wanted.path);
    make_parents(wanted.path);
    if (wanted.folder) {
        write_folder(wanted);
        return {.changed = true};
    }
    if (!wanted.link_target.empty()) {
        write_link(wanted);
        return {.changed = true};
    }
    NewFile file(wanted.path);
    write_content(wanted, request, file);
    wire::Written out{.changed = true};
    struct stat former{};
    if (wanted.keep_previous && ::lstat(wanted.path.c_str(), &former) == 0 &&
        S_ISREG(former.st_mode)) {
        out.previous_sha256 = hash_content(wanted.path, request, [](std::string_view) {});
        keep_content(wanted.path, out.previous_sha256);
    }
    file.put_in_place();
    return out;
}

void remove_file(const std::string& path) {
    check_path(path);
    struct stat info{};
    if (::lstat(path.c_str(), &info) != 0) {
        if (errno == ENOENT || errno == ENOTDIR) return;
        fail_with_errno("remove", path);
    }
    const int done = S_ISDIR(info.st_mode) ? ::rmdir(path.c_str()) : ::unlink(path.c_str());
    if (done != 0 && errno != ENOENT) fail_with_errno("remove", path);
    sync_folder(parent_of(path));
}

bool list_folder(const std::string& path, Request& request) {
    check_path(path);
    const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)) return false;
    if (fd < 0) fail_with_errno("list", path);
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(::fdopendir(fd), ::closedir);
    if (!folder) fail_with_errno("list", path);
    std::string names;
    errno = 0;
    while (const dirent* entry = ::readdir(folder.get())) {
        const std::string_view name = entry->d_name;
        if (name == "." || name == "..") continue;
        names.append(name).push_back('\0');
        if (names.size() > wire::kDataChunk) {
            request.send(wire::Stream::out, names);
            names.clear();
        }
        errno = 0;
    }
    if (errno != 0) fail_with_errno("list", path);
    request.send(wire::Stream::out, names);
    return true;
}

void make_parents(const std::string& path) {
    for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
        const std::string folder = path.substr(0, at);
        if (::mkdir(folder.c_str(), 0755) == 0) {
            ::chmod(folder.c_str(), 0755);  // whatever the umask says
            sync_folder(parent_of(folder));
        } else if (errno != EEXIST) {
            fail_with_errno("make", folder);
        }
    }
}

void remove_tree(const std::string& path) {
    std::error_code error;
    std::filesystem::remove_all(path, error);
    if (error) throw Failed("system", "cannot remove " + path + ": " + error.message());
}

}  // namespace slipway::agent
