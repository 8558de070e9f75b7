#include "pki/authority.hpp"

#include "base/error.hpp"
#include "base/testing/error_of.hpp"
#include "pki/certificate.hpp"
#include "pki/pem.hpp"
#include "pki/testing/openssl_program.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/x509v3.h>

namespace slipway::pki {
namespace {

using slipway::testing::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::int64_t kSecond = 1000, kHour = 3600 * kSecond, kDay = 24 * kHour;
constexpr std::int64_t kNow = 1'800'000'000 * kSecond;

const Authority& authority() {
    static const Authority ca = Authority::make("test-ca", 10, kNow);
    return ca;
}

// Whether a client or server that trusts `ca` accepts `leaf` at that time.
bool is_trusted(const std::string& leaf, const std::string& ca, int purpose,
                std::int64_t at_ms = kNow) {
    const auto leaf_read = parse_certificates(leaf), ca_read = parse_certificates(ca);
    const std::unique_ptr<X509_STORE, decltype(&X509_STORE_free)> trusted(X509_STORE_new(),
                                                                          &X509_STORE_free);
    for (const Certificate& one : ca_read) X509_STORE_add_cert(trusted.get(), one.get());
    const std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)> context(
        X509_STORE_CTX_new(), &X509_STORE_CTX_free);
    X509_STORE_CTX_init(context.get(), trusted.get(), leaf_read.front().get(), nullptr);
    X509_STORE_CTX_set_purpose(context.get(), purpose);
    X509_VERIFY_PARAM* how = X509_STORE_CTX_get0_param(context.get());
    X509_VERIFY_PARAM_set_time(how, at_ms / kSecond);
    X509_VERIFY_PARAM_set_flags(how, X509_V_FLAG_X509_STRICT);
    return X509_verify_cert(context.get()) == 1;
}

std::string serial_of(const std::string& pem) {
    const auto read = parse_certificates(pem);
    const ASN1_INTEGER* serial = X509_get0_serialNumber(read.front().get());
    return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(serial)),
            static_cast<std::size_t>(ASN1_STRING_length(serial))};
}

TEST(Authority, IsOneForItsYears) {
    const CertificateInfo info = read_certificate(authority().certificate());
    EXPECT_TRUE(info.is_ca);
    EXPECT_EQ(info.common_name, "test-ca");
    EXPECT_EQ(info.issuer, "test-ca");
    EXPECT_EQ(info.not_before_ms, kNow - kHour);
    EXPECT_EQ(info.not_after_ms, kNow + 3650 * kDay);
    EXPECT_EQ(authority().not_after_ms(), info.not_after_ms);
    EXPECT_THAT(std::string(authority().key().reveal()), StartsWith("-----BEGIN PRIVATE KEY-----"));
    EXPECT_EQ(read_certificate(Authority::make("x", 100, kNow).certificate()).not_after_ms,
              kNow + 36500 * kDay);
}

TEST(Authority, IssuesWhatIsAskedFor) {
    const KeyPair pair = authority().issue(
        {.common_name = "kube-apiserver",
         .organizations = {"b", "a", "b"},
         .names = {"Kubernetes", "10.96.0.1", "fd00:0::1", "*.example.org", "kubernetes"},
         .usage = Usage::server,
         .days = 30},
        kNow);
    const CertificateInfo info = read_certificate(pair.certificate);
    EXPECT_EQ(info.common_name, "kube-apiserver");
    EXPECT_THAT(info.organizations, ElementsAre("a", "b"));
    EXPECT_THAT(info.names, ElementsAre("*.example.org", "10.96.0.1", "fd00::1", "kubernetes"));
    EXPECT_EQ(info.issuer, "test-ca");
    EXPECT_EQ(info.not_before_ms, kNow - kHour);
    EXPECT_EQ(info.not_after_ms, kNow + 30 * kDay);
    EXPECT_FALSE(info.is_ca);
    EXPECT_TRUE(info.usage_server);
    EXPECT_FALSE(info.usage_client);
    const Key key = parse_key(pair.key);
    EXPECT_EQ(X509_check_private_key(parse_certificates(pair.certificate).front().get(), key.get()),
              1);
    EXPECT_EQ(EVP_PKEY_get_bits(key.get()), 256);
}

