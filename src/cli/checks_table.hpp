// Answers of preflight checks, for people and as an object.
#pragma once

#include "cli/output.hpp"
#include "cluster/checks/check.hpp"

#include <string>
#include <vector>

namespace slipway::cli {

// {"passed":…,"checks":[{"id","host","result","severity","ignored","seen","wanted","remedy"}]}
json::object checks_json(const std::vector<cluster::CheckResult>& checks, bool passed);

// Every failed check with what was seen, what was wanted and what to do; those that passed are only
// counted, unless `verbose`. Hosts with the same answer share a line.
std::string checks_list(const std::vector<cluster::CheckResult>& checks, const Style& style,
                        bool verbose);

// A grid of checks and hosts above that list: a row a failed check and one for all others, or a row
// each when `verbose`. Without the grid when the hosts are more than eight, or do not fit `width`.
std::string checks_table(const std::vector<cluster::CheckResult>& checks, const Style& style,
                         bool verbose, std::size_t width);

}  // namespace slipway::cli
