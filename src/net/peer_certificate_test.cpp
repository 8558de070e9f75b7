#include "net/peer_certificate.hpp"

#include "net/failure.hpp"
#include "net/http_server.hpp"
#include "pki/certificate.hpp"
#include "pki/testing/test_pair.hpp"

#include <csignal>

#include <gtest/gtest.h>

namespace slipway::net {
namespace {

using namespace std::chrono_literals;

std::string shown_by(const TlsServerOptions& options) {
    std::signal(SIGPIPE, SIG_IGN);  // as the program does
    const HttpServer server(Listener("127.0.0.1:0"), {.tls = TlsContext::server(options)},
                            [](Request&, Response&) {});
    return peer_certificate("127.0.0.1", server.port(), Deadline::after(10s));
}

TEST(PeerCertificate, IsSeenWhoeverSignedIt) {
    const pki::Authority ca = pki::testing::test_authority();
    pki::KeyPair own = pki::testing::server_pair(ca, {"other.example.org"});
    const std::string wanted = own.certificate;
    EXPECT_EQ(pki::read_certificate(
                  shown_by({.certificate_pem = own.certificate, .key_pem = std::move(own.key)}))
                  .names,
              pki::read_certificate(wanted).names);
}

TEST(PeerCertificate, IsSeenOfAServerThatWantsOneOfOurs) {
    const pki::Authority ca = pki::testing::test_authority();
    pki::KeyPair own = pki::testing::server_pair(ca, {"etcd.example.org"});
    EXPECT_EQ(pki::read_certificate(shown_by({.certificate_pem = own.certificate,
                                              .key_pem = std::move(own.key),
                                              .client_ca_pem = ca.certificate()}))
                  .names,
              std::vector<std::string>{"etcd.example.org"});
}

TEST(PeerCertificate, NobodyThereIsAFailure) {
    const Listener closed("127.0.0.1:0");
    EXPECT_THROW(peer_certificate("127.0.0.1", closed.port(), Deadline::after(200ms)), Failure);
}

}  // namespace
}  // namespace slipway::net
