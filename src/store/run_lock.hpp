// At most one engine acts on a cluster: an OS lock that a killed process cannot leave behind.
//
//     RunLock lock = RunLock::take(folder, "apply");   // throws LockedError STATE-LOCKED
//
// The file names its holder (pid, computer, user, since, command) for the message of whoever comes
// second. The lock is the kernel's (open file description), not the file's existence.
#pragma once

#include "base/files.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace slipway::store {

struct LockHolder {
    std::int64_t pid = 0;
    std::string computer;
    std::string user;
    std::string command;
    std::int64_t since_ms = 0;
    std::int64_t run = 0;  // once known

    std::string describe(std::int64_t now_ms) const;  // "pid 12 (apply) on host by root, for 3 min"
};

class RunLock {
  public:
    static RunLock take(const std::filesystem::path& folder, const std::string& command);
    // Who holds it now, without taking it; nullopt when nobody does.
    static std::optional<LockHolder> holder(const std::filesystem::path& folder);

    void set_run(std::int64_t run);  // for the messages of others, once the run has its number

    RunLock(RunLock&&) noexcept = default;
    RunLock& operator=(RunLock&&) noexcept = default;
    ~RunLock();

  private:
    RunLock(Fd fd, LockHolder holder) : fd_(std::move(fd)), holder_(std::move(holder)) {}
    Fd fd_;
    LockHolder holder_;
};

}  // namespace slipway::store
