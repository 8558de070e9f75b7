#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cluster/kubernetes_config.hpp"
#include "cluster/steps/kubectl.hpp"
#include "cluster/steps/steps.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

// A phase of kubeadm that writes into the cluster.
void run_phase(engine::Context& c, std::vector<std::string> words) {
    std::vector<std::string> argv = {"/usr/local/bin/kubeadm", "init", "phase"};
    argv.insert(argv.end(), words.begin(), words.end());
    argv.insert(argv.end(), {"--config", "/etc/kubernetes/slipway/kubeadm.yaml"});
    const std::string command = join(argv, " ");
    const remote::CommandResult result = c.host().run({.argv = std::move(argv)}, c.call());
    for (const std::string& line : split(result.out, '\n')) {
        if (!trim(line).empty()) c.log("kubeadm", line);
    }
    if (result.exit_code == 0) return;
    throw ApiError(
        "KUBEADM-FAILED",
        fmt::format("'{}' ended with {} on {}", command, result.exit_code, c.host().name()),
        {.cause = printable(std::string(trim(result.err))),
         .remedy = "see `slipway logs`, then resume",
         .recovery = Recovery::transient});
}

std::string inputs_of(const StepInput& in, std::string_view version) {
    return sha256_hex(std::string(version) + kubeadm_config(in.spec, *in.host,
                                                            *in.material.supplies,
                                                            node_settings(in.spec, in.facts)));
}

std::function<std::vector<engine::Step>(const StepInput&)> phases(
    std::string id, std::string what, std::vector<std::vector<std::string>> words) {
    return [=](const StepInput& in) -> std::vector<engine::Step> {
        return {cluster_step(id, in.host->name,
                             {.inputs = inputs_of(in, id),
                              .changes = {{"create", what, "kubeadm"}},
                              .act = [words](const Kubectl&, engine::Context& c) {
                                  for (const auto& one : words) run_phase(c, one);
                              }})};
    };
}

}  // namespace

StepKind upload_cluster_config() {
    return {
        .id = "upload-cluster-config",
        .title = "Store the configuration in the cluster, and the rules for joining",
        .part = "kubernetes",
        .needs = {"wait-for-api"},
        .delegable = false,
        .why_not_skippable = "upgrades read it",
        .make = phases("upload-cluster-config", "kubeadm-config, kubelet-config, bootstrap rules",
                       {{"upload-config", "all"}, {"bootstrap-token"}}),
    };
}

StepKind install_kube_proxy() {
    return {
        .id = "install-kube-proxy",
        .title = "Install kube-proxy",
        .part = "kubernetes.networks.proxyMode",
        .needs = {"wait-for-api"},
        .make = phases("install-kube-proxy", "daemon set kube-proxy", {{"addon", "kube-proxy"}}),
    };
}

}  // namespace slipway::cluster
