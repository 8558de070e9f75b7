// New settings of living kubelets are tried on one node: one that does not run with them gets its
// old ones again, and the others are left as they are. Once it runs, all others follow together.
#pragma once

#include "cluster/flow.hpp"
#include "engine/step.hpp"

namespace slipway::cluster {

// `step` writes the files of the kubelet on its host and restarts it.
engine::Step kubelet_change(const StepInput& in, engine::Step step);

}  // namespace slipway::cluster
