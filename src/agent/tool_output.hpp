// What a small tool of the system prints, within a time limit, for those who ask no more of it.
#pragma once

#include "agent/request.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace slipway::agent {

// Its standard output, cut at 4 MiB. Nothing when there is no such program, when it fails or when
// it takes too long. `request` may be null; with one, throws Failed("cancelled") when it is.
std::optional<std::string> tool_output(std::vector<std::string> argv,
                                       std::chrono::milliseconds limit, const Request* request);

}  // namespace slipway::agent
