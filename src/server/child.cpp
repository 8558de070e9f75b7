#include "server/child.hpp"

#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "server/problem.hpp"

#include <array>
#include <cerrno>

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace slipway::server {

namespace {

constexpr Millis kLook{50};
constexpr std::size_t kMostOutput = 64u << 20;
constexpr std::size_t kMostLines = 500;
constexpr std::size_t kLongestLine = 8u << 10;

// What a child has on its pipes, moved along without ever waiting for one of them alone.
class Pipes {
  public:
    Pipes(Subprocess& process, const ChildCall& call, ChildResult& result)
        : process_(process), call_(call), result_(result), input_(call.input.reveal()) {
        if (input_.empty()) {
            process_.close_in();
        } else {
            ::fcntl(process_.in(), F_SETFL, O_NONBLOCK);
        }
    }

    bool open() const { return out_open_ || err_open_; }

    void move() {
        std::array<pollfd, 3> fds = {
            {{.fd = out_open_ ? process_.out() : -1, .events = POLLIN, .revents = 0},
             {.fd = err_open_ ? process_.err() : -1, .events = POLLIN, .revents = 0},
             {.fd = input_.empty() ? -1 : process_.in(), .events = POLLOUT, .revents = 0}}};
        if (::poll(fds.data(), fds.size(), static_cast<int>(kLook.count())) <= 0) return;
        if (fds[0].revents != 0) out_open_ = read_into(process_.out(), result_.out);
        if (fds[1].revents != 0) {
            err_open_ = read_into(process_.err(), err_);
            take_lines(!err_open_);
        }
        if (fds[2].revents != 0) write_input();
        if (result_.out.size() > kMostOutput)
            throw Problem(502, "SERVER-CHILD", "the command said more than can be taken");
    }

  private:
    static bool read_into(int fd, std::string& text) {
        std::array<char, 64u << 10> buffer{};
        const ssize_t n = ::read(fd, buffer.data(), buffer.size());
        if (n < 0 && errno == EINTR) return true;
        if (n <= 0) return false;
        text.append(buffer.data(), static_cast<std::size_t>(n));
        return true;
    }

    void write_input() {
        const ssize_t n = ::write(process_.in(), input_.data(), input_.size());
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
        input_.remove_prefix(n < 0 ? input_.size() : static_cast<std::size_t>(n));
        if (input_.empty()) process_.close_in();
    }

    void take_lines(bool all) {
        std::size_t at = 0;
        for (std::size_t end = 0; (end = err_.find('\n', at)) != std::string::npos; at = end + 1)
            take_line(err_.substr(at, end - at));
        err_.erase(0, at);
        if ((all || err_.size() > kMostOutput) && !err_.empty())
            take_line(std::exchange(err_, std::string()));
    }

    void take_line(std::string line) {
        constexpr std::string_view kError = "{\"error\":";
        if (line.starts_with(kError)) {
            boost::system::error_code failure;
            const json::value said = json::parse(line, failure);
            if (!failure && said.is_object() && said.get_object().at("error").is_object()) {
                result_.error = said.get_object().at("error").get_object();
                return;
            }
        }
        if (line.size() > kLongestLine) line.resize(kLongestLine);
        line = printable(line);
        if (call_.on_line) call_.on_line(line);
        if (result_.lines.size() >= kMostLines) result_.lines.erase(result_.lines.begin());
        result_.lines.push_back(std::move(line));
    }

    Subprocess& process_;
    const ChildCall& call_;
    ChildResult& result_;
    std::string_view input_;
    std::string err_;
    bool out_open_ = true, err_open_ = true;
};

[[noreturn]] void refuse(const char* why) {
    Problem busy(503, "SERVER-BUSY", why);
    busy.headers.set("Retry-After", "5");
    throw busy;
}

void require_going_on(const std::stop_source& stopping) {
    if (stopping.stop_requested()) refuse("the server is about to end");
}

class Place {
  public:
    Place(std::counting_semaphore<16>& free, const std::stop_source& stopping) : free_(free) {
        const SteadyTime until = system_clock().steady() + kPatience;
        do {
            require_going_on(stopping);
            if (free_.try_acquire_for(kLook)) return;
        } while (system_clock().steady() < until);
        refuse("too many commands are under way");
    }
    ~Place() { free_.release(); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

  private:
    static constexpr std::chrono::seconds kPatience{10};
    std::counting_semaphore<16>& free_;
};

}  // namespace

ChildResult Children::run(const ChildCall& call, const std::stop_token& stop) const {
    const Place place(free_, stopping_);
    std::vector<std::string> argv = {program_};
    argv.insert(argv.end(), call.words.begin(), call.words.end());
    argv.insert(argv.end(), {"--state", state_.string()});
    if (call.json) argv.insert(argv.end(), {"-o", "json"});
    Subprocess process({.argv = std::move(argv),
                        .env = {{"SLIPWAY_ERRORS", "json"}, {"NO_COLOR", "1"}},
                        .dies_with_caller = true});
    ChildResult result;
    Pipes pipes(process, call, result);
    const SteadyTime until = system_clock().steady() + call.deadline;
    while (pipes.open()) {
        if (stop.stop_requested()) throw Cancelled();  // the destructor ends it
        require_going_on(stopping_);
        if (system_clock().steady() >= until)
            throw Problem(
                504, "SERVER-CHILD", "the command did not end in time",
                {.cause = fmt::format("slipway {} took longer than {}", call.words.front(),
                                      format_duration(call.deadline))});
        pipes.move();
    }
    result.exit_code = process.wait();
    return result;
}

void ChildResult::require_success() const {
    if (error) throw problem_of_child(*error);
    if (exit_code == 0) return;
    constexpr int kPreflightFailed = 4;  // docs/exit-codes.md
    if (exit_code == kPreflightFailed) {
        throw Problem(409, "SERVER-CHECKS-FAILED", join(lines, "\n"),
                      {.cause = "a check failed; nothing was changed on any host",
                       .remedy = "see the preflight of this spec; ignore a check by its id"});
    }
    throw Problem(
        502, "SERVER-CHILD",
        lines.empty() ? fmt::format("the command ended with {}", exit_code) : lines.back(),
        {.cause = fmt::format("its exit code was {}", exit_code)});
}

json::object ChildResult::object() const {
    if (error) throw problem_of_child(*error);
    // A spec may be deeper than the parser allows by itself.
    constexpr std::size_t kDeepest = 128;
    boost::system::error_code failure;
    json::value value = json::parse(out, failure, {}, {.max_depth = kDeepest});
    if (!failure && value.is_object()) return std::move(value.get_object());
    require_success();
    throw Problem(502, "SERVER-CHILD", "the command did not answer with JSON");
}

}  // namespace slipway::server
