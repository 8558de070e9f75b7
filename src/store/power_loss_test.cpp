// The power fails after any write of the journal: it opens, holds a committed prefix, and nothing
// that was acknowledged is missing.
#include "store/testing/fault_vfs.hpp"
#include "store/testing/sample_journal.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace slipway::store {
namespace {

using namespace testing;

constexpr const char* kFile = "/journal.db";

// What a journal held after each acknowledged write, and how far the disk's log was then.
struct Recording {
    Image start;
    std::vector<DiskOp> log;
    std::vector<std::string> content;  // [0]: before the first write
    std::vector<std::size_t> log_size;
};

Recording record(int steps) {
    Recording r;
    r.start = {{kFile, empty_journal()}};
    MemoryDisk disk(r.start);
    JournalOptions options = disk.options();
    options.checkpoint_pages = 20;  // so that checkpoints are cut too
    {
        const auto journal = Journal::create_or_open(kFile, options);
        const auto note = [&] {
            r.log_size.push_back(disk.log_size());
            r.content.push_back(dump(*journal));
        };
        note();
        write_sample(*journal, steps, note);
    }
    r.log = disk.log();
    return r;
}

// The index of the content the image holds; -1 when it is none of them.
int content_of(const Recording& r, const Image& image) {
    MemoryDisk disk(image);
    const auto journal = Journal::create_or_open(kFile, disk.options());
    const auto found = std::ranges::find(r.content, dump(*journal));
    return found == r.content.end() ? -1 : static_cast<int>(found - r.content.begin());
}

TEST(PowerLoss, AnyCutLeavesACommittedPrefixWithAllThatWasAcknowledged) {
    const Recording r = record(80);
    ASSERT_GE(r.content.size(), 180u);
    ASSERT_GE(r.log.size(), 800u);
    const auto checkpoint_writes = std::ranges::count_if(
        r.log, [](const DiskOp& op) { return op.kind == DiskOp::Kind::write && op.file == kFile; });
    ASSERT_GE(checkpoint_writes, 100) << "the scenario has no checkpoints in it";

    std::mt19937 random(1);
    PowerLoss power(r.start);
    int images = 0;
    int acknowledged = -1;
    for (std::size_t point = 0; point <= r.log.size(); ++point) {
        if (point > 0) power.advance(r.log[point - 1]);
        while (acknowledged + 1 < static_cast<int>(r.log_size.size()) &&
               r.log_size[static_cast<std::size_t>(acknowledged) + 1] <= point) {
            ++acknowledged;
        }
        for (const Loss loss :
             {Loss::dropped, Loss::kept, point % 2 == 0 ? Loss::torn_512 : Loss::torn_4096}) {
            const int found = content_of(r, power.image(loss, random));
            ASSERT_GE(found, std::max(acknowledged, 0))
                << "cut after operation " << point << ", model " << static_cast<int>(loss);
            ++images;
        }
    }
    EXPECT_GE(images, 2400);
}

TEST(PowerLoss, ASecondCutDuringRecoveryLosesNothingEither) {
    const Recording r = record(20);
    std::mt19937 random(2);
    PowerLoss power(r.start);
    const std::size_t half = r.log_size[r.log_size.size() / 2];
    for (std::size_t i = 0; i < half; ++i) power.advance(r.log[i]);
    const Image first = power.image(Loss::torn_512, random);

    MemoryDisk recovering(first);
    JournalOptions options = recovering.options();
    options.checkpoint_pages = 1;
    Journal::create_or_open(kFile, options)->flush();
    PowerLoss again(first);
    for (const DiskOp& op : recovering.log()) {
        again.advance(op);
        for (const Loss loss : {Loss::dropped, Loss::kept, Loss::torn_512}) {
            ASSERT_GE(content_of(r, again.image(loss, random)),
                      static_cast<int>(r.log_size.size() / 2));
        }
    }
}

}  // namespace
}  // namespace slipway::store
