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
    if (std::string service = environment("STATE_DIRECTORY"); !service.empty()) return service;
    if (const std::string xdg = environment("XDG_STATE_HOME"); !xdg.empty()) {
        return std::filesystem::path(xdg) / "slipway";
    }
    if (const std::string home = environment("HOME"); !home.empty()) {
        return std::filesystem::path(home) / ".local/state/slipway";
    }
    return "/var/lib/slipway";
}

ClusterFolder cluster_folder(const Arguments& arguments, const std::string& name) {
    if (!desk::is_folder_name(name)) {
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

}  // namespace slipway::cli
