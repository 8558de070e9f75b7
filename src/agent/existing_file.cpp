#include "agent/existing_file.hpp"

#include "base/digest.hpp"
#include "base/files.hpp"

#include <cerrno>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace slipway::agent {

namespace {

constexpr std::uint32_t kModeBits = 07777;

// The file's digest; "" when there is none or it cannot be the one wanted.
std::string digest_of_existing(const Fd& fd, const struct stat& info, const WantedFile& wanted,
                               const Patience& patience) {
    if (!S_ISREG(info.st_mode)) return "";
    if (wanted.size != 0 && static_cast<std::uint64_t>(info.st_size) != wanted.size) return "";
    Sha256 sha256;
    std::vector<char> buffer(256u << 10);
    while (true) {
        patience.check();
        const ssize_t n = ::read(fd.get(), buffer.data(), buffer.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return "";
        if (n == 0) return sha256.hex();
        sha256.update({buffer.data(), static_cast<std::size_t>(n)});
    }
}

}  // namespace

Existing use_existing(const WantedFile& wanted, const Patience& patience) {
    const Fd fd(::open(wanted.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat info{};
    if (!fd || ::fstat(fd.get(), &info) != 0) return Existing::none;
    if (digest_of_existing(fd, info, wanted, patience) != wanted.sha256) return Existing::none;
    if ((info.st_mode & kModeBits) == wanted.mode) return Existing::right;
    if (::fchmod(fd.get(), wanted.mode) != 0 || ::fsync(fd.get()) != 0)
        fail_with_errno("set the mode of", wanted.path);
    return Existing::other_mode;
}

}  // namespace slipway::agent
