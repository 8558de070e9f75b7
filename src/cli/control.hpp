// Wishes for a run that another process carries out: left in its journal, answered within moments.
#pragma once

#include "cli/state.hpp"
#include "desk/control.hpp"

#include <string>

namespace slipway::cli {

using desk::living_run;
using desk::require_living_run;
using desk::user_at_computer;
using desk::who_asks;

// Leaves the command, waits for its answer and shows it. `target` is a node, step or host, or "".
ExitCode leave_command(const Call& call, const ClusterFolder& cluster, store::Journal& journal,
                       std::int64_t run, const std::string& verb, const std::string& target);

}  // namespace slipway::cli
