#include "cluster/settled.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "cluster/etcd_config.hpp"
#include "config/load.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

bool has_cluster(store::Journal& journal) {
    return std::ranges::any_of(journal.baselines(), [](const store::Baseline& one) {
        return one.node.ends_with("/configure-kubeadm") || one.node.ends_with("/start-etcd");
    });
}

// No apply has passed that moved etcd, so the last one tells where it is.
std::optional<config::Spec> last_applied(store::Journal& journal) {
    for (const store::Run& run : journal.runs()) {
        if (run.kind != "apply") continue;
        config::LoadedSpec loaded = config::load_spec({{.file = "journal", .text = run.spec}});
        if (loaded.ok()) return std::move(loaded.spec);
    }
    return std::nullopt;
}

// Members know each other by address: changed on all of them at once, none finds another again.
std::string other_members(const config::Spec& now, const config::Spec& then) {
    std::vector<std::string> added, moved;
    const std::vector<const config::Host*> members = etcd_members(then);
    for (const config::Host* host : etcd_members(now)) {
        const auto known = std::ranges::find(members, host->name, &config::Host::name);
        if (known == members.end())
            added.push_back(host->name);
        else if ((*known)->node_address() != host->node_address())
            moved.push_back(fmt::format("{} from {} to {}", host->name, (*known)->node_address(),
                                        host->node_address()));
    }
    if (!added.empty())
        return fmt::format("{} would join a living etcd, which is not built yet",
                           join(added, ", "));
    return moved.empty() ? "" : "members of a living etcd would move: " + join(moved, ", ");
}

// Members of somebody else's etcd come and go, but not all of them at once.
std::string other_endpoints(const config::Spec& now, const config::Spec& then) {
    const auto known = [&](const std::string& one) {
        return std::ranges::find(then.etcd.endpoints, one) != then.etcd.endpoints.end();
    };
    if (std::ranges::any_of(now.etcd.endpoints, known)) return "";
    return fmt::format("none of etcd.endpoints is one of the cluster's: {}",
                       join(then.etcd.endpoints, ", "));
}

std::string difference(const config::Spec& now, const config::Spec& then) {
    if (now.etcd.mode != then.etcd.mode)
        return fmt::format("etcd.mode is {} in the spec, and {} in the cluster",
                           to_string(now.etcd.mode), to_string(then.etcd.mode));
    if (now.etcd.mode != config::EtcdMode::external &&
        now.etcd.data_folder != then.etcd.data_folder)
        return fmt::format("etcd.dataFolder is {} in the spec, and {} in the cluster",
                           now.etcd.data_folder, then.etcd.data_folder);
    if (now.etcd.mode == config::EtcdMode::external) return other_endpoints(now, then);
    return other_members(now, then);
}

void refuse_moved_etcd(const config::Spec& now, const config::Spec& then) {
    const std::string why = difference(now, then);
    if (why.empty()) return;
    throw UserError("ETCD-MOVED", "the spec puts etcd elsewhere than the cluster has it",
                    {.cause = why,
                     .remedy = "put back what was there; or back up, reset, apply and restore: "
                               "docs/etcd.md",
                     .recovery = Recovery::needs_user});
}

// Pods keep the network they were made in, and two plugins would lie in each other's way.
void refuse_other_plugin(const config::Spec& now, const config::Spec& then) {
    if (now.network_plugin.kind == then.network_plugin.kind) return;
    throw UserError(
        "NETWORK-PLUGIN-CHANGED", "the spec has another network plugin than the cluster",
        {.cause = fmt::format("networkPlugin.kind is {} in the spec, and {} in the cluster",
                              now.network_plugin.kind, then.network_plugin.kind),
         .remedy = "put back what was there; or back up, reset and apply: docs/clusters.md",
         .recovery = Recovery::needs_user});
}

}  // namespace

void refuse_what_is_settled(const config::Spec& spec, store::Journal& journal) {
    if (!has_cluster(journal)) return;
    const std::optional<config::Spec> then = last_applied(journal);
    if (!then) return;
    refuse_moved_etcd(spec, *then);
    refuse_other_plugin(spec, *then);
}

}  // namespace slipway::cluster
