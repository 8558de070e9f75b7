#include "base/checksum.hpp"

#include <gtest/gtest.h>

namespace slipway {

namespace {

// The values xxhsum -H2 prints.
TEST(Checksum, IsThatOfOthers) {
    EXPECT_EQ(checksum_hex(""), "99aa06d3014798d86001c324468d497f");
    EXPECT_EQ(checksum_hex("slipway").size(), Checksum::kHexSize);
}

TEST(Checksum, ComesOutTheSameInPieces) {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += static_cast<char>('a' + i % 23);
    Checksum pieces;
    for (std::size_t at = 0; at < text.size(); at += 777)
        pieces.update(std::string_view(text).substr(at, 777));
    EXPECT_EQ(pieces.hex(), checksum_hex(text));
    text[54'321] = '!';
    EXPECT_NE(pieces.hex(), checksum_hex(text));
}

}  // namespace

}  // namespace slipway
