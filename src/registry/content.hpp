// What a registry hands out, wherever it lies: in a bundle, or in the store.
#pragma once

#include "base/files.hpp"
#include "oci/digest.hpp"
#include "oci/manifest.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace slipway::registry {

struct BlobPlace {
    std::shared_ptr<const Fd> file = {};
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
};

struct ManifestBytes {
    oci::Digest digest = {};
    std::string media_type = {};
    std::string bytes = {};
};

// What is in it. Throws UserError MANIFEST-INVALID. A large one takes a moment and memory: those
// below want what this gave, so that nobody reads one twice.
oci::Document document_of(const ManifestBytes& manifest);

// How a manifest is listed among the referrers of its subject.
oci::Descriptor referrer_of(const ManifestBytes& manifest, const oci::Document& document);
// The subject a manifest names, if it does.
std::optional<oci::Digest> subject_of(const oci::Document& document);

// The manifest itself and the blobs it is made of. The manifests an index lists count by
// themselves.
std::set<oci::Digest> references_of(const oci::Digest& manifest, const oci::Document& document);

}  // namespace slipway::registry
