// Uploads that arrive, that stop in the middle, and that are something else than was said: the file
// is right or as it was.
#include "agent/upload.hpp"

#include "agent/testing/fetch_case.hpp"
#include "agent/testing/own_namespace.hpp"
#include "base/checksum.hpp"
#include "base/digest.hpp"

#include <deque>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace slipway::agent {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string sample(std::size_t size) {
    std::string out;
    for (std::size_t i = 0; out.size() < size; ++i) out += std::to_string(i) + "|";
    out.resize(size);
    return out;
}

// A client that sends from where it is told on, in small pieces, and goes after `patience` bytes.
class Client : public FakeRequest {
  public:
    std::string content;
    std::string trailer;
    std::size_t patience = std::string::npos;
    std::vector<std::uint64_t> starts;
    std::size_t given = 0;

    void send(wire::Stream, std::string_view bytes) override {
        starts.push_back(wire::decode<wire::UploadStart>(bytes).at);
        rest_ = content.substr(starts.back()) + trailer;
    }
    std::optional<std::string> receive() override {
        constexpr std::size_t kPiece = 1000;
        if (given >= patience) throw Failed("cancelled", "cancelled");
        if (rest_.empty()) return std::nullopt;
        std::string piece = rest_.substr(0, kPiece);
        rest_.erase(0, piece.size());
        given += piece.size();
        return piece;
    }

  private:
    std::string rest_;
};

