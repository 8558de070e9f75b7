#include "oci/bundle_index.hpp"

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "oci/bundle_errors.hpp"
#include "oci/manifest.hpp"
#include "oci/media_types.hpp"
#include "oci/pack.hpp"
#include "oci/tar_fields.hpp"
#include "oci/tar_writer.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

namespace slipway::oci {

namespace {

constexpr std::string_view kMagic = "SLIPBNDL";
constexpr std::string_view kLayoutFile = R"({"imageLayoutVersion":"1.0.0"})";
constexpr std::uint64_t kLargestBundle = 1ull << 60;
constexpr std::size_t kSha256Bytes = 32, kSha512Bytes = 64;

struct Header {
    std::uint64_t body = 0, file = 0, content = 0;
    std::string body_sum, content_sum;
};

std::string encode_header(const Header& h) {
    Packer out;
    out.raw(kMagic);
    out.number(kBundleVersion);
    out.number(static_cast<std::uint32_t>(kBundleHeader));
    out.number(h.body);
    out.number(h.content);
    out.number(h.file);
    out.raw(h.body_sum);
    out.raw(h.content_sum);
    out.raw(std::string(kBundleHeader - out.size(), '\0'));
    return out.take();
}

Header decode_header(std::string_view bytes) {
    if (!bytes.starts_with(kMagic)) {
        throw UserError("BUNDLE-NOT-ONE", "the file is not a bundle of Slipway",
                        {.remedy = "name a file that `slipway bundle build` has made"});
    }
    Unpacker in(bytes.substr(kMagic.size(), kBundleHeader - kMagic.size()));
    const auto version = in.number<std::uint32_t>();
    if (version > kBundleVersion) {
        throw UserError("BUNDLE-NEWER",
                        fmt::format("the bundle is of version {}, this program reads up to {}",
                                    version, kBundleVersion),
                        {.remedy = "use a newer slipway"});
    }
    if (version == 0 || in.number<std::uint32_t>() != kBundleHeader) {
        bundle_damaged("its index", "the header is wrong");
    }
    Header h;
    h.body = in.number<std::uint64_t>();
    h.content = in.number<std::uint64_t>();
    h.file = in.number<std::uint64_t>();
    h.body_sum = in.raw(kSha256Bytes);
    h.content_sum = in.raw(kSha256Bytes);
    const bool rest_is_empty = in.raw(in.left()).find_first_not_of('\0') == std::string_view::npos;
    if (h.body > kMaxBundleIndex || h.content > h.body || !rest_is_empty) {
        bundle_damaged("its index", "the header is wrong");
    }
    return h;
}

// Media types repeat; the table names each once.
std::vector<std::string> type_table(const BundleContent& content) {
    std::vector<std::string> types;
    for (const BundleBlob& blob : content.blobs) types.push_back(blob.media_type);
    for (const BundleRoot& root : content.roots) types.push_back(root.artifact_type);
    std::ranges::sort(types);
    types.erase(std::ranges::unique(types).begin(), types.end());
    if (types.size() > 0xffff) bundle_damaged("its index", "it has too many media types");
    return types;
}

std::uint16_t place_in(const std::vector<std::string>& types, const std::string& type) {
    return static_cast<std::uint16_t>(std::ranges::lower_bound(types, type) - types.begin());
}

std::string encode_content(const BundleContent& content) {
    Packer out;
    out.text(content.title);
    const std::vector<std::string> types = type_table(content);
    out.number(static_cast<std::uint32_t>(types.size()));
    for (const std::string& type : types) out.text(type);
    out.number(static_cast<std::uint32_t>(content.blobs.size()));
    for (const BundleBlob& blob : content.blobs) {
        out.number(static_cast<std::uint8_t>(blob.digest.algorithm));
        out.number(static_cast<std::uint8_t>(blob.kind));
        out.number(place_in(types, blob.media_type));
        out.number(blob.size);
        out.raw(from_hex(blob.digest.hex));
    }
    out.number(static_cast<std::uint32_t>(content.roots.size()));
    for (const BundleRoot& root : content.roots) {
        out.number(static_cast<std::uint32_t>(content.place(root.digest)));
        out.number(static_cast<std::uint8_t>(root.kind));
        out.number(place_in(types, root.artifact_type));
        out.text(root.name);
    }
    return out.take();
}

const std::string& type_at(const std::vector<std::string>& types, std::uint16_t place) {
    if (place >= types.size()) bundle_damaged("its index", "a media type is missing");
    return types[place];
}

std::string checked_text(std::string_view text) {
    if (printable(text) != text) bundle_damaged("its index", "a text has control characters");
    return std::string(text);
}

BundleBlob decode_blob(Unpacker& in, const std::vector<std::string>& types) {
    BundleBlob blob;
    const auto algorithm = in.number<std::uint8_t>();
    const auto kind = in.number<std::uint8_t>();
    if (algorithm > 1 || kind > 2) bundle_damaged("its index", "a blob is of an unknown kind");
    blob.kind = static_cast<BlobKind>(kind);
    blob.media_type = type_at(types, in.number<std::uint16_t>());
    blob.size = in.number<std::uint64_t>();
    if (blob.size > 1ull << 43) bundle_damaged("its index", "the size of a blob is not possible");
    blob.digest.algorithm = static_cast<Algorithm>(algorithm);
    blob.digest.hex = to_hex(in.raw(algorithm == 0 ? kSha256Bytes : kSha512Bytes));
    return blob;
}

BundleRoot decode_root(Unpacker& in, const std::vector<std::string>& types,
                       const std::vector<BundleBlob>& blobs) {
    BundleRoot root;
    const auto place = in.number<std::uint32_t>();
    const auto kind = in.number<std::uint8_t>();
    if (place >= blobs.size() || blobs[place].kind == BlobKind::blob) {
        bundle_damaged("its index", "a name leads to no manifest");
    }
    if (kind > static_cast<std::uint8_t>(RootKind::referrer)) {
        bundle_damaged("its index", "a name is of an unknown kind");
    }
    root.digest = blobs[place].digest;
    root.kind = static_cast<RootKind>(kind);
    root.artifact_type = type_at(types, in.number<std::uint16_t>());
    root.name = checked_text(in.text());
    return root;
}

auto root_key(const BundleRoot& root) { return std::tie(root.name, root.digest); }

void require_order(const BundleContent& content) {
    const auto not_rising = [](const auto& list, const auto& key) {
        return std::ranges::adjacent_find(list, [&](const auto& a, const auto& b) {
                   return !(key(a) < key(b));
               }) != list.end();
    };
    if (not_rising(content.blobs, [](const BundleBlob& b) { return std::tie(b.digest); }) ||
        not_rising(content.roots, root_key)) {
        bundle_damaged("its index", "it is not in order");
    }
    const auto same_name = [](const BundleRoot& a, const BundleRoot& b) {
        return !a.name.empty() && a.name == b.name;
    };
    if (std::ranges::adjacent_find(content.roots, same_name) != content.roots.end()) {
        bundle_damaged("its index", "a name is there twice");
    }
}

BundleContent decode_content(std::string_view bytes) {
    Unpacker in(bytes);
    BundleContent out;
    out.title = checked_text(in.text());
    std::vector<std::string> types(in.count(2));
    for (std::string& type : types) type = checked_text(in.text());
    out.blobs.resize(in.count(12 + kSha256Bytes));
    for (BundleBlob& blob : out.blobs) blob = decode_blob(in, types);
    out.roots.resize(in.count(9));
    for (BundleRoot& root : out.roots) root = decode_root(in, types, out.blobs);
    in.require_end();
    require_order(out);
    return out;
}

std::string encode_places(const BundleIndex& index) {
    Packer out;
    out.text(index.base);
    for (const std::uint64_t offset : index.offsets) out.number(offset);
    return out.take();
}

TarEntry blob_entry(const BundleBlob& blob) {
    return {.name = blob.digest.layout_path(), .size = blob.size};
}

// Size of the entry slipway-index, which lies in front of every offset it holds.
std::uint64_t body_size(const BundleIndex& index, std::uint64_t content_size) {
    return content_size + 2 + index.base.size() + 8 * index.content.blobs.size();
}

std::string padded(std::string content) {
    content.append(tar_padding(content.size()), '\0');
    return content;
}

std::uint64_t end_of_index(std::uint64_t body) {
    const std::uint64_t size = kBundleHeader + body;
    return kBundleIndexOffset + size + tar_padding(size);
}

constexpr std::string_view kSignatureName = "slipway-signatures";

std::uint64_t signature_place(std::uint64_t body) {
    const std::uint64_t end = end_of_index(body);
    return end + tar_header_size({.name = std::string(kSignatureName), .size = kSignatureBlock},
                                 end, kBundleAlignment);
}

}  // namespace

std::string_view to_string(RootKind kind) {
    switch (kind) {
        case RootKind::image: return "image";
        case RootKind::binary: return "binary";
        case RootKind::chart: return "chart";
        case RootKind::package: return "package";
        case RootKind::sbom: return "sbom";
        case RootKind::referrer: break;
    }
    return "referrer";
}

void BundleContent::sort() {
    std::ranges::sort(blobs, std::ranges::less{}, &BundleBlob::digest);
    std::ranges::sort(roots,
                      [](const auto& a, const auto& b) { return root_key(a) < root_key(b); });
}

std::size_t BundleContent::place(const Digest& digest) const {
    const auto found =
        std::ranges::lower_bound(blobs, digest, std::ranges::less{}, &BundleBlob::digest);
    if (found == blobs.end() || found->digest != digest) return blobs.size();
    return static_cast<std::size_t>(found - blobs.begin());
}

const BundleBlob* BundleContent::find(const Digest& digest) const {
    const std::size_t at = place(digest);
    return at == blobs.size() ? nullptr : &blobs[at];
}

const BundleRoot* BundleContent::find_name(std::string_view name) const {
    const auto found =
        std::ranges::lower_bound(roots, name, std::ranges::less{}, &BundleRoot::name);
    return found == roots.end() || found->name != name ? nullptr : &*found;
}

BundleIndex lay_out(BundleContent content, const std::vector<bool>& left_out, std::string base) {
    BundleIndex out;
    out.content = std::move(content);
    out.base = std::move(base);
    const std::string encoded = encode_content(out.content);
    out.content_digest = digest_of(encoded);
    const std::uint64_t body = body_size(out, encoded.size());
    const std::uint64_t json = layout_index(out.content).size();
    std::uint64_t at = signature_place(body) + kSignatureBlock;
    at += tar_header_size({.name = "index.json", .size = json}, at, kBundleAlignment);
    at += json + tar_padding(json);
    out.offsets.resize(out.content.blobs.size());
    for (std::size_t i = 0; i < out.offsets.size(); ++i) {
        if (i < left_out.size() && left_out[i]) continue;
        const BundleBlob& blob = out.content.blobs[i];
        at += tar_header_size(blob_entry(blob), at, kBundleAlignment);
        out.offsets[i] = at;
        at += blob.size + tar_padding(blob.size);
        // Sizes that add up past all numbers would come round to small offsets again.
        if (at > kLargestBundle)
            bundle_damaged("its index", "the sizes of its blobs are not possible");
    }
    out.file_size = at + kTarEnd;
    return out;
}

std::string encode(const BundleIndex& index) {
    const std::string content = encode_content(index.content);
    const std::string body = content + encode_places(index);
    return encode_header({.body = body.size(),
                          .file = index.file_size,
                          .content = content.size(),
                          .body_sum = from_hex(digest_of(body).hex),
                          .content_sum = from_hex(digest_of(content).hex)}) +
           body;
}

std::uint64_t index_size(std::string_view header) {
    if (header.size() < kBundleHeader) bundle_damaged("its index", "it ends too early");
    return kBundleHeader + decode_header(header).body;
}

BundleIndex decode_index(std::string_view bytes) {
    const std::uint64_t size = index_size(bytes);
    const Header header = decode_header(bytes);
    if (bytes.size() != size) bundle_damaged("its index", "it ends too early");
    const std::string_view body = bytes.substr(kBundleHeader);
    if (from_hex(digest_of(body).hex) != header.body_sum) {
        bundle_damaged("its index", "its SHA-256 is another");
    }
    const std::string_view own_content = body.substr(0, header.content);
    BundleContent content = decode_content(own_content);
    Unpacker places(body.substr(header.content));
    std::string base = checked_text(places.text());
    if (!base.empty() && !Digest::try_parse("sha256:" + base)) {
        bundle_damaged("its index", "the base of the delta is not a digest");
    }
    std::vector<std::uint64_t> offsets(content.blobs.size());
    std::vector<bool> left_out(content.blobs.size());
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        offsets[i] = places.number<std::uint64_t>();
        left_out[i] = offsets[i] == 0;
    }
    places.require_end();
    if (base.empty() && std::ranges::find(left_out, true) != left_out.end()) {
        bundle_damaged("its index", "blobs are left out but it is no delta");
    }
    // Offsets that are not where the format puts them could lead two readers to different bytes; a
    // content written in another way than ours would have two digests, and be signed under both.
    BundleIndex out = lay_out(std::move(content), left_out, std::move(base));
    if (out.offsets != offsets || out.file_size != header.file ||
        digest_of(own_content) != out.content_digest ||
        from_hex(out.content_digest.hex) != header.content_sum) {
        bundle_damaged("its index", "its parts contradict each other");
    }
    return out;
}

