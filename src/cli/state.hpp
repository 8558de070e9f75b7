// Where a cluster's state is: one folder a cluster below the state folder.
//
//     const ClusterFolder cluster = find_cluster(call);       // -c, CLUSTER, --cluster, or the
//     only one auto journal = store::Journal::open_existing(cluster.journal());
#pragma once

#include "cli/command.hpp"
#include "desk/state.hpp"

#include <filesystem>
#include <string>

namespace slipway::cli {

using desk::ClusterFolder;
using desk::find_run;
using desk::known_clusters;
using desk::open_journal;

// In the folder of what is no cluster but pushes of images: a command that names nothing does not
// mean it as long as there is a cluster.
inline constexpr const char* kImagesMark = "images";

// --state, SLIPWAY_STATE, /var/lib/slipway for a system service, $XDG_STATE_HOME/slipway,
// ~/.local/state/slipway.
std::filesystem::path state_root(const Arguments& arguments);

ClusterFolder cluster_folder(const Arguments& arguments, const std::string& name);

// The cluster a command is about; throws UsageError CLUSTER-WHICH, UserError CLUSTER-UNKNOWN.
ClusterFolder find_cluster(const Call& call);

}  // namespace slipway::cli
