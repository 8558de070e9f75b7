// The k-th operation on the disk fails, for every k: a typed error, the old state intact and
// readable, and no further write accepted until the journal is opened anew.
#include "base/error.hpp"
#include "store/testing/fault_vfs.hpp"
#include "store/testing/sample_journal.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace slipway::store {
namespace {

using namespace testing;

constexpr const char* kFile = "/journal.db";
constexpr int kSteps = 6;

// One life of a journal under a fault.
struct Outcome {
    bool fired = false;
    std::string id;                // of the error; "" when nothing was noticed
    std::size_t acknowledged = 0;  // writes
    Image after;                   // what other programs see afterwards
    Image synced;                  // what is left if the failed writes never reached the disk
};

void expect_refusal(Journal& journal, const std::string& id) {
    try {
        journal.flush();
        ADD_FAILURE() << "a write was accepted after " << id;
    } catch (const StateError& e) {
        EXPECT_EQ(e.id(), id);
        EXPECT_FALSE(e.context().empty());
    }
}

Outcome live_through(const Image& start, const Fault& fault) {
    Outcome out;
    MemoryDisk disk(start);
    disk.fail(fault);
    JournalOptions options = disk.options();
    options.checkpoint_pages = 8;
    std::unique_ptr<Journal> journal;
    try {
        journal = Journal::create_or_open(kFile, options);
        write_sample(*journal, kSteps, [&] { ++out.acknowledged; });
    } catch (const StateError& e) {
        out.id = e.id();
        if (journal != nullptr && disk.fault_fired()) expect_refusal(*journal, e.id());
    }
    journal.reset();
    out.fired = disk.fault_fired();
    out.after = disk.image();
    PowerLoss power(start);
    for (const DiskOp& op : disk.log()) power.advance(op);
    std::mt19937 random(1);
    out.synced = power.image(Loss::dropped, random);
    return out;
}

std::vector<std::string> contents_without_fault(const Image& start) {
    std::vector<std::string> content;
    MemoryDisk disk(start);
    const auto journal = Journal::create_or_open(kFile, disk.options());
    content.push_back(dump(*journal));
    write_sample(*journal, kSteps, [&] { content.push_back(dump(*journal)); });
    return content;
}

// How many acknowledged writes the image holds.
std::size_t writes_in(const Image& image, const std::vector<std::string>& contents) {
    MemoryDisk disk(image);
    const auto journal = Journal::create_or_open(kFile, disk.options());
    return static_cast<std::size_t>(std::ranges::find(contents, dump(*journal)) - contents.begin());
}

class DiskFault : public ::testing::TestWithParam<Fault> {};

TEST_P(DiskFault, IsATypedErrorAndLeavesWhatWasAcknowledged) {
    const Image start = {{kFile, empty_journal()}};
    const std::vector<std::string> contents = contents_without_fault(start);
    std::set<std::string> ids;
    Fault fault = GetParam();
    for (fault.nth = 1;; ++fault.nth) {
        const Outcome out = live_through(start, fault);
        if (!out.fired) break;
        SCOPED_TRACE("operation " + std::to_string(fault.nth) + " failed: " + out.id);
        if (out.id.empty()) {
            EXPECT_EQ(out.acknowledged + 1, contents.size());
        }
        for (const Image& image : {out.after, out.synced}) {
            const std::size_t kept = writes_in(image, contents);
            ASSERT_LT(kept, contents.size()) << "not a state the journal was ever in";
            ASSERT_GE(kept, out.acknowledged);
        }
        ids.insert(out.id);
    }
    ids.erase("");  // a failed checkpoint or clean-up is made good later
    const std::string expected = fault.error == Fault::Error::eio ? "STATE-IO" : "STATE-FULL";
    EXPECT_EQ(ids, std::set<std::string>{expected});
    EXPECT_GT(fault.nth, 5);
}

using Kind = DiskOp::Kind;
using Why = Fault::Error;
INSTANTIATE_TEST_SUITE_P(EveryOperation, DiskFault,
                         ::testing::Values(Fault{.op = Kind::write, .error = Why::eio},
                                           Fault{.op = Kind::write, .error = Why::enospc},
                                           Fault{.op = Kind::write, .error = Why::short_write},
                                           Fault{.op = Kind::sync, .error = Why::eio},
                                           Fault{.op = Kind::read, .error = Why::eio}));

class RareDiskFault : public ::testing::TestWithParam<Fault> {};

// There are few of these in a journal's life, and SQLite makes some of them good by itself.
TEST_P(RareDiskFault, LeavesWhatWasAcknowledged) {
    const Image start = {{kFile, empty_journal()}};
    const std::vector<std::string> contents = contents_without_fault(start);
    Fault fault = GetParam();
    for (fault.nth = 1;; ++fault.nth) {
        const Outcome out = live_through(start, fault);
        if (!out.fired) break;
        SCOPED_TRACE("operation " + std::to_string(fault.nth) + " failed: " + out.id);
        const std::size_t kept = writes_in(out.after, contents);
        ASSERT_LT(kept, contents.size());
        ASSERT_GE(kept, out.acknowledged);
        EXPECT_TRUE(out.id.empty() || out.id == "STATE-IO" || out.id == "STATE-FULL") << out.id;
    }
    EXPECT_GT(fault.nth, 1);
}

INSTANTIATE_TEST_SUITE_P(EveryOperation, RareDiskFault,
                         ::testing::Values(Fault{.op = Kind::open}, Fault{.op = Kind::remove},
                                           Fault{.op = Kind::truncate},
                                           Fault{.op = Kind::open, .error = Why::enospc}));

}  // namespace
}  // namespace slipway::store
