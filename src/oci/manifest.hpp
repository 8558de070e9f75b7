// Manifests and indexes: what an image is made of.
//
//     const Document document = parse_document(text, descriptor.media_type);
//     if (const auto* image = std::get_if<Manifest>(&document)) use(image->layers);
//
// Reads OCI manifests and indexes, Docker's second schema and its lists. Fields nobody knows are
// passed over; the bytes themselves are never rewritten, for they are what the digest is of. What
// is contradictory, too large or names a digest no one can check is refused with
// UserError MANIFEST-INVALID.
#pragma once

#include "base/json.hpp"
#include "oci/digest.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace slipway::oci {

inline constexpr std::size_t kMaxManifest = 4u << 20;      // what registries must accept
inline constexpr std::size_t kMaxLayoutIndex = 64u << 20;  // index.json of a layout
inline constexpr std::size_t kMaxDescriptors = 10'000;     // in one manifest or index

struct Platform {
    std::string os = {};
    std::string architecture = {};
    std::string variant = {};
    std::string os_version = {};

    bool empty() const { return os.empty() && architecture.empty(); }
    std::string str() const;  // linux/arm64/v8
    auto operator<=>(const Platform&) const = default;
};

// Whether one of these was asked for: linux/arm64 asks for linux/arm64/v8 too. Nothing asked for,
// or no platform said, is always wanted.
bool is_wanted(const Platform& platform, const std::set<std::string>& asked_for);

using Annotations = std::map<std::string, std::string>;

struct Descriptor {
    std::string media_type = {};
    Digest digest = {};
    std::uint64_t size = 0;
    std::string artifact_type = {};
    Platform platform = {};
    Annotations annotations = {};
};

struct Manifest {
    std::string media_type = {};
    std::string artifact_type = {};
    Descriptor config = {};
    std::vector<Descriptor> layers = {};
    std::optional<Descriptor> subject = {};
    Annotations annotations = {};
};

struct Index {
    std::string media_type = {};
    std::string artifact_type = {};
    std::vector<Descriptor> manifests = {};
    std::optional<Descriptor> subject = {};
    Annotations annotations = {};
};

using Document = std::variant<Manifest, Index>;

// `media_type` is what the descriptor or the registry said; "" when nobody said.
Document parse_document(std::string_view text, std::string_view media_type,
                        std::size_t limit = kMaxManifest);
Index parse_index(std::string_view text, std::size_t limit = kMaxManifest);
Manifest parse_manifest(std::string_view text);

// Our own: the same fields always give the same bytes.
std::string to_text(const Manifest& manifest);
std::string to_text(const Index& index);
json::object to_json(const Descriptor& descriptor);

// Text that must be JSON from elsewhere, within limits of size and depth.
json::object parse_foreign_object(std::string_view text, std::size_t limit, std::string_view what);

}  // namespace slipway::oci
