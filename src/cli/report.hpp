// The end of a run in words and as one object.
#pragma once

#include "cli/output.hpp"
#include "cluster/operation.hpp"

#include <string>

namespace slipway::cli {

// {"cluster","run","kind","result","changed","unchanged","skipped","failed","blocked","seconds", …}
json::object report_json(const std::string& cluster, const std::string& kind,
                         const cluster::RunReport& report, const config::Spec& spec);

// Result, counts, and each failure with id, cause and remedy.
std::string report_text(const std::string& cluster, const std::string& kind,
                        const cluster::RunReport& report, const Style& style);

// What to type next; "" when there is nothing left to do.
std::string next_commands(const std::string& cluster, const cluster::RunReport& report);

}  // namespace slipway::cli
