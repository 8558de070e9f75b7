#include "base/local_command.hpp"

#include "base/error.hpp"
#include "base/subprocess.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <poll.h>
#include <unistd.h>

namespace slipway {

namespace {

using namespace std::chrono_literals;

// How long a wish to stop may go unnoticed.
constexpr Millis kLook = 50ms;
// For what is still in the pipes when the program has ended. Whoever holds them open longer was
// left behind by it on purpose.
constexpr Millis kDrain = 300ms;
// Longer lines are handed over in pieces.
constexpr std::size_t kLongestLine = 64u << 10;

// Cuts what comes through a pipe into lines.
class LineReader {
  public:
    LineReader(int fd, std::string_view stream, const LocalCommand& command)
        : fd_(fd), stream_(stream), command_(command) {}

    bool open() const { return open_; }
    int fd() const { return open_ ? fd_ : -1; }

    void read_some() {
        std::array<char, 16 << 10> buffer{};
        const ssize_t n = ::read(fd_, buffer.data(), buffer.size());
        if (n < 0 && errno == EINTR) return;
        if (n <= 0) return finish();
        text_.append(buffer.data(), static_cast<std::size_t>(n));
        std::size_t at = 0;
        for (std::size_t end = 0; (end = text_.find('\n', at)) != std::string::npos; at = end + 1) {
            hand_over(std::string_view(text_).substr(at, end - at));
        }
        text_.erase(0, at);
        if (text_.size() >= kLongestLine) hand_over(std::exchange(text_, {}));
    }

    void finish() {
        if (!text_.empty()) hand_over(std::exchange(text_, {}));
        open_ = false;
    }

  private:
    void hand_over(std::string_view line) {
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (command_.on_line) command_.on_line(stream_, line);
    }

    int fd_;
    std::string_view stream_;
    const LocalCommand& command_;
    std::string text_;
    bool open_ = true;
};

// Waits until something can be read, at most `longest`.
void read_what_comes(LineReader& out, LineReader& err, Millis longest) {
    std::array<pollfd, 2> fds = {{{.fd = out.fd(), .events = POLLIN, .revents = 0},
                                  {.fd = err.fd(), .events = POLLIN, .revents = 0}}};
    if (::poll(fds.data(), fds.size(), static_cast<int>(longest.count())) <= 0) return;
    if (fds[0].revents != 0) out.read_some();
    if (fds[1].revents != 0) err.read_some();
}

}  // namespace

LocalResult run_local(const LocalCommand& command, std::stop_token stop) {
    Subprocess program({.argv = command.argv, .env = command.env, .dies_with_caller = true});
    program.close_in();
    LineReader out(program.out(), "stdout", command), err(program.err(), "stderr", command);
    const auto start = std::chrono::steady_clock::now();
    const auto passed = [](auto since) { return std::chrono::steady_clock::now() - since; };
    LocalResult result;
    while (!program.ended()) {
        if (stop.stop_requested()) throw Cancelled();  // the destructor ends it
        if (passed(start) >= command.deadline) {
            program.end();
            result.timed_out = true;
            break;
        }
        read_what_comes(out, err, kLook);
    }
    const auto end = std::chrono::steady_clock::now();
    while ((out.open() || err.open()) && passed(end) < kDrain && !stop.stop_requested()) {
        read_what_comes(out, err, kLook);
    }
    out.finish();
    err.finish();
    result.exit_code = program.wait();
    return result;
}

}  // namespace slipway
