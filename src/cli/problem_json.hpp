// Problems of a spec and errors as JSON, for other programs.
#pragma once

#include "base/json.hpp"
#include "config/problem.hpp"

#include <exception>

namespace slipway::cli {

json::object problem_json(const config::Problem& problem);

// What SLIPWAY_ERRORS=json writes to stderr instead of words:
// {"error": {"class": "user", "id": …, "message": …, "cause": …, "remedy": …, "problems": […]}}
json::object error_json(const std::exception& error);

}  // namespace slipway::cli
