// Blobs on their way out: whole, in parts, on conditions; mounted and deleted.
#include "net/testing/temporary_file.hpp"
#include "registry/byte_range.hpp"
#include "registry/testing/running_registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::registry {
namespace {

using net::testing::pattern;
using testing::Answer;
using testing::blob_path;
using testing::RunningRegistry;
using testing::uploads_path;

class BlobPull : public ::testing::Test {
  protected:
    Answer part(const std::string& range, net::Headers more = {}) {
        more.add("Range", range);
        return registry_.get(path_, more);
    }

    RunningRegistry registry_;
    const std::string bytes_ = pattern(2048);
    const oci::Digest digest_ = registry_.push_blob("team/app", bytes_);
    const std::string path_ = blob_path("team/app", digest_);
    const std::string tag_ = "\"" + digest_.str() + "\"";
};

TEST_F(BlobPull, GivesParts) {
    const struct {
        const char* range;
        std::size_t first, length;
    } cases[] = {{"bytes=500-1499", 500, 1000}, {"bytes=0-0", 0, 1},
                 {"bytes=500-", 500, 1548},     {"bytes=-500", 1548, 500},
                 {"bytes=2000-5000", 2000, 48}, {"bytes=-5000", 0, 2048},
                 {"bytes=2047-2047", 2047, 1},  {"bytes=0-18446744073709551615", 0, 2048}};
    for (const auto& [range, first, length] : cases) {
        const Answer answer = part(range);
        EXPECT_EQ(answer.status, 206) << range;
        EXPECT_EQ(answer.body, bytes_.substr(first, length)) << range;
        EXPECT_EQ(answer.header("Content-Range"), "bytes " + std::to_string(first) + "-" +
                                                      std::to_string(first + length - 1) + "/2048");
        EXPECT_EQ(answer.header("Docker-Content-Digest"), digest_.str());
    }
}

TEST_F(BlobPull, RefusesPartsBeyondTheEnd) {
    for (const char* range : {"bytes=2048-", "bytes=5000-10000", "bytes=-0"}) {
        const Answer answer = part(range);
        EXPECT_EQ(answer.status, 416) << range;
        EXPECT_EQ(answer.header("Content-Range"), "bytes */2048");
    }
    const oci::Digest empty = registry_.push_blob("team/app", "");
    EXPECT_EQ(registry_.get(blob_path("team/app", empty), {{"Range", "bytes=0-0"}}).status, 416);
}

TEST_F(BlobPull, GivesAllOfItWhenItDoesNotUnderstandTheRange) {
    for (const char* range :
         {"bytes=0-1,5-6", "bytes=500-0", "bytes=", "bytes=-", "bytes=a-b", "lines=0-1", "0-1", "",
          "bytes=18446744073709551616-", "bytes=0x1-2", "bytes=+1-2"}) {
        const Answer answer = part(range);
        EXPECT_EQ(answer.status, 200) << range;
        EXPECT_EQ(answer.body, bytes_) << range;
    }
}

TEST_F(BlobPull, GivesPartsOnlyOfWhatTheClientHas) {
    EXPECT_EQ(part("bytes=0-9", {{"If-Range", tag_}}).status, 206);
    EXPECT_EQ(part("bytes=0-9", {{"If-Range", "\"other\""}}).status, 200);
    EXPECT_EQ(part("bytes=0-9", {{"If-Range", "Sun, 06 Nov 1994 08:49:37 GMT"}}).status, 200);
}

TEST_F(BlobPull, HeadKnowsNoParts) {
    const Answer answer = registry_.head(path_, {{"Range", "bytes=0-9"}});
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.header("Content-Length"), "2048");
    EXPECT_EQ(answer.header("Accept-Ranges"), "bytes");
}

