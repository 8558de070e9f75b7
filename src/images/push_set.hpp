// What has to be where in a registry: images with their manifests, and each blob with the
// repositories that need it. A pure value, read from a source's manifests.
#pragma once

#include "images/destination.hpp"
#include "oci/source.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace slipway::images {

// An index as a registry takes it that wants everything an index names.
struct ReducedIndex {
    std::string text = {};
    oci::Digest digest = {};
};

struct DocumentToPush {
    oci::Descriptor descriptor = {};
    oci::Digest subject = {};  // of a signature or the like: what it is about
    // Of an index that names what the source lacks.
    std::optional<ReducedIndex> reduced = {};
};

// As it is, or with indexes of what there is: then their digests are others.
enum class Form { as_is, reduced };

const oci::Digest& digest_in(Form form, const DocumentToPush& document);

struct ImageToPush {
    std::string name = {};  // as the source has it
    Target target = {};
    oci::Digest digest = {};
    std::vector<DocumentToPush> documents = {};  // each after those it names; the image's own last
    std::vector<DocumentToPush> referrers = {};  // likewise, each list behind another
    std::vector<oci::Digest> blobs = {};         // of all of these, once each

    bool is_sparse() const { return !documents.empty() && documents.back().reduced.has_value(); }
    const oci::Digest& digest_in(Form form) const;
};

struct BlobToPush {
    std::uint64_t size = 0;
    std::set<std::string> repositories = {};
};

struct PushSet {
    std::vector<ImageToPush> images = {};  // by target
    std::map<oci::Digest, BlobToPush> blobs = {};

    std::uint64_t bytes() const;
};

struct PushChoice {
    std::vector<std::string> only = {};  // names, or with * at the end; empty: all
};

// Throws IMAGE-NOT-FOUND when a name of `only` fits nothing, PUSH-CONFLICT when two images would
// have one name.
PushSet read_push_set(oci::Source& source, const std::vector<oci::SourceImage>& images,
                      const PushChoice& choice, const Destination& destination);

}  // namespace slipway::images
