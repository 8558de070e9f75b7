#include "cli/detach.hpp"

#include "base/error.hpp"
#include "cli/terminal.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace slipway::cli {

Detached::Detached() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw StateError("SYSTEM-NO-PROCESS", "cannot go on in the background",
                         {.cause = std::strerror(errno)});
    }
    read_end_ = Fd(ends[0]);
    write_end_ = Fd(ends[1]);
    child_ = ::fork();
    if (child_ < 0) {
        throw StateError("SYSTEM-NO-PROCESS", "cannot go on in the background",
                         {.cause = std::strerror(errno)});
    }
    if (in_child()) {
        read_end_.reset();
    } else {
        write_end_.reset();
    }
}

std::optional<std::int64_t> Detached::wait(ExitCode& ended) {
    const std::string said = read_all(read_end_.get(), "the background process");
    if (!said.empty()) return std::stoll(said);
    int status = 0;
    while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status)) {
        throw StateError(
            "SYSTEM-NO-PROCESS", "the process in the background ended before its run began",
            {.cause = fmt::format("it was killed: {}", ::strsignal(WTERMSIG(status)))});
    }
    ended = static_cast<ExitCode>(WEXITSTATUS(status));
    return std::nullopt;
}

void Detached::leave(const std::filesystem::path& log, std::int64_t run) {
    ::setsid();
    const Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const Fd file(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    ::dup2(null.get(), STDIN_FILENO);
    if (file) {
        ::dup2(file.get(), STDOUT_FILENO);
        ::dup2(file.get(), STDERR_FILENO);
    }
    write_best_effort(write_end_.get(), fmt::format("{}", run));
    write_end_.reset();
}

}  // namespace slipway::cli
