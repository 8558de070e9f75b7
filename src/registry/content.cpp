#include "registry/content.hpp"

namespace slipway::registry {

oci::Document document_of(const ManifestBytes& manifest) {
    return oci::parse_document(manifest.bytes, manifest.media_type);
}

oci::Descriptor referrer_of(const ManifestBytes& manifest, const oci::Document& document) {
    oci::Descriptor out{.media_type = manifest.media_type,
                        .digest = manifest.digest,
                        .size = manifest.bytes.size()};
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

std::optional<oci::Digest> subject_of(const oci::Document& document) {
    const auto& subject = std::visit([](const auto& any) { return any.subject; }, document);
    if (!subject) return std::nullopt;
    return subject->digest;
}

std::set<oci::Digest> references_of(const oci::Digest& manifest, const oci::Document& document) {
    std::set<oci::Digest> out = {manifest};
    if (const auto* image = std::get_if<oci::Manifest>(&document)) {
        out.insert(image->config.digest);
        for (const oci::Descriptor& layer : image->layers) out.insert(layer.digest);
    }
    return out;
}

}  // namespace slipway::registry
