#include "agent/claim.hpp"

#include "agent/files.hpp"
#include "agent/machine.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace slipway::agent {

namespace {

struct Holder {
    std::string owner, label;
    pid_t pid = 0;
};

Holder holder_of(const std::string& text) {
    Holder holder;
    const std::size_t first = text.find('\n'), second = text.find('\n', first + 1);
    if (first == std::string::npos || second == std::string::npos) return holder;
    holder.owner = text.substr(0, first);
    holder.label = text.substr(first + 1, second - first - 1);
    holder.pid = to_pid(std::string_view(text).substr(second + 1));
    return holder;
}

}  // namespace

void claim_host(const wire::Claim& claim, const std::string& folder) {
    // A tenth of a second each: it lets the tools it runs end first.
    constexpr int kTries = 200, kPatience = 150;
    if (claim.owner.find('\n') != std::string::npos || claim.label.find('\n') != std::string::npos)
        throw Failed("bad-request", "an owner is one line");
    make_parents(folder + "/claim");
    const std::string path = folder + "/claim";
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) fail_with_errno("open", path);
    for (int tried = 0; ::flock(fd, LOCK_EX | LOCK_NB) != 0; ++tried) {
        const Holder holder = holder_of(read_text(path).value_or(""));
        if (holder.owner != claim.owner || tried == kTries) {
            ::close(fd);
            throw Failed("busy", holder.label.empty() ? "another run" : holder.label);
        }
        if (holder.pid > 1 && holder.pid != ::getpid())
            ::kill(holder.pid, tried < kPatience ? SIGTERM : SIGKILL);
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    const std::string text = claim.owner + "\n" + claim.label + "\n" + std::to_string(::getpid());
    if (::ftruncate(fd, 0) != 0 ||
        ::pwrite(fd, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
        fail_with_errno("write", path);
    // fd stays open on purpose: the lock goes with the process.
}

}  // namespace slipway::agent
