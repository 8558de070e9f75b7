#include "oci/source.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

namespace slipway::oci {

void blob_is_missing(const Source& source, const Digest& digest) {
    throw UserError("SOURCE-BLOB-MISSING", fmt::format("{} lacks {}", source.label(), digest.str()),
                    {.cause = "the archive or folder is not complete",
                     .remedy = "make it again, with all platforms that are asked for"});
}

std::string read_manifest(Source& source, const Descriptor& descriptor) {
    if (descriptor.size > kMaxManifest) {
        throw UserError("MANIFEST-INVALID",
                        fmt::format("manifest {} in {} is larger than {} bytes",
                                    descriptor.digest.str(), source.label(), kMaxManifest));
    }
    VerifyingStream stream(
        source.open(descriptor.digest).stream, descriptor.digest, descriptor.size,
        fmt::format("manifest {} in {}", descriptor.digest.str(), source.label()));
    return read_whole(stream, kMaxManifest, "a manifest");
}

}  // namespace slipway::oci
