#include "base/digest.hpp"
#include "cluster/steps/cluster_step.hpp"
#include "cluster/steps/kubeadm.hpp"
#include "cluster/steps/rollout.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr const char* kStep = "install-kube-proxy";

using Patches = std::vector<config::PatchFile>;

void patch_daemon_set(const Kubectl& kubectl, const std::string& type, const std::string& text) {
    kubectl.run({"patch", "daemonset", "kube-proxy", "-n", "kube-system", "--type", type,
                 "--patch-file", "/dev/stdin"},
                text);
}

// Pods do not look at their configuration again: a new mark on them makes new ones of them. One
// after the other, and as long as a node is away its pod would be the one that is waited for.
void mark_pods(const Kubectl& kubectl, const std::string& inputs) {
    const std::size_t away = nodes_not_ready(kubectl);
    const std::string strategy =
        away == 0
            ? ""
            : fmt::format(R"("updateStrategy": {{"rollingUpdate": {{"maxUnavailable": {}}}}}, )",
                          away + 1);
    patch_daemon_set(kubectl, "merge",
                     fmt::format(R"({{"spec": {{{}"template": {{"metadata": {{"annotations": )"
                                 R"({{"slipway.dev/configuration": "{}"}}}}}}}}}})",
                                 strategy, inputs));
}

void install(const Kubectl& kubectl, engine::Context& c, const Patches& patches,
             const std::string& inputs, bool there) {
    run_phase(c, {"addon", "kube-proxy"});
    for (const config::PatchFile& patch : patches)
        patch_daemon_set(kubectl, patch.type, patch.text);
    if (!there) return;
    mark_pods(kubectl, inputs);
    kubectl.wait_until("kube-proxy did not start anew on every node that is ready",
                       std::chrono::minutes(8), [&] {
                           return not_out(kubectl, {{"DaemonSet", "kube-system", "kube-proxy"}},
                                          nodes_not_ready(kubectl))
                               .empty();
                       });
}

std::vector<engine::Step> make(const StepInput& in) {
    const Patches patches = patches_of(in, in.spec.kubernetes.tuning.kube_proxy.patches);
    std::string inputs = "install-kube-proxy" + kubeadm_text(in, Reads::proxy);
    for (const config::PatchFile& patch : patches) inputs += patch.type + patch.text;
    inputs = sha256_hex(inputs);
    engine::Step step = cluster_step(in, kStep,
                                     {.inputs = inputs,
                                      .changes = {{"create", "daemon set kube-proxy", "kubeadm"}},
                                      .act = [patches, inputs, notes = notes_of(in)](
                                                 const Kubectl& kubectl, engine::Context& c) {
                                          // An attempt that was cut off may have installed it.
                                          const bool there =
                                              c.interrupted() || !notes->of(kubectl, kStep).empty();
                                          install(kubectl, c, patches, inputs, there);
                                      }});
    step.deadline = std::chrono::minutes(10);
    return {std::move(step)};
}

}  // namespace

StepKind install_kube_proxy() {
    return {
        .id = kStep,
        .title = "Install kube-proxy",
        .part = "kubernetes.networks.proxyMode",
        .needs = {"wait-for-api"},
        .make = make,
    };
}

}  // namespace slipway::cluster
