// What a cluster is made of beside its spec: the bundles, the cluster's own secrets, and this
// program, which registry hosts run as well.
#pragma once

#include "cluster/supplies.hpp"
#include "cluster/vault.hpp"

#include <filesystem>
#include <memory>

namespace slipway::cluster {

struct Material {
    std::shared_ptr<const Supplies> supplies = {};  // null: hosts are only prepared
    std::shared_ptr<Vault> vault = {};              // null: nothing is being changed
    std::filesystem::path program = {};             // this program, for hosts of its architecture
    std::uint64_t program_size = 0;
    std::string program_version = {};
    std::filesystem::path state_folder = {};  // where the kubeconfig is kept; "": nowhere
};

}  // namespace slipway::cluster
