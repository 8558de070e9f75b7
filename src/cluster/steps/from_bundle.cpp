#include "cluster/steps/from_bundle.hpp"

#include "cluster/topology.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

std::string arch_of(const StepInput& in) {
    if (!in.host->arch.empty()) return in.host->arch;
    return in.facts.arch.empty() ? "amd64" : in.facts.arch;
}

FetchFrom fetch_from(const StepInput& in, const Supply& supply, unsigned mode) {
    return {.servers = registry_urls(in.spec),
            .path = supply.path,
            .sha256 = supply.sha256,
            .size = supply.size,
            .mode = mode,
            .ca_pem =
                [vault = in.material.vault] {
                    return vault ? vault->authority("registry").certificate() : std::string();
                },
            .label = fmt::format("{} {}", supply.name, supply.version)};
}

ResourcePtr program(const StepInput& in, const std::string& name, const std::string& folder,
                    const std::string& version, std::vector<std::string> members) {
    const Supply supply = in.material.supplies->program(name, arch_of(in), version);
    if (supply.name == name) return fetched_file(folder + "/" + name, fetch_from(in, supply));
    return unpacked_archive(folder, fetch_from(in, supply), std::move(members));
}

}  // namespace slipway::cluster
