// A child process with pipes on its standard streams.
//
//     Subprocess ssh({.argv = {"ssh", "-T", "--", "10.0.0.11", "true"}});
//     … ssh.in(), ssh.out(), ssh.err() …
//     int code = ssh.wait();
//
// It leads a session of its own, so that a Ctrl-C on the terminal does not end it behind our back
// and end() reaches everything it started. It dies with this process, and when the object goes.
#pragma once

#include "base/files.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace slipway {

struct SubprocessOptions {
    std::vector<std::string> argv = {};
    // Added to (or, with an empty value, taken out of) this process's environment.
    std::map<std::string, std::string> env = {};
    // Killed by the kernel when the thread that starts it ends, be it that this process is killed.
    // For a thread that stays until the program has ended.
    bool dies_with_caller = false;
};

class Subprocess {
  public:
    // Throws StateError PROGRAM-MISSING or PROGRAM-START.
    explicit Subprocess(const SubprocessOptions& options);
    ~Subprocess();
    Subprocess(const Subprocess&) = delete;
    Subprocess& operator=(const Subprocess&) = delete;

    pid_t pid() const { return pid_; }
    int in() const { return in_.get(); }
    int out() const { return out_.get(); }
    int err() const { return err_.get(); }
    void close_in() { in_.reset(); }

    // Its exit code (128 + signal) once it has ended.
    std::optional<int> ended();
    int wait();
    // SIGTERM, and SIGKILL for what is left of its group a second later, or when it has ended.
    void end();

  private:
    bool ends_soon() const;

    pid_t pid_ = -1;
    std::optional<int> code_;
    Fd in_, out_, err_;
};

}  // namespace slipway
