#include "cluster/kubernetes_config.hpp"
#include "cluster/steps/steps.hpp"

namespace slipway::cluster {

namespace {

constexpr const char* kUnit = "kubelet.service";

std::vector<ResourcePtr> resources(const StepInput& in) {
    const NodeSettings settings = node_settings(in.spec, in.facts);
    return {
        filled_folder("/var/lib/cni"),
        filled_folder("/var/log/pods"),
        filled_folder("/var/log/containers"),
        left_folder("/run/flannel"),
        left_folder("/run/netns"),
        left_folder("/usr/libexec/kubernetes"),
        left_folder("/usr/lib/modules"),
        left_folder("/var/lib/slipway/kubectl"),
        pod_network(),
        pods_of_node(),
        activated_file("/etc/systemd/system/kubelet.service", kubelet_unit(),
                       {.unit = kUnit, .command = {"systemctl", "daemon-reload"}}),
        activated_file("/var/lib/kubelet/kubeadm-flags.env",
                       kubelet_flags(in.spec, *in.host, in.facts), {.unit = kUnit}),
        activated_file("/var/lib/kubelet/config.yaml", kubelet_config(in.spec, *in.host, settings),
                       {.unit = kUnit}),
        running_unit(kUnit),
    };
}

}  // namespace

StepKind start_kubelet() {
    return {
        .id = "start-kubelet",
        .title = "Start the kubelet",
        .part = "kubernetes",
        .needs = {"install-packages", "set-hostname", "write-hosts-entries", "set-sysctls",
                  "turn-off-swap", "install-container-runtime", "install-kubernetes",
                  "write-certificates", "pull-images", "start-etcd", "start-control-plane",
                  "start-load-balancer"},
        .delegable = false,
        .why_not_skippable = "it runs everything else",
        .make = step_of("start-kubelet", resources),
    };
}

}  // namespace slipway::cluster
