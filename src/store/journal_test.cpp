#include "store/journal.hpp"

#include "base/error.hpp"
#include "base/failpoint.hpp"
#include "base/files.hpp"
#include "base/testing/source_tree.hpp"
#include "store/testing/fault_vfs.hpp"
#include "store/testing/sample_journal.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace slipway::store {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class JournalTest : public ::testing::Test {
  protected:
    std::unique_ptr<Journal> open() { return Journal::create_or_open(folder.journal()); }
    std::unique_ptr<Journal> reader() { return Journal::open_existing(folder.journal()); }

    static EventRow event(std::int64_t run, std::string type, std::string host = "cp1",
                          std::string step = "s") {
        return {.run = run,
                .at_ms = 5,
                .type = std::move(type),
                .level = "info",
                .host = std::move(host),
                .step = std::move(step),
                .body = "{}"};
    }

    TemporaryFolder folder;
};

TEST_F(JournalTest, KeepsRunsNewestFirst) {
    {
        const auto journal = open();
        const auto first =
            journal->begin_run({.kind = "apply", .plan_hash = "p1", .spec = "{}", .started_ms = 1});
        journal->resume_run(first);
        journal->finish_run(first, "partial", 9);
        journal->begin_run({.kind = "reset", .plan_hash = "p2", .started_ms = 10});
    }
    const auto runs = open()->runs();
    ASSERT_EQ(runs.size(), 2u);
    EXPECT_EQ(runs[0].kind, "reset");
    EXPECT_EQ(runs[0].result, "");
    EXPECT_EQ(runs[1].result, "partial");
    EXPECT_EQ(runs[1].finished_ms, 9);
    EXPECT_EQ(runs[1].sessions, 2);
    EXPECT_EQ(open()->last_run()->id, runs[0].id);
    EXPECT_FALSE(open()->run(77));
}

TEST_F(JournalTest, UnknownRunIsRefusedAndTheJournalGoesOn) {
    const auto journal = open();
    EXPECT_THROW(journal->finish_run(4, "succeeded", 1), StateError);
    EXPECT_EQ(journal->begin_run({.kind = "apply"}), 1);
}

TEST_F(JournalTest, IntentWithoutResultIsSeenAsUnfinished) {
    const auto journal = open();
    const auto run = journal->begin_run({.kind = "apply"});
    journal->record_intent(
        {.run = run, .node = "cp1/a", .fingerprint = "f", .attempt = 2, .at_ms = 7});
    const auto nodes = journal->node_states();
    ASSERT_EQ(nodes.size(), 1u);
    EXPECT_EQ(nodes[0].outcome, "");
    EXPECT_EQ(nodes[0].fingerprint, "f");
    EXPECT_EQ(nodes[0].attempt, 2);
    EXPECT_EQ(nodes[0].started_ms, 7);
}

TEST_F(JournalTest, OrderRisesWithEveryResultOverRunsAndReopening) {
    const auto record = [&](const char* node) {
        const auto journal = open();
        const auto run = journal->begin_run({.kind = "apply"});
        journal->record_result(
            {.run = run, .node = node, .fingerprint = "f", .outcome = "changed"});
    };
    record("a");
    record("b");
    record("a");
    const auto nodes = open()->node_states();
    ASSERT_EQ(nodes.size(), 2u);
    EXPECT_EQ(nodes[0].node, "a");
    EXPECT_EQ(nodes[0].order, 3);
    EXPECT_EQ(nodes[1].order, 2);
}

TEST_F(JournalTest, BaselineIsWhatTheLastIntentSaidUntilUndone) {
    const auto journal = open();
    const auto run = journal->begin_run({.kind = "apply"});
    const auto intent = [&](const char* before) {
        journal->record_intent({.run = run, .node = "a", .fingerprint = "f", .before = before});
    };
    intent("original");
    intent("original and more");
    intent("");
    ASSERT_EQ(journal->baselines().size(), 1u);
    EXPECT_EQ(journal->baselines()[0].before, "original and more");

    journal->record_result({.run = run, .node = "a", .fingerprint = "f", .outcome = "undone"});
    EXPECT_THAT(journal->baselines(), IsEmpty());
    intent("");
    EXPECT_THAT(journal->baselines(), IsEmpty());
    intent("later");
    EXPECT_EQ(journal->baselines()[0].before, "later");
}

