#include "oci/client/registry_source.hpp"

#include "base/error.hpp"
#include "oci/media_types.hpp"

#include <fmt/format.h>

namespace slipway::oci {

namespace {

constexpr int kMaxDepth = 8;                   // of indexes in indexes
constexpr std::size_t kMaxDocuments = 10'000;  // of one image
constexpr std::size_t kMaxReferrers = 1'000;   // of one manifest

}  // namespace

RegistrySource::RegistrySource(RegistryClient& client, std::string repository, Reference reference,
                               std::set<std::string> platforms)
    : client_(client),
      repository_(std::move(repository)),
      reference_(std::move(reference)),
      platforms_(std::move(platforms)) {}

std::string RegistrySource::label() const {
    return fmt::format("registry {}", reference_.repository());
}

void RegistrySource::load() {
    const std::string wanted = reference_.digest ? reference_.digest->str() : reference_.tag;
    const auto root = client_.get_manifest(repository_, wanted);
    if (!root) {
        throw ApiError("REGISTRY-UNKNOWN",
                       fmt::format("{} has no {}", client_.host(), reference_.str()),
                       {.cause = "the name is mistyped, or was never pushed there"});
    }
    // With a tag and a digest, the digest decides and the tag is its name.
    Reference name = reference_;
    if (!name.tag.empty()) name.digest.reset();
    images_.push_back({name.str(), root->descriptor()});
    remember(*root, 0);
    std::vector<Digest> subjects;
    for (const auto& [digest, text] : documents_) subjects.push_back(digest);
    for (const Digest& subject : subjects) take_referrers(subject);
}

void RegistrySource::remember(const FetchedManifest& manifest, int depth) {
    if (depth > kMaxDepth || documents_.size() >= kMaxDocuments) {
        throw UserError("MANIFEST-INVALID",
                        fmt::format("{} has manifests without end", reference_.str()));
    }
    if (!documents_.try_emplace(manifest.digest, manifest.text).second) return;
    const Document document = parse_document(manifest.text, manifest.media_type);
    if (const auto* image = std::get_if<Manifest>(&document)) {
        blobs_[image->config.digest] = {.size = image->config.size};
        for (const Descriptor& layer : image->layers) {
            blobs_[layer.digest] = {.size = layer.size,
                                    .may_be_absent = media::is_foreign_layer(layer.media_type)};
        }
        return;
    }
    for (const Descriptor& child : std::get<Index>(document).manifests) {
        if (!is_wanted(child.platform, platforms_)) continue;
        // An index keeps its digest, so it may name what its maker never pushed.
        const auto fetched = client_.get_manifest(repository_, child.digest.str());
        if (fetched) remember(*fetched, depth + 1);
    }
}

void RegistrySource::take_referrers(const Digest& subject) {
    const std::vector<Descriptor> found = client_.referrers(repository_, subject);
    if (found.size() > kMaxReferrers) {
        throw UserError("MANIFEST-INVALID",
                        fmt::format("{} has too many referrers", reference_.str()));
    }
    for (const Descriptor& descriptor : found) {
        const auto fetched = client_.get_manifest(repository_, descriptor.digest.str());
        if (!fetched || documents_.contains(fetched->digest)) continue;
        SourceImage image{"", fetched->descriptor()};
        image.descriptor.artifact_type = descriptor.artifact_type;
        images_.push_back(std::move(image));
        remember(*fetched, 0);
    }
}

bool RegistrySource::has(const Digest& digest) {
    if (documents_.contains(digest)) return true;
    const auto blob = blobs_.find(digest);
    if (blob == blobs_.end()) return false;
    // A registry takes no manifest whose blobs it lacks, but for those that need not be there.
    return !blob->second.may_be_absent || client_.head_blob(repository_, digest).has_value();
}

BlobInput RegistrySource::open(const Digest& digest) {
    const auto document = documents_.find(digest);
    if (document != documents_.end()) {
        return {std::make_unique<MemoryStream>(document->second), true};
    }
    const auto blob = blobs_.find(digest);
    if (blob == blobs_.end()) blob_is_missing(*this, digest);
    return {client_.open_blob(repository_, {.digest = digest, .size = blob->second.size}), true};
}

}  // namespace slipway::oci
