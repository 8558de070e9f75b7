#include "registry/bundle_content.hpp"

#include "base/error.hpp"
#include "oci/reference.hpp"

namespace slipway::registry {

BundleContent::BundleContent(std::shared_ptr<const oci::BundleReader> bundle)
    : bundle_(std::move(bundle)) {
    for (const oci::BundleRoot& root : bundle_->content().roots) {
        if (root.name.empty()) continue;
        const oci::Reference name = oci::Reference::parse(root.name);
        auto& tags = repositories_[name.repository()];
        if (!name.tag.empty()) tags[name.tag] = root.digest;
    }
}

bool BundleContent::has_repository(const std::string& repository) const {
    return repositories_.contains(repository);
}

std::optional<BlobPlace> BundleContent::bytes(const oci::Digest& digest) const {
    const auto place = bundle_->find(digest);
    if (!place) return std::nullopt;
    return BlobPlace{.file = bundle_->file(), .offset = place->offset, .size = place->size};
}

std::optional<ManifestBytes> BundleContent::manifest(const oci::Digest& digest) const {
    const auto place = bundle_->find(digest);
    if (!place || place->kind == oci::BlobKind::blob) return std::nullopt;
    return ManifestBytes{.digest = digest,
                         .media_type = std::string(place->media_type),
                         .bytes = bundle_->manifest(digest)};
}

std::optional<oci::Digest> BundleContent::tag(const std::string& repository,
                                              const std::string& tag) const {
    const auto tags = repositories_.find(repository);
    if (tags == repositories_.end()) return std::nullopt;
    const auto found = tags->second.find(tag);
    if (found == tags->second.end()) return std::nullopt;
    return found->second;
}

std::set<std::string> BundleContent::tags(const std::string& repository) const {
    std::set<std::string> out;
    const auto tags = repositories_.find(repository);
    if (tags == repositories_.end()) return out;
    for (const auto& [tag, digest] : tags->second) out.insert(tag);
    return out;
}

// Found when first asked for: few clients ask, and reading every manifest takes a moment.
const BundleContent::Referrers& BundleContent::all_referrers() const {
    const Lock lock(mutex_);
    if (!referrers_) {
        auto found = std::make_unique<Referrers>();
        for (const oci::BundleBlob& blob : bundle_->content().blobs) {
            if (blob.kind == oci::BlobKind::blob || !bundle_->find(blob.digest)) continue;
            const ManifestBytes manifest{.digest = blob.digest,
                                         .media_type = blob.media_type,
                                         .bytes = bundle_->manifest(blob.digest)};
            const oci::Document document = document_of(manifest);
            if (const auto subject = subject_of(document))
                (*found)[*subject].push_back(referrer_of(manifest, document));
        }
        referrers_ = std::move(found);
    }
    return *referrers_;  // never changed again
}

std::vector<oci::Descriptor> BundleContent::referrers(const oci::Digest& subject) const {
    const Referrers& all = all_referrers();
    const auto found = all.find(subject);
    return found == all.end() ? std::vector<oci::Descriptor>() : found->second;
}

std::set<std::string> BundleContent::repositories() const {
    std::set<std::string> out;
    for (const auto& [name, tags] : repositories_) out.insert(name);
    return out;
}

}  // namespace slipway::registry
