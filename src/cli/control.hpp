// Wishes for a run that another process carries out: left in its journal, answered within moments.
#pragma once

#include "cli/state.hpp"

#include <optional>
#include <string>

namespace slipway::cli {

// The number of the run that goes on in some process; nullopt when none does.
std::optional<std::int64_t> living_run(const ClusterFolder& cluster, store::Journal& journal);

// As above; throws RUN-NOT-ALIVE.
std::int64_t require_living_run(const ClusterFolder& cluster, store::Journal& journal);

// Leaves the command, waits for its answer and shows it. `target` is a node, step or host, or "".
ExitCode leave_command(const Call& call, const ClusterFolder& cluster, store::Journal& journal,
                       std::int64_t run, const std::string& verb, const std::string& target);

// "ops@laptop pid 12"
// "user@computer": the same for every call, so a lease claimed by one is reported by the next.
std::string user_at_computer();
std::string who_asks();

}  // namespace slipway::cli
