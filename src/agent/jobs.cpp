#include "agent/jobs.hpp"

#include "agent/files.hpp"
#include "agent/machine.hpp"
#include "agent/process.hpp"
#include "base/digest.hpp"
#include "base/files.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace slipway::agent {

namespace {

using std::chrono::milliseconds;
using Steady = std::chrono::steady_clock;

constexpr milliseconds kLookAgain{50};
// From the folder's appearance to the runner's mark.
constexpr milliseconds kStartLimit{15000};

std::string jobs_folder() { return state_folder() + "/jobs"; }

std::string folder_of(const std::string& name) {
    const auto allowed = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-';
    };
    if (name.empty() || name.size() > 200 || !std::ranges::all_of(name, allowed) ||
        name.front() == '.')
        throw Failed("bad-request", "'" + name + "' is no name of a job");
    return jobs_folder() + "/" + name;
}

std::string unit_of(const std::string& name) { return "slipway-job-" + name + ".service"; }

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

void write_small(const std::string& path, std::string_view content, mode_t mode = 0600) {
    const std::string fresh = path + ".new";
    const Fd file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode));
    if (!file) fail_with_errno("write", path);
    write_all(file.get(), content, path);
    if (::fsync(file.get()) != 0 || ::rename(fresh.c_str(), path.c_str()) != 0)
        fail_with_errno("write", path);
}

std::string read_whole(const std::string& path) {
    std::string out;
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) fail_with_errno("read", path);
    std::array<char, 65536> buffer;
    while (true) {
        const ssize_t n = ::read(fd, buffer.data(), buffer.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        out.append(buffer.data(), static_cast<std::size_t>(n));
    }
    ::close(fd);
    return out;
}

