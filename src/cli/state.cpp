#include "cli/state.hpp"

#include "base/text.hpp"
#include "cli/spec_input.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include <unistd.h>

namespace slipway::cli {

namespace {

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

// A name becomes a folder: nothing that could leave the state folder.
bool is_folder_name(const std::string& name) {
    return !name.empty() && name.find('/') == std::string::npos && name[0] != '.' &&
           !starts_with_dash(name);
}

std::string name_of_cluster(const Call& call) {
    if (call.arguments.has("CLUSTER")) return call.arguments.value("CLUSTER");
    if (call.arguments.has("--cluster")) return call.arguments.value("--cluster");
    if (call.arguments.has("--config")) return read_spec(call).name;
    return "";
}

}  // namespace

std::filesystem::path state_root(const Arguments& arguments) {
    if (arguments.has("--state")) {
        const std::string folder = arguments.value("--state");
        if (folder.empty()) {
            throw UsageError("USAGE-BAD-VALUE", "--state needs a folder",
                             {.remedy = "leave it out for the default, or name a folder"});
        }
        return std::filesystem::absolute(folder);
    }
    if (const std::string state = environment("SLIPWAY_STATE"); !state.empty()) {
        return std::filesystem::absolute(state);
    }
    // systemd sets STATE_DIRECTORY for a unit with StateDirectory=slipway.
    if (const std::string service = environment("STATE_DIRECTORY"); !service.empty())
        return service;
    if (const std::string xdg = environment("XDG_STATE_HOME"); !xdg.empty()) {
        return std::filesystem::path(xdg) / "slipway";
    }
    if (const std::string home = environment("HOME"); !home.empty()) {
        return std::filesystem::path(home) / ".local/state/slipway";
    }
    return "/var/lib/slipway";
}

std::vector<std::string> known_clusters(const std::filesystem::path& root) {
    std::vector<std::string> names;
    std::error_code failure;
    for (const auto& entry : std::filesystem::directory_iterator(root, failure)) {
        // A folder whose journal is lost still belongs to a cluster: what it lacks is told by name.
        for (const char* trace : {"journal.db", "journal.db.last-good", "seal.key"}) {
            if (!std::filesystem::exists(entry.path() / trace, failure)) continue;
            names.push_back(entry.path().filename().string());
            break;
        }
    }
    std::ranges::sort(names, natural_less);
    return names;
}

ClusterFolder cluster_folder(const Arguments& arguments, const std::string& name) {
    if (!is_folder_name(name)) {
        throw UsageError("CLUSTER-BAD-NAME",
                         fmt::format("'{}' cannot be the name of a cluster", printable(name)),
                         {.remedy = "use the name of the spec's metadata.name"});
    }
    return {.name = name, .folder = state_root(arguments) / name};
}

ClusterFolder find_cluster(const Call& call) {
    const std::filesystem::path root = state_root(call.arguments);
    const std::vector<std::string> known = known_clusters(root);
    const std::string name = name_of_cluster(call);
    if (name.empty()) {
        std::vector<std::string> clusters = known;
        std::erase_if(clusters, [&](const std::string& one) {
            return std::filesystem::exists(root / one / kImagesMark);
        });
        if (clusters.size() == 1) return cluster_folder(call.arguments, clusters.front());
        if (known.size() == 1) return cluster_folder(call.arguments, known.front());
        if (known.empty()) {
            throw UserError(
                "CLUSTER-NONE", fmt::format("there is no cluster in {}", root.string()),
                {.cause = "nothing was applied with this state folder yet",
                 .remedy = "slipway apply -c FILE, or name the right folder with --state DIR"});
        }
        throw UsageError("CLUSTER-WHICH",
                         fmt::format("there are several clusters: {}", join(known, ", ")),
                         {.cause = fmt::format("{} holds their state", root.string()),
                          .remedy = "name one with --cluster NAME"});
    }
    ClusterFolder cluster = cluster_folder(call.arguments, name);
    if (std::ranges::find(known, name) == known.end()) {
        const std::optional<std::string> near = nearest(name, known);
        throw UserError(
            "CLUSTER-UNKNOWN",
            fmt::format("there is no cluster '{}' in {}", printable(name), root.string()),
            {.cause = known.empty() ? "no cluster has state there" : "known: " + join(known, ", "),
             .remedy = near ? fmt::format("did you mean '{}'?", *near)
                            : "slipway apply makes it; --state DIR names another state folder"});
    }
    return cluster;
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

}  // namespace slipway::cli
