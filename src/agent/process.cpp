#include "agent/process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace slipway::agent {

namespace {

using Steady = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr const char* kPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
constexpr milliseconds kGrace{3000};
// A tool of the system that is cut off leaves locks, temporary files and half a change behind: it
// is let end when nobody waits for it any more, if that takes no longer than this.
constexpr milliseconds kToolPatience{8000};
// How long output may stay open after the program itself has ended (a daemon it left behind).
constexpr milliseconds kLookAgain{50};

class Pipe {
  public:
    Pipe() {
        if (::pipe2(ends_.data(), O_CLOEXEC) != 0) fail_with_errno("make", "a pipe");
    }
    ~Pipe() {
        close_read();
        close_write();
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    int read_end() const { return ends_[0]; }
    int write_end() const { return ends_[1]; }
    void close_read() { close_one(ends_[0]); }
    void close_write() { close_one(ends_[1]); }

  private:
    static void close_one(int& fd) {
        if (fd >= 0) ::close(fd);
        fd = -1;
    }
    std::array<int, 2> ends_{-1, -1};
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (std::string& text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
}

// What a command may count on, whatever the login that brought us here had.
std::vector<std::string> environment(const wire::Exec& exec) {
    std::map<std::string, std::string> all = {{"PATH", kPath},
                                              {"HOME", "/root"},
                                              {"LC_ALL", "C.UTF-8"},
                                              {"USER", "root"},
                                              {"LOGNAME", "root"}};
    if (::geteuid() != 0) {
        for (const char* name : {"HOME", "USER", "LOGNAME"}) {
            if (const char* value = ::getenv(name)) all[name] = value;
        }
    }
    for (const auto& [name, value] : exec.env) all[name] = value;
    std::vector<std::string> out;
    for (const auto& [name, value] : all) out.push_back(name + "=" + value);
    return out;
}

// The whole path of argv[0], looked up before the fork: a missing program is told as such.
std::string find_program(const wire::Exec& exec) {
    if (exec.argv.empty() || exec.argv[0].empty()) throw Failed("bad-request", "no program to run");
    const std::string& name = exec.argv[0];
    const bool is_path = name.find('/') != std::string::npos;
    // Only a whole path can be looked at here: others begin at the command's folder.
    const bool missing =
        name.front() == '/' && ::access(name.c_str(), F_OK) != 0 && errno == ENOENT;
    if (is_path && !missing) return name;
    const auto given = exec.env.find("PATH");
    const std::string path = given == exec.env.end() ? kPath : given->second;
    for (std::size_t at = 0; at <= path.size() && !is_path;) {
        const std::size_t end = std::min(path.find(':', at), path.size());
        std::string candidate = path.substr(at, end - at) + "/" + name;
        if (::access(candidate.c_str(), X_OK) == 0) return candidate;
        at = end + 1;
    }
    throw Failed("no-tool", "there is no program " + name + " on the host", ENOENT);
}

// Only what is safe between fork and exec in a program with threads.
[[noreturn]] void become(const char* program, char* const* argv, char* const* env,
                         const char* folder, const Streams& streams, Death death, int error_fd) {
    const auto give_up = [&] {
        const int error = errno;
        [[maybe_unused]] const ssize_t n = ::write(error_fd, &error, sizeof error);
        ::_exit(127);
    };
    ::setsid();
    if (death == Death::with_agent) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    const std::array<int, 3> wanted = {streams.in, streams.out, streams.err};
    for (int i = 0; i < 3; ++i) {
        if (::dup2(wanted[static_cast<std::size_t>(i)] < 0 ? null
                                                           : wanted[static_cast<std::size_t>(i)],
                   i) < 0)
            give_up();
    }
    if (::chdir(folder) != 0) give_up();
    ::umask(022);
    ::execve(program, argv, env);
    give_up();
    ::_exit(127);
}

// Copies what is there of one pipe to the request; false when it has ended.
class Pump {
  public:
    Pump(int fd, wire::Stream stream) : fd_(fd), stream_(stream) {
        ::fcntl(fd, F_SETFL, O_NONBLOCK);
    }
    int fd() const { return open_ ? fd_ : -1; }
    bool open() const { return open_; }

    template <class Sink>
    void drain(Sink& sink) {
        std::array<char, wire::kDataChunk> buffer;  // on the stack of a request's own thread
        while (open_) {
            const ssize_t n = ::read(fd_, buffer.data(), buffer.size());
            if (n > 0) {
                sink(stream_, std::string_view(buffer.data(), static_cast<std::size_t>(n)));
                continue;
            }
            if (n < 0 && errno == EINTR) continue;
            if (n < 0 && errno == EAGAIN) return;
            open_ = false;
        }
    }

  private:
    int fd_;
    wire::Stream stream_;
    bool open_ = true;
};

// Feeds stdin from the request on a thread of its own; ends by itself when either side does.
class Feeder {
  public:
    Feeder(int fd, Request& request) : fd_(fd) {
        thread_ = std::thread([this, &request] {
            try {
                while (std::optional<std::string> bytes = request.receive()) {
                    if (!write_all(*bytes)) break;
                }
            } catch (const Failed&) {  // NOLINT(bugprone-empty-catch)
                // cancelled: the process is being ended as well
            }
            ::close(fd_);
        });
    }
    ~Feeder() { thread_.join(); }
    Feeder(const Feeder&) = delete;
    Feeder& operator=(const Feeder&) = delete;

  private:
    bool write_all(std::string_view bytes) const {
        while (!bytes.empty()) {
            const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(n));
        }
        return true;
    }
    int fd_;
    std::thread thread_;
};

// Ends the process group unless the process was seen to end.
class Guard {
  public:
    explicit Guard(pid_t pid) : pid_(pid) {}
    ~Guard() {
        if (pid_ > 0) end_process(pid_);
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

    std::optional<int> ended() {  // its wait status, once
        int status = 0;
        if (::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
        ::kill(-pid_, SIGKILL);  // what it left in its group
        pid_ = -1;
        return status;
    }
    int end() {
        const int status = end_process(pid_);
        pid_ = -1;
        return status;
    }

  private:
    pid_t pid_;
};

template <class Sink>
wire::ExitStatus wait_for_end(Guard& guard, Pump& out, Pump& err, const wire::Exec& exec,
                              Request& request, Sink& sink, milliseconds patience) {
    const Steady::time_point begin = Steady::now();
    const milliseconds limit(exec.deadline_ms);
    std::optional<Steady::time_point> cancelled;
    while (true) {
        std::array<pollfd, 3> wait = {pollfd{out.fd(), POLLIN, 0}, pollfd{err.fd(), POLLIN, 0},
                                      pollfd{cancelled ? -1 : request.cancel_fd(), POLLIN, 0}};
        // With both pipes closed the end is near: look often.
        const milliseconds pause = out.open() || err.open() ? kLookAgain : milliseconds(1);
        ::poll(wait.data(), wait.size(), static_cast<int>(pause.count()));
        out.drain(sink);
        err.drain(sink);
        if (request.cancelled() && !cancelled) cancelled = Steady::now();
        if (cancelled && Steady::now() - *cancelled >= patience)
            throw Failed("cancelled", "cancelled");
        if (const std::optional<int> status = guard.ended()) {
            if (cancelled) throw Failed("cancelled", "cancelled");
            out.drain(sink);
            err.drain(sink);
            return {.code = exit_code_of(*status)};
        }
        if (exec.deadline_ms > 0 && Steady::now() - begin > limit) {
            const int status = guard.end();
            out.drain(sink);
            err.drain(sink);
            return {.code = exit_code_of(status), .timed_out = true};
        }
    }
}

template <class Sink>
wire::ExitStatus run_process(const wire::Exec& exec, Request& request, Sink& sink,
                             milliseconds patience) {
    Pipe in, out, err;
    const pid_t pid = start_process(
        exec,
        {.in = exec.has_input ? in.read_end() : -1, .out = out.write_end(), .err = err.write_end()},
        Death::with_agent);
    in.close_read();
    out.close_write();
    err.close_write();
    std::optional<Feeder> feeder;  // declared before the guard: it ends once the process has
    if (exec.has_input) feeder.emplace(::fcntl(in.write_end(), F_DUPFD_CLOEXEC, 3), request);
    in.close_write();
    struct EndOfInput {  // the process may end before its input does
        Request& request;
        ~EndOfInput() { request.end_receiving(); }
    } const end_of_input{request};
    Guard guard(pid);
    Pump out_pump(out.read_end(), wire::Stream::out), err_pump(err.read_end(), wire::Stream::err);
    return wait_for_end(guard, out_pump, err_pump, exec, request, sink, patience);
}

}  // namespace

pid_t start_process(const wire::Exec& exec, const Streams& streams, Death death) {
    const std::string program = find_program(exec);
    std::vector<std::string> argv = exec.argv, env = environment(exec);
    const std::vector<char*> argv_pointers = pointers(argv), env_pointers = pointers(env);
    const std::string folder = exec.folder.empty() ? "/" : exec.folder;
    Pipe errors;
    const pid_t pid = ::fork();
    if (pid < 0) fail_with_errno("start", program);
    if (pid == 0) {
        become(program.c_str(), argv_pointers.data(), env_pointers.data(), folder.c_str(), streams,
               death, errors.write_end());
    }
    errors.close_write();
    int error = 0;
    ssize_t n = 0;
    do n = ::read(errors.read_end(), &error, sizeof error);
    while (n < 0 && errno == EINTR);
    if (n == sizeof error) {
        ::waitpid(pid, nullptr, 0);
        errno = error;
        fail_with_errno("run", program);
    }
    return pid;
}

int exit_code_of(int wait_status) {
    if (WIFEXITED(wait_status)) return WEXITSTATUS(wait_status);
    return 128 + WTERMSIG(wait_status);
}

int end_process(pid_t pid) {
    ::kill(-pid, SIGTERM);
    const Steady::time_point until = Steady::now() + kGrace;
    int status = 0;
    while (::waitpid(pid, &status, WNOHANG) == 0) {
        if (Steady::now() > until) {
            ::kill(-pid, SIGKILL);
            ::waitpid(pid, &status, 0);
            return status;
        }
        std::this_thread::sleep_for(milliseconds(5));
    }
    ::kill(-pid, SIGKILL);
    return status;
}

wire::ExitStatus execute(const wire::Exec& exec, Request& request) {
    const auto sink = [&](wire::Stream stream, std::string_view bytes) {
        request.send(stream, bytes);
    };
    return run_process(exec, request, sink, milliseconds(0));
}

ToolResult run_tool(std::vector<std::string> argv, Request& request,
                    std::map<std::string, std::string> env) {
    constexpr std::size_t kKept = 1u << 20;
    ToolResult result;
    const auto sink = [&](wire::Stream stream, std::string_view bytes) {
        std::string& kept = stream == wire::Stream::out ? result.out : result.err;
        kept += bytes.substr(0, kKept - std::min(kKept, kept.size()));
    };
    const wire::Exec exec{.argv = std::move(argv), .env = std::move(env)};
    result.code = static_cast<int>(run_process(exec, request, sink, kToolPatience).code);
    return result;
}

std::string need_tool(std::vector<std::string> argv, Request& request,
                      std::map<std::string, std::string> env) {
    std::string line;
    for (const std::string& argument : argv) line += (line.empty() ? "" : " ") + argument;
    const ToolResult result = run_tool(std::move(argv), request, std::move(env));
    if (result.code == 0) return result.out;
    std::string why = result.err.empty() ? result.out : result.err;
    while (why.ends_with('\n')) why.pop_back();
    constexpr std::size_t kTail = 2000;
    if (why.size() > kTail) why = "…" + why.substr(why.size() - kTail);
    throw Failed("command-failed", "`" + line + "` ended with " + std::to_string(result.code) +
                                       (why.empty() ? "" : ": " + why));
}

}  // namespace slipway::agent
