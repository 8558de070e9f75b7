// The bill of materials inside a bundle: CycloneDX 1.5, one component an image, binary, chart or
// package.
//
//     const std::string text = make_sbom(content, read_manifest);
//     for (const SbomComponent& c : parse_sbom(text)) print(c.name, c.version);
//
// It follows from the content alone: no time, no random number, so that bundles stay the same.
#pragma once

#include "oci/bundle_index.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::oci {

inline constexpr std::string_view kSbomName = "slipway.local/sbom:latest";

// Annotations we write on layers of artifacts, and read back here.
inline constexpr const char* kTitle = "org.opencontainers.image.title";
inline constexpr const char* kVersion = "org.opencontainers.image.version";
inline constexpr const char* kPackageName = "dev.slipway.package.name";
inline constexpr const char* kPackageArch = "dev.slipway.package.arch";
inline constexpr const char* kPackageKind = "dev.slipway.package.kind";  // deb, rpm

struct SbomComponent {
    std::string type = {};  // container, application, file
    std::string name = {};
    std::string version = {};
    std::string purl = {};
    Digest digest = {};
};

using ReadManifest = std::function<std::string(const Digest&)>;

std::string make_sbom(const BundleContent& content, const ReadManifest& read);

// Throws UserError SBOM-INVALID.
std::vector<SbomComponent> parse_sbom(std::string_view text);

}  // namespace slipway::oci
