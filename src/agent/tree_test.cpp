// Removing a tree: all of it, and nothing that is not in it.
#include "agent/tree.hpp"

#include "agent/files.hpp"
#include "agent/testing/fetch_case.hpp"
#include "agent/testing/own_namespace.hpp"

#include <filesystem>
#include <functional>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace slipway::agent {

namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class Tree : public FetchCase {
  protected:
    Tree() {
        fs::create_directories(top_ + "/a/b");
        put(top_ + "/a/b/file", "x");
        put(top_ + "/.hidden", "x");
        fs::create_directories(outside_);
        put(outside_ + "/kept", "x");
        fs::create_directory_symlink(outside_, top_ + "/a/link");
    }
    std::string try_remove(const std::string& path, bool keep_top = false) {
        try {
            remove_tree({.path = path, .keep_top = keep_top}, request_);
            return "ok";
        } catch (const Failed& failed) {
            return failed.code + ": " + failed.what();
        }
    }
    const std::string top_ = folder_ + "/top", outside_ = folder_ + "/outside";
};

TEST_F(Tree, GoesWithAllThatIsInItAndNothingElse) {
    ASSERT_EQ(try_remove(top_), "ok");
    EXPECT_FALSE(exists(top_));
    EXPECT_TRUE(exists(outside_ + "/kept"));
    EXPECT_EQ(try_remove(top_), "ok") << "absent is fine";
    EXPECT_EQ(try_remove(top_ + "/below/absent"), "ok");
}

TEST_F(Tree, TheTopMayStay) {
    fs::permissions(top_, fs::perms::owner_all);
    ASSERT_EQ(try_remove(top_, true), "ok");
    EXPECT_TRUE(fs::is_empty(top_));
    EXPECT_EQ(fs::status(top_).permissions(), fs::perms::owner_all);
    EXPECT_EQ(try_remove(top_, true), "ok");
}

TEST_F(Tree, AFileOrALinkIsATreeToo) {
    ASSERT_EQ(try_remove(top_ + "/.hidden"), "ok");
    EXPECT_FALSE(exists(top_ + "/.hidden"));
    ASSERT_EQ(try_remove(top_ + "/a/link"), "ok");
    EXPECT_FALSE(exists(top_ + "/a/link"));
    EXPECT_TRUE(exists(outside_ + "/kept"));
}

