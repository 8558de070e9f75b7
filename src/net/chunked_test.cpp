#include "net/chunked.hpp"

#include "net/failure.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace slipway::net {
namespace {

// Everything decoded with input and room in pieces of these sizes, and what was left unread.
std::pair<std::string, std::string> decode(std::string_view bytes, std::size_t piece,
                                           std::size_t room) {
    ChunkedDecoder decoder;
    std::string out, buffer(room, '\0');
    while (!decoder.whole() && !bytes.empty()) {
        const auto step = decoder.decode(bytes.substr(0, piece), buffer);
        out.append(buffer, 0, step.written);
        bytes.remove_prefix(step.used);
    }
    EXPECT_TRUE(decoder.whole());
    return {out, std::string(bytes)};
}

RC_GTEST_PROP(Chunked, GivesBackWhatWasCoded, (const std::vector<std::string>& parts)) {
    std::string whole, coded;
    for (const std::string& part : parts) {
        if (part.empty()) continue;
        whole += part;
        coded += fmt::format("{:x}\r\n{}\r\n", part.size(), part);
    }
    coded += "0\r\n\r\n";
    const auto piece = *rc::gen::inRange<std::size_t>(1, 9);
    const auto room = *rc::gen::inRange<std::size_t>(1, 9);
    const auto [decoded, rest] = decode(coded + "next", piece, room);
    RC_ASSERT(decoded == whole);
    RC_ASSERT(rest == "next");
}

RC_GTEST_PROP(Chunked, AnyBytesEndOrAreRefused, (const std::string& bytes)) {
    ChunkedDecoder decoder;
    std::string room(64, '\0');
    try {
        const auto step = decoder.decode("5\r\n" + bytes, room);
        RC_ASSERT(step.written <= bytes.size());
    } catch (const HttpError& error) {
        RC_ASSERT(error.status == 400);
    }
}

TEST(Chunked, LetsAReaderTakeTheBytesPastIt) {
    ChunkedDecoder decoder;
    std::string room(4, '\0');
    EXPECT_EQ(decoder.decode("5\r\n", room).used, 3u);
    EXPECT_EQ(decoder.plain_bytes(), 5u);
    decoder.took(5);
    EXPECT_EQ(decoder.plain_bytes(), 0u);
    EXPECT_EQ(decoder.decode("\r\n0\r\n\r\nx", room).used, 7u);
    EXPECT_TRUE(decoder.whole());
}

}  // namespace
}  // namespace slipway::net
