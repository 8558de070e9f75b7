// Names of images, as Docker and containerd read them.
//
//     Reference::parse("nginx").str()                  "docker.io/library/nginx:latest"
//     Reference::parse("quay.io/a/b@sha256:…").digest  set, tag empty
//
// A name without a host is of docker.io, and there without a folder of library/. The first part is
// a host when it has a dot, a colon or upper-case letters, or is localhost.
#pragma once

#include "oci/digest.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace slipway::oci {

struct Reference {
    std::string host;      // registry.k8s.io, localhost:5000
    std::string path;      // library/nginx
    std::string tag = {};  // empty only when there is a digest
    std::optional<Digest> digest = {};

    static Reference parse(std::string_view text);  // throws UserError REFERENCE-INVALID

    std::string repository() const;  // host/path
    std::string str() const;         // host/path[:tag][@digest]
    auto operator<=>(const Reference&) const = default;
};

bool is_valid_tag(std::string_view tag);
bool is_valid_repository_path(std::string_view path);
// A path, or one with a host before it that is no path: localhost:5000/a.
bool is_valid_repository_name(std::string_view name);

}  // namespace slipway::oci
