#include "base/error.hpp"
#include "base/text.hpp"
#include "cluster/steps/rollout.hpp"
#include "cluster/steps/steps.hpp"
#include "cluster/steps/waiting.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

std::vector<Workload> workloads(const config::Spec& spec) {
    std::vector<Workload> out = {{"DaemonSet", "kube-system", "kube-proxy"}};
    const std::string& plugin = spec.network_plugin.kind;
    if (plugin == "flannel") out.push_back({"DaemonSet", "kube-flannel", "kube-flannel-ds"});
    if (plugin == "cilium") out.push_back({"DaemonSet", "kube-system", "cilium"});
    if (plugin == "calico") out.push_back({"DaemonSet", "calico-system", "calico-node"});
    out.push_back({"Deployment", "kube-system", "coredns"});
    if (spec.kubernetes.dns.node_local)
        out.push_back({"DaemonSet", "kube-system", "node-local-dns"});
    if (spec.storage.local.enabled)
        out.push_back({"Deployment", "local-path-storage", "local-path-provisioner"});
    return out;
}

constexpr std::chrono::minutes kPatience{10};

// Without the pods of nodes nobody has heard of for a while. Nodes are looked at only when some
// daemon set is not everywhere.
std::vector<Workload> still_to_come(const Kubectl& kubectl, const std::vector<Workload>& wanted) {
    std::vector<Workload> left = not_out(kubectl, wanted, 0);
    const bool a_node_lacks = std::ranges::find(left, "DaemonSet", &Workload::kind) != left.end();
    const std::size_t silent = a_node_lacks ? nodes_silent(kubectl) : 0;
    return silent == 0 ? left : not_out(kubectl, left, silent);
}

ApiError not_ready(const std::vector<Workload>& left) {
    std::vector<std::string> names;
    for (const Workload& one : left) names.push_back(one.name);
    return {"API-WAIT",
            fmt::format("not ready: {}", join(names, ", ")),
            {.cause = "their pods did not start in time",
             .remedy = fmt::format("see `kubectl describe {} {} -n {}` and the pods' logs, "
                                   "then resume",
                                   left.front().kind, left.front().name, left.front().space),
             .recovery = Recovery::transient}};
}

std::vector<engine::Step> make(const StepInput& in) {
    const std::string host = in.host->name;
    const std::vector<Workload> wanted = workloads(in.spec);
    engine::Step step{.id = "wait-for-cluster", .inputs = "1"};
    step.deadline = std::chrono::minutes(15);
    step.probe = [=](engine::Context& c) {
        engine::Probe answer;
        for (const Workload& one : still_to_come(Kubectl(c, host), wanted))
            answer.changes.push_back({"run", "wait for " + one.name, ""});
        answer.done = answer.changes.empty();
        return answer;
    };
    step.act = [=](engine::Context& c) {
        const Kubectl kubectl(c, host);
        std::vector<Workload> left;
        const bool all = wait_until(c, kPatience, [&] {
            left = still_to_come(kubectl, wanted);
            return left.empty();
        });
        if (!all) throw not_ready(left);
    };
    step.verify = [](engine::Context&) {};
    step.undo = [](engine::Context&) {};
    return {std::move(step)};
}

}  // namespace

StepKind wait_for_cluster() {
    return {
        .id = "wait-for-cluster",
        .title = "Wait until network, kube-proxy and DNS answer on every node",
        .part = "kubernetes",
        .needs = {"install-kube-proxy", "install-dns", "install-node-dns", "install-network-plugin",
                  "install-local-storage"},
        .after = {"every:join-node"},
        .weight = 8,
        .delegable = false,
        .make = make,
    };
}

}  // namespace slipway::cluster
