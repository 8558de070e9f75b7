// What has to be where in a registry: images with their manifests, and each blob with the
// repositories that need it. A pure value, read from a source's manifests.
#pragma once

#include "images/destination.hpp"
#include "oci/source.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace slipway::images {

struct DocumentToPush {
    oci::Descriptor descriptor = {};
    oci::Digest subject = {};  // of a signature or the like: what it is about
};

struct ImageToPush {
    std::string name = {};  // as the source has it
    Target target = {};
    oci::Digest digest = {};
    std::vector<DocumentToPush> documents = {};  // each after those it names; the image's own last
    std::vector<DocumentToPush> referrers = {};  // likewise, each list behind another
    std::vector<oci::Digest> blobs = {};         // of all of these, once each
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
