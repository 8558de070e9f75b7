#include "base/files.hpp"

#include "base/digest.hpp"
#include "base/error.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace slipway {

namespace {

std::string reason() { return std::strerror(errno); }

[[noreturn]] void unreadable(const std::string& name, const std::string& why) {
    throw UserError("FILE-UNREADABLE", fmt::format("cannot read {}: {}", name, why),
                    {.cause = why, .remedy = "check the path and its permissions"});
}

[[noreturn]] void unwritable(const std::filesystem::path& path, const std::string& why) {
    throw StateError(
        "STATE-WRITE", fmt::format("cannot write {}: {}", path.string(), why),
        {.cause = why, .remedy = "free space or repair permissions there; nothing was replaced"});
}

void write_all(int fd, std::string_view content, const std::filesystem::path& path) {
    while (!content.empty()) {
        const ssize_t n = ::write(fd, content.data(), content.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) unwritable(path, reason());
        content.remove_prefix(static_cast<std::size_t>(n));
    }
}

}  // namespace

std::string read_all(int fd, std::string_view name, std::size_t limit) {
    std::string out;
    char buffer[1 << 16];
    while (true) {
        const ssize_t n = ::read(fd, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) unreadable(std::string(name), reason());
        if (n == 0) return out;
        if (out.size() + static_cast<std::size_t>(n) > limit) {
            throw UserError("FILE-TOO-LARGE",
                            fmt::format("{} is larger than {} bytes", name, limit),
                            {.cause = "files of this kind are small",
                             .remedy = "check that the path is the right one"});
        }
        out.append(buffer, static_cast<std::size_t>(n));
    }
}

std::optional<std::string> read_file_if_any(const std::filesystem::path& path, std::size_t limit) {
    const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) {
        if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
        unreadable(path.string(), reason());
    }
    return read_all(fd.get(), path.string(), limit);
}

std::string read_file(const std::filesystem::path& path, std::size_t limit) {
    std::optional<std::string> content = read_file_if_any(path, limit);
    if (!content) unreadable(path.string(), "no such file");
    return *std::move(content);
}

void atomic_write(const std::filesystem::path& path, std::string_view content, mode_t mode) {
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    const std::filesystem::path temporary = path.string() + ".new-" + random_hex(6);
    Fd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
    if (!fd) unwritable(path, reason());
    try {
        write_all(fd.get(), content, path);
        if (::fchmod(fd.get(), mode) != 0) unwritable(path, reason());
        if (::fsync(fd.get()) != 0) unwritable(path, reason());
        fd.reset();
        if (::rename(temporary.c_str(), path.c_str()) != 0) unwritable(path, reason());
    } catch (...) {
        ::unlink(temporary.c_str());
        throw;
    }
    sync_folder(folder);
}

void make_private_folders(const std::filesystem::path& path) {
    std::filesystem::path sofar;
    for (const auto& part : path) {
        sofar /= part;
        if (::mkdir(sofar.c_str(), 0700) == 0) {
            const std::filesystem::path parent = sofar.parent_path();
            sync_folder(parent.empty() ? "." : parent);
        } else if (errno != EEXIST) {
            unwritable(sofar, reason());
        }
    }
    struct stat info{};
    if (::stat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
        unwritable(path, "not a folder");
}

void sync_folder(const std::filesystem::path& path) {
    const Fd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd || ::fsync(fd.get()) != 0) unwritable(path, reason());
}

}  // namespace slipway
