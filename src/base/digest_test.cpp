#include "base/digest.hpp"

#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace slipway {
namespace {

// FIPS 180-4 examples.
TEST(Sha256, MatchesThePublishedVectors) {
    EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256_hex("abc"),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

RC_GTEST_PROP(Sha256, PiecesGiveTheSameDigestAsTheWhole,
              (const std::string& a, const std::string& b)) {
    RC_ASSERT(Sha256().update(a).update(b).hex() == sha256_hex(a + b));
}

TEST(Sha256, FieldsAreSeparated) {
    EXPECT_NE(Sha256().field("ab").field("c").hex(), Sha256().field("a").field("bc").hex());
    EXPECT_NE(Sha256().field("").field("a").hex(), Sha256().field("a").field("").hex());
    EXPECT_NE(Sha256().field("a").hex(), Sha256().field("a").field("").hex());
}

TEST(RandomHex, HasTheLengthAskedForAndDoesNotRepeat) {
    std::set<std::string> seen;
    for (int i = 0; i < 100; ++i) seen.insert(random_hex(16));
    EXPECT_EQ(seen.size(), 100u);
    EXPECT_EQ(seen.begin()->size(), 32u);
    EXPECT_EQ(random_hex(0), "");
}

}  // namespace
}  // namespace slipway
