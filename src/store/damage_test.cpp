// A journal that was cut or had bits flipped: it is refused by name, or every answer is as before.
// Never a different answer, never a fresh start, never a crash.
#include "base/error.hpp"
#include "base/files.hpp"
#include "store/sqlite.hpp"
#include "store/testing/fault_vfs.hpp"
#include "store/testing/sample_journal.hpp"

#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace slipway::store {
namespace {

using namespace testing;

constexpr const char* kFile = "/journal.db";
constexpr std::size_t kPage = 4096;

using Opener = std::unique_ptr<Journal> (*)(const std::filesystem::path&, JournalOptions);
constexpr Opener kOpeners[] = {&Journal::create_or_open, &Journal::open_existing};

// The id of the refusal, "" when the content is `whole`, "DIFFERENT" when it is not.
std::string verdict(const std::string& bytes, const std::string& whole, Opener open) {
    MemoryDisk disk({{kFile, bytes}});
    try {
        return dump(*open(kFile, disk.options())) == whole ? "" : "DIFFERENT";
    } catch (const StateError& e) {
        return e.id();
    }
}

struct Sample {
    std::string bytes = sample_journal(60);
    std::string content;
    Sample() {
        MemoryDisk disk({{kFile, bytes}});
        content = dump(*Journal::open_existing(kFile, disk.options()));
    }
};

TEST(Damage, CutAnywhereIsRefused) {
    const Sample sample;
    for (std::size_t size = 0; size < sample.bytes.size(); size += 64) {
        const std::string id =
            verdict(sample.bytes.substr(0, size), sample.content, kOpeners[size / 64 % 2]);
        ASSERT_EQ(id, "STATE-DAMAGED")
            << "cut to " << size << " of " << sample.bytes.size() << " bytes";
    }
}

TEST(Damage, FlippedBitIsRefusedOrHarmless) {
    const Sample sample;
    ASSERT_GE(sample.bytes.size() / kPage, 15u);
    std::mt19937 random(3);
    std::map<std::string, int> verdicts;
    const auto flip = [&](std::size_t at) {
        std::string bytes = sample.bytes;
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
        const std::string id = verdict(bytes, sample.content, kOpeners[random() % 2]);
        ASSERT_NE(id, "DIFFERENT") << "bit flipped in byte " << at;
        ++verdicts[id];
    };
    for (std::size_t at = 0; at < 100; ++at) flip(at);  // the file's header
    for (std::size_t page = 0; page < sample.bytes.size(); page += kPage) {
        for (std::size_t at = 0; at < 12; ++at) flip(page + at);  // the page's header
        for (int i = 0; i < 50; ++i) flip(page + random() % kPage);
    }
    EXPECT_GT(verdicts["STATE-DAMAGED"], 300);
    EXPECT_GT(verdicts[""], 10);  // unused space
}

TEST(Damage, RefusalNamesTheFileTheTableAndTheRow) {
    const TemporaryFolder folder;
    write_sample(*Journal::create_or_open(folder.journal()), 3);
    {
        Connection db(folder.journal(), {});
        db.run("UPDATE nodes SET outcome = 'skipped' WHERE id = 2");
    }
    try {
        Journal::create_or_open(folder.journal());
        FAIL();
    } catch (const StateError& e) {
        EXPECT_EQ(e.id(), "STATE-DAMAGED");
        EXPECT_NE(e.message().find(folder.journal().string()), std::string::npos);
        EXPECT_EQ(e.cause(), "table nodes, row 2: the check value does not fit");
        EXPECT_NE(e.remedy().find("slipway restore"), std::string::npos);
    }
}

std::string refusal_of(const std::filesystem::path& file, Opener open = &Journal::create_or_open) {
    try {
        open(file, {});
        return "opened";
    } catch (const StateError& e) {
        return e.id();
    }
}

TEST(Damage, FilesThatAreNoJournalAreRefusedByName) {
    const TemporaryFolder folder;
    for (const Opener open : kOpeners) {
        std::ofstream(folder.journal(), std::ios::trunc).flush();
        EXPECT_EQ(refusal_of(folder.journal(), open), "STATE-DAMAGED");
        EXPECT_EQ(std::filesystem::file_size(folder.journal()), 0u) << "a fresh start";

        std::ofstream(folder.journal()) << std::string(10'000, 'x');
        EXPECT_EQ(refusal_of(folder.journal(), open), "STATE-DAMAGED");

        atomic_write(folder.journal(), empty_journal());
        Connection(folder.journal(), {}).execute("PRAGMA user_version = 2");
        EXPECT_EQ(refusal_of(folder.journal(), open), "STATE-NEWER");

        atomic_write(folder.journal(), empty_journal());
        Connection(folder.journal(), {}).execute("PRAGMA application_id = 7");
        EXPECT_EQ(refusal_of(folder.journal(), open), "STATE-FOREIGN");
    }
}

TEST(Damage, LostJournalIsNotReplacedByAFreshOne) {
    for (const char* witness : {"seal.key", "journal.db.last-good", "journal.db-wal"}) {
        const TemporaryFolder folder;
        atomic_write(folder.path() / witness, "x");
        EXPECT_EQ(refusal_of(folder.journal()), "STATE-MISSING") << witness;
        EXPECT_FALSE(std::filesystem::exists(folder.journal()));
    }
}

TEST(Damage, SnapshotOfTheLastFinishedRunCanBePutBack) {
    const TemporaryFolder folder;
    std::string finished;
    {
        const auto journal = Journal::create_or_open(folder.journal());
        write_sample(*journal, 20);
        finished = dump(*journal);
        journal->begin_run({.kind = "apply"});  // after the snapshot
    }
    atomic_write(folder.journal(), std::string(8192, 'x'));
    ASSERT_EQ(refusal_of(folder.journal()), "STATE-DAMAGED");

    Journal::restore_snapshot(folder.journal());

    EXPECT_EQ(dump(*Journal::create_or_open(folder.journal())), finished);
    int kept = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
        if (entry.path().string().find(".damaged-") == std::string::npos) continue;
        EXPECT_EQ(read_file(entry.path()), std::string(8192, 'x'));
        ++kept;
    }
    EXPECT_EQ(kept, 1);
}

TEST(Damage, StaleWalIsNotReplayedIntoTheRestoredJournal) {
    const TemporaryFolder folder;
    write_sample(*Journal::create_or_open(folder.journal()), 5);
    const std::string finished = dump(*Journal::open_existing(folder.journal()));
    std::ofstream(folder.journal().string() + "-wal") << std::string(5000, 'w');
    Journal::restore_snapshot(folder.journal());
    EXPECT_FALSE(std::filesystem::exists(folder.journal().string() + "-wal"));
    EXPECT_EQ(dump(*Journal::open_existing(folder.journal())), finished);
}

TEST(Damage, DamagedSnapshotIsNotPutBack) {
    const TemporaryFolder folder;
    write_sample(*Journal::create_or_open(folder.journal()), 5);
    const std::string before = read_file(folder.journal());
    atomic_write(folder.journal().string() + ".last-good", "nonsense");
    EXPECT_THROW(Journal::restore_snapshot(folder.journal()), StateError);
    EXPECT_EQ(read_file(folder.journal()), before);
}

}  // namespace
}  // namespace slipway::store
