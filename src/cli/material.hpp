// What a run installs from: the spec's bundles, admitted, and the cluster's own secrets.
#pragma once

#include "cli/command.hpp"
#include "cli/run_options.hpp"
#include "cli/state.hpp"
#include "cluster/material.hpp"
#include "config/spec.hpp"

namespace slipway::cli {

// Opens and admits every bundle of the spec (throws as oci::admit does); nothing when it names
// none. Without a journal nothing can be made: that is how a plan looks at things.
cluster::Material open_material(const Call& call, const config::Spec& spec,
                                const RunOptions& options, const ClusterFolder& cluster,
                                store::Journal* journal);

}  // namespace slipway::cli
