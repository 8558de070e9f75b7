// The last run of a cluster as TKE's installer tells it.
#pragma once

#include "convert/tke_answers.hpp"
#include "desk/state.hpp"

#include <cstddef>
#include <string>

namespace slipway::server {

inline constexpr std::size_t kMostTkeLog = 1u << 20;

// State and log, the last `most` bytes of it in whole lines.
convert::TkeRun tke_run(const desk::ClusterFolder& cluster, store::Journal& journal,
                        std::size_t most = kMostTkeLog);

// How the cluster is reached: from its kubeconfig ("" when it has none) and the spec of its run.
void add_endpoint(convert::TkeRun& run, const std::string& kubeconfig, const std::string& spec);

}  // namespace slipway::server