// Makes the folder of a new job; false when there is one.
bool make_folder(const wire::StartJob& wanted, const std::string& folder, Request& request) {
    if (exists(folder)) return false;
    make_parents(folder);
    ::chmod(jobs_folder().c_str(), 0700);
    const std::string fresh = jobs_folder() + "/.new-" + random_hex(8);
    if (::mkdir(fresh.c_str(), 0700) != 0) fail_with_errno("make", fresh);
    try {
        if (wanted.exec.has_input) {
            const std::string path = fresh + "/in";
            const Fd in(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
            if (!in) fail_with_errno("write", path);
            while (std::optional<std::string> bytes = request.receive())
                write_all(in.get(), *bytes, path);
        }
        write_small(fresh + "/boot", boot_id());
        write_small(fresh + "/request", wire::encode(wanted));
        if (::rename(fresh.c_str(), folder.c_str()) == 0) return true;
        if (errno != EEXIST && errno != ENOTEMPTY) fail_with_errno("make", folder);
        remove_tree(fresh);
        return false;
    } catch (...) {
        remove_tree(fresh);
        throw;
    }
}

void launch(const std::string& name, const std::string& folder, Request& request) {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    if (has_systemd()) {
        const ToolResult result =
            run_tool({"systemd-run", "--quiet", "--collect", "--unit=" + unit_of(name),
                      "--property=Type=exec", "--property=KillMode=control-group",
                      "--description=Slipway job " + name, "--", self, "job", folder},
                     request);
        // A unit that is there was started by whoever came before us.
        const bool there = result.err.find("already loaded") != std::string::npos;
        if (result.code == 0 || there || exists(folder + "/mark")) return;
        throw Failed("command-failed", "systemd-run could not start the job: " + result.err);
    }
    const wire::Exec exec{.argv = {self, "job", folder}};
    start_process(exec, {}, Death::on_its_own);  // reaped by process 1 once the agent is gone
}

// Held by the runner for as long as it lives.
class RunnerLock {
  public:
    explicit RunnerLock(const std::string& folder)
        : fd_(::open((folder + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {}
    ~RunnerLock() {
        if (fd_ >= 0) ::close(fd_);
    }
    RunnerLock(const RunnerLock&) = delete;
    RunnerLock& operator=(const RunnerLock&) = delete;
    bool taken() const { return fd_ >= 0 && ::flock(fd_, LOCK_EX | LOCK_NB) == 0; }

  private:
    int fd_;
};

bool runner_lives(const std::string& folder) {
    const RunnerLock lock(folder);
    return !lock.taken();
}

std::optional<wire::ExitStatus> exit_record(const std::string& folder) {
    if (!exists(folder + "/exit")) return std::nullopt;
    return wire::decode<wire::ExitStatus>(read_whole(folder + "/exit"));
}

// Sends what a file has beyond `offset`.
class Tail {
  public:
    Tail(const std::string& path, wire::Stream stream, std::uint64_t offset)
        : path_(path), stream_(stream), offset_(offset) {}
    ~Tail() {
        if (fd_ >= 0) ::close(fd_);
    }
    Tail(const Tail&) = delete;
    Tail& operator=(const Tail&) = delete;

    void send(Request& request) {
        if (fd_ < 0) fd_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
        if (fd_ < 0) return;
        std::array<char, wire::kDataChunk> buffer;
        while (true) {
            const ssize_t n =
                ::pread(fd_, buffer.data(), buffer.size(), static_cast<off_t>(offset_));
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) return;
            offset_ += static_cast<std::uint64_t>(n);
            request.send(stream_, std::string_view(buffer.data(), static_cast<std::size_t>(n)));
        }
    }

  private:
    std::string path_;
    wire::Stream stream_;
    std::uint64_t offset_;
    int fd_ = -1;
};

// How a job that is not seen to run ended, if it did.
std::optional<wire::ExitStatus> ending(const std::string& folder, Steady::time_point since) {
    if (auto status = exit_record(folder)) return status;
    const bool same_boot = read_text(folder + "/boot").value_or("") == boot_id();
    if (same_boot && !exists(folder + "/mark")) {
        if (Steady::now() - since < kStartLimit) return std::nullopt;
    } else if (same_boot && runner_lives(folder)) {
        return std::nullopt;
    }
    if (auto status = exit_record(folder)) return status;  // it ended while we looked
    return wire::ExitStatus{.code = 255, .lost = true};
}

}  // namespace

bool start_job(const wire::StartJob& wanted, Request& request) {
    const std::string folder = folder_of(wanted.name);
    const bool made = make_folder(wanted, folder, request);
    // A folder without a mark: whoever made it did not get to start it.
    if (!made && (exists(folder + "/mark") || exists(folder + "/exit"))) return false;
    launch(wanted.name, folder, request);
    return true;
}

wire::ExitStatus follow_job(const wire::FollowJob& wanted, Request& request) {
    const std::string folder = folder_of(wanted.name);
    if (!exists(folder)) throw Failed("not-found", "there is no job " + wanted.name);
    Tail out(folder + "/out", wire::Stream::out, wanted.out_offset);
    Tail err(folder + "/err", wire::Stream::err, wanted.err_offset);
    const Steady::time_point since = Steady::now();
    while (true) {
        const std::optional<wire::ExitStatus> status = ending(folder, since);
        out.send(request);  // after the look: what was written before the end is complete
        err.send(request);
        if (status) return *status;
        pollfd wait{.fd = request.cancel_fd(), .events = POLLIN, .revents = 0};
        ::poll(&wait, 1, static_cast<int>(kLookAgain.count()));
        if (request.cancelled()) throw Failed("cancelled", "cancelled");
    }
}

void forget_job(const std::string& name, Request& request) {
    const std::string folder = folder_of(name);
    if (!exists(folder)) return;
    if (!exists(folder + "/exit") && runner_lives(folder)) {
        if (has_systemd()) {
            run_tool({"systemctl", "--quiet", "stop", "--", unit_of(name)}, request);
        } else if (const auto mark = read_text(folder + "/mark")) {
            const pid_t runner = to_pid(*mark);
            if (runner > 1) ::kill(runner, SIGTERM);
        }
        for (int i = 0; i < 100 && runner_lives(folder); ++i)
            std::this_thread::sleep_for(kLookAgain);
        if (runner_lives(folder)) throw Failed("system", "the job " + name + " does not end");
    }
    remove_tree(folder);
}

std::vector<std::string> list_jobs() {
    std::vector<std::string> out;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(jobs_folder(), error)) {
        std::string name = entry.path().filename().string();
        if (name.front() != '.') out.push_back(std::move(name));
    }
    std::ranges::sort(out);
    return out;
}

namespace {

volatile std::sig_atomic_t stop_asked = 0;

int wait_for_job(pid_t pid, const wire::Exec& exec, bool& timed_out) {
    const Steady::time_point begin = Steady::now();
    const milliseconds limit(exec.deadline_ms);
    int status = 0;
    while (::waitpid(pid, &status, WNOHANG) == 0) {
        timed_out = exec.deadline_ms > 0 && Steady::now() - begin > limit;
        if (timed_out || stop_asked != 0) return end_process(pid);
        std::this_thread::sleep_for(milliseconds(20));
    }
    ::kill(-pid, SIGKILL);  // what it left in its group
    return status;
}

}  // namespace

int run_job(const std::string& folder) {
    const RunnerLock lock(folder);
    if (!lock.taken() || exists(folder + "/mark")) return 0;  // it runs, or ran
    write_small(folder + "/mark", std::to_string(::getpid()));
    ::signal(SIGTERM, [](int) { stop_asked = 1; });
    wire::ExitStatus status;
    const int out =
        ::open((folder + "/out").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const int err =
        ::open((folder + "/err").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    try {
        const auto job = wire::decode<wire::StartJob>(read_whole(folder + "/request"));
        const int in =
            job.exec.has_input ? ::open((folder + "/in").c_str(), O_RDONLY | O_CLOEXEC) : -1;
        const pid_t pid =
            start_process(job.exec, {.in = in, .out = out, .err = err}, Death::with_agent);
        status.code = exit_code_of(wait_for_job(pid, job.exec, status.timed_out));
    } catch (const std::exception& error) {
        const std::string line = std::string(error.what()) + "\n";
        [[maybe_unused]] const ssize_t n = ::write(err, line.data(), line.size());
        status.code = 127;
    }
    ::fsync(out);
    ::fsync(err);
    write_small(folder + "/exit", wire::encode(status));
    return 0;
}

}  // namespace slipway::agent