std::string layout_index(const BundleContent& content) {
    Index index{.media_type = std::string(media::kIndex)};
    for (const BundleRoot& root : content.roots) {
        const BundleBlob* blob = content.find(root.digest);
        if (blob == nullptr) bundle_damaged("its index", "a name leads nowhere");
        Descriptor d{.media_type = blob->media_type,
                     .digest = root.digest,
                     .size = blob->size,
                     .artifact_type = root.artifact_type};
        if (!root.name.empty()) {
            d.annotations["io.containerd.image.name"] = root.name;
            d.annotations["org.opencontainers.image.ref.name"] = root.name;
        }
        index.manifests.push_back(std::move(d));
    }
    return to_text(index);
}

std::uint64_t signature_offset(const BundleIndex& index) {
    return signature_place(body_size(index, encode_content(index.content).size()));
}

std::string front_matter(const BundleIndex& index) {
    const std::string own = encode(index);
    const std::string json = layout_index(index.content);
    std::string out = tar_header({.name = "oci-layout", .size = kLayoutFile.size()});
    out += padded(std::string(kLayoutFile));
    out += tar_header({.name = "slipway-index", .size = own.size()});
    out += padded(own);
    out += tar_header({.name = std::string(kSignatureName), .size = kSignatureBlock}, out.size(),
                      kBundleAlignment);
    out.append(kSignatureBlock, '\0');
    out += tar_header({.name = "index.json", .size = json.size()}, out.size(), kBundleAlignment);
    out += padded(json);
    return out;
}

std::string blob_header(const BundleBlob& blob, std::uint64_t end_of_last) {
    return tar_header(blob_entry(blob), end_of_last, kBundleAlignment);
}

}  // namespace slipway::oci
