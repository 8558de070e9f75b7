#include "store/run_lock.hpp"

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/json.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

namespace slipway::store {

namespace {

using Path = std::filesystem::path;

constexpr const char* kFileName = "run.lock";

[[noreturn]] void lock_failed(const Path& file) {
    throw StateError(
        "STATE-IO", fmt::format("cannot lock {}", file.string()),
        {.cause = std::strerror(errno),
         .remedy = "check the permissions of the state folder and that its file system has locks"});
}

struct flock whole_file() {
    struct flock range{};
    range.l_type = F_WRLCK;
    range.l_whence = SEEK_SET;
    return range;
}

std::string computer_name() {
    std::array<char, 256> name{};
    ::gethostname(name.data(), name.size() - 1);
    return name.data();
}

// Not getpwuid: a static program would load the computer's name service modules for it.
std::string user_name() {
    const char* user = ::getenv("USER");
    return user != nullptr && *user != '\0' ? user : fmt::format("uid {}", ::geteuid());
}

std::string to_text(const LockHolder& holder) {
    return json::serialize(json::object{{"pid", holder.pid},
                                        {"computer", holder.computer},
                                        {"user", holder.user},
                                        {"command", holder.command},
                                        {"sinceMs", holder.since_ms},
                                        {"run", holder.run}}) +
           "\n";
}

// What the file says; pid 0 when it says nothing usable.
LockHolder read_holder(int fd) {
    std::array<char, 4096> buffer{};
    const ssize_t size = ::pread(fd, buffer.data(), buffer.size(), 0);
    LockHolder holder;
    if (size <= 0) return holder;
    json::error_code failure;
    const json::value value =
        json::parse(json::string_view(buffer.data(), static_cast<std::size_t>(size)), failure);
    if (failure || !value.is_object()) return holder;
    const json::object& object = value.get_object();
    holder.pid = int_at(object, "pid");
    holder.computer = string_at(object, "computer");
    holder.user = string_at(object, "user");
    holder.command = string_at(object, "command");
    holder.since_ms = int_at(object, "sinceMs");
    holder.run = int_at(object, "run");
    return holder;
}

// The holder writes its name just after it got the lock: wait out that moment, in which the file is
// empty or still names a process that was killed.
LockHolder wait_for_holder(int fd) {
    LockHolder holder;
    for (int tries = 0; tries < 500; ++tries) {
        holder = read_holder(fd);
        const bool here = holder.computer == computer_name();
        const bool gone = here && ::kill(static_cast<pid_t>(holder.pid), 0) != 0 && errno == ESRCH;
        if (holder.pid != 0 && !gone) return holder;
        system_clock().sleep_for(Millis(2), {});
    }
    return holder;
}

void write_holder(int fd, const LockHolder& holder) {
    const std::string text = to_text(holder);
    // For messages only, so neither durable nor checked: the lock is the kernel's.
    if (::ftruncate(fd, 0) == 0) (void)!::pwrite(fd, text.data(), text.size(), 0);
}

}  // namespace

std::string LockHolder::describe(std::int64_t now_ms) const {
    if (pid == 0) return "a process that has not given its name yet";
    return fmt::format("pid {} ({}) on {} by {}, for {}", pid, command, computer, user,
                       format_duration(Millis(std::max<std::int64_t>(0, now_ms - since_ms))));
}

RunLock RunLock::take(const Path& folder, const std::string& command) {
    const Path file = folder / kFileName;
    Fd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd) lock_failed(file);
    struct flock range = whole_file();
    if (::fcntl(fd.get(), F_OFD_SETLK, &range) != 0) {
        if (errno != EAGAIN && errno != EACCES) lock_failed(file);
        const LockHolder other = wait_for_holder(fd.get());
        throw LockedError(
            "STATE-LOCKED",
            fmt::format("another run works on this cluster ({})", folder.filename().string()),
            {.cause = other.describe(system_clock().wall_ms()),
             .remedy = "watch it: slipway events --follow; or stop it: slipway cancel",
             .recovery = Recovery::needs_user});
    }
    LockHolder self = {.pid = ::getpid(),
                       .computer = computer_name(),
                       .user = user_name(),
                       .command = command,
                       .since_ms = system_clock().wall_ms()};
    write_holder(fd.get(), self);
    return RunLock(std::move(fd), std::move(self));
}

void RunLock::set_run(std::int64_t run) {
    holder_.run = run;
    write_holder(fd_.get(), holder_);
}

std::optional<LockHolder> RunLock::holder(const Path& folder) {
    const Fd fd(::open((folder / kFileName).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!fd) return std::nullopt;
    struct flock range = whole_file();
    if (::fcntl(fd.get(), F_OFD_GETLK, &range) != 0) lock_failed(folder / kFileName);
    if (range.l_type == F_UNLCK) return std::nullopt;
    return wait_for_holder(fd.get());
}

RunLock::~RunLock() {
    if (!fd_) return;
    // The file stays: removing it would let two processes lock two files of the same name.
    (void)!::ftruncate(fd_.get(), 0);
}

}  // namespace slipway::store
