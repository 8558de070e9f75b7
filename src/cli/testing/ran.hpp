// A whole command, in this process: what a user types and what comes back.
#pragma once

#include "base/json.hpp"
#include "cli/exit_code.hpp"

#include <string>
#include <vector>

namespace slipway::cli::testing {

struct Ran {
    ExitCode code = ExitCode::ok;
    std::string out = {};
    std::string err = {};

    json::object object() const { return parse_json(out, "output").as_object(); }
};

Ran run_command(const std::vector<std::string>& args);

}  // namespace slipway::cli::testing
