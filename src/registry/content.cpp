#include "registry/content.hpp"

namespace slipway::registry {

oci::Descriptor referrer_of(const ManifestBytes& manifest) {
    oci::Descriptor out{.media_type = manifest.media_type,
                        .digest = manifest.digest,
                        .size = manifest.bytes.size()};
    const oci::Document document = oci::parse_document(manifest.bytes, manifest.media_type);
    if (const auto* image = std::get_if<oci::Manifest>(&document)) {
        out.artifact_type =
            image->artifact_type.empty() ? image->config.media_type : image->artifact_type;
        out.annotations = image->annotations;
    } else {
        const auto& index = std::get<oci::Index>(document);
        out.artifact_type = index.artifact_type;
        out.annotations = index.annotations;
    }
    return out;
}

std::optional<oci::Digest> subject_of(const ManifestBytes& manifest) {
    const oci::Document document = oci::parse_document(manifest.bytes, manifest.media_type);
    const auto& subject = std::visit([](const auto& any) { return any.subject; }, document);
    if (!subject) return std::nullopt;
    return subject->digest;
}

std::set<oci::Digest> references_of(const ManifestBytes& manifest) {
    std::set<oci::Digest> out = {manifest.digest};
    const oci::Document document = oci::parse_document(manifest.bytes, manifest.media_type);
    if (const auto* image = std::get_if<oci::Manifest>(&document)) {
        out.insert(image->config.digest);
        for (const oci::Descriptor& layer : image->layers) out.insert(layer.digest);
    }
    return out;
}

}  // namespace slipway::registry
