#include "cli/fleet.hpp"

#include "base/digest.hpp"
#include "base/files.hpp"

#include <array>
#include <optional>

#include <fmt/format.h>

#include <unistd.h>

namespace slipway::cli {

namespace {

std::string this_computer() {
    std::array<char, 256> name{};
    ::gethostname(name.data(), name.size() - 1);
    return name.data();
}

// The same for every run of this state folder, and for no other: machine-ids are copied with
// machines, and folders have the same name everywhere.
remote::ClaimAs claim_of(const ClusterFolder& cluster) {
    const std::filesystem::path file = cluster.folder / "owner";
    std::optional<std::string> id = read_file_if_any(file);
    if (!id || id->empty()) {
        make_private_folders(cluster.folder);
        atomic_write(file, random_hex(16));
        id = read_file(file);
    }
    return {.owner = Sha256().field(*id).field(this_computer()).hex(),
            .label = fmt::format("a run of {} from {}", cluster.name, this_computer())};
}

}  // namespace

std::unique_ptr<remote::SimulatedFleet> open_simulated_fleet(const config::Spec& spec,
                                                             const RunOptions& options,
                                                             const ClusterFolder& cluster,
                                                             Keep keep, HostSecrets secrets) {
    remote::Profile profile =
        remote::load_profile(options.profile.empty() ? "healthy" : options.profile);
    remote::SimulatedFleetOptions where;
    for (auto& [host, given] : secrets) {
        if (!given.sudo_password.empty())
            where.sudo_passwords[host] = std::move(given.sudo_password);
    }
    where.outside = remote::services_outside(spec);
    if (keep == Keep::changes || std::filesystem::exists(cluster.simulated()))
        where.folder = cluster.simulated();
    return std::make_unique<remote::SimulatedFleet>(std::move(profile), remote::machines_of(spec),
                                                    std::move(where), system_clock());
}

std::unique_ptr<remote::RealFleet> open_real_fleet(const config::Spec& spec,
                                                   const RunOptions& options,
                                                   const ClusterFolder& cluster, Keep keep,
                                                   HostSecrets secrets) {
    if (options.accept_new_keys) make_private_folders(cluster.folder);
    remote::RealFleetOptions how{
        .known_hosts = std::filesystem::absolute(cluster.known_hosts()).string(),
        .ssh_config = options.ssh_config,
        .accept_new_keys = options.accept_new_keys,
        .parallel_dials = static_cast<std::size_t>(spec.limits.parallel_dials)};
    if (keep == Keep::changes) how.claim = claim_of(cluster);
    return std::make_unique<remote::RealFleet>(spec, std::move(secrets), std::move(how));
}

std::unique_ptr<remote::Fleet> open_fleet(const config::Spec& spec, const RunOptions& options,
                                          const ClusterFolder& cluster, Keep keep,
                                          HostSecrets secrets) {
    if (options.simulate)
        return open_simulated_fleet(spec, options, cluster, keep, std::move(secrets));
    return open_real_fleet(spec, options, cluster, keep, std::move(secrets));
}

}  // namespace slipway::cli
