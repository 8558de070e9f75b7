#include "server/audit.hpp"

#include "base/files.hpp"
#include "base/text.hpp"
#include "oci/testing/temp_folder.hpp"

#include <thread>

#include <gtest/gtest.h>

namespace slipway::server {
namespace {

void write(Audit& audit, const std::string& path) {
    audit.write({.who = "admin", .role = "admin", .method = "PUT", .path = path, .status = 200}, 1);
}

class AuditTest : public ::testing::Test {
  protected:
    std::filesystem::path file() const { return folder_ / "audit.log"; }
    std::vector<std::string> lines() const { return split(read_file(file()), '\n'); }

    oci::testing::TempFolder folder_;
};

TEST_F(AuditTest, ChainGoesOnOverProcesses) {
    for (int process = 0; process < 3; ++process) {
        Audit audit(file());
        write(audit, "/a");
        write(audit, "/b");
        EXPECT_EQ(audit.first_broken(), 0);
    }
    const Audit audit(file());
    const auto read = audit.read(0, 100);
    ASSERT_EQ(read.size(), 6u);
    EXPECT_EQ(int_at(read.front(), "seq"), 6);
    EXPECT_EQ(audit.read(3, 100).size(), 2u);
    EXPECT_EQ(audit.read(0, 1).size(), 1u);
}

TEST_F(AuditTest, ShowsWhatWasChangedTakenOutOrCutOff) {
    {
        Audit audit(file());
        for (const char* path : {"/a", "/b", "/c", "/d"}) write(audit, path);
    }
    const std::string whole = read_file(file());
    const std::vector<std::string> all = lines();
    const auto broken_with = [&](const std::string& text) {
        atomic_write(file(), whole);
        const Audit audit(file());
        atomic_write(file(), text);
        return audit.first_broken();
    };
    std::string changed = whole;
    changed.replace(changed.find("/b"), 2, "/x");
    EXPECT_EQ(broken_with(changed), 2);
    EXPECT_EQ(broken_with(all[0] + "\n" + all[2] + "\n" + all[3] + "\n"), 2);
    EXPECT_EQ(broken_with(all[0] + "\n" + all[1] + "\n" + all[2] + "\n"), 4);
    EXPECT_EQ(broken_with(all[1] + "\n" + all[0] + "\n" + all[2] + "\n" + all[3] + "\n"), 1);
    EXPECT_EQ(broken_with(whole), 0);
}

TEST_F(AuditTest, ALineCutOffByACrashIsTakenAway) {
    {
        Audit audit(file());
        write(audit, "/a");
    }
    const std::string last = read_file(file().string() + ".last");
    {
        Audit audit(file());
        write(audit, "/b");
    }
    const std::string whole = read_file(file());
    atomic_write(file(), whole.substr(0, whole.size() - 7));
    atomic_write(file().string() + ".last", last);  // written after the line
    Audit audit(file());
    write(audit, "/c");
    EXPECT_EQ(audit.first_broken(), 0);
    EXPECT_EQ(audit.read(0, 10).size(), 2u);
}

TEST_F(AuditTest, WhatWasCutOffShowsInLaterProcessesToo) {
    {
        Audit audit(file());
        for (const char* path : {"/a", "/b", "/c"}) write(audit, path);
    }
    const std::vector<std::string> all = lines();
    atomic_write(file(), all[0] + "\n");
    EXPECT_EQ(Audit(file()).first_broken(), 2);
    {
        Audit audit(file());
        write(audit, "/d");
    }
    EXPECT_EQ(Audit(file()).first_broken(), 2) << "more lines hide nothing";
    std::filesystem::remove(file());
    EXPECT_EQ(Audit(file()).first_broken(), 1);
}

TEST_F(AuditTest, AnotherLogInItsPlaceShows) {
    {
        Audit audit(file());
        write(audit, "/a");
    }
    const std::string last = read_file(file().string() + ".last");
    std::filesystem::remove(file());
    std::filesystem::remove(file().string() + ".last");
    {
        Audit audit(file());
        write(audit, "/other");
    }
    atomic_write(file().string() + ".last", last);
    EXPECT_EQ(Audit(file()).first_broken(), 1);
}

// A crash between the line and the note of it.
TEST_F(AuditTest, ALineThatIsNotNotedYetIsNoGap) {
    std::string last;
    {
        Audit audit(file());
        write(audit, "/a");
        last = read_file(file().string() + ".last");
        write(audit, "/b");
    }
    atomic_write(file().string() + ".last", last);
    Audit audit(file());
    EXPECT_EQ(audit.first_broken(), 0);
    write(audit, "/c");
    EXPECT_EQ(audit.first_broken(), 0);
    std::filesystem::remove(file().string() + ".last");
    EXPECT_EQ(Audit(file()).first_broken(), 0) << "a log that is older than such files";
}

TEST_F(AuditTest, ManyAtOnceMakeOneChain) {
    Audit audit(file());
    {
        std::vector<std::jthread> writers;
        for (int i = 0; i < 8; ++i) {
            writers.emplace_back([&] {
                for (int j = 0; j < 20; ++j) write(audit, "/x");
            });
        }
    }
    EXPECT_EQ(audit.first_broken(), 0);
    EXPECT_EQ(audit.read(0, 1000).size(), 160u);
}

}  // namespace
}  // namespace slipway::server
