// Writes a bundle: from what it holds and where each blob can be read to the finished file.
//
//     write_bundle("x.bundle", lay_out(content), [&](const BundleBlob& b) { return open(b); });
//
// One pass from front to end: every offset is known before the first byte. Each byte is hashed
// once, on its way into the file. The file appears under its name when it is whole and on disk.
#pragma once

#include "oci/bundle_index.hpp"
#include "oci/byte_stream.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>

namespace slipway::oci {

struct BlobInput {
    std::unique_ptr<ByteStream> stream;
    bool is_checked = false;  // the stream itself vouches for digest and size
};

using OpenBlob = std::function<BlobInput(const BundleBlob&)>;
// Bytes written so far; called a few times a second at most by whoever shows them.
using OnBytes = std::function<void(std::uint64_t)>;

struct WriteOptions {
    OnBytes on_bytes = {};
    std::stop_token stop = {};
    std::string signatures = {};  // of the same content, to be kept
};

void write_bundle(const std::filesystem::path& path, const BundleIndex& index, const OpenBlob& open,
                  const WriteOptions& options = {});

}  // namespace slipway::oci
