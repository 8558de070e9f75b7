#include "desk/state.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::desk {

bool is_folder_name(const std::string& name) {
    return !name.empty() && name.find('/') == std::string::npos && name[0] != '.' &&
           !starts_with_dash(name);
}

std::vector<std::string> known_clusters(const std::filesystem::path& root) {
    std::vector<std::string> names;
    std::error_code failure;
    for (const auto& entry : std::filesystem::directory_iterator(root, failure)) {
        const std::string name = entry.path().filename().string();
        if (!is_folder_name(name)) continue;
        // A folder whose journal is lost still belongs to a cluster: what it lacks is told by name.
        for (const char* trace : {"journal.db", "journal.db.last-good", "seal.key"}) {
            if (!std::filesystem::exists(entry.path() / trace, failure)) continue;
            names.push_back(name);
            break;
        }
    }
    std::ranges::sort(names, natural_less);
    return names;
}

std::unique_ptr<store::Journal> open_journal(const ClusterFolder& cluster) {
    return store::Journal::open_existing(cluster.journal());
}

store::Run find_run(store::Journal& journal, const ClusterFolder& cluster, std::int64_t id) {
    std::optional<store::Run> run = id == 0 ? journal.last_run() : journal.run(id);
    if (run) return *std::move(run);
    if (id == 0) {
        throw UserError("RUN-NONE", fmt::format("there was no run of {} yet", cluster.name),
                        {.remedy = "slipway apply -c FILE"});
    }
    throw UserError("RUN-UNKNOWN", fmt::format("{} has no run {}", cluster.name, id),
                    {.remedy = fmt::format("slipway runs {}", cluster.name)});
}

}  // namespace slipway::desk