TEST_F(Tree, IsRemovedHoweverDeep) {
    constexpr int kLevels = 1000;
    int folder = ::open(top_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < kLevels; ++i) {
        ASSERT_EQ(::mkdirat(folder, "d", 0700), 0);
        const int next = ::openat(folder, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        ::close(std::exchange(folder, next));
        ASSERT_GE(folder, 0);
    }
    ::close(folder);
    ASSERT_EQ(try_remove(top_), "ok");
    EXPECT_FALSE(exists(top_));
}

TEST_F(Tree, ACancelEndsIt) {
    request_.cancel();
    EXPECT_THAT(try_remove(top_), StartsWith("cancelled"));
    EXPECT_TRUE(exists(top_));
}

TEST_F(Tree, WhatTheSystemNeedsIsRefused) {
    for (const char* path : {"/", "/var", "/usr", "/etc", "/home", "/var/lib", "relative/x",
                             "/var/lib/../../etc", "/var/lib/x/"})
        EXPECT_THAT(try_remove(path), StartsWith("bad-request")) << path;
    fs::create_directory_symlink("/", folder_ + "/root");
    EXPECT_THAT(try_remove(folder_ + "/root/etc"), StartsWith("bad-request"))
        << "a link among its parents leads there";
}

TEST_F(Tree, NamesOfAFolderAreListed) {
    EXPECT_TRUE(list_folder(top_, request_));
    EXPECT_EQ(request_.sent().size(), std::string(".hidden").size() + std::string("a").size() + 2);
    EXPECT_FALSE(list_folder(top_ + "/.hidden", request_));
    EXPECT_FALSE(list_folder(top_ + "/a/link", request_));
    EXPECT_FALSE(list_folder(top_ + "/none", request_));
}

TEST(MountsUnder, AreThoseOfTheTreeInnermostFirst) {
    const std::string info =
        "1 0 0:1 / / rw - ext4 /dev/sda rw\n"
        "2 1 0:2 / /var/lib/k rw shared:1 - tmpfs none rw\n"
        "3 2 0:3 / /var/lib/k/pods/a\\040b rw - tmpfs none rw\n"
        "4 2 0:3 / /var/lib/k/pods rw - tmpfs none rw\n"
        "5 1 0:3 / /var/lib/kubernetes rw - tmpfs none rw\n";
    EXPECT_THAT(mounts_under(info, "/var/lib/k", true),
                ElementsAre("/var/lib/k/pods/a b", "/var/lib/k/pods"));
    EXPECT_THAT(mounts_under(info, "/var/lib/k", false),
                ElementsAre("/var/lib/k/pods/a b", "/var/lib/k/pods", "/var/lib/k"));
    EXPECT_THAT(mounts_under(info, "/var/lib/x", false), IsEmpty());
    EXPECT_THAT(mounts_under("nonsense\n\n1 2", "/var/lib/x", false), IsEmpty());
}

// In a child with mounts of its own; the words of the first demand that was not met, or "".
class MountedTree : public Tree {
  protected:
    std::string in_own_namespace(const std::function<void()>& work) {
        int pipe[2];
        if (::pipe(pipe) != 0) return "no pipe";
        const pid_t child = ::fork();
        if (child == 0) {
            std::string said = "needs root, or user namespaces";
            if (enter_own_namespace(CLONE_NEWNS)) {
                try {
                    work();
                    said.clear();
                } catch (const std::exception& error) {
                    said = error.what();
                }
            }
            [[maybe_unused]] const ssize_t n = ::write(pipe[1], said.data(), said.size());
            ::_exit(0);
        }
        ::close(pipe[1]);
        std::string said(4096, '\0');
        const ssize_t n = ::read(pipe[0], said.data(), said.size());
        said.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
        ::close(pipe[0]);
        ::waitpid(child, nullptr, 0);
        return said;
    }
    static void need(bool met, const std::string& what) {
        if (!met) throw std::runtime_error(what);
    }
    void tmpfs(const std::string& at) {
        fs::create_directories(at);
        need(::mount("none", at.c_str(), "tmpfs", 0, "size=1m") == 0, "mount " + at);
        put(at + "/inside", "x");
    }
    void bind(const std::string& from, const std::string& at) {
        fs::create_directories(at);
        need(::mount(from.c_str(), at.c_str(), nullptr, MS_BIND, nullptr) == 0, "bind " + at);
    }
};

TEST_F(MountedTree, WhatIsMountedInItIsUnmountedAndKept) {
    EXPECT_EQ(in_own_namespace([&] {
                  tmpfs(top_);
                  tmpfs(top_);  // over each other
                  tmpfs(top_ + "/a b/c");
                  tmpfs(top_ + "/a b/c/d");
                  bind(outside_, top_ + "/bound");
                  put(top_ + "/one", "x");
                  need(::mount((outside_ + "/kept").c_str(), (top_ + "/one").c_str(), nullptr,
                               MS_BIND, nullptr) == 0,
                       "bind a file");
                  const std::string said = try_remove(top_);
                  need(said == "ok", said);
                  need(!exists(top_), "the top is there");
                  need(text_of(outside_ + "/kept") == "x", "what was bound is gone");
              }),
              "");
}

TEST_F(MountedTree, WhatIsBusyIsUnmountedLazily) {
    EXPECT_EQ(in_own_namespace([&] {
                  tmpfs(top_ + "/busy");
                  const int held = ::open((top_ + "/busy/inside").c_str(), O_RDONLY | O_CLOEXEC);
                  const std::string said = try_remove(top_);
                  need(said == "ok", said);
                  need(!exists(top_), "the top is there");
                  char c = 0;
                  need(::read(held, &c, 1) == 1, "what was open is gone");
              }),
              "");
}

TEST_F(MountedTree, AMountPointThatIsKeptStaysMounted) {
    EXPECT_EQ(in_own_namespace([&] {
                  tmpfs(top_);
                  tmpfs(top_ + "/pods");
                  struct stat before{}, after{};
                  ::stat(top_.c_str(), &before);
                  const std::string said = try_remove(top_, true);
                  need(said == "ok", said);
                  ::stat(top_.c_str(), &after);
                  need(before.st_dev == after.st_dev, "it was unmounted");
                  need(fs::is_empty(top_), "it is not empty");
              }),
              "");
}

}  // namespace

}  // namespace slipway::agent
