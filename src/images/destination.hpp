// Where an image goes in another registry.
//
//     target_of("registry.k8s.io/pause:3.10", {.prefix = "k8s"})                    k8s/pause:3.10
//     target_of("registry.k8s.io/pause:3.10", {.prefix = "k8s", .keep_host = true})
//     k8s/registry.k8s.io/pause:3.10
#pragma once

#include "oci/digest.hpp"

#include <optional>
#include <string>

namespace slipway::images {

struct Destination {
    std::string prefix = {};   // project or folders; "": none
    bool keep_host = false;    // the host of the name becomes a folder
    std::string exactly = {};  // host/path:tag, for one image: everything else is not looked at
};

struct Target {
    std::string repository = {};
    std::string tag = {};                    // "": known by its digest only
    std::optional<oci::Digest> digest = {};  // what it must be, where the user has said

    std::string str() const { return tag.empty() ? repository : repository + ":" + tag; }
};

// Throws UserError REFERENCE-INVALID.
Target target_of(const std::string& name, const Destination& destination);

}  // namespace slipway::images
