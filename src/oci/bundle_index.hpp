// The format of a bundle: what is in it and where. docs/bundle.md describes it for other programs.
//
// A bundle is a plain tar that holds an OCI image layout. Its entries, in this order:
//
//     oci-layout           as the OCI says
//     slipway-index        this index; its content begins at byte 1536 of every bundle
//     slipway-signatures   4 KiB kept free for signatures (bundle_signature.hpp)
//     index.json           as the OCI says: every image and artifact with its name
//     blobs/<alg>/<hex>    every blob once, by digest, each beginning at a multiple of 4 KiB
//
// Every byte follows from the content (names, digests, sizes, media types), from which of the blobs
// are left out (a delta), and from the signatures. So a bundle built twice is the same file, a
// merged one is the one that was never split, and one that was changed anywhere can be told.
// The content's digest covers names and blobs but no offsets: a delta and the whole have the same
// one, and a signature of it holds for both.
#pragma once

#include "oci/digest.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::oci {

inline constexpr std::uint64_t kBundleAlignment = 4096;
inline constexpr std::uint64_t kBundleIndexOffset = 1536;
inline constexpr std::uint64_t kBundleHeader = 128;
inline constexpr std::uint64_t kSignatureBlock = 4096;
inline constexpr std::uint64_t kMaxBundleIndex = 512u << 20;
inline constexpr std::uint32_t kBundleVersion = 1;

enum class BlobKind : std::uint8_t { blob = 0, manifest = 1, index = 2 };
enum class RootKind : std::uint8_t {
    image = 0,
    binary = 1,
    chart = 2,
    package = 3,
    sbom = 4,
    referrer = 5,  // a signature or the like, found through its subject: it has no name
};

std::string_view to_string(RootKind kind);

struct BundleBlob {
    Digest digest = {};
    std::uint64_t size = 0;
    std::string media_type = {};
    BlobKind kind = BlobKind::blob;
};

// What can be asked for by name, or by the digest of its manifest.
struct BundleRoot {
    std::string name = {};
    Digest digest = {};
    RootKind kind = RootKind::image;
    std::string artifact_type = {};
};

struct BundleContent {
    std::string title = {};              // of the recipe: "kubernetes 1.34.1"
    std::vector<BundleBlob> blobs = {};  // by digest
    std::vector<BundleRoot> roots = {};  // by name, then digest

    void sort();
    const BundleBlob* find(const Digest& digest) const;
    std::size_t place(const Digest& digest) const;  // in blobs; its size when there is none
    const BundleRoot* find_name(std::string_view name) const;
};

struct BundleIndex {
    BundleContent content = {};
    std::vector<std::uint64_t> offsets = {};  // of blobs; 0: left out
    std::string base = {};  // of a delta: what it was made against, as hex of a digest; else empty
    Digest content_digest = {};
    std::uint64_t file_size = 0;

    bool is_delta() const { return !base.empty(); }
};

// Puts everything in its place. `left_out` says of each blob whether a base has it.
BundleIndex lay_out(BundleContent content, const std::vector<bool>& left_out = {},
                    std::string base = {});

// The content of the entry slipway-index: header and body.
std::string encode(const BundleIndex& index);
// Throws BUNDLE-NOT-ONE, BUNDLE-NEWER or BUNDLE-DAMAGED.
BundleIndex decode_index(std::string_view bytes);

// How long the entry's content is, read from its first kBundleHeader bytes.
std::uint64_t index_size(std::string_view header);

// index.json, as it stands in the bundle.
std::string layout_index(const BundleContent& content);

// Every byte of the bundle before the first blob, with room for signatures left empty.
std::string front_matter(const BundleIndex& index);
std::uint64_t signature_offset(const BundleIndex& index);
// The tar header in front of a blob that begins at `offset`, given where the last thing ended.
std::string blob_header(const BundleBlob& blob, std::uint64_t end_of_last);

}  // namespace slipway::oci
