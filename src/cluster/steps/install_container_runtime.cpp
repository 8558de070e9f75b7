#include "base/digest.hpp"
#include "cluster/kubernetes_config.hpp"
#include "cluster/steps/from_bundle.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr const char* kUnit = "containerd.service";
constexpr const char* kCerts = "/etc/containerd/certs.d/_default";

constexpr std::string_view kCrictl =
    "runtime-endpoint: unix:///run/containerd/containerd.sock\n"
    "image-endpoint: unix:///run/containerd/containerd.sock\n"
    "timeout: 30\n";

std::vector<ResourcePtr> resources(const StepInput& in) {
    const Supplies& supplies = *in.material.supplies;
    const NodeSettings settings = node_settings(in.spec, in.facts);
    const std::shared_ptr<Vault> vault = in.material.vault;
    const auto ca = [vault] {
        return vault ? vault->authority_certificate("registry").value_or("") : std::string();
    };
    return {
        filled_folder(in.spec.runtime.data_folder, 0711),
        left_folder("/run/containerd"),
        left_folder("/run/nri"),
        left_folder("/opt/containerd"),
        filled_folder("/opt/cni/bin"),
        filled_folder("/etc/cni/net.d"),
        program(in, "containerd", "/usr/local", "",
                {"bin/containerd", "bin/containerd-shim-runc-v2", "bin/ctr"}),
        program(in, "runc", "/usr/local/sbin"),
        program(in, "crictl", "/usr/local/bin", "", {"crictl"}),
        program(in, "cni-plugins", "/opt/cni/bin", "", {"loopback", "bridge", "host-local"}),
        file("/etc/crictl.yaml", {.content = std::string(kCrictl)}),
        vault_file(
            {.path = fmt::format("{}/ca.crt", kCerts),
             .mode = 0644,
             .content = [vault] { return Secret(vault->authority("registry").certificate()); },
             .known =
                 [ca] {
                     const std::string text = ca();
                     return text.empty() ? text : sha256_hex(text);
                 }}),
        file(fmt::format("{}/hosts.toml", kCerts), {.content = mirror_config(in.spec)}),
        activated_file(fmt::format("/etc/systemd/system/{}", kUnit), containerd_unit(),
                       {.unit = kUnit, .command = {"systemctl", "daemon-reload"}}),
        activated_file("/etc/containerd/config.toml",
                       containerd_config(in.spec, supplies, settings), {.unit = kUnit}),
        running_unit(kUnit),
    };
}

}  // namespace

StepKind install_container_runtime() {
    return {
        .id = "install-container-runtime",
        .title = "Install containerd, runc, crictl and the CNI plugins",
        .part = "runtime",
        .needs = {kAfterPreInstall, "create-users-and-folders", "load-kernel-modules",
                  "registry:serve-bundle"},
        .weight = 4,
        .why_not_skippable = "nothing runs without it",
        .make = step_of("install-container-runtime", resources),
    };
}

}  // namespace slipway::cluster
