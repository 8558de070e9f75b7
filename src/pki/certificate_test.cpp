#include "pki/certificate.hpp"

#include "base/digest.hpp"
#include "base/testing/error_of.hpp"
#include "pki/authority.hpp"
#include "pki/signing_key.hpp"
#include "pki/testing/openssl_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::pki {
namespace {

using slipway::testing::error_of;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::int64_t kNow = 1'800'000'000'000;

TEST(ReadCertificates, GivesAllOfATextInOrder) {
    const Authority ca = Authority::make("ca", 1, kNow);
    const KeyPair leaf = ca.issue({.common_name = "leaf"}, kNow);
    const std::string text = "subject: x\n" + leaf.certificate + "\n# then\n" + ca.certificate();
    const auto all = read_certificates(text);
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].common_name, "leaf");
    EXPECT_EQ(all[1].common_name, "ca");
    EXPECT_EQ(read_certificate(text).common_name, "leaf");
}

TEST(ReadCertificates, RefusesWhatIsDamagedMissingOrTooMuch) {
    const std::string one = Authority::make("ca", 1, kNow).certificate();
    std::string broken = one;
    broken[60] = broken[60] == 'A' ? 'B' : 'A';
    std::string no_base64 = one;
    no_base64[60] = '!';
    std::string many;
    for (std::size_t i = 0; i <= kMaxCertificates; ++i) many += one;
    for (const std::string& text :
         {std::string(), std::string("hello"), one.substr(0, one.size() / 2), no_base64,
          one + one.substr(0, one.size() / 2), many, std::string(kMaxPemBytes + 1, '\n'),
          std::string("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n")})
        EXPECT_EQ(error_of([&] { read_certificates(text); }), "PKI-INVALID") << text.substr(0, 80);
}

TEST(ReadCertificates, MakesNamesPrintable) {
    const testing::OpensslProgram openssl;
    openssl.run({"req", "-x509", "-newkey", "ed25519", "-noenc", "-keyout", openssl.path("k"),
                 "-out", openssl.path("c"), "-subj", "/CN=a\x1b[31mred", "-addext",
                 "subjectAltName=DNS:ok.example,email:me@example.org,IP:10.0.0.7"});
    const CertificateInfo info = read_certificate(openssl.read("c"));
    EXPECT_EQ(info.common_name, "a\\x1b[31mred");
    EXPECT_THAT(info.names, ::testing::ElementsAre("10.0.0.7", "ok.example"));
    EXPECT_TRUE(info.usage_client);  // it does not say
    EXPECT_TRUE(info.usage_server);
}

// openssl x509 -pubkey | openssl pkey -pubin -outform der | sha256sum, as kubeadm's manual has it.
TEST(CaHash, IsTheHashOfThePublicKey) {
    const testing::OpensslProgram openssl;
    const Authority ca = Authority::make("ca", 1, kNow);
    const std::string file = openssl.file("ca.crt", ca.certificate());
    const std::string key =
        openssl.file("pub.pem", openssl.run({"x509", "-in", file, "-noout", "-pubkey"}));
    EXPECT_EQ(
        ca_hash(ca.certificate()),
        "sha256:" + sha256_hex(openssl.run({"pkey", "-pubin", "-in", key, "-outform", "der"})));
}

TEST(IsKeyOf, TellsTheKeyOfACertificateFromOthers) {
    const Authority ca = Authority::make("ca", 1, kNow);
    const KeyPair one = ca.issue({.common_name = "one"}, kNow);
    const KeyPair other = ca.issue({.common_name = "other"}, kNow);
    EXPECT_TRUE(is_key_of(one.certificate, one.key));
    EXPECT_FALSE(is_key_of(one.certificate, other.key));
    EXPECT_EQ(error_of([&] { is_key_of(one.certificate, Secret("no key")); }), "PKI-INVALID");
    EXPECT_EQ(error_of([&] { is_key_of("no certificate", one.key); }), "PKI-INVALID");
}

TEST(SigningKey, IsAPairThatComesBack) {
    const SigningKey made = make_signing_key();
    EXPECT_THAT(std::string(made.key.reveal()), StartsWith("-----BEGIN PRIVATE KEY-----"));
    EXPECT_THAT(made.public_key, StartsWith("-----BEGIN PUBLIC KEY-----"));
    EXPECT_THAT(made.public_key, ::testing::Not(HasSubstr("PRIVATE")));
    const SigningKey again = signing_key_from_pem(made.key.clone());
    EXPECT_EQ(again.public_key, made.public_key);
    EXPECT_EQ(again.key.reveal(), made.key.reveal());
    EXPECT_EQ(error_of([] { signing_key_from_pem(Secret("x")); }), "PKI-INVALID");
    const testing::OpensslProgram openssl;
    const std::string file = openssl.file("sa.key", made.key.reveal());
    EXPECT_EQ(openssl.run({"rsa", "-in", file, "-pubout"}), made.public_key);
}

}  // namespace
}  // namespace slipway::pki
