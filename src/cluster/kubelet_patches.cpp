#include "cluster/kubelet_patches.hpp"

#include "base/error.hpp"
#include "cluster/roles.hpp"
#include "config/yaml_json.hpp"

#include <set>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

json::value parsed(const std::string& ours) {
    config::Findings findings;
    return config::to_json(*config::parse_yaml({"kubelet", ours}, 0, findings));
}

std::set<std::string> texts_of_nodes(const config::Spec& spec) {
    // Nothing is known of the hosts yet; this is the text with the most in it.
    const NodeSettings settings{.cgroup_driver = "systemd", .cgroup_v1 = true};
    std::set<std::string> out;
    for (const config::Host& host : spec.hosts) {
        if (is_node(host)) out.insert(kubelet_config(spec, host, settings));
    }
    return out;
}

}  // namespace

std::string patched_kubelet_config(const std::string& ours,
                                   const std::vector<config::PatchFile>& patches) {
    if (patches.empty()) return ours;
    json::value config = parsed(ours);
    for (const config::PatchFile& patch : patches) patch.apply_to(config);
    return to_yaml(config);
}

std::vector<config::Problem> check_kubelet_patches(const config::LoadedSpec& loaded) {
    const std::vector<std::string>& files = loaded.spec.kubernetes.tuning.kubelet.patches;
    if (files.empty() || !loaded.ok()) return {};
    std::vector<config::PatchFile> patches;
    try {
        for (const std::string& file : files) patches.push_back(config::read_patch(file));
    } catch (const UserError&) {
        return {};
    }
    for (const std::string& text : texts_of_nodes(loaded.spec)) {
        json::value config = parsed(text);
        for (std::size_t i = 0; i < patches.size(); ++i) {
            try {
                patches[i].apply_to(config);
            } catch (const UserError& error) {
                const std::string path = fmt::format("kubernetes.tuning.kubelet.patches[{}]", i);
                return {{.id = "SPEC-LOCAL-FILE",
                         .where = loaded.place(path),
                         .path = path,
                         .what = error.message(),
                         .todo = "correct the patch: it is for the KubeletConfiguration"}};
            }
        }
    }
    return {};
}

}  // namespace slipway::cluster
