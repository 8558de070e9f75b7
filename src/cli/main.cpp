// The program: one catch around everything.
#include "base/failpoint.hpp"
#include "cli/app.hpp"
#include "cli/problem_json.hpp"
#include "cli/standard_output.hpp"
#include "remote/ssh/askpass.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include <signal.h>
#include <unistd.h>

namespace {

namespace cli = slipway::cli;
namespace config = slipway::config;
using slipway::Cancelled;
using slipway::Error;
using slipway::Failpoint;

// For programs that start this one and pass its errors on.
bool errors_as_json() {
    const char* wanted = std::getenv("SLIPWAY_ERRORS");
    return wanted != nullptr && std::string_view(wanted) == "json";
}

cli::ExitCode report(cli::Output& output, const std::exception& error) {
    if (errors_as_json()) {
        std::cerr << slipway::json::serialize(cli::error_json(error)) << std::endl;
        return cli::exit_code_of(error);
    }
    if (const auto* invalid = dynamic_cast<const cli::SpecInvalid*>(&error)) {
        for (const config::Problem& problem : invalid->problems()) output.note(problem.line());
        output.error(*invalid);
    } else if (const auto* known = dynamic_cast<const Error*>(&error)) {
        output.error(*known);
    } else if (dynamic_cast<const Cancelled*>(&error) != nullptr) {
        // A run that is stopped has an outcome of its own; this one had not begun.
        output.note("stopped; nothing was changed");
    } else {
        output.error(error.what());
    }
    return cli::exit_code_of(error);
}

// Data that did not arrive is a failure, except that a reader (`| head`) may have had enough.
cli::ExitCode flushed(cli::Output& output, const cli::StandardOutput& written, cli::ExitCode code) {
    output.out().flush();
    if (written.failure() == 0 || written.failure() == EPIPE) return code;
    output.error(std::string("cannot write to standard output: ") +
                 std::strerror(written.failure()));
    return code == cli::ExitCode::ok ? cli::ExitCode::failed : code;
}

}  // namespace

int main(int argc, char** argv) {
    if (const auto answered = slipway::remote::run_as_askpass(argc, argv)) return *answered;
    ::signal(SIGPIPE, SIG_IGN);
    std::ios::sync_with_stdio(false);
    cli::StandardOutput written(STDOUT_FILENO);
    std::ostream out(&written);
    cli::Output output(out, std::cerr);
    output.in_is_terminal = ::isatty(STDIN_FILENO) == 1;
    output.out_is_terminal = ::isatty(STDOUT_FILENO) == 1;
    output.err_is_terminal = ::isatty(STDERR_FILENO) == 1;
    output.err_style = cli::style_for(output.err_is_terminal, false);

    cli::ExitCode code = cli::ExitCode::failed;
    try {
        Failpoint::arm_from_environment();
        code = cli::run_program({argv + 1, argv + argc}, output);
    } catch (const std::exception& error) {
        code = report(output, error);
    }
    return static_cast<int>(flushed(output, written, code));
}
