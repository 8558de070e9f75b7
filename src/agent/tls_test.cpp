// Servers that prove who they are, and those that cannot.
#include "agent/testing/fetch_case.hpp"
#include "agent/testing/http_server.hpp"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::agent {

namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// OpenSSL's numbers (openssl/ssl.h, which stays in the sources that need it).
constexpr int kTls11 = 0x0302;
constexpr int kTls12 = 0x0303;
constexpr int kTls13 = 0x0304;

class Tls : public FetchCase {
  protected:
    std::string try_server(const HttpServer& server, const std::string& ca_pem,
                           const std::string& host = "127.0.0.1") {
        std::filesystem::remove(path());
        wire::Fetch wanted = wish(server.url("/f", host), content_);
        wanted.ca_pem = ca_pem;
        return try_fetch(wanted);
    }
    HttpServer::Handler serve() const {
        return [this](Peer& peer, const std::string&) { peer.send(answer(content_)); };
    }
    std::string content_ = std::string(200'000, 'c') + "end";
};

TEST_F(Tls, FetchesFromAServerWithATrustedCertificate) {
    const Certificate certificate = make_certificate();
    for (const int version : {kTls12, kTls13}) {
        const HttpServer server(serve(), &certificate, version);
        EXPECT_EQ(try_server(server, certificate.certificate_pem), "ok") << version;
        EXPECT_EQ(text_of(path()), content_);
        EXPECT_EQ(server.requests().size(), 1u);
    }
}

TEST_F(Tls, NamesAreCheckedAsWellAsAddresses) {
    const Certificate certificate = make_certificate({.names = "DNS:localhost"});
    const HttpServer server(serve(), &certificate);
    EXPECT_THAT(try_server(server, certificate.certificate_pem),
                AllOf(StartsWith("tls: "), HasSubstr("IP address mismatch")));
    EXPECT_EQ(try_server(server, certificate.certificate_pem, "localhost"), "ok");
    const Certificate other = make_certificate({.names = "DNS:other.example"});
    const HttpServer wrong(serve(), &other);
    EXPECT_THAT(try_server(wrong, other.certificate_pem, "localhost"),
                AllOf(StartsWith("tls: "), HasSubstr("hostname mismatch")));
    EXPECT_TRUE(wrong.requests().empty()) << "nothing is said to a server that is not the one";
}

TEST_F(Tls, ACertificateOfAStrangerIsRefused) {
    const Certificate certificate = make_certificate(), stranger = make_certificate();
    const HttpServer server(serve(), &certificate);
    EXPECT_THAT(try_server(server, stranger.certificate_pem),
                AllOf(StartsWith("tls: "), HasSubstr("not to be trusted")));
    EXPECT_THAT(try_server(server, ""), StartsWith("tls: "))
        << "the system does not know it either";
    EXPECT_THAT(try_server(server, "no certificate"), StartsWith("bad-request: "));
    EXPECT_TRUE(server.requests().empty());
}

TEST_F(Tls, ACertificateOutOfItsTimeIsRefused) {
    const Certificate expired = make_certificate({.valid_from = -7200, .valid_to = -3600});
    const HttpServer old(serve(), &expired);
    EXPECT_THAT(try_server(old, expired.certificate_pem), HasSubstr("certificate has expired"));
    const Certificate early = make_certificate({.valid_from = 3600, .valid_to = 7200});
    const HttpServer young(serve(), &early);
    EXPECT_THAT(try_server(young, early.certificate_pem), HasSubstr("not yet valid"));
}

TEST_F(Tls, OldVersionsAreRefused) {
    const Certificate certificate = make_certificate();
    const HttpServer server(serve(), &certificate, kTls11);
    EXPECT_THAT(try_server(server, certificate.certificate_pem), StartsWith("tls: "));
    EXPECT_TRUE(server.requests().empty());
}

TEST_F(Tls, AServerWithoutTlsIsToldAsSuch) {
    const HttpServer server(
        [](Peer& peer, const std::string&) { peer.send("HTTP/1.1 400 Bad Request\r\n\r\n"); });
    wire::Fetch wanted = wish("https://127.0.0.1:" + std::to_string(server.port()) + "/", content_);
    wanted.ca_pem = make_certificate().certificate_pem;
    wanted.deadline_ms = 300;  // it waits for the end of what it takes for a request
    EXPECT_NE(try_fetch(wanted), "ok");
    EXPECT_FALSE(exists(path()));
}

TEST_F(Tls, ACutIsNoticedAndContinued) {
    const Certificate certificate = make_certificate();
    const HttpServer server(
        [this](Peer& peer, const std::string& request) {
            if (request.find("Range: ") == std::string::npos) {
                peer.send(answer(content_).substr(0, 150'000));
                return;
            }
            const std::size_t start = std::stoul(request.substr(request.find("bytes=") + 6));
            peer.send(answer(content_.substr(start), "206 Partial Content",
                             "Content-Range: bytes " + std::to_string(start) + "-\r\n"));
        },
        &certificate);
    EXPECT_THAT(try_server(server, certificate.certificate_pem), StartsWith("connect: "));
    EXPECT_EQ(try_server(server, certificate.certificate_pem), "ok");
    EXPECT_GT(fetched_.resumed, 100'000u);
    EXPECT_EQ(text_of(path()), content_);
}

TEST_F(Tls, ARedirectMayNotLeaveIt) {
    const HttpServer plain(serve());
    const Certificate certificate = make_certificate();
    const HttpServer server(
        [&](Peer& peer, const std::string&) {
            peer.send(answer("", "302 Found", "Location: " + plain.url("/f") + "\r\n"));
        },
        &certificate);
    EXPECT_THAT(try_server(server, certificate.certificate_pem),
                AllOf(StartsWith("http-status: "), HasSubstr("without TLS")));
    EXPECT_TRUE(plain.requests().empty());
}

}  // namespace

}  // namespace slipway::agent
