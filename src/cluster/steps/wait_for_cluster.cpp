#include "base/error.hpp"
#include "base/text.hpp"
#include "cluster/steps/rollout.hpp"
#include "cluster/steps/steps.hpp"
#include "cluster/steps/waiting.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

struct Rollout {
    std::string space;
    std::string kind;
    std::string name;

    std::string what() const { return kind + "/" + name; }
};

std::vector<Rollout> rollouts(const config::Spec& spec) {
    std::vector<Rollout> out = {{"kube-system", "daemonset", "kube-proxy"}};
    const std::string& plugin = spec.network_plugin.kind;
    if (plugin == "flannel") out.push_back({"kube-flannel", "daemonset", "kube-flannel-ds"});
    if (plugin == "cilium") out.push_back({"kube-system", "daemonset", "cilium"});
    if (plugin == "calico") out.push_back({"calico-system", "daemonset", "calico-node"});
    out.push_back({"kube-system", "deployment", "coredns"});
    if (spec.kubernetes.dns.node_local)
        out.push_back({"kube-system", "daemonset", "node-local-dns"});
    if (spec.storage.local.enabled)
        out.push_back({"local-path-storage", "deployment", "local-path-provisioner"});
    return out;
}

constexpr std::chrono::minutes kPatience{5};

// What is not there at all was left out, or done by others in a way of their own: it is not waited
// for.
bool is_out(const Kubectl& kubectl, const Rollout& one, bool wait) {
    const remote::CommandResult said =
        kubectl.try_run({"rollout", "status", one.what(), "-n", one.space,
                         wait ? "--timeout=300s" : "--watch=false", "--request-timeout=0"});
    return said.out.find("successfully rolled out") != std::string::npos ||
           said.err.find("(NotFound)") != std::string::npos;
}

// Without nodes nobody has heard of for a while: kubectl itself would wait for their pods.
bool is_out_but_on(std::size_t silent, const Kubectl& kubectl, const Rollout& one) {
    if (is_out(kubectl, one, false)) return true;
    return silent > 0 && one.kind == "daemonset" &&
           daemon_set_is_out(kubectl, one.space, one.name, silent);
}

bool comes_out(engine::Context& c, std::size_t silent, const Kubectl& kubectl, const Rollout& one) {
    if (silent == 0) return is_out(kubectl, one, true);
    return wait_until(c, kPatience, [&] { return is_out_but_on(silent, kubectl, one); });
}

std::vector<engine::Step> make(const StepInput& in) {
    const std::string host = in.host->name;
    const std::vector<Rollout> wanted = rollouts(in.spec);
    engine::Step step{.id = "wait-for-cluster", .inputs = "1"};
    step.deadline = std::chrono::minutes(15);
    step.probe = [=](engine::Context& c) {
        engine::Probe answer;
        const Kubectl kubectl(c, host);
        const std::size_t silent = nodes_silent(kubectl);
        for (const Rollout& one : wanted) {
            if (!is_out_but_on(silent, kubectl, one))
                answer.changes.push_back({"run", "wait for " + one.what(), ""});
        }
        answer.done = answer.changes.empty();
        return answer;
    };
    step.act = [=](engine::Context& c) {
        const Kubectl kubectl(c, host);
        const std::size_t silent = nodes_silent(kubectl);
        for (const Rollout& one : wanted) {
            if (comes_out(c, silent, kubectl, one)) continue;
            throw ApiError("API-WAIT", fmt::format("{} is not ready", one.what()),
                           {.cause = "its pods did not start in time",
                            .remedy = fmt::format("see `kubectl describe {} -n {}` and the pods' "
                                                  "logs, then resume",
                                                  one.what(), one.space),
                            .recovery = Recovery::transient});
        }
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
