#include "base/digest.hpp"
#include "cluster/kubelet_patches.hpp"
#include "cluster/registry_config.hpp"
#include "cluster/steps/kubeadm.hpp"
#include "cluster/steps/kubelet_change.hpp"

namespace slipway::cluster {

namespace {

constexpr const char* kUnit = "kubelet.service";

// What the pods of a network plugin make on the machine itself.
std::vector<ResourcePtr> folders_of_plugin(const std::string& kind) {
    if (kind == "calico") return {left_folder("/run/calico"), left_folder("/var/lib/calico")};
    if (kind == "cilium") return {left_folder("/run/cilium"), left_folder("/var/lib/cilium")};
    if (kind == "flannel") return {left_folder("/run/flannel")};
    return {};
}

std::string config_text(const StepInput& in) {
    return patched_kubelet_config(
        kubelet_config(in.spec, *in.host, node_settings(in.spec, in.facts)),
        patches_of(in, in.spec.kubernetes.tuning.kubelet.patches));
}

std::vector<ResourcePtr> kubelet(const StepInput& in) {
    return {
        filled_folder("/var/lib/cni"),
        filled_folder("/var/log/pods"),
        filled_folder("/var/log/containers"),
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
        activated_file("/var/lib/kubelet/config.yaml", config_text(in), {.unit = kUnit}),
        running_unit(kUnit),
    };
}

// The kubelet looks at it again by itself, at the latest after five minutes.
ResourcePtr logins(const StepInput& in) {
    config::Spec spec;
    spec.registry = in.spec.registry;
    const auto text = [spec] { return kubelet_logins(spec, password_of_login); };
    return vault_file({.path = "/var/lib/kubelet/config.json", .content = text, .known = [text] {
                           return sha256_hex(text().reveal());
                       }});
}

std::vector<ResourcePtr> resources(const StepInput& in) {
    std::vector<ResourcePtr> out = folders_of_plugin(in.spec.network_plugin.kind);
    // What is undone is in the record; the password may be gone by then.
    if (has_logins(in.spec) && !in.around.undo) out.push_back(logins(in));
    for (ResourcePtr& one : kubelet(in)) out.push_back(std::move(one));
    return out;
}

std::vector<engine::Step> make(const StepInput& in) {
    return {kubelet_change(in, resources_step("start-kubelet", resource_list(resources(in))))};
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
                  "start-load-balancer", "start-local-balancer", "give-dns-address",
                  "prepare-volumes-folder"},
        .delegable = false,
        .why_not_skippable = "it runs everything else",
        .make = make,
    };
}

// A kubelet that finds no API server asks again ever more rarely, in the end every 7 s: where none
// depends on it, it is started when there is one.
StepKind start_kubelet_of_worker() {
    StepKind kind = start_kubelet();
    kind.title = "Start the kubelet, once there is an API server";
    kind.needs.emplace_back("first-control-plane:wait-for-api");
    return kind;
}

}  // namespace slipway::cluster
