#include "base/files.hpp"

#include "base/error.hpp"

#include <csignal>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace slipway {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using testing::HasSubstr;

class FilesTest : public ::testing::Test {
  protected:
    FilesTest() {
        std::string pattern = (fs::temp_directory_path() / "slipway-files-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
    }
    ~FilesTest() override { fs::remove_all(folder_); }

    static mode_t mode_of(const fs::path& path) {
        struct stat info{};
        EXPECT_EQ(::lstat(path.c_str(), &info), 0);
        return info.st_mode & 07777;
    }
    std::vector<std::string> names() const {
        std::vector<std::string> out;
        for (const auto& entry : fs::directory_iterator(folder_))
            out.push_back(entry.path().filename());
        std::ranges::sort(out);
        return out;
    }
    template <typename E, typename F>
    static std::string id_of(F&& call) {
        try {
            call();
        } catch (const E& e) {
            return e.id();
        }
        return "nothing was thrown";
    }

    fs::path folder_;
};

TEST_F(FilesTest, WhatIsWrittenIsReadBackWithItsMode) {
    const std::string content("line\n\0bytes", 11);
    atomic_write(folder_ / "a", content);
    EXPECT_EQ(read_file(folder_ / "a"), content);
    EXPECT_EQ(mode_of(folder_ / "a"), 0600u);
    atomic_write(folder_ / "a", "", 0644);
    EXPECT_EQ(read_file(folder_ / "a"), "");
    EXPECT_EQ(mode_of(folder_ / "a"), 0644u);
    EXPECT_THAT(names(), ElementsAre("a"));  // no temporary stays
}

TEST_F(FilesTest, ModeDoesNotDependOnTheUmask) {
    const mode_t former = ::umask(0777);
    atomic_write(folder_ / "strict", "x", 0640);
    ::umask(0);
    atomic_write(folder_ / "open", "x", 0600);
    make_private_folders(folder_ / "private" / "deep");
    ::umask(former);
    EXPECT_EQ(mode_of(folder_ / "strict"), 0640u);
    EXPECT_EQ(mode_of(folder_ / "open"), 0600u);
    EXPECT_EQ(mode_of(folder_ / "private"), 0700u);
    EXPECT_EQ(mode_of(folder_ / "private" / "deep"), 0700u);
}

TEST_F(FilesTest, ASymbolicLinkIsReplacedAndItsTargetLeftAlone) {
    atomic_write(folder_ / "target", "precious");
    fs::create_symlink(folder_ / "target", folder_ / "link");
    atomic_write(folder_ / "link", "new");
    EXPECT_EQ(read_file(folder_ / "target"), "precious");
    EXPECT_FALSE(fs::is_symlink(folder_ / "link"));
    EXPECT_EQ(read_file(folder_ / "link"), "new");
}

// A full disk, as the kernel shows it to a process with a file size limit: EFBIG in the middle of
// the write. In a child, because limits of a process are for all its threads.
TEST_F(FilesTest, AWriteThatFailsHalfWayLeavesTheOldFileAndNoRubbish) {
    atomic_write(folder_ / "a", "old");
    const pid_t child = ::fork();
    if (child == 0) {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{100, 100};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        const bool refused = id_of<StateError>([&] {
                                 atomic_write(folder_ / "a", std::string(1000, 'x'));
                             }) == "STATE-WRITE";
        ::_exit(refused ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(read_file(folder_ / "a"), "old");
    EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(FilesTest, WritingOverAFolderOrIntoNoFolderIsATypedError) {
    fs::create_directory(folder_ / "d");
    EXPECT_EQ(id_of<StateError>([&] { atomic_write(folder_ / "d", "x"); }), "STATE-WRITE");
    EXPECT_EQ(id_of<StateError>([&] { atomic_write(folder_ / "none" / "a", "x"); }), "STATE-WRITE");
    EXPECT_THAT(names(), ElementsAre("d"));
}

TEST_F(FilesTest, ReadingIsBounded) {
    atomic_write(folder_ / "a", std::string(1000, 'x'));
    EXPECT_EQ(read_file(folder_ / "a", 1000).size(), 1000u);
    EXPECT_EQ(id_of<UserError>([&] { read_file(folder_ / "a", 999); }), "FILE-TOO-LARGE");
    EXPECT_EQ(id_of<UserError>([] { read_file("/dev/zero", 1u << 20); }), "FILE-TOO-LARGE");
}

TEST_F(FilesTest, AMissingFileIsAnAnswerOrAnErrorAsAskedFor) {
    EXPECT_EQ(read_file_if_any(folder_ / "none"), std::nullopt);
    EXPECT_EQ(read_file_if_any(folder_ / "none" / "deeper"), std::nullopt);
    EXPECT_EQ(id_of<UserError>([&] { read_file(folder_ / "none"); }), "FILE-UNREADABLE");
    EXPECT_EQ(id_of<UserError>([&] { read_file_if_any(folder_); }), "FILE-UNREADABLE");  // a folder
}

TEST_F(FilesTest, ErrorsNameThePathAndTheReason) {
    try {
        atomic_write(folder_ / "none" / "a", "x");
        FAIL();
    } catch (const StateError& e) {
        EXPECT_THAT(e.message(), HasSubstr((folder_ / "none" / "a").string()));
        EXPECT_THAT(e.cause(), HasSubstr("No such file"));
    }
}

TEST_F(FilesTest, PrivateFoldersKeepTheModeOfThoseThatExist) {
    fs::create_directory(folder_ / "shared");
    fs::permissions(folder_ / "shared", fs::perms(0755));
    make_private_folders(folder_ / "shared" / "own");
    make_private_folders(folder_ / "shared" / "own");  // again is fine
    EXPECT_EQ(mode_of(folder_ / "shared"), 0755u);
    EXPECT_EQ(mode_of(folder_ / "shared" / "own"), 0700u);
}

TEST_F(FilesTest, AFileWhereAFolderShouldBeIsATypedError) {
    atomic_write(folder_ / "file", "x");
    EXPECT_EQ(id_of<StateError>([&] { make_private_folders(folder_ / "file"); }), "STATE-WRITE");
    EXPECT_EQ(id_of<StateError>([&] { make_private_folders(folder_ / "file" / "sub"); }),
              "STATE-WRITE");
    EXPECT_EQ(id_of<StateError>([&] { sync_folder(folder_ / "file"); }), "STATE-WRITE");
}

TEST(Fd, ClosesOnceAndMovesWithoutClosing) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const auto is_open = [](int fd) { return ::fcntl(fd, F_GETFD) != -1; };
    {
        Fd a(ends[0]);
        Fd b = std::move(a);
        EXPECT_FALSE(a);  // NOLINT(bugprone-use-after-move): this is the promise
        EXPECT_TRUE(is_open(ends[0]));
        b = Fd(ends[1]);
        EXPECT_FALSE(is_open(ends[0]));
        EXPECT_TRUE(is_open(ends[1]));
    }
    EXPECT_FALSE(is_open(ends[1]));
}

}  // namespace
}  // namespace slipway
