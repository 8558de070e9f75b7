// The hosts a command works on: real machines over SSH, or simulated ones whose state is kept
// beside the journal.
#pragma once

#include "cli/run_options.hpp"
#include "cli/state.hpp"
#include "config/spec.hpp"
#include "remote/real_fleet.hpp"
#include "remote/simulated_fleet.hpp"

#include <memory>

namespace slipway::cli {

enum class Keep {
    changes,  // a run: what happens to the hosts lasts, and nobody else acts on them meanwhile
    nothing,  // a look: no folder is made for simulated hosts that have none yet
};

using HostSecrets = std::map<std::string, remote::Credentials>;  // see secrets.hpp

std::unique_ptr<remote::Fleet> open_fleet(const config::Spec& spec, const RunOptions& options,
                                          const ClusterFolder& cluster, Keep keep,
                                          HostSecrets secrets = {});

std::unique_ptr<remote::SimulatedFleet> open_simulated_fleet(const config::Spec& spec,
                                                             const RunOptions& options,
                                                             const ClusterFolder& cluster,
                                                             Keep keep, HostSecrets secrets = {});

std::unique_ptr<remote::RealFleet> open_real_fleet(const config::Spec& spec,
                                                   const RunOptions& options,
                                                   const ClusterFolder& cluster, Keep keep,
                                                   HostSecrets secrets = {});

}  // namespace slipway::cli
