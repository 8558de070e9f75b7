#include "oci/bundle_source.hpp"

namespace slipway::oci {

std::vector<SourceImage> BundleSource::images() {
    std::vector<SourceImage> out;
    for (const BundleRoot& root : bundle_.content().roots) {
        if (root.kind != RootKind::sbom) out.push_back(image(root));
    }
    return out;
}

SourceImage BundleSource::image(const BundleRoot& root) const {
    const BundleBlob* blob = bundle_.content().find(root.digest);
    return {root.name, Descriptor{.media_type = blob->media_type,
                                  .digest = root.digest,
                                  .size = blob->size,
                                  .artifact_type = root.artifact_type}};
}

std::optional<net::FileRange> BundleSource::file_of(const Digest& digest) {
    const std::optional<BlobPlace> place = bundle_.find(digest);
    if (!place) return std::nullopt;
    return net::FileRange{bundle_.file(), place->offset, place->size};
}

}  // namespace slipway::oci