TEST_F(JournalTest, DurationsAreOfChangedResultsAndOutliveUnchangedOnes) {
    const auto journal = open();
    const auto run = journal->begin_run({.kind = "apply"});
    const auto result = [&](const char* node, const char* outcome, int ms) {
        journal->record_result({.run = run,
                                .node = node,
                                .fingerprint = "f",
                                .outcome = outcome,
                                .started_ms = 100,
                                .finished_ms = 100 + ms});
    };
    result("h1/install", "changed", 10);
    result("h2/install", "changed", 30);
    result("h1/install", "unchanged", 1);
    result("h3/install", "failed", 500);
    result("plan-wide", "changed", 7);
    const auto durations = journal->durations();
    ASSERT_EQ(durations.size(), 2u);
    EXPECT_EQ(durations[0].step, "install");
    EXPECT_EQ(durations[0].count, 2);
    EXPECT_DOUBLE_EQ(durations[0].mean_ms, 20);
    EXPECT_DOUBLE_EQ(durations[0].deviation_ms, 10);
    EXPECT_EQ(durations[1].step, "plan-wide");
}

TEST_F(JournalTest, EventsAreReadInOrderWithFilters) {
    const auto journal = open();
    journal->append_events({event(0, "early")});
    journal->flush();
    const auto run = journal->begin_run({.kind = "apply"});
    journal->append_events({event(run, "step.started"), event(run, "log.line", "w1", "x")});
    journal->record_result({.run = run, .node = "n", .fingerprint = "f", .outcome = "changed"},
                           {event(run, "step.finished")});
    const auto types = [&](const EventQuery& query) {
        std::vector<std::string> out;
        for (const EventRow& e : reader()->events(query)) out.push_back(e.type);
        return out;
    };
    EXPECT_THAT(types({}), ElementsAre("early", "step.started", "log.line", "step.finished"));
    EXPECT_THAT(types({.run = run}), ElementsAre("step.started", "log.line", "step.finished"));
    EXPECT_THAT(types({.after_seq = 2, .run = run}), ElementsAre("log.line", "step.finished"));
    EXPECT_THAT(types({.host = "w1"}), ElementsAre("log.line"));
    EXPECT_THAT(types({.host = "w1", .step = "s"}), IsEmpty());
    EXPECT_THAT(types({.types = {"early", "log.line"}}), ElementsAre("early", "log.line"));
    EXPECT_THAT(types({.types = {"log"}}), IsEmpty());
    EXPECT_THAT(types({.limit = 1}), ElementsAre("early"));
    EXPECT_EQ(journal->last_event_seq(), 4);
}

TEST_F(JournalTest, EventsNobodyWaitsForAreDurableByThemselves) {
    const auto journal = open();
    journal->append_events({event(0, "alone")});
    const auto other = reader();
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (other->last_event_seq() == 0 && std::chrono::steady_clock::now() < give_up)
        std::this_thread::yield();
    EXPECT_EQ(other->last_event_seq(), 1);
}

TEST_F(JournalTest, ClosingWritesWhatWasQueued) {
    open()->append_events({event(0, "a"), event(0, "b")});
    EXPECT_EQ(reader()->last_event_seq(), 2);
}

TEST_F(JournalTest, ManyThreadsShareCommitsAndEachWriteIsThereWhenItReturns) {
    constexpr int kThreads = 32;
    constexpr int kSteps = 20;
    const auto journal = open();
    const auto other = reader();
    const auto run = journal->begin_run({.kind = "apply"});
    std::atomic<int> missing{0};
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < kThreads; ++t) {
            threads.emplace_back([&, t] {
                for (int i = 0; i < kSteps; ++i) {
                    const std::string host = fmt::format("h{}", t);
                    const std::string node = fmt::format("{}/s{}", host, i);
                    journal->record_intent({.run = run, .node = node, .fingerprint = "f"},
                                           {event(run, "started", host)});
                    journal->record_result(
                        {.run = run, .node = node, .fingerprint = "f", .outcome = "changed"},
                        {event(run, "finished", host)});
                    const auto seen = other->events({.host = host, .types = {"finished"}});
                    if (seen.size() != static_cast<std::size_t>(i) + 1) ++missing;
                }
            });
        }
    }
    EXPECT_EQ(missing, 0);
    EXPECT_EQ(journal->node_states().size(), static_cast<std::size_t>(kThreads * kSteps));
    EXPECT_EQ(journal->last_event_seq(), 2 * kThreads * kSteps);
}

TEST_F(JournalTest, AFloodOfEventsIsHeldBackNotLost) {
    const auto journal = open();
    constexpr int kCount = 50'000;
    for (int i = 0; i < kCount; i += 100)
        journal->append_events(std::vector<EventRow>(100, event(0, "log.line")));
    journal->flush();
    EXPECT_EQ(journal->last_event_seq(), kCount);
}

