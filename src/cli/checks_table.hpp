// Answers of preflight checks, for people and as an object.
#pragma once

#include "cli/output.hpp"
#include "cluster/checks/check.hpp"

#include <string>
#include <vector>

namespace slipway::cli {

// {"passed":…,"checks":[{"id","host","result","severity","ignored","seen","wanted","remedy"}]}
json::object checks_json(const std::vector<cluster::CheckResult>& checks, bool passed);

// Checks that passed are only counted, unless `verbose`.
std::string checks_table(const std::vector<cluster::CheckResult>& checks, const Style& style,
                         bool verbose);

}  // namespace slipway::cli
