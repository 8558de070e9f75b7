// Where images come from. One small interface: what is there, and the bytes of a blob by digest.
//
//     const std::unique_ptr<Source> source = open_layout_folder("images/");
//     for (const SourceImage& image : source->images()) collector.add(*source, image, …);
//
// What is read over a network says so: it is then fetched ahead (client/prefetch.hpp).
#pragma once

#include "net/stream.hpp"
#include "oci/bundle_writer.hpp"
#include "oci/manifest.hpp"

#include <optional>
#include <string>
#include <vector>

namespace slipway::oci {

struct SourceImage {
    std::string name = {};  // in full; empty when the source does not say, or for a referrer
    Descriptor descriptor = {};
};

class Source {
  public:
    virtual ~Source() = default;

    virtual std::vector<SourceImage> images() = 0;
    virtual bool has(const Digest& digest) = 0;
    // Throws UserError SOURCE-BLOB-MISSING. Safe to call while other streams are read.
    virtual BlobInput open(const Digest& digest) = 0;
    virtual std::string label() const = 0;  // for messages: "docker-archive images.tar"
    virtual bool is_remote() const { return false; }
    // Whether it is part of this, be the bytes here or elsewhere: a delta bundle lists what its
    // base holds, and to open that is an error.
    virtual bool lists(const Digest& digest) { return has(digest); }
    // Where it lies in an open file as it is, so that the kernel can send it; nullopt: nowhere.
    virtual std::optional<net::FileRange> file_of(const Digest&) { return std::nullopt; }
};

[[noreturn]] void blob_is_missing(const Source& source, const Digest& digest);

// The manifest of that digest, checked against it.
std::string read_manifest(Source& source, const Descriptor& descriptor);

}  // namespace slipway::oci
