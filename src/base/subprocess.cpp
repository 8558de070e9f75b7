#include "base/subprocess.hpp"

#include "base/error.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace slipway {

namespace {

struct Pipe {
    Fd read, write;
};

Pipe make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        throw StateError("PROGRAM-START",
                         std::string("cannot make a pipe: ") + std::strerror(errno),
                         {.remedy = "raise the limit of open files (ulimit -n)"});
    return {Fd(ends[0]), Fd(ends[1])};
}

std::string find_program(const std::string& name) {
    if (name.find('/') != std::string::npos) return name;
    const char* given = ::getenv("PATH");
    const std::string path = given == nullptr ? "/usr/local/bin:/usr/bin:/bin" : given;
    for (std::size_t at = 0; at <= path.size();) {
        const std::size_t end = std::min(path.find(':', at), path.size());
        std::string candidate = path.substr(at, end - at) + "/" + name;
        if (::access(candidate.c_str(), X_OK) == 0) return candidate;
        at = end + 1;
    }
    throw StateError("PROGRAM-MISSING", "there is no program " + name + " on this computer",
                     {.cause = "it is in no folder of PATH",
                      .remedy = name == "ssh" ? "install the OpenSSH client (openssh-client)"
                                              : "install it, or add its folder to PATH"});
}

std::vector<std::string> environment(const std::map<std::string, std::string>& changes) {
    std::vector<std::string> out;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        if (!changes.contains(text.substr(0, text.find('=')))) out.push_back(text);
    }
    for (const auto& [name, value] : changes) {
        if (!value.empty()) out.push_back(name + "=" + value);
    }
    return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (std::string& text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
}

int code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

}  // namespace

Subprocess::Subprocess(const SubprocessOptions& options) {
    const std::string program = find_program(options.argv.at(0));
    std::vector<std::string> argv = options.argv, env = environment(options.env);
    const std::vector<char*> argv_pointers = pointers(argv), env_pointers = pointers(env);
    Pipe in = make_pipe(), out = make_pipe(), err = make_pipe(), failed = make_pipe();
    const pid_t child = ::fork();
    if (child < 0)
        throw StateError("PROGRAM-START", "cannot start " + program + ": " + std::strerror(errno),
                         {.remedy = "raise the limit of processes (ulimit -u)"});
    if (child == 0) {  // only what is safe between fork and exec in a program with threads
        ::setsid();
        if (options.dies_with_caller) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        sigset_t none;
        ::sigemptyset(&none);
        ::sigprocmask(SIG_SETMASK, &none, nullptr);
        for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
        ::dup2(in.read.get(), 0);
        ::dup2(out.write.get(), 1);
        ::dup2(err.write.get(), 2);
        ::execve(program.c_str(), argv_pointers.data(), env_pointers.data());
        const int error = errno;
        [[maybe_unused]] const ssize_t n = ::write(failed.write.get(), &error, sizeof error);
        ::_exit(127);
    }
    failed.write.reset();
    int error = 0;
    ssize_t n = 0;
    do n = ::read(failed.read.get(), &error, sizeof error);
    while (n < 0 && errno == EINTR);
    if (n == sizeof error) {
        ::waitpid(child, nullptr, 0);
        throw StateError("PROGRAM-START", "cannot start " + program + ": " + std::strerror(error),
                         {.remedy = "check the file and its permissions"});
    }
    pid_ = child;
    in_ = std::move(in.write);
    out_ = std::move(out.read);
    err_ = std::move(err.read);
}

Subprocess::~Subprocess() { end(); }

std::optional<int> Subprocess::ended() {
    int status = 0;
    if (!code_ && ::waitpid(pid_, &status, WNOHANG) == pid_) code_ = code_of(status);
    return code_;
}

int Subprocess::wait() {
    while (!code_) {
        int status = 0;
        if (::waitpid(pid_, &status, 0) == pid_) code_ = code_of(status);
    }
    return *code_;
}

// It is left unreaped, so that its number, and with it its group, stays its own.
bool Subprocess::ends_soon() const {
    using namespace std::chrono_literals;
    for (int i = 0; i < 200; ++i) {
        siginfo_t info{};
        const int asked =
            ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
        if (asked == 0 && info.si_pid == pid_) return true;
        std::this_thread::sleep_for(5ms);
    }
    return false;
}

void Subprocess::end() {
    if (pid_ < 0 || ended()) return;
    ::kill(-pid_, SIGTERM);
    ends_soon();
    ::kill(-pid_, SIGKILL);
    wait();
}

}  // namespace slipway
