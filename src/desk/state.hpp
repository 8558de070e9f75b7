// Where a cluster's state is: one folder a cluster below the state folder.
//
//     const ClusterFolder cluster{.name = "demo", .folder = root / "demo"};
//     auto journal = open_journal(cluster);
//     store::Run last = find_run(*journal, cluster);
#pragma once

#include "store/journal.hpp"
#include "store/run_lock.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace slipway::desk {

struct ClusterFolder {
    std::string name;
    std::filesystem::path folder;

    std::filesystem::path journal() const { return folder / "journal.db"; }
    std::filesystem::path simulated() const { return folder / "simulated"; }
    std::filesystem::path known_hosts() const { return folder / "known_hosts"; }
    std::filesystem::path log() const { return folder / "run.log"; }
};

// A name becomes a folder: nothing that could leave the state folder. None begins with a dot, so
// that folders of Slipway's own may.
bool is_folder_name(const std::string& name);

// Clusters that have state, in natural order.
std::vector<std::string> known_clusters(const std::filesystem::path& root);

// Its journal, for reading and for leaving commands.
std::unique_ptr<store::Journal> open_journal(const ClusterFolder& cluster);

// A run of the journal: `id`, or the last one; throws RUN-UNKNOWN, RUN-NONE.
store::Run find_run(store::Journal& journal, const ClusterFolder& cluster, std::int64_t id = 0);

}  // namespace slipway::desk
