#include "agent/facts/fsync.hpp"

#include "base/files.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <vector>

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

namespace slipway::agent {

namespace {

constexpr int kWrites = 10;
constexpr std::size_t kWriteSize = 2300;  // a usual entry of etcd's log

Fd nameless_file(const std::string& folder) {
    Fd fd(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
    if (fd || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) return fd;
    std::string name = folder + "/.slipway-fsync-XXXXXX";  // overlay of older kernels, NFS
    fd = Fd(::mkostemp(name.data(), O_CLOEXEC));
    if (fd) ::unlink(name.c_str());
    return fd;
}

}  // namespace

SyncLatency measure_sync(const std::string& folder) {
    using Clock = std::chrono::steady_clock;
    const Fd fd = nameless_file(folder);
    if (!fd) return {};
    std::array<char, kWriteSize> bytes{};
    bytes.fill('s');
    std::vector<std::int64_t> taken;
    for (int i = 0; i < kWrites; ++i) {
        const Clock::time_point begin = Clock::now();
        if (::write(fd.get(), bytes.data(), bytes.size()) != ssize_t{kWriteSize} ||
            ::fdatasync(fd.get()) != 0) {
            return {};
        }
        taken.push_back(
            std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin).count());
    }
    std::sort(taken.begin(), taken.end());
    return {.median_us = std::max<std::int64_t>(1, taken[taken.size() / 2]),
            .worst_us = std::max<std::int64_t>(1, taken.back())};
}

}  // namespace slipway::agent
