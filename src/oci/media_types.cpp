#include "oci/media_types.hpp"

namespace slipway::oci::media {

bool is_manifest(std::string_view type) { return type == kManifest || type == kDockerManifest; }

bool is_index(std::string_view type) { return type == kIndex || type == kDockerList; }

bool is_image_config(std::string_view type) { return type == kConfig || type == kDockerConfig; }

bool is_schema1(std::string_view type) {
    return type == kDockerSchema1 || type == kDockerSchema1Signed;
}

bool is_foreign_layer(std::string_view type) {
    return type.starts_with("application/vnd.oci.image.layer.nondistributable.") ||
           type.starts_with("application/vnd.docker.image.rootfs.foreign.");
}

}  // namespace slipway::oci::media
