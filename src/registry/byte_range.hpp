// The header fields that name a part of a blob: Range when it is read, Content-Range when it is
// written.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace slipway::registry {

struct ByteRange {
    enum class Kind { whole, part, beyond };
    Kind kind = Kind::whole;
    std::uint64_t first = 0;
    std::uint64_t length = 0;
};

// `size` bytes are there. What is not understood, or asks for several parts, means all of it.
ByteRange parse_range(std::string_view text, std::uint64_t size);

struct ChunkRange {
    std::uint64_t first = 0;
    std::uint64_t last = 0;  // of a chunk, which is never empty
};

// "0-1023", as the distribution spec writes it; "bytes 0-1023/2048" too.
std::optional<ChunkRange> parse_content_range(std::string_view text);

}  // namespace slipway::registry
