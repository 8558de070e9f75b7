#include "registry/copy_range.hpp"

#include "registry/notes.hpp"

#include <algorithm>
#include <cerrno>
#include <vector>

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

namespace slipway::registry {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPortion = 1u << 18;

[[noreturn]] void fail(const fs::path& to, int error) {
    cannot_write(fmt::format("cannot write {}", to.string()), error);
}

// What the kernel cannot copy by itself, between file systems of two kinds say.
bool is_unsupported(int error) {
    return error == EXDEV || error == ENOSYS || error == EOPNOTSUPP || error == EINVAL;
}

void write_all(int file, const char* bytes, std::size_t size, const fs::path& to) {
    while (size > 0) {
        const ssize_t n = ::write(file, bytes, size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail(to, errno);
        bytes += n;
        size -= static_cast<std::size_t>(n);
    }
}

void copy_by_hand(int from, std::uint64_t offset, std::uint64_t left, int file,
                  const fs::path& to) {
    std::vector<char> portion(kPortion);
    while (left > 0) {
        const std::size_t want = std::min<std::uint64_t>(left, portion.size());
        const ssize_t n = ::pread(from, portion.data(), want, static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) cannot_read("what is to be copied to " + to.string(), n < 0 ? errno : ENODATA);
        const auto got = static_cast<std::size_t>(n);
        write_all(file, portion.data(), got, to);
        offset += got;
        left -= got;
    }
}

void copy_all(const BlobPlace& from, int file, const fs::path& to) {
    auto offset = static_cast<off64_t>(from.offset);
    std::uint64_t left = from.size;
    while (left > 0) {
        const ssize_t n = ::copy_file_range(from.file->get(), &offset, file, nullptr,
                                            std::min<std::uint64_t>(left, 1u << 30), 0);
        if (n < 0 && errno == EINTR) continue;
        // Nothing copied may also mean a file system that cannot: reading tells.
        if (n == 0 || (n < 0 && is_unsupported(errno)))
            return copy_by_hand(from.file->get(), static_cast<std::uint64_t>(offset), left, file,
                                to);
        if (n < 0) fail(to, errno);
        left -= static_cast<std::uint64_t>(n);
    }
}

}  // namespace

void copy_range(const BlobPlace& from, const fs::path& to) {
    const Fd file(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file) fail(to, errno);
    try {
        copy_all(from, file.get(), to);
        if (::fsync(file.get()) != 0) fail(to, errno);
    } catch (...) {
        ::unlink(to.c_str());
        throw;
    }
}

}  // namespace slipway::registry
