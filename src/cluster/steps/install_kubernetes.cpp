#include "cluster/kubernetes_config.hpp"
#include "cluster/steps/from_bundle.hpp"

namespace slipway::cluster {

namespace {

std::vector<ResourcePtr> resources(const StepInput& in) {
    const std::string& version = in.spec.kubernetes.version;
    std::vector<ResourcePtr> out = {program(in, "kubelet", "/usr/local/bin", version)};
    // Workers have no use for the others; they are what control planes and people work with.
    if (in.host->has(config::Role::control_plane)) {
        out.push_back(program(in, "kubeadm", "/usr/local/bin", version));
        out.push_back(program(in, "kubectl", "/usr/local/bin", version));
    }
    return out;
}

}  // namespace

StepKind install_kubernetes() {
    return {
        .id = "install-kubernetes",
        .title = "Install kubelet, kubeadm and kubectl",
        .part = "kubernetes.version",
        .needs = {kAfterPreInstall, "create-users-and-folders", "registry:serve-bundle"},
        .weight = 2,
        .why_not_skippable = "they are what is installed",
        .make = step_of("install-kubernetes", resources),
    };
}

}  // namespace slipway::cluster
