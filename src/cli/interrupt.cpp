#include "cli/interrupt.hpp"

#include "cli/exit_code.hpp"
#include "cli/terminal.hpp"

#include <array>
#include <chrono>

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace slipway::cli {

namespace {

sigset_t stop_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

}  // namespace

Interrupts::Interrupts() {
    const sigset_t set = stop_signals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    ::signal(SIGHUP, SIG_IGN);
    signals_ = Fd(::signalfd(-1, &set, SFD_CLOEXEC));
    leave_ = Fd(::eventfd(0, EFD_CLOEXEC));
    watcher_ = std::jthread([this] { watch(); });
}

Interrupts::~Interrupts() {
    const std::uint64_t one = 1;
    write_best_effort(leave_.get(), {reinterpret_cast<const char*>(&one), sizeof one});
    watcher_.join();
    const sigset_t set = stop_signals();
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    ::signal(SIGHUP, SIG_DFL);
}

void Interrupts::watch() {
    // timeout(1) and terminals may signal the process and its group within a moment: that is one
    // wish.
    constexpr auto kSameWish = std::chrono::seconds(1);
    std::chrono::steady_clock::time_point first;
    while (true) {
        std::array<pollfd, 2> fds = {{{.fd = signals_.get(), .events = POLLIN, .revents = 0},
                                      {.fd = leave_.get(), .events = POLLIN, .revents = 0}}};
        if (::poll(fds.data(), fds.size(), -1) < 0) continue;
        if (fds[0].revents != 0) {
            signalfd_siginfo info{};
            if (::read(signals_.get(), &info, sizeof info) != sizeof info) continue;
            const auto now = std::chrono::steady_clock::now();
            if (source_.request_stop()) {
                first = now;
            } else if (now - first > kSameWish) {
                ::_exit(static_cast<int>(ExitCode::interrupted));
            }
            continue;
        }
        if (fds[1].revents != 0) return;
    }
}

}  // namespace slipway::cli
