#include "base/digest.hpp"
#include "cluster/steps/cluster_step.hpp"
#include "cluster/steps/kubeadm.hpp"

namespace slipway::cluster {

namespace {

engine::Step upload(const StepInput& in) {
    return cluster_step(
        in, "upload-cluster-config",
        {.inputs = sha256_hex("upload-cluster-config" + kubeadm_text(in)),
         .changes = {{"create", "kubeadm-config, kubelet-config, bootstrap rules", "kubeadm"}},
         .act = [](const Kubectl&, engine::Context& c) {
             run_phase(c, {"upload-config", "all"});
             run_phase(c, {"bootstrap-token"});
         }});
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
        .make = [](const StepInput& in) -> std::vector<engine::Step> { return {upload(in)}; },
    };
}

}  // namespace slipway::cluster
