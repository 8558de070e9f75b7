// A patch of the user's: a file of JSON or YAML. A map is merged, a list is a JSON patch; a name as
// x+merge.yaml says it as kubeadm's names do.
//
//     const PatchFile patch = read_patch("patches/kubelet.yaml");
//     patch.apply_to(config);
#pragma once

#include "base/json.hpp"

#include <string>

namespace slipway::config {

struct PatchFile {
    std::string text = {};   // as it was written
    std::string type = {};   // strategic, merge, json
    json::value value = {};  // the same as JSON
    std::string path = {};   // of the file, for errors

    // For documents whose lists have no keys to merge by: there strategic means merge. Throws
    // UserError PATCH-INVALID, which names the file, when the document has not what it changes.
    void apply_to(json::value& document) const;
};

// Throws UserError FILE-UNREADABLE, or PATCH-INVALID when it is no map or list of YAML.
PatchFile read_patch(const std::string& path);

}  // namespace slipway::config
