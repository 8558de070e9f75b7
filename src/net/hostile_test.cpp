// Raw bytes at the server: what is refused, with what, and that the connection ends there. Each row
// is followed by a second, good request: smuggling shows as a second answer.
#include "net/http_server.hpp"
#include "net/testing/raw_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::net {
namespace {

using testing::answer_to;
using testing::count_of;
using testing::status_of;

struct Row {
    std::string bytes = {};
    int status = 0;
};

const std::string kGet = "GET / HTTP/1.1\r\nHost: a\r\n";
const std::string kPost = "POST / HTTP/1.1\r\nHost: a\r\n";
const std::string kChunked = kPost + "Transfer-Encoding: chunked\r\n\r\n";

std::string many_fields(int count) {
    std::string out;
    for (int i = 0; i < count; ++i) out += "X-" + std::to_string(i) + ": y\r\n";
    return out;
}

std::string long_chunk_extension() { return "1;" + std::string(300, 'a') + "\r\nx\r\n0\r\n\r\n"; }

// clang-format off
const std::vector<Row> kRefused = {
    // The length, stated in two ways
    {kPost + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
    {kPost + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n", 400},
    {kPost + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc", 400},
    {kPost + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc", 400},
    {kPost + "Content-Length: 3, 3\r\n\r\nabc", 400},
    {kPost + "Content-Length: 3,4\r\n\r\nabc", 400},
    {kPost + "Content-Length: +3\r\n\r\nabc", 400},
    {kPost + "Content-Length: -3\r\n\r\nabc", 400},
    {kPost + "Content-Length: 0x3\r\n\r\nabc", 400},
    {kPost + "Content-Length: 3 3\r\n\r\nabc", 400},
    {kPost + "Content-Length: 3abc\r\n\r\nabc", 400},
    {kPost + "Content-Length:\r\n\r\nabc", 400},
    {kPost + "Content-Length: 18446744073709551619\r\n\r\nabc", 400},
    {kPost + "Content-Length: 99999999999999999999999\r\n\r\nabc", 400},
    {kPost + "Content-Length : 3\r\n\r\nabc", 400},
    {kPost + "Content-Length\t: 3\r\n\r\nabc", 400},
    {kPost + " Content-Length: 3\r\n\r\nabc", 400},
    {kPost + "Content_Length\r\n\r\nabc", 400},
    // Transfer codings
    {kPost + "Transfer-Encoding: gzip\r\n\r\nabc", 501},
    {kPost + "Transfer-Encoding: identity\r\n\r\nabc", 501},
    {kPost + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501},
    {kPost + "Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n", 501},
    {kPost + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", 501},
    {kPost + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 501},
    {kPost + "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n", 501},
    {kPost + "Transfer-Encoding: chunked;q=1\r\n\r\n0\r\n\r\n", 501},
    {kPost + "Transfer-Encoding:\r\n\r\n0\r\n\r\n", 400},
    {kPost + "Transfer-Encoding: \x0b" "chunked\r\n\r\n0\r\n\r\n", 400},
    {kPost + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
    {kPost + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n", 400},
    {kPost + "Transfer-Encoding\r\n : chunked\r\n\r\n0\r\n\r\n", 400},
    {"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
    // Chunks
    {kChunked + "g\r\nabc\r\n0\r\n\r\n", 400},
    {kChunked + "\r\nabc\r\n0\r\n\r\n", 400},
    {kChunked + "-1\r\nabc\r\n0\r\n\r\n", 400},
    {kChunked + "+3\r\nabc\r\n0\r\n\r\n", 400},
    {kChunked + "0x3\r\nabc\r\n0\r\n\r\n", 400},
    {kChunked + " 3\r\nabc\r\n0\r\n\r\n", 400},
    {kChunked + "3 \r\nabc\r\n0\r\n\r\n", 400},
    {kChunked + "3\nabc\r\n0\r\n\r\n", 400},
    {kChunked + "3\rabc\r\n0\r\n\r\n", 400},
    {kChunked + "3\r\nabcd\r\n0\r\n\r\n", 400},
    {kChunked + "3\r\nabc0\r\n\r\n", 400},
    {kChunked + "3\r\nabc\n0\r\n\r\n", 400},
    {kChunked + "10000000000000003\r\nabc\r\n0\r\n\r\n", 400},
    {kChunked + "ffffffffffffffff\r\nabc\r\n0\r\n\r\n", 400},
    {kChunked + "3;a=b\nc\r\nabc\r\n0\r\n\r\n", 400},
    {kChunked + "3;a=\x01\r\nabc\r\n0\r\n\r\n", 400},
    {kChunked + long_chunk_extension(), 400},
    {kChunked + "0\r\n X: y\r\n\r\n", 400},
    {kChunked + "0\r\nno-colon\r\n\r\n", 400},
    {kChunked + "0\r\nX : y\r\n\r\n", 400},
    {kChunked + "0\r\nX: y\n\r\n\r\n", 400},
    {kChunked + "0\r\nX: " + std::string(9000, 'y') + "\r\n\r\n", 400},
    // Lines and fields
    {"GET / HTTP/1.1\nHost: a\n\n", 400},
    {"GET / HTTP/1.1\r\nHost: a\n\r\n", 400},
    {"GET / HTTP/1.1\r\nHost: a\r\n\n", 400},
    {"GET / HTTP/1.1\rHost: a\r\n\r\n", 400},
    {kGet + "X: a\r\n b\r\n\r\n", 400},
    {kGet + "X: a\r\n\tb\r\n\r\n", 400},
    {kGet + "X: a\rb\r\n\r\n", 400},
    {kGet + std::string("X: a\0b\r\n\r\n", 10), 400},
    {kGet + "X: a\x7f\r\n\r\n", 400},
    {kGet + "X: \x1b[2J\r\n\r\n", 400},
    {kGet + ": no name\r\n\r\n", 400},
    {kGet + "X\xc3\xa4: y\r\n\r\n", 400},
    {kGet + "X(y): y\r\n\r\n", 400},
    {kGet + "no colon\r\n\r\n", 400},
    {kGet + "X y: z\r\n\r\n", 400},
    {kGet + many_fields(101) + "\r\n", 431},
    {kGet + "X: " + std::string(40'000, 'y') + "\r\n\r\n", 431},
    {"\r\n\r\n" + kGet + "\r\n", 400},
    {" " + kGet + "\r\n", 400},
    {"\n" + kGet + "\r\n", 400},
    // Host
    {"GET / HTTP/1.1\r\n\r\n", 400},
    {kGet + "Host: b\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400},
    // The request line
    {"GET /\r\nHost: a\r\n\r\n", 400},
    {"GET\r\nHost: a\r\n\r\n", 400},
    {"GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"GET / \r\nHost: a\r\n\r\n", 505},
    {"GET / x HTTP/1.1\r\nHost: a\r\n\r\n", 505},
    {"GET /\tHTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"G(T / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {std::string(33, 'G') + " / HTTP/1.1\r\nHost: a\r\n\r\n", 501},
    {"GET / HTTP/1.2\r\nHost: a\r\n\r\n", 505},
    {"GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505},
    {"GET / HTTP/0.9\r\nHost: a\r\n\r\n", 505},
    {"GET / http/1.1\r\nHost: a\r\n\r\n", 505},
    {"GET / HTTP/1.1 \r\nHost: a\r\n\r\n", 505},
    {"GET / HTTP/11\r\nHost: a\r\n\r\n", 505},
    {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
    {"GET /" + std::string(9000, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n", 414},
    {"\x16\x03\x01\x02\x00\x01", 400},
    // The target
    {"GET x HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"GET * HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"GET http:///x HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n", 501},
    {"GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"GET /% HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"GET /%4 HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"GET /%0d%0a HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"GET /a/../b HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"GET /a/%2e%2E/b HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"GET /./b HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"GET /a%2fb HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"GET /?a=%00 HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"GET /?a=%g0 HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    // Expectations and sizes
    {kPost + "Expect: the unexpected\r\nContent-Length: 3\r\n\r\nabc", 417},
    {kPost + "Content-Length: 1001\r\n\r\n" + std::string(1001, 'x'), 413},
    {kChunked + "3e9\r\n" + std::string(1001, 'x') + "\r\n0\r\n\r\n", 413},
};
// clang-format on

class Hostile : public ::testing::Test {
  protected:
    HttpServer server_{
        Listener("127.0.0.1:0"), {.max_body = 1000}, [](Request& request, Response& response) {
            response.body = "read " + std::to_string(request.body.read_all(1000).size());
        }};
};

TEST_F(Hostile, RequestsAreRefusedAndEndTheConnection) {
    ASSERT_GE(kRefused.size(), 60u);
    for (const Row& row : kRefused) {
        const std::string answer =
            answer_to(server_.port(), row.bytes + "GET /next HTTP/1.1\r\nHost: a\r\n\r\n");
        EXPECT_EQ(status_of(answer), row.status) << row.bytes.substr(0, 200) << "\n→ " << answer;
        EXPECT_EQ(count_of(answer, "HTTP/1.1 "), 1) << row.bytes.substr(0, 200) << "\n→ " << answer;
        EXPECT_NE(answer.find("Connection: close\r\n"), std::string::npos) << answer;
    }
    EXPECT_EQ(server_.stats().bad_requests, kRefused.size());
}

TEST_F(Hostile, LooksButIsFine) {
    const std::string next = "GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    // clang-format off
    for (const std::string& bytes : std::vector<std::string>{
        "\r\n" + kGet + "\r\n",
        kGet + "X:\r\n\r\n",
        kGet + "X:   y \t\r\n\r\n",
        kGet + "X: \xc3\xa4\r\n\r\n",
        kGet + "cOnTeNt-LeNgTh: 0\r\n\r\n",
        kPost + "Content-Length: 0003\r\n\r\nabc",
        kPost + "transfer-encoding: CHUNKED\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        kChunked + "3;name=value;other=\"q\"\r\nabc\r\n000\r\n\r\n",
        kChunked + "A\r\n0123456789\r\n0\r\nX: y\r\nZ:\r\n\r\n",
        "GET http://b.example:80/x?y HTTP/1.1\r\nHost: a\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
        "BREW /pot HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /a//b/...?x=&&=y&z HTTP/1.1\r\nHost: [::1]:80\r\n\r\n",
        "GET / HTTP/1.1\r\nHost:\r\n\r\n",
    }) {
        // clang-format on
        const std::string answer = answer_to(server_.port(), bytes + next);
        EXPECT_EQ(count_of(answer, "HTTP/1.1 200 OK\r\n"), 2) << bytes << "\n→ " << answer;
    }
}

TEST_F(Hostile, CutAnywhereTheServerOnlyCloses) {
    const std::string whole = kChunked + "3\r\nabc\r\n0\r\n\r\n";
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const std::string answer = answer_to(server_.port(), whole.substr(0, size));
        EXPECT_EQ(count_of(answer, "HTTP/1.1 200"), 0) << size << answer;
    }
    EXPECT_EQ(status_of(answer_to(server_.port(), whole)), 200);
}

}  // namespace
}  // namespace slipway::net
