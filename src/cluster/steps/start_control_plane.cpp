#include "cluster/steps/kubeadm.hpp"
#include "cluster/steps/living_members.hpp"

namespace slipway::cluster {

StepKind configure_kubeadm() {
    return {
        .id = "configure-kubeadm",
        .title = "Write what kubeadm is told",
        .part = "kubernetes",
        .needs = {kAfterPreInstall, "create-users-and-folders"},
        .delegable = false,
        .why_not_skippable = "manifests are made from it",
        .make = step_of(
            "configure-kubeadm",
            [](const StepInput& in) -> std::vector<ResourcePtr> {
                std::vector<ResourcePtr> out;
                for (NamedFile& patch : kubeadm_patches(in))
                    out.push_back(file(patch.path, {.content = patch.content, .mode = 0600}));
                out.push_back(file(kKubeadmConfig, {.content = kubeadm_text(in), .mode = 0600}));
                return out;
            }),
    };
}

StepKind start_control_plane() {
    return {
        .id = "start-control-plane",
        .title = "Start API server, controller manager and scheduler",
        .part = "kubernetes",
        .needs = {"configure-kubeadm", "install-kubernetes", "write-certificates",
                  "write-audit-policy", "encrypt-secrets", "start-etcd"},
        // API servers that find no etcd end and begin again, ever more slowly.
        .after = {"every:wait-for-etcd"},
        .delegable = false,
        .why_not_skippable = "it is what a cluster is",
        .make = [](const StepInput& in) -> std::vector<engine::Step> {
            ResourcePtr manifests = kubeadm_phase(
                kubeadm_text(in, Reads::control_plane), "control-plane", {"control-plane", "all"},
                {static_manifest("kube-apiserver"), static_manifest("kube-controller-manager"),
                 static_manifest("kube-scheduler")});
            return {rolling_change(
                in, resources_step("start-control-plane", resource_list({std::move(manifests)})),
                control_plane_member(in))};
        },
    };
}

}  // namespace slipway::cluster