TEST(Authority, IsTrustedForTheUseOfTheCertificateAlone) {
    const struct {
        Usage usage;
        bool server, client;
    } cases[] = {
        {Usage::server, true, false}, {Usage::client, false, true}, {Usage::both, true, true}};
    const Authority other = Authority::make("test-ca", 10, kNow);
    for (const auto& c : cases) {
        const KeyPair pair = authority().issue({.common_name = "x", .usage = c.usage}, kNow);
        const std::string& ca = authority().certificate();
        EXPECT_EQ(is_trusted(pair.certificate, ca, X509_PURPOSE_SSL_SERVER), c.server);
        EXPECT_EQ(is_trusted(pair.certificate, ca, X509_PURPOSE_SSL_CLIENT), c.client);
        EXPECT_FALSE(is_trusted(pair.certificate, ca, X509_PURPOSE_SSL_CLIENT, kNow + 400 * kDay));
        EXPECT_FALSE(is_trusted(pair.certificate, other.certificate(), X509_PURPOSE_SSL_CLIENT));
    }
}

TEST(Authority, IsAcceptedByTheOpensslProgram) {
    const testing::OpensslProgram openssl;
    const KeyPair pair = authority().issue({.common_name = "kubernetes-admin",
                                            .organizations = {"kubeadm:cluster-admins"},
                                            .names = {"api.example.org", "10.0.0.1"},
                                            .usage = Usage::both},
                                           kNow);
    const std::string ca = openssl.file("ca.crt", authority().certificate());
    const std::string leaf = openssl.file("leaf.crt", pair.certificate);
    const std::string at = std::to_string(kNow / kSecond);
    EXPECT_THAT(openssl.run({"verify", "-x509_strict", "-attime", at, "-purpose", "sslserver",
                             "-verify_hostname", "api.example.org", "-CAfile", ca, leaf}),
                HasSubstr("leaf.crt: OK"));
    EXPECT_THAT(
        openssl.run({"verify", "-attime", at, "-verify_ip", "10.0.0.2", "-CAfile", ca, leaf}),
        ::testing::Not(HasSubstr("leaf.crt: OK")));
    EXPECT_THAT(openssl.run({"x509", "-noout", "-subject", "-nameopt", "RFC2253", "-in", leaf}),
                HasSubstr("CN=kubernetes-admin,O=kubeadm:cluster-admins"));
}

TEST(Authority, NeverGivesTheSameSerialTwice) {
    std::set<std::string> serials;
    constexpr int kMany = 50;
    for (int i = 0; i < kMany; ++i)
        serials.insert(serial_of(authority().issue({.common_name = "x"}, kNow).certificate));
    EXPECT_EQ(serials.size(), static_cast<std::size_t>(kMany));
}

TEST(Authority, IssuesNothingThatOutlivesIt) {
    const Authority ca = Authority::make("short", 1, kNow);
    const KeyPair pair = ca.issue({.common_name = "x", .days = 365}, kNow + 100 * kDay);
    EXPECT_EQ(read_certificate(pair.certificate).not_after_ms, ca.not_after_ms());
    EXPECT_EQ(error_of([&] { ca.issue({.common_name = "x"}, kNow + 365 * kDay); }), "PKI-EXPIRED");
}

// The name of a node may have 253 characters, and its certificate is for system:node:NAME.
TEST(Authority, TakesLongNamesOfNodes) {
    const std::string name = "system:node:" + std::string(200, 'n') + ".example.org";
    const KeyPair pair =
        authority().issue({.common_name = name, .organizations = {"system:nodes"}}, kNow);
    EXPECT_EQ(read_certificate(pair.certificate).common_name, name);
    EXPECT_TRUE(is_trusted(pair.certificate, authority().certificate(), X509_PURPOSE_SSL_CLIENT));
}