class UploadTest : public FetchCase {
  protected:
    wire::Upload wish_for(const std::string& content) {
        client_.content = content;
        return {
            .path = path(), .mode = 0750, .sha256 = sha256_hex(content), .size = content.size()};
    }
    std::string try_upload(const wire::Upload& wanted) {
        try {
            uploaded_ = upload(wanted, client_);
            return "ok";
        } catch (const Failed& failed) {
            return failed.code + ": " + failed.what();
        }
    }
    Client client_;
    wire::Uploaded uploaded_;
    const std::string content_ = sample(100'000);
};

TEST_F(UploadTest, StoresTheFileWithItsModeAndLeavesNothingElse) {
    ASSERT_EQ(try_upload(wish_for(content_)), "ok");
    EXPECT_EQ(text_of(path()), content_);
    EXPECT_EQ(uploaded_.received, content_.size());
    EXPECT_EQ(uploaded_.resumed, 0u);
    EXPECT_FALSE(exists(part()));
    struct stat info{};
    ASSERT_EQ(::stat(path().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777u, 0750u);
}

TEST_F(UploadTest, MakesMissingFolders) {
    wire::Upload wanted = wish_for(content_);
    wanted.path = folder_ + "/a/b/file";
    ASSERT_EQ(try_upload(wanted), "ok");
    EXPECT_EQ(text_of(wanted.path), content_);
}

TEST_F(UploadTest, AnEmptyFileIsAFile) {
    ASSERT_EQ(try_upload(wish_for("")), "ok");
    EXPECT_TRUE(exists(path()));
}

TEST_F(UploadTest, WantsNothingOfAFileThatIsThere) {
    put(path(), content_, 0750);
    ASSERT_EQ(try_upload(wish_for(content_)), "ok");
    EXPECT_TRUE(uploaded_.already);
    EXPECT_TRUE(client_.starts.empty());
    put(path(), content_, 0600);
    ASSERT_EQ(try_upload(wish_for(content_)), "ok");
    EXPECT_FALSE(uploaded_.already) << "its mode was another one";
    EXPECT_EQ(uploaded_.received, 0u);
}

TEST_F(UploadTest, TheDigestMayFollowTheContent) {
    wire::Upload wanted = wish_for(content_);
    wanted.sha256.clear();
    client_.trailer = checksum_hex(content_);
    ASSERT_EQ(try_upload(wanted), "ok");
    EXPECT_EQ(text_of(path()), content_);
    ASSERT_EQ(try_upload(wanted), "ok");
    EXPECT_TRUE(uploaded_.digest_needed) << "a file of this size is there, perhaps the same";
    put(path(), "of another size");
    ASSERT_EQ(try_upload(wanted), "ok");
    EXPECT_EQ(text_of(path()), content_);
}

TEST_F(UploadTest, AnAttemptThatWasCutOffIsContinued) {
    put(path(), "as it was");
    client_.patience = 40'000;
    EXPECT_THAT(try_upload(wish_for(content_)), StartsWith("cancelled"));
    EXPECT_EQ(text_of(path()), "as it was");
    client_.patience = std::string::npos;
    ASSERT_EQ(try_upload(wish_for(content_)), "ok");
    EXPECT_EQ(uploaded_.resumed, 40'000u);
    EXPECT_EQ(client_.given, content_.size()) << "nothing was sent twice";
    EXPECT_EQ(text_of(path()), content_);
}

TEST_F(UploadTest, APartOfSomethingElseIsNotContinuedForLong) {
    put(part(), sample(50'000) + "x");
    ASSERT_EQ(try_upload(wish_for(content_)), "ok");
    EXPECT_THAT(client_.starts, ElementsAre(50'001, 0));
    EXPECT_EQ(text_of(path()), content_);
    put(path(), "as it was");
    put(part(), content_ + "more than there is");
    ASSERT_EQ(try_upload(wish_for(content_)), "ok");
    EXPECT_EQ(text_of(path()), content_);
}

TEST_F(UploadTest, WrongContentNeverTakesThePlaceOfTheFile) {
    put(path(), "as it was");
    wire::Upload wanted = wish_for(content_);
    client_.content[77'777] ^= 1;
    EXPECT_THAT(try_upload(wanted), StartsWith("digest-mismatch"));
    EXPECT_EQ(text_of(path()), "as it was");
    EXPECT_FALSE(exists(part())) << "nothing of it is worth to be continued";
}

TEST_F(UploadTest, ContentOfAnotherSizeIsRefused) {
    wire::Upload wanted = wish_for(content_);
    wanted.sha256.clear();
    client_.trailer = checksum_hex(content_) + "more";
    EXPECT_THAT(try_upload(wanted), StartsWith("bad-request"));
    client_.trailer.clear();
    EXPECT_THAT(try_upload(wanted), StartsWith("bad-request"));
    EXPECT_FALSE(exists(path()));
}

TEST_F(UploadTest, RefusesToFillTheDiskBeforeItStarts) {
    wire::Upload wanted = wish_for(content_);
    wanted.size = 1'000'000'000'000'000;
    EXPECT_THAT(try_upload(wanted), AllOf(StartsWith("disk-full: "), HasSubstr("are free")));
    EXPECT_FALSE(exists(part()));
}

// On a file system of 1 MiB in a mount namespace of its own, which fills up meanwhile.
TEST_F(UploadTest, AFullDiskIsToldAndGivenBack) {
    const pid_t child = ::fork();
    if (child == 0) {
        if (!enter_own_namespace(CLONE_NEWNS) ||
            ::mount("none", folder_.c_str(), "tmpfs", 0, "size=1m") != 0) {
            ::_exit(2);
        }
        class Filling : public Client {
          public:
            std::string other;
            std::optional<std::string> receive() override {
                if (const int fd = ::open(other.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
                    given == 0 && fd >= 0) {
                    const std::string bytes(800u << 10, 'x');
                    if (::write(fd, bytes.data(), bytes.size()) < 0) ::_exit(2);
                }
                return Client::receive();
            }
        } filling;
        filling.other = folder_ + "/other";
        filling.content = sample(600'000);
        std::string told;
        try {
            upload({.path = path(), .sha256 = sha256_hex(filling.content), .size = 600'000},
                   filling);
        } catch (const Failed& failed) {
            told = failed.code;
        }
        ::_exit(told == "disk-full" && !exists(part()) && !exists(path()) ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_NE(WEXITSTATUS(status), 2) << "needs root, or user namespaces";
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(UploadTest, OnlyOneAtATimeUploadsAFile) {
    const int fd = ::open(part().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_EQ(::flock(fd, LOCK_EX | LOCK_NB), 0);
    EXPECT_THAT(try_upload(wish_for(content_)), StartsWith("busy: "));
    ::close(fd);
}

TEST_F(UploadTest, RefusesWishesThatMakeNoSense) {
    const auto with = [&](auto&& change) {
        wire::Upload wanted = wish_for(content_);
        change(wanted);
        return try_upload(wanted);
    };
    EXPECT_THAT(with([](auto& w) { w.path = "relative"; }), StartsWith("bad-request"));
    EXPECT_THAT(with([](auto& w) { w.path += "/"; }), StartsWith("bad-request"));
    EXPECT_THAT(with([](auto& w) { w.sha256 = "abc"; }), StartsWith("bad-request"));
    EXPECT_THAT(with([](auto& w) { w.mode = 0100644; }), StartsWith("bad-request"));
}

}  // namespace

}  // namespace slipway::agent
