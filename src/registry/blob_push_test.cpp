// Every way a blob comes in.
#include "net/testing/temporary_file.hpp"
#include "registry/testing/running_registry.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::registry {
namespace {

using net::testing::pattern;
using testing::Answer;
using testing::blob_path;
using testing::manifest_path;
using testing::RunningRegistry;
using testing::uploads_path;
using testing::with_digest;

const std::string kRepository = "team/app";

class BlobPush : public ::testing::TestWithParam<oci::Algorithm> {
  protected:
    std::string begin() {
        const std::string parameter =
            GetParam() == oci::Algorithm::sha256
                ? ""
                : "?digest-algorithm=" + std::string(oci::to_string(GetParam()));
        const Answer answer = registry_.post(uploads_path(kRepository) + parameter);
        EXPECT_EQ(answer.status, 202);
        EXPECT_FALSE(answer.header("Docker-Upload-UUID").empty());
        return answer.header("Location");
    }

    void expect_stored() {
        for (const char* method : {"GET", "HEAD"}) {
            const Answer answer =
                registry_.ask({.method = method, .target = blob_path(kRepository, digest_)});
            EXPECT_EQ(answer.status, 200);
            EXPECT_EQ(answer.header("Content-Length"), std::to_string(bytes_.size()));
            EXPECT_EQ(answer.header("Docker-Content-Digest"), digest_.str());
            EXPECT_EQ(answer.header("Content-Type"), "application/octet-stream");
            EXPECT_EQ(answer.body, *method == 'G' ? bytes_ : "");
        }
        expect_no_upload_left();
    }

    void expect_nothing_stored() {
        EXPECT_EQ(registry_.get(blob_path(kRepository, digest_)).code(), "BLOB_UNKNOWN");
        EXPECT_FALSE(registry_.store().has_bytes(digest_));
    }

    void expect_no_upload_left() {
        EXPECT_TRUE(std::filesystem::is_empty(registry_.folder() / "uploads"));
    }

    void expect_created(const Answer& answer) {
        EXPECT_EQ(answer.status, 201) << answer.body;
        EXPECT_EQ(answer.header("Location"), blob_path(kRepository, digest_));
        EXPECT_EQ(answer.header("Docker-Content-Digest"), digest_.str());
    }

    static net::Headers range(std::size_t first, std::size_t size) {
        return {{"Content-Range", fmt::format("{}-{}", first, first + size - 1)}};
    }

