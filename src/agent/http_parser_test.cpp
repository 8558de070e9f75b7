#include "agent/http_parser.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::agent {

namespace {

using ::testing::HasSubstr;

struct Answer {
    ResponseHead head;
    std::string body;
};

// The whole of an answer that came in pieces of `piece` bytes before the connection ended.
Answer parse(std::string_view bytes, std::size_t piece) {
    ResponseParser parser;
    Answer out;
    while (!bytes.empty()) {
        parser.add(bytes.substr(0, piece));
        bytes.remove_prefix(std::min(piece, bytes.size()));
        while (const auto part = parser.body()) out.body += *part;
    }
    parser.end_of_input();
    out.head = *parser.head();
    return out;
}

std::string refusal(std::string_view bytes, std::size_t piece = 1u << 20) {
    try {
        parse(bytes, piece);
    } catch (const HttpError& e) {
        return e.what();
    }
    return "accepted";
}

TEST(HttpParser, ReadsABodyOfKnownLengthInPiecesOfAnySize) {
    const std::string bytes =
        "HTTP/1.1 206 Partial Content\r\nContent-Length: 11\r\nETag:  \"x\" \r\n\r\nhello world";
    for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
        const Answer answer = parse(bytes, piece);
        EXPECT_EQ(answer.head.status, 206);
        EXPECT_EQ(answer.head.reason, "Partial Content");
        EXPECT_EQ(answer.head.field("etag"), "\"x\"");
        EXPECT_EQ(answer.head.field("absent"), std::nullopt);
        EXPECT_EQ(answer.body, "hello world");
    }
}

TEST(HttpParser, DecodesChunksInPiecesOfAnySize) {
    const std::string bytes =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n"
        "5;name=\"v\"\r\nhello\r\n006\r\n world\r\n0\r\nTrailer: x\r\n\r\n";
    for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
        EXPECT_EQ(parse(bytes, piece).body, "hello world") << piece;
    }
}

TEST(HttpParser, WithoutALengthTheConnectionsEndIsTheBodys) {
    EXPECT_EQ(parse("HTTP/1.0 200 OK\r\n\r\nabc", 2).body, "abc");
}

TEST(HttpParser, PassesOverInterimAnswers) {
    const std::string interim = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n";
    const std::string final = "HTTP/1.1 204 No Content\r\n\r\n";
    EXPECT_EQ(parse(interim + interim + final, 3).head.status, 204);
    std::string flood;
    for (std::size_t i = 0; i <= kMaxInterim; ++i) flood += interim;
    EXPECT_THAT(refusal(flood + final), HasSubstr("too many interim"));
}

TEST(HttpParser, BytesAfterTheBodyAreNotPartOfIt) {
    ResponseParser parser;
    parser.add("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabHTTP/1.1 200 OK\r\n");
    EXPECT_EQ(parser.body(), "ab");
    EXPECT_TRUE(parser.whole());
    EXPECT_EQ(parser.body(), std::nullopt);
}

TEST(HttpParser, ACutConnectionIsNoticed) {
    EXPECT_THAT(refusal(""), HasSubstr("without an answer"));
    EXPECT_THAT(refusal("HTTP/1.1 200 OK\r\nContent-"), HasSubstr("without an answer"));
    EXPECT_THAT(refusal("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab"),
                HasSubstr("ended before"));
    const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (const char* cut :
         {"", "5", "5\r\n", "5\r\nhel", "5\r\nhello", "5\r\nhello\r\n", "0\r\n"}) {
        EXPECT_THAT(refusal(chunked + cut), HasSubstr("ended before")) << cut;
    }
}

TEST(HttpParser, RefusesWhatIsNoHttp) {
    for (const char* bytes :
         {"SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTTP/2 200 OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n",
          "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 +20 OK\r\n\r\n", "HTTP/1.1 099 x\r\n\r\n",
          "HTTP/1.1 200 O\x01K\r\n\r\n"}) {
        EXPECT_THAT(refusal(bytes), HasSubstr("does not speak")) << bytes;
    }
    EXPECT_THAT(refusal("HTTP/1.1 101 Switching\r\n\r\n"), HasSubstr("unasked"));
}

TEST(HttpParser, RefusesTwoMeaningsOfOneAnswer) {
    const std::string top = "HTTP/1.1 200 OK\r\n";
    for (const char* fields :
         {"Content-Length: 3\r\nContent-Length: 4\r\n", "Content-Length: +3\r\n",
          "Content-Length: 3, 3\r\n", "Content-Length: -1\r\n", "Content-Length:\r\n",
          "Content-Length: 99999999999999999999\r\n", "Transfer-Encoding: gzip, chunked\r\n",
          "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n",
          "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "Folded: a\r\n b\r\n",
          "No colon\r\n", "Blank : x\r\n", ": x\r\n", "Bare: a\nb\r\n", "Nul: \x01\r\n"}) {
        EXPECT_NE(refusal(top + fields + "\r\nabc"), "accepted") << fields;
    }
    const std::string chunked = top + "Transfer-Encoding: chunked\r\n\r\n";
    for (const char* chunk :
         {"-5\r\nhello\r\n", "0x5\r\nhello\r\n", "\r\nhello\r\n", "g\r\n",
          "4\r\nhello\r\n0\r\n\r\n", "ffffffffffffffff\r\n", "5\nhello\n0\n\n"}) {
        const std::string why = refusal(chunked + chunk);
        EXPECT_NE(why, "accepted") << chunk;
        EXPECT_THAT(why, Not(HasSubstr("ended before"))) << chunk;
    }
}

// A server that sends without end must not fill the memory of the host.
TEST(HttpParser, EveryPartHasALimit) {
    const std::string long_text(kMaxHeadBytes + 1, 'a');
    EXPECT_THAT(refusal(long_text, 1000), HasSubstr("too long"));
    EXPECT_THAT(refusal("HTTP/1.1 200 OK\r\nX: " + long_text, 1000), HasSubstr("too long"));
    std::string fields;
    for (std::size_t i = 0; i <= kMaxFields; ++i) fields += "a: b\r\n";
    EXPECT_THAT(refusal("HTTP/1.1 200 OK\r\n" + fields + "\r\n"), HasSubstr("too many"));
    const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    EXPECT_THAT(refusal(chunked + std::string(kMaxChunkLine + 1, '0'), 100), HasSubstr("too long"));
    std::string trailers = "0\r\n";
    for (int i = 0; i < 40; ++i) trailers += "a: " + std::string(2000, 'b') + "\r\n";
    EXPECT_THAT(refusal(chunked + trailers, 1000), HasSubstr("too long"));
}

}  // namespace

}  // namespace slipway::agent
