// What is decided once, when a cluster is made: where its data lie (a spec that puts etcd elsewhere
// would begin an empty one and leave the data behind) and what connects its pods.
#pragma once

#include "config/spec.hpp"
#include "store/journal.hpp"

namespace slipway::cluster {

// Throws UserError ETCD-MOVED when the hosts have an etcd of the journal's making and the spec has
// another mode or folder, members that are not in it or at other addresses, or endpoints of which
// the cluster has none; NETWORK-PLUGIN-CHANGED when it has another plugin.
void refuse_what_is_settled(const config::Spec& spec, store::Journal& journal);

}  // namespace slipway::cluster
