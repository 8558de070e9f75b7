#include "remote/local_file.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace slipway::remote {

namespace {

[[noreturn]] void unreadable(const std::filesystem::path& path, std::string why) {
    throw UserError("FILE-UNREADABLE", fmt::format("cannot read {}", printable(path.string())),
                    {.cause = std::move(why), .remedy = "check the path and its permissions"});
}

}  // namespace

LocalFile::LocalFile(std::filesystem::path path)
    : path_(std::move(path)), fd_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    struct stat info{};
    if (!fd_ || ::fstat(fd_.get(), &info) != 0) unreadable(path_, std::strerror(errno));
    if (!S_ISREG(info.st_mode)) unreadable(path_, "it is no regular file");
    size_ = static_cast<std::uint64_t>(info.st_size);
}

void LocalFile::read(std::uint64_t at, std::span<char> buffer) const {
    while (!buffer.empty()) {
        const ssize_t n = ::pread(fd_.get(), buffer.data(), buffer.size(), static_cast<off_t>(at));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) unreadable(path_, std::strerror(errno));
        if (n == 0) unreadable(path_, "it became shorter while it was read");
        at += static_cast<std::uint64_t>(n);
        buffer = buffer.subspan(static_cast<std::size_t>(n));
    }
}

void LocalFile::each_piece(std::uint64_t bytes, const std::stop_token& stop,
                           const std::function<void(std::string_view)>& take) const {
    std::vector<char> buffer(256u << 10);
    for (std::uint64_t at = 0; at < bytes;) {
        if (stop.stop_requested()) throw Cancelled();
        const auto count =
            static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), bytes - at));
        read(at, {buffer.data(), count});
        take({buffer.data(), count});
        at += count;
    }
}

std::string LocalFile::digest(const std::stop_token& stop) const {
    Sha256 sha256;
    each_piece(size_, stop, [&](std::string_view bytes) { sha256.update(bytes); });
    return sha256.hex();
}

}  // namespace slipway::remote
