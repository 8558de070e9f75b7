// Where a cluster's state is: one folder a cluster below the state folder.
//
//     const ClusterFolder cluster = find_cluster(call);       // -c, CLUSTER, --cluster, or the
//     only one auto journal = store::Journal::open_existing(cluster.journal());
#pragma once

#include "cli/command.hpp"
#include "store/journal.hpp"
#include "store/run_lock.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slipway::cli {

struct ClusterFolder {
    std::string name;
    std::filesystem::path folder;

    std::filesystem::path journal() const { return folder / "journal.db"; }
    std::filesystem::path simulated() const { return folder / "simulated"; }
    std::filesystem::path known_hosts() const { return folder / "known_hosts"; }
    std::filesystem::path log() const { return folder / "run.log"; }
};

// In the folder of what is no cluster but pushes of images: a command that names nothing does not
// mean it as long as there is a cluster.
inline constexpr const char* kImagesMark = "images";

// --state, SLIPWAY_STATE, /var/lib/slipway for a system service, $XDG_STATE_HOME/slipway,
// ~/.local/state/slipway.
std::filesystem::path state_root(const Arguments& arguments);

// Clusters that have state, in natural order.
std::vector<std::string> known_clusters(const std::filesystem::path& root);

ClusterFolder cluster_folder(const Arguments& arguments, const std::string& name);

// The cluster a command is about; throws UsageError CLUSTER-WHICH, UserError CLUSTER-UNKNOWN.
ClusterFolder find_cluster(const Call& call);

// Its journal, for reading and for leaving commands.
std::unique_ptr<store::Journal> open_journal(const ClusterFolder& cluster);

// A run of the journal: `id`, or the last one; throws RUN-UNKNOWN, RUN-NONE.
store::Run find_run(store::Journal& journal, const ClusterFolder& cluster, std::int64_t id = 0);

}  // namespace slipway::cli
