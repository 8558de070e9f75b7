#include "oci/byte_stream.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>

namespace slipway::oci {

bool ByteStream::skip(std::uint64_t count) {
    std::string piece(static_cast<std::size_t>(std::min<std::uint64_t>(count, kChunk)), '\0');
    while (count > 0) {
        const std::size_t wanted =
            static_cast<std::size_t>(std::min<std::uint64_t>(count, piece.size()));
        const std::size_t n = read(piece.data(), wanted);
        if (n == 0) return false;
        count -= n;
    }
    return true;
}

void FdSink::write(std::string_view bytes) { write_fully(fd_, bytes, name_); }

std::uint64_t copy_all(ByteStream& from, ByteSink& to) {
    std::uint64_t total = 0;
    std::string piece(kChunk, '\0');
    while (const std::size_t n = from.read(piece.data(), piece.size())) {
        to.write({piece.data(), n});
        total += n;
    }
    return total;
}

std::size_t MemoryStream::read(char* into, std::size_t max) {
    const std::size_t n = std::min(max, bytes_.size() - at_);
    std::memcpy(into, bytes_.data() + at_, n);
    at_ += n;
    return n;
}

FileStream::FileStream(std::shared_ptr<const Fd> file, std::string name, std::uint64_t offset,
                       std::uint64_t size)
    : file_(std::move(file)), name_(std::move(name)), at_(offset), left_(size) {}

std::size_t FileStream::read(char* into, std::size_t max) {
    const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(max, left_));
    if (wanted == 0) return 0;
    ssize_t n = 0;
    do {
        n = ::pread(file_->get(), into, wanted, static_cast<off_t>(at_));
    } while (n < 0 && errno == EINTR);
    if (n < 0) {
        throw UserError("FILE-UNREADABLE",
                        fmt::format("cannot read {}: {}", printable(name_), std::strerror(errno)));
    }
    if (n == 0) {
        throw UserError("ARCHIVE-DAMAGED",
                        fmt::format("{} ends {} bytes too early", printable(name_), left_),
                        {.cause = "it was cut off, or changed while it was read",
                         .remedy = "copy or build it again"});
    }
    at_ += static_cast<std::uint64_t>(n);
    left_ -= static_cast<std::uint64_t>(n);
    return static_cast<std::size_t>(n);
}

bool FileStream::skip(std::uint64_t count) {
    const std::uint64_t n = std::min(count, left_);
    at_ += n;
    left_ -= n;
    return n == count;
}

std::shared_ptr<const Fd> open_regular(const std::filesystem::path& path) {
    // Without O_NONBLOCK a pipe with no writer would hold us for ever.
    auto file = std::make_shared<Fd>(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat info{};
    const bool is_open = static_cast<bool>(*file) && ::fstat(file->get(), &info) == 0;
    if (!is_open || !S_ISREG(info.st_mode)) {
        throw UserError("FILE-UNREADABLE",
                        fmt::format("cannot read {}: {}", printable(path.string()),
                                    is_open ? "it is no regular file" : std::strerror(errno)));
    }
    return file;
}

std::uint64_t size_of(const Fd& file) {
    struct stat info{};
    if (::fstat(file.get(), &info) != 0) return 0;
    return static_cast<std::uint64_t>(info.st_size);
}

std::unique_ptr<ByteStream> stream_file(const std::filesystem::path& path) {
    std::shared_ptr<const Fd> file = open_regular(path);
    const std::uint64_t size = size_of(*file);
    return std::make_unique<FileStream>(std::move(file), path.string(), 0, size);
}

std::string read_whole(ByteStream& stream, std::size_t limit, std::string_view what) {
    std::string out;
    std::string piece(std::min<std::size_t>(kChunk, limit + 1), '\0');
    while (const std::size_t n = stream.read(piece.data(), piece.size())) {
        if (out.size() + n > limit) {
            throw UserError("FILE-TOO-LARGE",
                            fmt::format("{} is larger than {} bytes", printable(what), limit));
        }
        out.append(piece, 0, n);
    }
    return out;
}

std::size_t read_fully(ByteStream& stream, char* into, std::size_t size) {
    std::size_t have = 0;
    while (have < size) {
        const std::size_t n = stream.read(into + have, size - have);
        if (n == 0) break;
        have += n;
    }
    return have;
}

namespace {

[[noreturn]] void cannot_write(std::string_view name) {
    const int reason = errno;
    throw StateError("BUNDLE-WRITE",
                     fmt::format("cannot write {}: {}", printable(name), std::strerror(reason)),
                     {.cause = reason == ENOSPC ? "the disk is full" : "",
                      .remedy = "solve this, then repeat the command"});
}

}  // namespace

Fd new_file(const std::filesystem::path& path, mode_t mode) {
    Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (!file) {
        throw StateError(
            "BUNDLE-WRITE",
            fmt::format("cannot write {}: {}", printable(path.string()), std::strerror(errno)));
    }
    return file;
}

void write_fully(int fd, std::string_view bytes, std::string_view name) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) cannot_write(name);
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
}

void write_at(int fd, std::string_view bytes, std::uint64_t offset, std::string_view name) {
    while (!bytes.empty()) {
        const ssize_t n = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) cannot_write(name);
        bytes.remove_prefix(static_cast<std::size_t>(n));
        offset += static_cast<std::uint64_t>(n);
    }
}

}  // namespace slipway::oci