TEST_F(JournalTest, OtherProcessesLeaveCommandsWhileARunWrites) {
    const auto engine = open();
    const auto run = engine->begin_run({.kind = "apply"});
    const auto id = reader()->leave_command(
        {.run = run, .at_ms = 3, .verb = "skip", .target = "w1/x", .by = "ops", .answer = {}});
    ASSERT_EQ(engine->open_commands(run).size(), 1u);
    EXPECT_EQ(engine->open_commands(run)[0].target, "w1/x");
    engine->answer_command(id, "skipped");
    EXPECT_THAT(engine->open_commands(run), IsEmpty());
    EXPECT_EQ(reader()->command(id)->answer, "skipped");
    EXPECT_FALSE(reader()->command(99));
}

TEST_F(JournalTest, ALeaseHasOneHolderUntilItRunsOut) {
    const auto journal = open();
    journal->offer_delegation(1, "w1/x");
    EXPECT_FALSE(journal->take_lease(1, "w1/unknown", "a", 0, 100));
    EXPECT_TRUE(journal->take_lease(1, "w1/x", "a", 0, 100));
    EXPECT_FALSE(journal->take_lease(1, "w1/x", "b", 50, 150));
    EXPECT_TRUE(journal->renew_lease(1, "w1/x", "a", 50, 200));
    EXPECT_FALSE(journal->renew_lease(1, "w1/x", "b", 50, 200));
    EXPECT_TRUE(journal->take_lease(1, "w1/x", "b", 200, 300));
    EXPECT_FALSE(journal->report_delegation(1, "w1/x", "a", 210, true, "{}"));
    EXPECT_FALSE(journal->report_delegation(1, "w1/x", "b", 300, true, "{}"))
        << "its lease has run out";
    EXPECT_TRUE(journal->report_delegation(1, "w1/x", "b", 299, false, "{\"why\":1}"));
    EXPECT_EQ(journal->delegations(1)[0].state, "failed");
    EXPECT_EQ(journal->delegations(1)[0].report, "{\"why\":1}");

    journal->offer_delegation(1, "w1/x");
    EXPECT_EQ(journal->delegations(1)[0].state, "waiting") << "a failed one is offered anew";
    EXPECT_THAT(journal->delegations(2), IsEmpty());
}

TEST_F(JournalTest, FactsAreReplacedByHost) {
    const auto journal = open();
    journal->store_facts({{.host = "b", .at_ms = 1, .facts = "{}"}});
    journal->store_facts({{.host = "a", .at_ms = 2, .facts = "{}"}});
    journal->store_facts({{.host = "b", .at_ms = 3, .facts = "{\"x\":1}"}});
    const auto facts = journal->facts();
    ASSERT_EQ(facts.size(), 2u);
    EXPECT_EQ(facts[1].host, "b");
    EXPECT_EQ(facts[1].at_ms, 3);
}

TEST_F(JournalTest, BytesComeBackAsTheyWere) {
    const std::string odd("a\0b\xff'\"\n", 8);
    const auto journal = open();
    const auto run = journal->begin_run({.kind = odd, .spec = odd});
    journal->record_intent({.run = run, .node = odd, .fingerprint = odd, .before = odd});
    EXPECT_EQ(journal->run(run)->spec, odd);
    EXPECT_EQ(journal->node_states()[0].node, odd);
    EXPECT_EQ(open()->baselines()[0].before, odd);
}

// The file is also the fuzzer's seed. It was written by version 1 and never changes.
TEST_F(JournalTest, JournalOfSchemaVersionOneIsStillRead) {
    atomic_write(
        folder.journal(),
        read_file(::slipway::testing::source_file("tests/fuzz/corpus/journal/v1-sample.db")));
    const TemporaryFolder fresh;
    const auto same = Journal::create_or_open(fresh.journal());
    write_sample(*same, 3);
    EXPECT_EQ(dump(*open()), dump(*same));
}

TEST_F(JournalTest, ReaderOfNothingIsToldSo) {
    try {
        reader();
        FAIL();
    } catch (const StateError& e) {
        EXPECT_EQ(e.id(), "STATE-MISSING");
    }
    EXPECT_FALSE(std::filesystem::exists(folder.journal()));
}

TEST_F(JournalTest, FileIsPrivateAndNothingElseStaysBehind) {
    write_sample(*open(), 2);
    struct stat info{};
    ASSERT_EQ(::stat(folder.journal().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u);
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
        names.push_back(entry.path().filename());
        ASSERT_EQ(::stat(entry.path().c_str(), &info), 0);
        EXPECT_EQ(info.st_mode & 0077, 0u) << entry.path();
    }
    EXPECT_THAT(names, ::testing::UnorderedElementsAre("journal.db", "journal.db.last-good"));
}

