// Going on in the background: the run's process leaves the terminal once the run has begun.
//
//     Detached detached(log);                  // forks; only the child returns with in_child()
//     true if (!detached.in_child()) return detached.wait(…);   // until the run has begun, or
//     failed to … detached.leave(run);                     // child: own session, output into the
//     log
//
// Everything up to leave() still happens before the user's eyes: problems, checks, questions.
#pragma once

#include "base/files.hpp"
#include "cli/exit_code.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>

#include <sys/types.h>

namespace slipway::cli {

class Detached {
  public:
    // Must be called while the process has one thread.
    Detached();

    bool in_child() const { return child_ == 0; }
    pid_t child() const { return child_; }

    // In the parent: the number of the run that has begun; nullopt when the child ended before
    // that, with its exit code in `ended`.
    std::optional<std::int64_t> wait(ExitCode& ended);

    // In the child.
    void leave(const std::filesystem::path& log, std::int64_t run);

  private:
    pid_t child_ = -1;
    Fd read_end_;
    Fd write_end_;
};

}  // namespace slipway::cli
