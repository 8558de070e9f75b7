#include "cli/testing/ran.hpp"

#include "cli/app.hpp"

#include <sstream>

namespace slipway::cli::testing {

Ran run_command(const std::vector<std::string>& args) {
    std::ostringstream out, err;
    Output output(out, err);
    Ran ran;
    try {
        ran.code = run_program(args, output);
    } catch (const std::exception& e) {
        if (const auto* error = dynamic_cast<const Error*>(&e)) output.error(*error);
        ran.code = exit_code_of(e);
    }
    ran.out = out.str();
    ran.err = err.str();
    return ran;
}

}  // namespace slipway::cli::testing