TEST(Authority, RefusesWhatIsNoName) {
    for (const char* name :
         {"", "a b", "a,DNS:evil", "a\nb", "https://a", "10.0.0.1:6443", "[::1]"})
        EXPECT_EQ(error_of([&] { authority().issue({.common_name = "x", .names = {name}}, kNow); }),
                  "PKI-REQUEST")
            << name;
    for (const std::string& name : {std::string(), std::string("a\x1b"), std::string(301, 'x')}) {
        EXPECT_EQ(error_of([&] { authority().issue({.common_name = name}, kNow); }), "PKI-REQUEST");
        EXPECT_EQ(error_of([&] { Authority::make(name, 1, kNow); }), "PKI-REQUEST");
        EXPECT_EQ(error_of([&] {
                      authority().issue({.common_name = "x", .organizations = {name}}, kNow);
                  }),
                  "PKI-REQUEST");
    }
    EXPECT_EQ(error_of([&] { authority().issue({.common_name = "x", .days = 0}, kNow); }),
              "PKI-REQUEST");
    EXPECT_EQ(error_of([&] { Authority::make("x", 0, kNow); }), "PKI-REQUEST");
}

TEST(Authority, ComesBackFromItsText) {
    const Authority again =
        Authority::from_pem("a note\n" + authority().certificate(), authority().key().clone());
    EXPECT_EQ(again.certificate(), authority().certificate());
    EXPECT_EQ(again.key().reveal(), authority().key().reveal());
    EXPECT_EQ(again.not_after_ms(), authority().not_after_ms());
    const KeyPair pair = again.issue({.common_name = "x"}, kNow);
    EXPECT_TRUE(is_trusted(pair.certificate, authority().certificate(), X509_PURPOSE_SSL_CLIENT));
}

TEST(Authority, FromTextRefusesWhatIsNone) {
    const KeyPair leaf = authority().issue({.common_name = "x", .usage = Usage::server}, kNow);
    const Authority other = Authority::make("other", 1, kNow);
    const auto refused = [](const std::string& certificate, std::string_view key) {
        return error_of([&] { Authority::from_pem(certificate, Secret(key)); });
    };
    EXPECT_EQ(refused(leaf.certificate, leaf.key.reveal()), "PKI-INVALID");
    EXPECT_EQ(refused(authority().certificate(), other.key().reveal()), "PKI-INVALID");
    EXPECT_EQ(refused(authority().certificate(), ""), "PKI-INVALID");
    EXPECT_EQ(refused("", authority().key().reveal()), "PKI-INVALID");
    EXPECT_EQ(refused(std::string(authority().key().reveal()), authority().certificate()),
              "PKI-INVALID");
    const std::string cut = authority().certificate().substr(0, 300);
    EXPECT_EQ(refused(cut, authority().key().reveal()), "PKI-INVALID");
}

// Own authorities of a site come from other programs: RSA, Ed25519, keys of the old form.
TEST(Authority, TakesThoseOfOtherPrograms) {
    const testing::OpensslProgram openssl;
    for (const char* kind : {"rsa:2048", "ed25519"}) {
        const std::string key = openssl.path("ca.key"), crt = openssl.path("ca.crt");
        openssl.run({"req", "-x509", "-newkey", kind, "-noenc", "-keyout", key, "-out", crt,
                     "-subj", "/O=Site/CN=site-ca", "-days", "30", "-addext",
                     "keyUsage=critical,keyCertSign"});
        if (std::string_view(kind) == "rsa:2048")
            openssl.run({"rsa", "-traditional", "-in", key, "-out", key});
        const Authority ca =
            Authority::from_pem(openssl.read("ca.crt"), Secret(openssl.read("ca.key")));
        EXPECT_THAT(std::string(ca.key().reveal()), StartsWith("-----BEGIN PRIVATE KEY-----"));
        const std::int64_t now = ca.not_after_ms() - 20 * kDay;
        const KeyPair pair = ca.issue({.common_name = "x"}, now);
        EXPECT_TRUE(is_trusted(pair.certificate, ca.certificate(), X509_PURPOSE_SSL_CLIENT, now))
            << kind;
    }
    openssl.run({"pkey", "-in", openssl.path("ca.key"), "-aes256", "-passout", "pass:x", "-out",
                 openssl.path("locked.key")});
    try {
        Authority::from_pem(openssl.read("ca.crt"), Secret(openssl.read("locked.key")));
        ADD_FAILURE() << "it was taken";
    } catch (const UserError& e) {
        EXPECT_THAT(e.message(), HasSubstr("encrypted"));
        EXPECT_THAT(e.remedy(), HasSubstr("openssl pkey"));
    }
}

}  // namespace
}  // namespace slipway::pki
