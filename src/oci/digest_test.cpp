#include "oci/digest.hpp"

#include "base/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::oci {
namespace {

const std::string kAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

std::unique_ptr<ByteStream> bytes(std::string text) {
    return std::make_unique<MemoryStream>(std::move(text));
}

TEST(Digest, IsReadAndWrittenAsRegistriesDo) {
    const Digest digest = Digest::parse("sha256:" + kAbc);
    EXPECT_EQ(digest, digest_of("abc"));
    EXPECT_EQ(digest.str(), "sha256:" + kAbc);
    EXPECT_EQ(digest.layout_path(), "blobs/sha256/" + kAbc);
    const Digest longer = digest_of("abc", Algorithm::sha512);
    EXPECT_EQ(longer.hex.size(), 128u);
    EXPECT_EQ(Digest::parse(longer.str()), longer);
}

TEST(Digest, RefusesEverythingElse) {
    std::string upper = kAbc;
    upper[0] = 'B';
    for (const std::string& text : std::vector<std::string>{
             std::string(), kAbc, "sha256:", "sha256:" + kAbc + "0", "sha256:" + upper,
             "md5:" + kAbc.substr(0, 32), "sha512:" + kAbc, "SHA256:" + kAbc,
             "sha256:" + kAbc + "\n", "sha256:../" + kAbc.substr(3)}) {
        EXPECT_FALSE(Digest::try_parse(text)) << text;
        EXPECT_THROW(Digest::parse(text), UserError) << text;
    }
}

TEST(VerifyingStream, PassesTheRightBytesOn) {
    VerifyingStream stream(bytes("abc"), digest_of("abc"), 3, "a layer");
    EXPECT_EQ(read_whole(stream, 100, "a layer"), "abc");
}

TEST(VerifyingStream, RefusesOtherFewerAndMoreBytes) {
    for (const char* wrong : {"abd", "ab", "abcd", ""}) {
        VerifyingStream stream(bytes(wrong), digest_of("abc"), 3, "a layer");
        try {
            read_whole(stream, 100, "a layer");
            FAIL() << wrong;
        } catch (const UserError& e) {
            EXPECT_EQ(e.id(), "DIGEST-MISMATCH");
            EXPECT_THAT(e.message(), ::testing::HasSubstr("a layer"));
        }
    }
}

}  // namespace
}  // namespace slipway::oci
