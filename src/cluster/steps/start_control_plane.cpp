#include "base/digest.hpp"
#include "cluster/kubernetes_config.hpp"
#include "cluster/steps/steps.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr const char* kConfig = "/etc/kubernetes/slipway/kubeadm.yaml";

std::string config_text(const StepInput& in) {
    return kubeadm_config(in.spec, *in.host, *in.material.supplies,
                          node_settings(in.spec, in.facts));
}

std::string manifest(std::string_view name) {
    return fmt::format("/etc/kubernetes/manifests/{}.yaml", name);
}

ResourcePtr phase(const StepInput& in, const std::string& name, std::vector<std::string> words,
                  std::vector<std::string> files) {
    std::vector<std::string> command = {"/usr/local/bin/kubeadm", "init", "phase"};
    command.insert(command.end(), words.begin(), words.end());
    command.insert(command.end(), {"--config", kConfig});
    return made_files({.name = name,
                       .command = std::move(command),
                       .inputs = sha256_hex(config_text(in)),
                       .files = std::move(files)});
}

}  // namespace

StepKind configure_kubeadm() {
    return {
        .id = "configure-kubeadm",
        .title = "Write what kubeadm is told",
        .part = "kubernetes",
        .needs = {kAfterPreInstall, "create-users-and-folders"},
        .delegable = false,
        .why_not_skippable = "manifests are made from it",
        .make = step_of("configure-kubeadm",
                        [](const StepInput& in) -> std::vector<ResourcePtr> {
                            return {file(kConfig, {.content = config_text(in), .mode = 0600})};
                        }),
    };
}

StepKind start_etcd() {
    return {
        .id = "start-etcd",
        .title = "Start etcd on the control planes, all members at once",
        .part = "etcd.mode",
        .enabled =
            [](const config::Spec& spec) { return spec.etcd.mode == config::EtcdMode::stacked; },
        .needs = {"configure-kubeadm", "install-kubernetes", "write-certificates"},
        .delegable = false,
        .why_not_skippable = "the API server keeps everything in it",
        .make = step_of("start-etcd",
                        [](const StepInput& in) -> std::vector<ResourcePtr> {
                            return {filled_folder(in.spec.etcd.data_folder, 0700),
                                    phase(in, "etcd", {"etcd", "local"}, {manifest("etcd")})};
                        }),
    };
}

StepKind start_control_plane() {
    return {
        .id = "start-control-plane",
        .title = "Start API server, controller manager and scheduler",
        .part = "kubernetes",
        .needs = {"configure-kubeadm", "install-kubernetes", "write-certificates",
                  "write-audit-policy", "encrypt-secrets"},
        .delegable = false,
        .why_not_skippable = "it is what a cluster is",
        .make = step_of("start-control-plane",
                        [](const StepInput& in) -> std::vector<ResourcePtr> {
                            return {phase(
                                in, "control-plane", {"control-plane", "all"},
                                {manifest("kube-apiserver"), manifest("kube-controller-manager"),
                                 manifest("kube-scheduler")})};
                        }),
    };
}

}  // namespace slipway::cluster
