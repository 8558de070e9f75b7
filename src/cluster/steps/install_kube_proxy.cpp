#include "base/digest.hpp"
#include "base/text.hpp"
#include "cluster/steps/kubeadm.hpp"
#include "cluster/steps/kubectl.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

using Patches = std::vector<config::PatchFile>;

void patch_daemon_set(const Kubectl& kubectl, const std::string& type, const std::string& text) {
    kubectl.run({"patch", "daemonset", "kube-proxy", "-n", "kube-system", "--type", type,
                 "--patch-file", "/dev/stdin"},
                text);
}

// Nodes that are not ready.
std::size_t nodes_away(const Kubectl& kubectl) {
    const remote::CommandResult seen = kubectl.try_run(
        {"get", "nodes", "-o",
         R"(jsonpath={range .items[*]}{.status.conditions[?(@.type=="Ready")].status}{"\n"}{end})"});
    if (seen.exit_code != 0) return 0;
    std::size_t out = 0;
    for (const std::string& status : split(trim(seen.out), '\n')) out += status != "True" ? 1 : 0;
    return out;
}

// Pods do not look at their configuration again: a new mark on them makes new ones of them. One
// after the other, and as long as a node is away its pod would be the one that is waited for.
void mark_pods(const Kubectl& kubectl, const std::string& inputs) {
    const std::size_t away = nodes_away(kubectl);
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

// On all nodes but those that are away: they come later, and must not hold up the others.
bool is_rolled_out(const Kubectl& kubectl) {
    const std::string numbers =
        "jsonpath={.metadata.generation} {.status.observedGeneration} "
        "{.status.desiredNumberScheduled} {.status.updatedNumberScheduled} "
        "{.status.numberAvailable}";
    const remote::CommandResult seen =
        kubectl.try_run({"get", "daemonset", "kube-proxy", "-n", "kube-system", "-o", numbers});
    const std::vector<std::string> words = split(seen.out, ' ');
    if (seen.exit_code != 0 || words.size() != 5 || words[0] != words[1]) return false;
    const auto number = [&](std::size_t at) {
        std::size_t out = 0;  // "" for none
        std::from_chars(words[at].data(), words[at].data() + words[at].size(), out);
        return out;
    };
    const std::size_t enough = number(2) - std::min(number(2), nodes_away(kubectl));
    return number(3) >= enough && number(4) >= enough;
}

void install(const Kubectl& kubectl, engine::Context& c, const Patches& patches,
             const std::string& inputs) {
    const bool there =
        kubectl.try_run({"get", "daemonset", "kube-proxy", "-n", "kube-system"}).exit_code == 0;
    run_phase(c, {"addon", "kube-proxy"});
    for (const config::PatchFile& patch : patches)
        patch_daemon_set(kubectl, patch.type, patch.text);
    if (!there) return;
    mark_pods(kubectl, inputs);
    kubectl.wait_until("kube-proxy did not start anew on every node that is ready",
                       std::chrono::minutes(8), [&] { return is_rolled_out(kubectl); });
}

std::vector<engine::Step> make(const StepInput& in) {
    const Patches patches = patches_of(in, in.spec.kubernetes.tuning.kube_proxy.patches);
    std::string inputs = "install-kube-proxy" + kubeadm_text(in, Reads::proxy);
    for (const config::PatchFile& patch : patches) inputs += patch.type + patch.text;
    inputs = sha256_hex(inputs);
    engine::Step step =
        cluster_step("install-kube-proxy", in.host->name,
                     {.inputs = inputs,
                      .changes = {{"create", "daemon set kube-proxy", "kubeadm"}},
                      .act = [patches, inputs](const Kubectl& kubectl, engine::Context& c) {
                          install(kubectl, c, patches, inputs);
                      }});
    step.deadline = std::chrono::minutes(10);
    return {std::move(step)};
}

}  // namespace

StepKind install_kube_proxy() {
    return {
        .id = "install-kube-proxy",
        .title = "Install kube-proxy",
        .part = "kubernetes.networks.proxyMode",
        .needs = {"wait-for-api"},
        .make = make,
    };
}

}  // namespace slipway::cluster
