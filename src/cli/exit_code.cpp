#include "cli/exit_code.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace slipway::cli {

namespace {

constexpr std::array kCodes = {
    ExitCodeRow{ExitCode::ok, "ok",
                "Done. For `apply`: everything is as the spec wants it, changed now or before."},
    ExitCodeRow{ExitCode::failed, "failed",
                "It failed; the message carries an error id. State is kept: `resume` goes on."},
    ExitCodeRow{ExitCode::changes, "changes",
                "`plan --detailed-exitcode`: there is something to change."},
    ExitCodeRow{ExitCode::spec_invalid, "spec-invalid",
                "The spec has problems; nothing was looked at on any host."},
    ExitCodeRow{ExitCode::preflight_failed, "preflight-failed",
                "A check failed; nothing was changed on any host."},
    ExitCodeRow{ExitCode::partial, "partial",
                "Some hosts were set aside, the rest is done. The report names them."},
    ExitCodeRow{ExitCode::locked, "locked",
                "Another process works on this cluster; the message names it."},
    ExitCodeRow{ExitCode::verification_failed, "verification-failed",
                "A saved plan no longer fits the spec or the hosts."},
    ExitCodeRow{ExitCode::usage, "usage",
                "The command line is wrong: unknown command, option or value."},
    ExitCodeRow{ExitCode::interrupted, "interrupted",
                "Ctrl-C, SIGTERM or `slipway cancel`; everything is recorded, `resume` goes on."},
};

std::size_t count_errors(const std::vector<config::Problem>& problems) {
    return static_cast<std::size_t>(std::ranges::count_if(
        problems, [](const config::Problem& p) { return p.severity == config::Severity::error; }));
}

}  // namespace

std::span<const ExitCodeRow> exit_codes() { return kCodes; }

SpecInvalid::SpecInvalid(std::vector<config::Problem> problems)
    : UserError("SPEC-INVALID", fmt::format("the spec has {} problem{}", count_errors(problems),
                                            count_errors(problems) == 1 ? "" : "s")),
      problems_(std::move(problems)) {}

ExitCode exit_code_of(const std::exception& error) {
    if (dynamic_cast<const Cancelled*>(&error) != nullptr) return ExitCode::interrupted;
    if (dynamic_cast<const UsageError*>(&error) != nullptr) return ExitCode::usage;
    if (dynamic_cast<const SpecInvalid*>(&error) != nullptr) return ExitCode::spec_invalid;
    if (dynamic_cast<const VerificationError*>(&error) != nullptr) {
        return ExitCode::verification_failed;
    }
    if (dynamic_cast<const LockedError*>(&error) != nullptr) return ExitCode::locked;
    return ExitCode::failed;
}

ExitCode exit_code_of(engine::RunResult result) {
    switch (result) {
        case engine::RunResult::succeeded: return ExitCode::ok;
        case engine::RunResult::partial: return ExitCode::partial;
        case engine::RunResult::failed: return ExitCode::failed;
        case engine::RunResult::cancelled: return ExitCode::interrupted;
    }
    return ExitCode::failed;
}

}  // namespace slipway::cli
