#include "wire/frame.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace slipway::wire {
namespace {

TEST(FrameTest, IsTheSameHoweverItIsCut) {
    rc::check("frames come whole from any pieces", [](const std::string& payload) {
        const std::string bytes = encode_frame(Kind::reply, 7, payload) +
                                  encode_frame(Kind::ping, 0, "") +
                                  encode_frame(Kind::data, 9, data_payload(Stream::err, payload));
        FrameParser parser;
        std::vector<Frame> frames;
        for (std::size_t at = 0; at < bytes.size();) {
            const std::size_t size = *rc::gen::inRange<std::size_t>(1, 20);
            parser.add(std::string_view(bytes).substr(at, size));
            at += size;
            while (std::optional<Frame> frame = parser.next()) frames.push_back(std::move(*frame));
        }
        RC_ASSERT(frames.size() == 3U);
        RC_ASSERT(frames[0].kind == Kind::reply);
        RC_ASSERT(frames[0].request == 7U);
        RC_ASSERT(frames[0].payload == payload);
        RC_ASSERT(frames[2].payload == payload);
        RC_ASSERT(frames[2].stream == Stream::err);
        RC_ASSERT(parser.rest().empty());
    });
}

TEST(FrameTest, RefusesImpossibleLengthsAtOnce) {
    for (const std::string& bytes : {std::string("\0\0\0\0", 4), std::string("\x04\0\0\0", 4),
                                     std::string("\xff\xff\xff\xff", 4)}) {
        FrameParser parser;
        parser.add(bytes);
        EXPECT_THROW(parser.next(), ProtocolError);
    }
}

TEST(FrameTest, RefusesUnknownKinds) {
    for (const char kind : {'\0', '\x0b', '\xff'}) {
        std::string bytes = encode_frame(Kind::ping, 1, "");
        bytes[4] = kind;
        FrameParser parser;
        parser.add(bytes);
        EXPECT_THROW(parser.next(), ProtocolError);
    }
}

TEST(FrameTest, RefusesPayloadsThatAreNone) {
    for (const std::string payload : {"", "\x09"}) {  // no stream, and none that we know
        FrameParser parser;
        parser.add(encode_frame(Kind::data, 1, payload));
        EXPECT_THROW(parser.next(), ProtocolError);
    }
    EXPECT_THROW(parse_credit({Kind::credit, 1, "123"}), ProtocolError);
    EXPECT_THROW(encode_frame(Kind::data, 1, std::string(kMaxPayload + 1, 'x')), ProtocolError);
}

TEST(FrameTest, ADataFrameCanBeMadeInPlace) {
    std::string frame = std::string(kDataHead, '\0') + "bytes";
    finish_data_frame(frame, 7, Stream::err);
    EXPECT_EQ(frame, encode_frame(Kind::data, 7, data_payload(Stream::err, "bytes")));
}

}  // namespace
}  // namespace slipway::wire