    RunningRegistry registry_;
    const std::string bytes_ = pattern(300'000);
    const oci::Digest digest_ = oci::digest_of(bytes_, GetParam());
};

INSTANTIATE_TEST_SUITE_P(Digests, BlobPush,
                         ::testing::Values(oci::Algorithm::sha256, oci::Algorithm::sha512),
                         [](const auto& about) {
                             return std::string(oci::to_string(about.param));
                         });

TEST_P(BlobPush, InOneRequest) {
    expect_created(registry_.post(uploads_path(kRepository) + "?digest=" + digest_.str(), bytes_));
    expect_stored();
}

TEST_P(BlobPush, InOneRequestWithoutItsLength) {
    expect_created(registry_.ask({.method = "POST",
                                  .target = uploads_path(kRepository) + "?digest=" + digest_.str(),
                                  .body = bytes_,
                                  .chunked = true}));
    expect_stored();
}

TEST_P(BlobPush, InTwoRequests) {
    expect_created(registry_.put(with_digest(begin(), digest_), bytes_));
    expect_stored();
}

TEST_P(BlobPush, InTwoRequestsWithTheAlgorithmKnownOnlyAtTheEnd) {
    const std::string location = registry_.post(uploads_path(kRepository)).header("Location");
    EXPECT_EQ(registry_.patch(location, bytes_).status, 202);
    expect_created(registry_.put(with_digest(location, digest_), ""));
    expect_stored();
}

TEST_P(BlobPush, Streamed) {
    const Answer sent =
        registry_.ask({.method = "PATCH", .target = begin(), .body = bytes_, .chunked = true});
    EXPECT_EQ(sent.status, 202);
    EXPECT_EQ(sent.header("Range"), "0-299999");
    expect_created(registry_.put(with_digest(sent.header("Location"), digest_), ""));
    expect_stored();
}

TEST_P(BlobPush, InOneChunk) {
    const Answer sent = registry_.patch(begin(), bytes_, range(0, bytes_.size()));
    EXPECT_EQ(sent.status, 202);
    expect_created(registry_.put(with_digest(sent.header("Location"), digest_), ""));
    expect_stored();
}

TEST_P(BlobPush, InManyChunksTheLastOfThemWithTheEnd) {
    std::string location = begin();
    constexpr std::size_t kChunk = 70'000;
    std::size_t at = 0;
    for (; at + kChunk < bytes_.size(); at += kChunk) {
        const Answer sent = registry_.patch(location, bytes_.substr(at, kChunk), range(at, kChunk));
        ASSERT_EQ(sent.status, 202);
        EXPECT_EQ(sent.header("Range"), fmt::format("0-{}", at + kChunk - 1));
        location = sent.header("Location");
        const Answer state = registry_.get(location);
        EXPECT_EQ(state.status, 204);
        EXPECT_EQ(state.header("Range"), sent.header("Range"));
    }
    const std::string rest = bytes_.substr(at);
    expect_created(registry_.put(with_digest(location, digest_), rest, range(at, rest.size())));
    expect_stored();
}

TEST_P(BlobPush, ChunksOutOfOrderAreRefusedAndTheUploadGoesOn) {
    const std::string location = begin();
    const std::string first = bytes_.substr(0, 1000), second = bytes_.substr(1000);
    for (const std::size_t wrong : {std::size_t{1000}, std::size_t{1}, std::size_t{299'000}}) {
        const Answer early = registry_.patch(location, second, range(wrong, second.size()));
        EXPECT_EQ(early.status, 416);
        EXPECT_EQ(early.code(), "BLOB_UPLOAD_INVALID");
        EXPECT_EQ(early.header("Location"), location);
    }
    EXPECT_EQ(registry_.patch(location, first, range(0, first.size())).status, 202);
    // Again what is there, and a closing chunk that leaves a gap.
    EXPECT_EQ(registry_.patch(location, first, range(0, first.size())).status, 416);
    EXPECT_EQ(
        registry_.put(with_digest(location, digest_), second, range(2000, second.size())).status,
        416);
    const Answer state = registry_.get(location);
    EXPECT_EQ(state.header("Range"), "0-999");
    expect_created(
        registry_.put(with_digest(location, digest_), second, range(1000, second.size())));
    expect_stored();
}

TEST_P(BlobPush, ChunksWhoseRangeIsNoneOrNotTheirsAreRefused) {
    const std::string location = begin();
    for (const char* wrong : {"", "x", "0", "-", "0-", "-5", "5-3", "0-1-2", "bytes 0-/5",
                              "99999999999999999999-99999999999999999999"}) {
        EXPECT_EQ(registry_.patch(location, "12345", {{"Content-Range", wrong}}).status, 400)
            << wrong;
    }
    EXPECT_EQ(registry_.patch(location, "12345", {{"Content-Range", "0-9"}}).status, 416);
    EXPECT_EQ(registry_.patch(location, "12345", {{"Content-Range", "bytes 0-4/5"}}).status, 202);
    EXPECT_EQ(registry_.get(location).header("Range"), "0-4");
}

TEST_P(BlobPush, OfWrongBytesIsRefusedOnEveryWay) {
    const std::string other = pattern(300'000, 2);
    const auto expect_refused = [&](const Answer& answer) {
        EXPECT_EQ(answer.status, 400);
        EXPECT_EQ(answer.code(), "DIGEST_INVALID");
        expect_nothing_stored();
        expect_no_upload_left();
    };
    expect_refused(registry_.post(uploads_path(kRepository) + "?digest=" + digest_.str(), other));
    expect_refused(registry_.put(with_digest(begin(), digest_), other));
    const std::string streamed = begin();
    EXPECT_EQ(registry_.patch(streamed, other).status, 202);
    expect_refused(registry_.put(with_digest(streamed, digest_), ""));
    const std::string chunked = begin();
    EXPECT_EQ(registry_.patch(chunked, other.substr(0, 1000), range(0, 1000)).status, 202);
    expect_refused(registry_.put(with_digest(chunked, digest_), other.substr(1000),
                                 range(1000, other.size() - 1000)));
    expect_refused(registry_.put(with_digest(begin(), digest_), bytes_.substr(1)));
}

TEST_P(BlobPush, WithADigestThatIsNoneIsRefused) {
    const std::string hex = digest_.hex;
    for (const std::string& wrong :
         {std::string("x"), std::string("sha256:"), std::string("md5:") + hex,
          "sha256:" + hex + "0", std::string("sha256:..%2f..%2fetc"), "SHA256:" + hex}) {
        EXPECT_EQ(registry_.post(uploads_path(kRepository) + "?digest=" + wrong, "x").code(),
                  "DIGEST_INVALID")
            << wrong;
        EXPECT_EQ(registry_.put(begin() + "?digest=" + wrong, "x").code(), "DIGEST_INVALID");
    }
    EXPECT_EQ(registry_.put(begin(), "x").code(), "DIGEST_INVALID");
    EXPECT_EQ(registry_.post(uploads_path(kRepository) + "?digest-algorithm=md5").status, 400);
}

TEST_P(BlobPush, CancelledIsGone) {
    const std::string location = begin();
    EXPECT_EQ(registry_.patch(location, bytes_).status, 202);
    EXPECT_EQ(registry_.remove(location).status, 204);
    expect_no_upload_left();
    EXPECT_EQ(registry_.get(location).code(), "BLOB_UPLOAD_UNKNOWN");
    EXPECT_EQ(registry_.patch(location, bytes_).status, 404);
    EXPECT_EQ(registry_.put(with_digest(location, digest_), bytes_).status, 404);
    EXPECT_EQ(registry_.remove(location).status, 404);
    expect_nothing_stored();
}

TEST_P(BlobPush, GoesOnAfterARestart) {
    const std::string location = begin();
    EXPECT_EQ(registry_.patch(location, bytes_.substr(0, 100'000)).status, 202);
    registry_.restart();
    const Answer state = registry_.get(location);
    EXPECT_EQ(state.status, 204);
    EXPECT_EQ(state.header("Range"), "0-99999");
    const std::string rest = bytes_.substr(100'000);
    EXPECT_EQ(registry_.patch(location, rest, range(100'000, rest.size())).status, 202);
    registry_.restart();
    expect_created(registry_.put(with_digest(location, digest_), ""));
    expect_stored();
}

TEST_P(BlobPush, BelongsToItsRepository) {
    const std::string location = begin();
    const std::string id = location.substr(location.rfind('/') + 1);
    const std::string elsewhere = uploads_path("team/other") + id;
    EXPECT_EQ(registry_.get(elsewhere).status, 404);
    EXPECT_EQ(registry_.put(with_digest(elsewhere, digest_), bytes_).status, 404);
    registry_.restart();
    EXPECT_EQ(registry_.get(elsewhere).status, 404);
    expect_created(registry_.put(with_digest(location, digest_), bytes_));
    EXPECT_EQ(registry_.get(blob_path("team/other", digest_)).status, 404);
}

TEST_P(BlobPush, OfNothingAndOfTheEmptyObject) {
    for (const std::string& bytes : {std::string(), std::string("{}")}) {
        const oci::Digest digest = oci::digest_of(bytes, GetParam());
        EXPECT_EQ(registry_.put(with_digest(begin(), digest), bytes).status, 201);
        const Answer got = registry_.get(blob_path(kRepository, digest));
        EXPECT_EQ(got.status, 200);
        EXPECT_EQ(got.body, bytes);
        EXPECT_EQ(registry_.head(blob_path(kRepository, digest)).header("Content-Length"),
                  std::to_string(bytes.size()));
    }
}

TEST_P(BlobPush, TwiceIsTheSame) {
    for (int i = 0; i < 2; ++i) {
        expect_created(
            registry_.post(uploads_path(kRepository) + "?digest=" + digest_.str(), bytes_));
    }
    expect_stored();
}

TEST(BlobLimits, TooLargeIsRefusedBeforeItIsSent) {
    RunningRegistry registry({.registry = {.largest_blob = 1000}});
    const std::string large(1001, 'x');
    const std::string digest = "?digest=" + oci::digest_of(large).str();
    EXPECT_EQ(registry.post(uploads_path("a") + digest, large).code(), "SIZE_INVALID");
    EXPECT_EQ(registry
                  .ask({.method = "POST",
                        .target = uploads_path("a") + digest,
                        .body = large,
                        .chunked = true})
                  .status,
              413);
    const std::string location = registry.post(uploads_path("a")).header("Location");
    EXPECT_EQ(registry.patch(location, large.substr(0, 900)).status, 202);
    EXPECT_EQ(registry.patch(location, large.substr(900)).status, 413);
    EXPECT_EQ(registry.put(location + digest, large.substr(900)).status, 413);
    EXPECT_EQ(registry.get(location).header("Range"), "0-899");
    registry.push_blob("a", large.substr(1));
}

TEST(Chunks, WithoutALengthMustEndWhereTheySay) {
    RunningRegistry registry;
    const std::string location = registry.post(uploads_path("a")).header("Location");
    const Answer answer = registry.ask({.method = "PATCH",
                                        .target = location,
                                        .headers = {{"Content-Range", "0-9"}},
                                        .body = "abc",
                                        .chunked = true});
    EXPECT_EQ(answer.status, 416);
    EXPECT_EQ(answer.header("Range"), "0-2");
}

TEST(Methods, ThatAreNotAllowedComeWithThoseThatAre) {
    RunningRegistry registry;
    const std::string blob = blob_path("a", oci::digest_of("x"));
    EXPECT_EQ(registry.post(blob).header("Allow"), "GET, HEAD, DELETE");
    EXPECT_EQ(registry.put(uploads_path("a"), "x").header("Allow"), "POST");
    EXPECT_EQ(registry.post(manifest_path("a", "v1")).header("Allow"), "GET, HEAD, PUT, DELETE");
    EXPECT_EQ(registry.post("/v2/").header("Allow"), "GET, HEAD");
}

TEST(RangesBeyond, AreNotCachedAsTheBlob) {
    RunningRegistry registry;
    const oci::Digest digest = registry.push_blob("a", "bytes");
    const Answer answer = registry.get(blob_path("a", digest), {{"Range", "bytes=9-"}});
    EXPECT_EQ(answer.status, 416);
    for (const char* name : {"Cache-Control", "ETag", "Docker-Content-Digest"})
        EXPECT_EQ(answer.header(name), "") << name;
}

TEST(BlobLimits, TooManyUploadsAreRefusedAndRoomComesBack) {
    RunningRegistry registry({.registry = {.most_uploads = 2}});
    const std::string first = registry.post(uploads_path("a")).header("Location");
    EXPECT_EQ(registry.patch(first, "x").status, 202);
    EXPECT_EQ(registry.patch(registry.post(uploads_path("a")).header("Location"), "x").status, 202);
    EXPECT_EQ(registry.post(uploads_path("b")).code(), "TOOMANYREQUESTS");
    EXPECT_EQ(registry.remove(first).status, 204);
    EXPECT_EQ(registry.post(uploads_path("b")).status, 202);
}

// Nobody can ever ask for it again: it must not count, nor keep its bytes.
TEST(BlobLimits, APushInOneRequestThatFailsLeavesNoUpload) {
    RunningRegistry registry({.registry = {.largest_blob = 1000, .most_uploads = 1}});
    const std::string large(2000, 'x');
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(registry
                      .ask({.method = "POST",
                            .target = uploads_path("a") + "?digest=" + oci::digest_of(large).str(),
                            .body = large,
                            .chunked = true})
                      .status,
                  413);
    }
    EXPECT_TRUE(std::filesystem::is_empty(registry.folder() / "uploads"));
}

TEST(BlobLimits, UploadsNobodyWritesToAreGivenUp) {
    RunningRegistry registry({.registry = {.keep_uploads = std::chrono::seconds(0)}});
    const std::string location = registry.post(uploads_path("a")).header("Location");
    registry.registry().clean(std::chrono::seconds(3600));
    EXPECT_EQ(registry.get(location).status, 404);
    EXPECT_TRUE(std::filesystem::is_empty(registry.folder() / "uploads"));
}

}  // namespace
}  // namespace slipway::registry
