// Which bundles are let in.
#include "oci/bundle_trust.hpp"

#include "base/error.hpp"
#include "base/files.hpp"
#include "oci/bundle_writer.hpp"
#include "oci/testing/small_images.hpp"
#include "oci/testing/temp_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::oci {
namespace {

namespace fs = std::filesystem;

class Admit : public ::testing::Test {
  protected:
    void SetUp() override {
        const testing::SmallImages images = testing::sample_images();
        write_bundle(path_, lay_out(images.content()), images.opener(), {});
    }

    std::string admitted(const AdmitPolicy& policy) const {
        try {
            const Admission found = admit(BundleReader(path_), policy);
            return found.is_override() ? "override " + found.override_why : found.signed_by;
        } catch (const UserError& e) {
            return e.id();
        }
    }

    testing::TempFolder folder_;
    fs::path path_ = folder_ / "x.bundle";
    SigningKey old_ = SigningKey::generate(), next_ = SigningKey::generate();
};

TEST_F(Admit, NobodyUnknownGetsInWithoutARecordedOverride) {
    std::vector<std::string> recorded;
    AdmitPolicy policy{
        .trusted = {old_.public_key()},
        .record = [&](const BundleReader& bundle, const Admission& found) {
            recorded.push_back(found.override_why + " " + bundle.index().content_digest.str());
        }};
    EXPECT_EQ(admitted(policy), "BUNDLE-UNSIGNED");
    policy.allow_unsigned = true;
    EXPECT_EQ(admitted(policy), "override BUNDLE-UNSIGNED");
    sign_bundle(path_, next_);
    EXPECT_EQ(admitted(policy), "override BUNDLE-SIGNER-UNKNOWN");
    policy.allow_unsigned = false;
    EXPECT_EQ(admitted(policy), "BUNDLE-SIGNER-UNKNOWN");
    ASSERT_EQ(recorded.size(), 2u);
    EXPECT_THAT(recorded[0], ::testing::HasSubstr("sha256:"));
    policy.allow_unsigned = true;
    sign_bundle(path_, old_);
    EXPECT_EQ(admitted(policy), old_.public_key().id());
    EXPECT_EQ(recorded.size(), 2u);  // nothing had to be overridden
}

TEST_F(Admit, AnOverrideThatCannotBeWrittenDownLetsNothingIn) {
    EXPECT_THROW(admit(BundleReader(path_), {.allow_unsigned = true,
                                             .record =
                                                 [](const BundleReader&, const Admission&) {
                                                     throw StateError("STATE-WRITE", "disk full");
                                                 }}),
                 StateError);
}

TEST_F(Admit, KeysAreRotatedBySigningTwiceAndForgettingTheOld) {
    sign_bundle(path_, old_);
    sign_bundle(path_, next_);
    EXPECT_EQ(admitted({.trusted = {old_.public_key()}}), old_.public_key().id());
    EXPECT_EQ(admitted({.trusted = {next_.public_key()}}), next_.public_key().id());
    const testing::SmallImages images = testing::sample_images();
    write_bundle(path_, lay_out(images.content()), images.opener(), {});
    sign_bundle(path_, old_);
    EXPECT_EQ(admitted({.trusted = {next_.public_key()}}), "BUNDLE-SIGNER-UNKNOWN");
}

TEST_F(Admit, AForgedSignatureOfATrustedKeyIsNeverLetIn) {
    sign_bundle(path_, next_);
    BundleSignature forged = parse_signatures(BundleReader(path_).signature_block()).at(0);
    forged.key_id = old_.public_key().id();
    const testing::SmallImages images = testing::sample_images();
    write_bundle(path_, lay_out(images.content()), images.opener(),
                 {.signatures = signature_block({forged})});
    EXPECT_EQ(admitted({.trusted = {old_.public_key()}, .allow_unsigned = true}),
              "BUNDLE-SIGNATURE");
    sign_bundle(path_, next_);
    EXPECT_EQ(admitted({.trusted = {old_.public_key(), next_.public_key()}}), "BUNDLE-SIGNATURE");
}

TEST(TrustedKeys, LieInFolders) {
    const testing::TempFolder folder;
    const fs::path keys = folder / "trusted-keys";
    EXPECT_TRUE(read_trusted({keys, folder / "absent"}).empty());
    const PublicKey one = SigningKey::generate().public_key();
    const PublicKey two = SigningKey::generate().public_key();
    trust_key(keys, "release", one);
    trust_key(keys, "release", one);
    EXPECT_THROW(trust_key(keys, "release", two), UserError);
    EXPECT_THROW(trust_key(keys, "../evil", two), UserError);
    trust_key(keys, "other", two);
    const std::vector<TrustedKey> found = read_trusted({keys});
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].name, "other");
    EXPECT_EQ(found[1].key.id(), one.id());
    fs::permissions(keys / "other.pub", fs::perms::others_write, fs::perm_options::add);
    EXPECT_THROW(read_trusted({keys}), UserError);
    fs::permissions(keys / "other.pub", fs::perms::others_write, fs::perm_options::remove);
    folder.write("trusted-keys/broken.pub", "no key");
    EXPECT_THROW(read_trusted({keys}), UserError);
}

}  // namespace
}  // namespace slipway::oci