TEST_F(JournalTest, ASecondWriterIsNoticedBeforeAnythingIsMixedUp) {
    const auto first = open();
    const auto second = open();
    const auto run = first->begin_run({.kind = "apply"});
    first->record_intent({.run = run, .node = "a", .fingerprint = "f"});
    try {
        second->record_intent({.run = run, .node = "b", .fingerprint = "f"});
        FAIL();
    } catch (const StateError& e) {
        EXPECT_EQ(e.id(), "STATE-CONFLICT");
    }
    EXPECT_EQ(first->node_states().size(), 1u);
}

TEST_F(JournalTest, AReaderCannotRecordSteps) {
    const auto run = open()->begin_run({.kind = "apply"});
    EXPECT_THROW(reader()->record_intent({.run = run, .node = "a", .fingerprint = "f"}),
                 StateError);
    EXPECT_THAT(open()->node_states(), IsEmpty());
}

TEST_F(JournalTest, FailedCommitFailsAllItCarriedAndEverythingAfter) {
    const auto journal = open();
    const auto run = journal->begin_run({.kind = "apply"});
    Failpoint::arm("store.before-commit=error");
    std::atomic<int> failed{0};
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 8; ++t) {
            threads.emplace_back([&, t] {
                try {
                    journal->record_intent(
                        {.run = run, .node = fmt::format("n{}", t), .fingerprint = "f"});
                } catch (const StateError& e) {
                    EXPECT_EQ(e.id(), "FAILPOINT-FIRED");
                    ++failed;
                }
            });
        }
    }
    Failpoint::arm("");
    EXPECT_EQ(failed, 8);
    EXPECT_THROW(journal->append_events({event(run, "x")}), StateError);
    EXPECT_THROW(journal->begin_run({.kind = "apply"}), StateError);
    EXPECT_THAT(journal->node_states(), IsEmpty());
    EXPECT_THAT(open()->node_states(), IsEmpty());
}

// Runs `body` in a process of its own and returns how it ended.
int in_child(const std::function<void()>& body) {
    const pid_t child = ::fork();
    if (child == 0) {
        try {
            body();
        } catch (const StateError& e) {
            ::_exit(e.id() == "STATE-WRITE" || e.id() == "STATE-IO" ? 3 : 4);
        } catch (...) {
            ::_exit(5);
        }
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
}

TEST_F(JournalTest, KillWhileCreatingLeavesNoJournalOrAWholeOne) {
    for (const char* place : {"store.before-create", "store.after-create", "store.before-commit",
                              "store.after-commit"}) {
        const TemporaryFolder own;
        const int status = in_child([&] {
            Failpoint::arm(std::string(place) + "=kill");
            Journal::create_or_open(own.journal())->begin_run({.kind = "apply"});
        });
        ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << place << " did not fire";
        const auto journal = Journal::create_or_open(own.journal());
        EXPECT_EQ(journal->runs().size(), std::string(place) == "store.after-commit" ? 1u : 0u)
            << place;
    }
}

TEST_F(JournalTest, DiskFullWhileCreatingLeavesNoJournal) {
    const int status = in_child([&] {
        ::signal(SIGXFSZ, SIG_IGN);
        const struct rlimit limit = {8192, 8192};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        open();
    });
    EXPECT_EQ(WEXITSTATUS(status), 3);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
    EXPECT_NO_THROW(open());
}

TEST_F(JournalTest, LeftoversOfAKilledCreationAreRemoved) {
    atomic_write(folder.journal().string() + ".new-0123456789ab", "half");
    open();
    EXPECT_FALSE(std::filesystem::exists(folder.journal().string() + ".new-0123456789ab"));
}

TEST_F(JournalTest, TwoProcessesCreatingAtOnceShareOneJournal) {
    for (int round = 0; round < 20; ++round) {
        const TemporaryFolder own;
        std::vector<pid_t> children;
        for (int i = 0; i < 2; ++i) {
            const pid_t child = ::fork();
            if (child == 0) {
                try {
                    Journal::create_or_open(own.journal())->begin_run({.kind = "apply"});
                    ::_exit(0);
                } catch (...) {
                    ::_exit(1);
                }
            }
            children.push_back(child);
        }
        for (const pid_t child : children) {
            int status = 0;
            ::waitpid(child, &status, 0);
            EXPECT_EQ(status, 0);
        }
        EXPECT_EQ(Journal::create_or_open(own.journal())->runs().size(), 2u);
    }
}

}  // namespace
}  // namespace slipway::store
