// The hosts a command works on: simulated ones, whose state is kept beside the journal.
#pragma once

#include "cli/run_options.hpp"
#include "cli/state.hpp"
#include "config/spec.hpp"
#include "remote/simulated_fleet.hpp"

#include <memory>

namespace slipway::cli {

enum class Keep {
    changes,  // a run: what happens to the hosts lasts
    nothing,  // a look: no folder is made for hosts that have none yet
};

// `sudo_passwords` by host, see secrets.hpp. Throws UserError HOSTS-NOT-BUILT without --simulate.
std::unique_ptr<remote::SimulatedFleet> open_fleet(
    const config::Spec& spec, const RunOptions& options, const ClusterFolder& cluster, Keep keep,
    std::map<std::string, Secret> sudo_passwords = {});

}  // namespace slipway::cli
