// Media types of what a bundle may hold.
#pragma once

#include <string_view>

namespace slipway::oci::media {

inline constexpr std::string_view kManifest = "application/vnd.oci.image.manifest.v1+json";
inline constexpr std::string_view kIndex = "application/vnd.oci.image.index.v1+json";
inline constexpr std::string_view kConfig = "application/vnd.oci.image.config.v1+json";
inline constexpr std::string_view kLayer = "application/vnd.oci.image.layer.v1.tar";
inline constexpr std::string_view kLayerGzip = "application/vnd.oci.image.layer.v1.tar+gzip";
inline constexpr std::string_view kLayerZstd = "application/vnd.oci.image.layer.v1.tar+zstd";
inline constexpr std::string_view kEmpty = "application/vnd.oci.empty.v1+json";
inline constexpr std::string_view kOctets = "application/octet-stream";

inline constexpr std::string_view kDockerManifest =
    "application/vnd.docker.distribution.manifest.v2+json";
inline constexpr std::string_view kDockerList =
    "application/vnd.docker.distribution.manifest.list.v2+json";
inline constexpr std::string_view kDockerConfig = "application/vnd.docker.container.image.v1+json";
inline constexpr std::string_view kDockerSchema1 =
    "application/vnd.docker.distribution.manifest.v1+json";
inline constexpr std::string_view kDockerSchema1Signed =
    "application/vnd.docker.distribution.manifest.v1+prettyjws";

inline constexpr std::string_view kHelmConfig = "application/vnd.cncf.helm.config.v1+json";
inline constexpr std::string_view kHelmChart =
    "application/vnd.cncf.helm.chart.content.v1.tar+gzip";

inline constexpr std::string_view kBinary = "application/vnd.slipway.binary.v1";
inline constexpr std::string_view kPackages = "application/vnd.slipway.packages.v1";
inline constexpr std::string_view kSbom = "application/vnd.cyclonedx+json";

bool is_manifest(std::string_view type);       // an image or artifact, OCI or Docker
bool is_index(std::string_view type);          // a list of manifests, OCI or Docker
bool is_image_config(std::string_view type);   // says what platform an image is for
bool is_schema1(std::string_view type);        // Docker's first form, which nobody should use
bool is_foreign_layer(std::string_view type);  // "non-distributable": may be absent everywhere

}  // namespace slipway::oci::media
