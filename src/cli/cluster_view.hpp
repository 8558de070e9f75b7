// What a cluster says of itself, beside what the journal knows of it: for `slipway status`.
#pragma once

#include "base/json.hpp"

#include <filesystem>
#include <string>

namespace slipway::cli {

struct ClusterView {
    json::object object = {};
    std::string text = {};  // tables; "" when the cluster was never made
};

// Asks the API server by the administrator's kubeconfig in the state folder. A cluster that does
// not answer is an answer as well. That of simulated hosts is not asked: its address may be
// somebody else's.
ClusterView view_cluster(const std::filesystem::path& state_folder, bool simulated);

}  // namespace slipway::cli