TEST_F(BlobPull, SaysWhenTheClientHasIt) {
    for (const std::string& known : {tag_, "\"x\", " + tag_, "W/" + tag_, std::string("*")}) {
        const Answer answer = registry_.get(path_, {{"If-None-Match", known}});
        EXPECT_EQ(answer.status, 304) << known;
        EXPECT_EQ(answer.body, "");
        EXPECT_EQ(answer.header("ETag"), tag_);
    }
    EXPECT_EQ(registry_.get(path_, {{"If-None-Match", "\"x\""}}).status, 200);
    EXPECT_EQ(registry_.head(path_, {{"If-None-Match", tag_}}).status, 304);
}

TEST_F(BlobPull, KnowsNothingOfOtherRepositories) {
    EXPECT_EQ(registry_.get(blob_path("team/other", digest_)).code(), "BLOB_UNKNOWN");
    EXPECT_EQ(registry_.head(blob_path("team/other", digest_)).status, 404);
    EXPECT_EQ(registry_.get("/v2/team/app/blobs/sha256:abc").code(), "DIGEST_INVALID");
    EXPECT_EQ(registry_.get("/v2/team/app/blobs/latest").status, 400);
    EXPECT_EQ(registry_.post(path_).status, 405);
    EXPECT_EQ(registry_.put(path_, "x").status, 405);
}

TEST_F(BlobPull, MountsWithoutABody) {
    const std::string mount = uploads_path("team/other") + "?mount=" + digest_.str();
    const Answer mounted = registry_.post(mount + "&from=team/app");
    EXPECT_EQ(mounted.status, 201);
    EXPECT_EQ(mounted.header("Location"), blob_path("team/other", digest_));
    EXPECT_EQ(registry_.get(blob_path("team/other", digest_)).body, bytes_);
    // What one repository deletes the other keeps.
    EXPECT_EQ(registry_.remove(path_).status, 202);
    EXPECT_EQ(registry_.get(path_).status, 404);
    EXPECT_EQ(registry_.get(blob_path("team/other", digest_)).body, bytes_);
}

TEST_F(BlobPull, MountsFromAnywhereWhenNobodySaysWhere) {
    EXPECT_EQ(registry_.post(uploads_path("x") + "?mount=" + digest_.str()).status, 201);
    EXPECT_EQ(registry_.get(blob_path("x", digest_)).body, bytes_);
}

TEST_F(BlobPull, OffersAnUploadWhenThereIsNothingToMount) {
    const std::string absent = oci::digest_of("absent").str();
    for (const std::string& query : {"?mount=" + absent, "?mount=" + absent + "&from=team/app",
                                     "?mount=" + digest_.str() + "&from=team/unknown",
                                     "?mount=" + digest_.str() + "&from=..%2Fteam%2Fapp",
                                     "?mount=" + digest_.str() + "&from=x%2F..%2Fteam%2Fapp"}) {
        const Answer answer = registry_.post(uploads_path("team/new") + query);
        EXPECT_EQ(answer.status, 202) << query;
        EXPECT_EQ(registry_.remove(answer.header("Location")).status, 204);
    }
    EXPECT_EQ(registry_.post(uploads_path("team/new") + "?mount=x").code(), "DIGEST_INVALID");
    EXPECT_EQ(registry_.get(blob_path("team/new", digest_)).status, 404);
}

TEST_F(BlobPull, DeletedIsGoneUntilItIsPushedAgain) {
    EXPECT_EQ(registry_.remove(path_).status, 202);
    EXPECT_EQ(registry_.get(path_).status, 404);
    EXPECT_EQ(registry_.remove(path_).code(), "BLOB_UNKNOWN");
    registry_.push_blob("team/app", bytes_);
    EXPECT_EQ(registry_.get(path_).body, bytes_);
}

TEST(ContentRange, IsReadInBothForms) {
    EXPECT_EQ(parse_content_range("0-1023")->last, 1023u);
    EXPECT_EQ(parse_content_range("bytes 5-9/100")->first, 5u);
    EXPECT_EQ(parse_content_range("bytes 5-9/*")->last, 9u);
    for (const char* wrong : {"", "-", "9-5", "a-b", "1", " 1-2", "1-2 ", "bytes 1/2"})
        EXPECT_FALSE(parse_content_range(wrong)) << wrong;
}

}  // namespace
}  // namespace slipway::registry
