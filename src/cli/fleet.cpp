#include "cli/fleet.hpp"

namespace slipway::cli {

std::unique_ptr<remote::SimulatedFleet> open_fleet(const config::Spec& spec,
                                                   const RunOptions& options,
                                                   const ClusterFolder& cluster, Keep keep,
                                                   std::map<std::string, Secret> sudo_passwords) {
    if (!options.simulate) {
        throw UserError(
            "HOSTS-NOT-BUILT", "real machines over SSH are not built in this version",
            {.cause = "this version works on simulated hosts only", .remedy = "add --simulate"});
    }
    remote::Profile profile =
        remote::load_profile(options.profile.empty() ? "healthy" : options.profile);
    remote::SimulatedFleetOptions where;
    where.sudo_passwords = std::move(sudo_passwords);
    if (keep == Keep::changes || std::filesystem::exists(cluster.simulated()))
        where.folder = cluster.simulated();
    return std::make_unique<remote::SimulatedFleet>(std::move(profile), remote::machines_of(spec),
                                                    std::move(where), system_clock());
}

}  // namespace slipway::cli
