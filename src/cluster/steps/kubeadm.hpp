// What kubeadm is told, and the patches it takes along, as the steps that call it agree on them.
#pragma once

#include "cluster/steps/steps.hpp"
#include "config/patch_file.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace slipway::cluster {

inline constexpr const char* kKubeadmConfig = "/etc/kubernetes/slipway/kubeadm.yaml";

// A step is done again when what it reads has changed, and only then: the rest of the tuning is
// left out of what its inputs are made from.
enum class Reads { all, etcd, control_plane, proxy };
std::string kubeadm_text(const StepInput& in, Reads reads = Reads::all);

struct NamedFile {
    std::string path = {};
    std::string content = {};
};
// Patches of static pods as files for kubeadm. Their folder is named after what is in them, so that
// none the spec has left behind is read.
std::vector<NamedFile> kubeadm_patches(const StepInput& in);

// Read once for all hosts; none when steps are made to be undone, since the files may be gone.
std::vector<config::PatchFile> patches_of(const StepInput& in,
                                          const std::vector<std::string>& files);

// /etc/kubernetes/manifests/NAME.yaml
std::string static_manifest(std::string_view name);

// The files `kubeadm init phase WORDS` makes; made anew when `reads`, what of its configuration it
// reads, has changed.
ResourcePtr kubeadm_phase(const std::string& reads, const std::string& name,
                          const std::vector<std::string>& words, std::vector<std::string> files);

// Bootstrap tokens (abcdef.0123456789abcdef) let machines join: kubeadm prints them, logs are read.
std::string without_tokens(std::string_view text);

// A phase of kubeadm that writes into the cluster.
void run_phase(engine::Context& c, const std::vector<std::string>& words);

}  // namespace slipway::cluster
