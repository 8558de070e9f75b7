#include "server/journals.hpp"

#include "base/error.hpp"
#include "oci/testing/temp_folder.hpp"

#include <filesystem>

#include <gtest/gtest.h>

namespace slipway::server {
namespace {

class JournalsTest : public ::testing::Test {
  protected:
    static void make(const std::filesystem::path& file, int runs) {
        const auto journal = store::Journal::create_or_open(file);
        for (int i = 0; i < runs; ++i)
            journal->begin_run({.kind = "apply", .plan_hash = "p", .spec = "{}", .started_ms = 1});
    }

    oci::testing::TempFolder folder;
    const desk::ClusterFolder cluster{.name = "demo", .folder = folder.path()};
    Journals journals;
};

TEST_F(JournalsTest, IsOpenedOnceForThoseWhoComeOneAfterTheOther) {
    make(cluster.journal(), 1);
    const store::Journal* first = nullptr;
    {
        const JournalLease lease = journals.lend(cluster);
        first = lease.get();
    }
    EXPECT_EQ(journals.lend(cluster).get(), first);
    const JournalLease mine = journals.lend(cluster), other = journals.lend(cluster);
    EXPECT_NE(mine.get(), other.get());
}

TEST_F(JournalsTest, SeesWhatIsWrittenMeanwhile) {
    make(cluster.journal(), 1);
    EXPECT_EQ(journals.lend(cluster)->runs().size(), 1u);
    make(cluster.journal(), 1);
    EXPECT_EQ(journals.lend(cluster)->runs().size(), 2u);
}

TEST_F(JournalsTest, OneThatWasReplacedIsOpenedAnew) {
    make(cluster.journal(), 1);
    make(folder.path() / "other.db", 3);
    EXPECT_EQ(journals.lend(cluster)->runs().size(), 1u);
    for (const char* part : {"-wal", "-shm", ""}) {  // as a restore does
        const std::string now = cluster.journal().string() + part;
        if (std::filesystem::exists(now)) std::filesystem::rename(now, now + ".damaged");
    }
    EXPECT_THROW(journals.lend(cluster), StateError);
    std::filesystem::rename(folder.path() / "other.db", cluster.journal());
    EXPECT_EQ(journals.lend(cluster)->runs().size(), 3u);
}

// SQLite keeps the descriptors of closed ones for the next; a journal's thread ends with it.
TEST_F(JournalsTest, KeepsOnlySoManyOpen) {
    make(cluster.journal(), 1);
    const auto threads = [] {
        return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
    };
    const auto before = threads();
    std::vector<JournalLease> all;
    for (std::size_t i = 0; i < 2 * Journals::kMostIdle; ++i) all.push_back(journals.lend(cluster));
    EXPECT_EQ(threads() - before, 2 * Journals::kMostIdle);
    all.clear();
    EXPECT_EQ(threads() - before, Journals::kMostIdle);
}

}  // namespace
}  // namespace slipway::server
