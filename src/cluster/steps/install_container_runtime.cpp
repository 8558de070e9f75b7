#include "base/digest.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "cluster/kubernetes_config.hpp"
#include "cluster/registry_config.hpp"
#include "cluster/roles.hpp"
#include "cluster/steps/from_bundle.hpp"
#include "cluster/steps/kubeadm.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr const char* kUnit = "containerd.service";
constexpr const char* kCerts = "/etc/containerd/certs.d/_default";

constexpr std::size_t kLargestPatch = 256u << 10;

bool has_version(const std::string& text) {
    for (const std::string& line : split(text, '\n')) {
        const std::string_view word = trim(line);
        if (word.starts_with('[')) return false;
        if (word.starts_with("version") && trim(word.substr(7)).starts_with('=')) return true;
    }
    return false;
}

// What the files of registries are made from, without a thousand hosts.
config::Spec registry_part(const config::Spec& spec) {
    config::Spec out;
    out.bundles = spec.bundles;
    out.registry = spec.registry;
    for (const config::Host* host : registry_hosts(spec)) {
        out.hosts.push_back(*host);
        out.hosts.back().roles = {config::Role::registry};
    }
    return out;
}

constexpr std::string_view kCrictl =
    "runtime-endpoint: unix:///run/containerd/containerd.sock\n"
    "image-endpoint: unix:///run/containerd/containerd.sock\n"
    "timeout: 30\n";

// A file whose name says what is in it: one the spec has left behind is not read.
std::vector<NamedFile> patches(const StepInput& in) {
    std::vector<NamedFile> out;
    if (in.around.undo) return out;
    for (const std::string& path : in.spec.runtime.patches) {
        std::string text = read_file(path, kLargestPatch);
        // Without it the piece is read as one of the first version's.
        if (!has_version(text)) text = "version = 3\n" + text;
        out.push_back({fmt::format("/etc/containerd/conf.d/{:02}-{}.toml", out.size(),
                                   sha256_hex(text).substr(0, 12)),
                       std::move(text)});
    }
    return out;
}

// Each is a secret, also one without a password: it may have held one before, which would go into
// the record.
void add_registries(std::vector<ResourcePtr>& out, const StepInput& in) {
    if (in.around.undo) return;
    const config::Spec spec = registry_part(in.spec);
    for (const RegistryFolder& folder : registry_folders(spec)) {
        for (const auto& [name, from] : folder.authorities)
            out.push_back(file(folder.path + "/" + name, {.content = read_file(from)}));
        const std::string path = folder.path + "/hosts.toml";
        const auto text = [spec, folder] { return hosts_toml(spec, folder, password_of_login); };
        out.push_back(vault_file({.path = path, .content = text, .known = [text] {
                                      return sha256_hex(text().reveal());
                                  }}));
    }
}

std::vector<ResourcePtr> configuration(const StepInput& in) {
    const NodeSettings settings = node_settings(in.spec, in.facts);
    std::vector<ResourcePtr> out;
    std::vector<std::string> imports;
    for (NamedFile& patch : patches(in)) {
        imports.push_back(patch.path);
        out.push_back(file(patch.path, {.content = std::move(patch.content)}));
    }
    Activation activation{.unit = kUnit};
    // Pieces of the user's are read before containerd has to start with them.
    if (!imports.empty())
        activation.check = {"/usr/local/bin/containerd", "--config", "{}", "config", "dump"};
    out.push_back(
        activated_file("/etc/containerd/config.toml",
                       containerd_config(in.spec, *in.material.supplies, settings, imports),
                       std::move(activation)));
    return out;
}

std::vector<ResourcePtr> resources(const StepInput& in) {
    const std::shared_ptr<Vault> vault = in.material.vault;
    const auto ca = [vault] {
        return vault ? vault->authority_certificate("registry").value_or("") : std::string();
    };
    std::vector<ResourcePtr> out = {
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
    };
    add_registries(out, in);
    for (ResourcePtr& one : configuration(in)) out.push_back(std::move(one));
    out.push_back(running_unit(kUnit));
    return out;
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
