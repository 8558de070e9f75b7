// gzip, xz and zstd streams opened, known by their first bytes; anything else passes as it is.
//
//     std::unique_ptr<ByteStream> plain = decompress(stream_file("images.tar.gz"));
//
// A small file can hold terabytes of nothing. Past a free amount, more than `ratio` times what was
// read is refused with UserError ARCHIVE-TOO-LARGE; so is a zstd frame or an xz stream that wants a
// larger window than we give it.
#pragma once

#include "oci/byte_stream.hpp"

#include <cstdint>
#include <memory>

namespace slipway::oci {

struct DecompressLimits {
    std::uint64_t bytes = 1ull << 42;
    std::uint64_t ratio = 250;
    std::uint64_t free_bytes = 256u << 20;  // up to here the ratio does not matter
    int zstd_window_log = 26;               // 64 MiB of memory
    std::uint64_t xz_memory = 80u << 20;    // what xz -9 needs, and some
};

enum class Compression { none, gzip, xz, zstd };

std::unique_ptr<ByteStream> decompress(std::unique_ptr<ByteStream> stream,
                                       DecompressLimits limits = {}, Compression* found = nullptr);

}  // namespace slipway::oci
