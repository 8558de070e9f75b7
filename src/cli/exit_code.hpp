// How a command ended, as scripts see it. One table: help, docs/exit-codes.md and the tests read
// it.
//
//     try { … } catch (const std::exception& e) { return exit_code_of(e); }
#pragma once

#include "base/error.hpp"
#include "config/load.hpp"
#include "engine/executor.hpp"

#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::cli {

enum class ExitCode : int {
    ok = 0,
    failed = 1,
    changes = 2,
    spec_invalid = 3,
    preflight_failed = 4,
    partial = 5,
    locked = 6,
    verification_failed = 8,
    usage = 64,
    interrupted = 130,
};

struct ExitCodeRow {
    ExitCode code;
    std::string_view name;
    std::string_view meaning;
};

std::span<const ExitCodeRow> exit_codes();

// The command line itself is wrong: nothing was looked at.
class UsageError : public UserError {
    using UserError::UserError;
};

// The spec has problems; they have not been printed yet.
class SpecInvalid : public UserError {
  public:
    explicit SpecInvalid(std::vector<config::Problem> problems);
    const std::vector<config::Problem>& problems() const { return problems_; }

  private:
    std::vector<config::Problem> problems_;
};

// Something is not what was promised: a saved plan whose world has moved on.
class VerificationError : public UserError {
    using UserError::UserError;
};

ExitCode exit_code_of(const std::exception& error);
ExitCode exit_code_of(engine::RunResult result);

}  // namespace slipway::cli
