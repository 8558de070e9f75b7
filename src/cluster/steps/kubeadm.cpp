#include "cluster/steps/kubeadm.hpp"

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cluster/kubernetes_config.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

// Names without the folder, as kubeadm wants them: kube-apiserver00+strategic.yaml.
std::vector<NamedFile> named_patches(const StepInput& in, Reads reads) {
    const config::Tuning& tuning = in.spec.kubernetes.tuning;
    struct Target {
        const char* name;
        Reads reader;
        const std::vector<std::string>& patches;
    };
    const Target targets[] = {
        {"etcd", Reads::etcd, in.spec.etcd.patches},
        {"kube-apiserver", Reads::control_plane, tuning.api_server.patches},
        {"kube-controller-manager", Reads::control_plane, tuning.controller_manager.patches},
        {"kube-scheduler", Reads::control_plane, tuning.scheduler.patches}};
    std::vector<NamedFile> out;
    for (const auto& [target, reader, patches] : targets) {
        if (reads != Reads::all && reads != reader) continue;
        std::size_t number = 0;
        for (const config::PatchFile& patch : patches_of(in, patches))
            out.push_back(
                {fmt::format("{}{:02}+{}.yaml", target, number++, patch.type), patch.text});
    }
    return out;
}

std::string folder_for(const std::vector<NamedFile>& files) {
    if (files.empty()) return "";
    std::string all;
    for (const NamedFile& file : files) all += fmt::format("{}\n{}\n", file.path, file.content);
    return "/etc/kubernetes/slipway/patches-" + sha256_hex(all).substr(0, 12);
}

std::vector<std::string> phase_command(const std::vector<std::string>& words) {
    std::vector<std::string> out = {"/usr/local/bin/kubeadm", "init", "phase"};
    out.insert(out.end(), words.begin(), words.end());
    out.insert(out.end(), {"--config", kKubeadmConfig});
    return out;
}

bool is_token_character(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// How many of them stand at `from`.
std::size_t run_of(std::string_view text, std::size_t from) {
    const auto rest = text.substr(std::min(from, text.size()));
    return static_cast<std::size_t>(std::ranges::find_if_not(rest, is_token_character) -
                                    rest.begin());
}

}  // namespace

std::string without_tokens(std::string_view text) {
    constexpr std::size_t kId = 6, kSecret = 16;
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = run_of(text, at);
        const std::size_t dot = at + length;
        const bool token =
            length == kId && text.substr(dot).starts_with('.') && run_of(text, dot + 1) == kSecret;
        const std::size_t shown = std::max<std::size_t>(length, 1);
        out += token ? "(hidden)" : text.substr(at, shown);
        at += token ? kId + 1 + kSecret : shown;
    }
    return out;
}

std::string static_manifest(std::string_view name) {
    return fmt::format("/etc/kubernetes/manifests/{}.yaml", name);
}

ResourcePtr kubeadm_phase(const std::string& reads, const std::string& name,
                          const std::vector<std::string>& words, std::vector<std::string> files) {
    return made_files({.name = name,
                       .command = phase_command(words),
                       .inputs = sha256_hex(reads),
                       .files = std::move(files)});
}

std::vector<config::PatchFile> patches_of(const StepInput& in,
                                          const std::vector<std::string>& files) {
    if (in.around.undo) return {};
    using Patches = std::vector<config::PatchFile>;
    return *in.memo.get<Patches>("patches " + join(files, "\n"), [&] {
        auto all = std::make_shared<Patches>();
        for (const std::string& file : files) all->push_back(config::read_patch(file));
        return all;
    });
}

std::vector<NamedFile> kubeadm_patches(const StepInput& in) {
    std::vector<NamedFile> out = named_patches(in, Reads::all);
    const std::string folder = folder_for(out);
    for (NamedFile& file : out) file.path = folder + "/" + file.path;
    return out;
}

std::string kubeadm_text(const StepInput& in, Reads reads) {
    const NodeSettings settings = node_settings(in.spec, in.facts);
    const std::string patches = folder_for(named_patches(in, reads));
    if (reads == Reads::all)
        return kubeadm_config(in.spec, *in.host, *in.material.supplies, settings, patches);
    config::Spec part = in.spec;
    config::Tuning& tuning = part.kubernetes.tuning;
    if (reads != Reads::control_plane)
        tuning.api_server = tuning.controller_manager = tuning.scheduler = {};
    if (reads != Reads::proxy) tuning.kube_proxy = {};
    return kubeadm_config(part, *in.host, *in.material.supplies, settings, patches);
}

void run_phase(engine::Context& c, const std::vector<std::string>& words) {
    std::vector<std::string> argv = phase_command(words);
    const std::string command = join(argv, " ");
    const remote::CommandResult result = c.host().run({.argv = std::move(argv)}, c.call());
    for (const std::string& line : split(result.out, '\n')) {
        if (!trim(line).empty()) c.log("kubeadm", without_tokens(line));
    }
    if (result.exit_code == 0) return;
    throw ApiError(
        "KUBEADM-FAILED",
        fmt::format("'{}' ended with {} on {}", command, result.exit_code, c.host().name()),
        {.cause = without_tokens(printable(trim(result.err))),
         .remedy = "see `slipway logs`, then resume",
         .recovery = Recovery::transient});
}

}  // namespace slipway::cluster
