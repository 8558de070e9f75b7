#include "oci/bundle_reader.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "oci/bundle_errors.hpp"
#include "oci/manifest.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::oci {

namespace {

std::string read_part(const std::shared_ptr<const Fd>& file, const std::string& name,
                      std::uint64_t offset, std::uint64_t size) {
    FileStream stream(file, name, offset, size);
    std::string out(size, '\0');
    read_fully(stream, out.data(), out.size());
    return out;
}

BundleIndex read_index(const std::shared_ptr<const Fd>& file, const std::string& name) {
    const std::uint64_t size = size_of(*file);
    if (size < kBundleIndexOffset + kBundleHeader) {
        throw UserError("BUNDLE-NOT-ONE", fmt::format("{} is not a bundle of Slipway", name),
                        {.remedy = "name a file that `slipway bundle build` has made"});
    }
    const std::string header = read_part(file, name, kBundleIndexOffset, kBundleHeader);
    const std::uint64_t length = index_size(header);
    if (length > size - kBundleIndexOffset) bundle_damaged("its index", "the file ends inside it");
    BundleIndex index = decode_index(read_part(file, name, kBundleIndexOffset, length));
    if (index.file_size != size) {
        bundle_damaged("the file",
                       fmt::format("it has {} bytes and should have {}", size, index.file_size));
    }
    return index;
}

}  // namespace

BundleReader::BundleReader(const std::filesystem::path& path)
    : name_(printable(path.string())), file_(open_regular(path)) {
    try {
        index_ = read_index(file_, name_);
    } catch (Error& e) {
        e.add_context("opening bundle " + name_);
        throw;
    }
}

std::optional<BlobPlace> BundleReader::find(const Digest& digest) const {
    const std::size_t at = index_.content.place(digest);
    if (at == index_.content.blobs.size() || index_.offsets[at] == 0) return std::nullopt;
    const BundleBlob& blob = index_.content.blobs[at];
    return BlobPlace{index_.offsets[at], blob.size, blob.media_type, blob.kind};
}

std::unique_ptr<ByteStream> BundleReader::open_unchecked(const Digest& digest) const {
    const std::optional<BlobPlace> place = find(digest);
    if (!place) {
        throw UserError(
            "BUNDLE-BLOB-MISSING", fmt::format("{} does not hold {}", name_, describe(digest)),
            {.cause = index_.is_delta() ? "it is a delta: its base holds this blob" : "",
             .remedy = index_.is_delta() ? "slipway bundle merge it with its base first" : ""});
    }
    return std::make_unique<FileStream>(file_, name_, place->offset, place->size);
}

std::unique_ptr<ByteStream> BundleReader::open(const Digest& digest) const {
    std::unique_ptr<ByteStream> plain = open_unchecked(digest);
    return std::make_unique<VerifyingStream>(std::move(plain), digest, find(digest)->size,
                                             fmt::format("{} in {}", describe(digest), name_));
}

std::string BundleReader::manifest(const Digest& digest) const {
    return read_whole(*open(digest), kMaxManifest, describe(digest));
}

std::string BundleReader::signature_block() const {
    return read_part(file_, name_, signature_offset(index_), kSignatureBlock);
}

std::string BundleReader::describe(const Digest& digest) const {
    for (const BundleRoot& root : content().roots) {
        if (root.digest == digest && !root.name.empty()) {
            return fmt::format("manifest {} of {}", digest.str(), root.name);
        }
    }
    const BundleBlob* blob = content().find(digest);
    const bool is_blob = blob == nullptr || blob->kind == BlobKind::blob;
    return fmt::format("{} {}", is_blob ? "blob" : "manifest", digest.str());
}

}  // namespace slipway::oci
