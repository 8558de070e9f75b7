#include "engine/executor.hpp"

#include "base/error.hpp"
#include "engine/attempt.hpp"
#include "engine/testing/site.hpp"

#include <algorithm>
#include <atomic>
#include <latch>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::engine {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::Site;
using ::testing::UnorderedElementsAre;

namespace {

// Blocks until the step is stopped, as a call to a dead host would.
void hang(Context& c) {
    system_clock().sleep_until(system_clock().steady() + std::chrono::hours(1), c.stop());
    throw Cancelled();
}

}  // namespace

TEST(Executor, RunsEveryStepAfterItsNeeds) {
    Site site;
    site.step("cp/c", {"cp/b"});
    site.step("cp/a");
    site.step("cp/b", {"cp/a"});
    const Outcome o = site.apply();
    EXPECT_EQ(o.result, RunResult::succeeded);
    EXPECT_EQ(o.changed, 3u);
    EXPECT_THAT(site.acts(), ElementsAre("cp/a", "cp/b", "cp/c"));
}

TEST(Executor, TheEndOfAStepNamesWhatItWaitedForLast) {
    Site site;
    site.step("cp/a");
    site.step("cp/b", {"cp/a"});
    site.apply();
    std::vector<std::string> ends;
    for (const store::EventRow& row : site.journal.events({.run = 1, .types = {"step.finished"}})) {
        ends.push_back(row.step + " after " + string_at(from_row(row).body, "after"));
    }
    EXPECT_THAT(ends, ElementsAre("a after ", "b after cp/a"));
}

TEST(Executor, FinishedRunAgainChangesNothing) {
    Site site;
    site.step("cp/a");
    site.step("cp/b", {"cp/a"});
    site.apply();
    site.forget_acts();
    const Outcome again = site.apply();
    EXPECT_EQ(again.result, RunResult::succeeded);
    EXPECT_EQ(again.changed, 0u);
    EXPECT_EQ(again.unchanged, 2u);
    EXPECT_THAT(site.acts(), IsEmpty());
    EXPECT_EQ(site.journal.runs().size(), 2u);
}

TEST(Executor, ChangedInputsRunOnlyTheStepTheyBelongTo) {
    Site site;
    site.step("cp/a");
    site.step("cp/b", {"cp/a"});
    site.apply();
    site.forget_acts();
    site.steps[0].inputs = "v2";
    EXPECT_EQ(site.apply().changed, 1u);
    EXPECT_THAT(site.acts(), ElementsAre("cp/a"));
}

TEST(Executor, WorkerThatFailsIsSetAsideAndTheOthersFinish) {
    Site site;
    for (const char* host : {"w1", "w2"}) {
        site.step(std::string(host) + "/a");
        site.step(std::string(host) + "/b", {std::string(host) + "/a"});
    }
    site.step("report").after = {"w1/b", "w2/b"};
    site.policy.domains = {{"workers", {"w1", "w2"}, 0}};
    site.fail("w2/a", Recovery::fatal);
    const Outcome o = site.apply();
    EXPECT_EQ(o.result, RunResult::partial);
    EXPECT_THAT(o.set_aside, ElementsAre("w2"));
    EXPECT_EQ(o.failed, 1u);
    EXPECT_EQ(o.blocked, 1u);
    EXPECT_THAT(o.failures, ElementsAre(AllOf(Field(&Failure::node, "w2/a"),
                                              Field(&Failure::error, "TEST-FAULT"))));
    EXPECT_TRUE(site.world().contains("w1/b"));
    EXPECT_TRUE(site.world().contains("report")) << "what only comes after a lost host goes on";
}

TEST(Executor, StepOfAnotherHostThatNeedsTheLostOneIsBlocked) {
    Site site;
    site.step("cp1/init");
    site.step("w1/join", {"cp1/init"});
    site.step("w1/own");
    site.policy.domains = {{"control-plane", {"cp1", "cp2", "cp3"}, 2}};
    site.fail("cp1/init", Recovery::fatal);
    const Outcome o = site.apply();
    EXPECT_EQ(o.result, RunResult::partial);
    EXPECT_FALSE(site.world().contains("w1/join"));
    EXPECT_TRUE(site.world().contains("w1/own"));
}

TEST(Executor, LosingTheQuorumStopsTheRun) {
    Site site;
    for (const char* host : {"cp1", "cp2", "cp3"}) {
        site.step(std::string(host) + "/a");
        site.step(std::string(host) + "/b", {std::string(host) + "/a"});
    }
    site.step("w1/last", {"cp3/b"});
    site.policy.domains = {{"control-plane", {"cp1", "cp2", "cp3"}, 2}};
    site.policy.parallel_steps = 1;
    site.fail("cp1/a", Recovery::fatal);
    site.fail("cp2/a", Recovery::fatal);
    const Outcome o = site.apply();
    EXPECT_EQ(o.result, RunResult::failed);
    EXPECT_EQ(o.stopped_by, "too few hosts are left of control-plane");
    EXPECT_FALSE(site.world().contains("w1/last"));
}

TEST(Executor, FailureOfAStepWithoutHostStopsTheRun) {
    Site site;
    site.step("make-ca");
    site.step("w1/a", {"make-ca"});
    site.fail("make-ca", Recovery::fatal);
    EXPECT_EQ(site.apply().result, RunResult::failed);
}

TEST(Executor, StepsWithoutHostMayFailAlone) {
    Site site;
    site.step("one");
    site.step("behind-one", {"one"});
    site.step("two");
    site.step("behind-two", {"two"});
    site.policy.steps_fail_alone = true;
    site.policy.parallel_steps = 1;
    site.fail("one", Recovery::fatal);
    const Outcome o = site.apply();
    EXPECT_EQ(o.result, RunResult::partial);
    EXPECT_TRUE(site.world().contains("behind-two"));
    EXPECT_FALSE(site.world().contains("behind-one"));
}

TEST(Executor, StopOnFirstFailureWhenTheSpecSaysSo) {
    Site site;
    site.step("w1/a");
    site.step("w2/b", {"w2/a"});
    site.step("w2/a");
    site.policy.stop_on_first_failure = true;
    site.policy.parallel_steps = 1;
    site.fail("w1/a", Recovery::fatal);
    EXPECT_EQ(site.apply().result, RunResult::failed);
}

TEST(Executor, TransientErrorsAreRetriedWithGrowingWaits) {
    Site site;
    site.step("w1/a");
    site.fail("w1/a", Recovery::transient, 3);
    const Outcome o = site.apply();
    EXPECT_EQ(o.result, RunResult::succeeded);
    EXPECT_EQ(site.acts().size(), 4u);
    std::vector<double> waits;
    for (const Event& e : site.sink.of_type("step.retrying"))
        waits.push_back(e.body.at("wait-seconds").as_double());
    ASSERT_EQ(waits.size(), 3u);
    EXPECT_TRUE(waits[0] >= 0.25 && waits[0] <= 0.5) << waits[0];
    EXPECT_TRUE(waits[2] >= 1.0 && waits[2] <= 2.0) << waits[2];
}

TEST(Executor, TransientErrorsEndAfterTheAllowedRetries) {
    Site site;
    site.step("w1/a");
    site.policy.retries = 2;
    site.fail("w1/a", Recovery::transient);
    EXPECT_EQ(site.apply().result, RunResult::partial);
    EXPECT_EQ(site.acts().size(), 3u);
}

TEST(Executor, FatalErrorIsNotRetried) {
    Site site;
    site.step("w1/a");
    site.fail("w1/a", Recovery::fatal);
    site.apply();
    EXPECT_EQ(site.acts().size(), 1u);
}

TEST(Executor, VerifyThatSaysNoIsAFailure) {
    Site site;
    site.step("w1/a").act = [](Context&) {};
    site.policy.retries = 0;
    const Outcome o = site.apply();
    EXPECT_THAT(o.failures, ElementsAre(Field(&Failure::error, "STEP-NOT-VERIFIED")));
}

TEST(Executor, DeadlineEndsTheStepAndNamesIt) {
    Site site;
    site.step("w1/a").deadline = Millis(1000);
    site.fault("w1/a", {.times = -1, .act = [&](Context& c) {
                            site.jumping.advance(Millis(1500));
                            hang(c);
                        }});
    const Outcome o = site.apply();
    EXPECT_EQ(o.result, RunResult::partial);
    EXPECT_THAT(o.failures, ElementsAre(Field(&Failure::error, "STEP-DEADLINE")));
}

TEST(Executor, SoftDeadlineOnlyWarns) {
    Site site;
    Step& step = site.step("w1/a");
    step.deadline = Millis(100'000);
    step.soft_deadline = Millis(1000);
    std::latch warned(1);
    struct Watch final : EventSink {
        std::latch& seen;
        bool once = false;
        explicit Watch(std::latch& l) : seen(l) {}
        void on_event(const Event& e) override {
            if (e.type == "step.slow" && !std::exchange(once, true)) seen.count_down();
        }
    } watch(warned);
    site.fault("w1/a", {.times = 1, .act = [&](Context&) {
                            site.jumping.advance(Millis(2000));
                            warned.wait();
                        }});
    const Plan plan = site.plan();
    const Session session = start_session(site.journal, plan, {}, *site.clock);
    ExecutorOptions options = site.options;
    options.run = session.run;
    Executor executor(plan, {site.journal, site.fleet, *site.clock, &watch}, site.policy, options);
    EXPECT_EQ(executor.run(session.states, {}).result, RunResult::succeeded);
}

TEST(Executor, PoolsLimitWhatRunsAtOnce) {
    Site site;
    std::atomic<int> now{0};
    std::atomic<int> most{0};
    for (int i = 0; i < 20; ++i) {
        const std::string node = "h" + std::to_string(i) + "/join";
        site.step(node).pools = {"etcd-join"};
        site.fault(node, {.times = 1, .act = [&](Context&) {
                              const int n = ++now;
                              int seen = most.load();
                              while (n > seen && !most.compare_exchange_weak(seen, n)) {
                              }
                              std::this_thread::yield();
                              --now;
                          }});
    }
    EXPECT_EQ(site.apply().result, RunResult::succeeded);
    EXPECT_EQ(most.load(), 1);
}

TEST(Executor, StepsWithTheLongestChainBehindThemStartFirst) {
    Site site;
    site.step("h1/short");
    site.step("h1/long-1");
    site.step("h1/long-2", {"h1/long-1"});
    site.step("h1/long-3", {"h1/long-2"});
    site.policy.parallel_steps = 1;
    site.apply();
    EXPECT_EQ(site.acts().front(), "h1/long-1");
}

TEST(Executor, CancelEndsRunningStepsAndRecordsThem) {
    Site site;
    site.clock = &system_clock();
    site.step("w1/a");
    site.step("w1/b", {"w1/a"});
    std::stop_source stop;
    site.fault("w1/a", {.times = 1, .act = [&](Context& c) {
                            stop.request_stop();
                            hang(c);
                        }});
    const Outcome o = site.apply(stop.get_token());
    EXPECT_EQ(o.result, RunResult::cancelled);
    EXPECT_EQ(o.abandoned, 0u);
    EXPECT_EQ(site.journal.node_states().front().outcome, "cancelled");
    EXPECT_EQ(site.journal.last_run()->result, "cancelled");

    site.forget_acts();
    const Outcome resumed = site.apply();
    EXPECT_EQ(resumed.result, RunResult::succeeded);
    EXPECT_EQ(site.journal.runs().size(), 1u) << "the same run goes on";
    EXPECT_EQ(site.journal.last_run()->sessions, 2);
    EXPECT_THAT(site.acts(), ElementsAre("w1/a", "w1/b"));
}

TEST(Executor, CancelDoesNotWaitForAStepThatDoesNotListen) {
    Site site;
    site.clock = &system_clock();
    site.options.cancel_grace = Millis(50);
    site.step("w1/a");
    std::stop_source stop;
    std::latch let_go(1);
    site.fault("w1/a", {.times = 1, .act = [&](Context&) {
                            stop.request_stop();
                            let_go.wait();
                        }});
    const Plan plan = site.plan();
    const Session session = start_session(site.journal, plan, {}, *site.clock);
    ExecutorOptions options = site.options;
    options.run = session.run;
    Executor executor(plan, {site.journal, site.fleet, *site.clock, nullptr}, site.policy, options);
    const Outcome o = executor.run(session.states, stop.get_token());
    EXPECT_EQ(o.abandoned, 1u);
    EXPECT_EQ(site.journal.node_states().front().outcome, "") << "its intent stands, to be probed";
    let_go.count_down();
    // Its thread outlives the executor; what it uses must not go before it.
    while (site.journal.node_states().front().outcome.empty()) std::this_thread::yield();
}

TEST(Executor, CancelDuringTheWaitForARetryEndsCleanly) {
    Site site;
    site.clock = &system_clock();
    site.step("w1/a").retry.first_wait = Millis(3'600'000);
    site.steps[0].retry.longest_wait = Millis(3'600'000);
    site.fail("w1/a", Recovery::transient);
    std::stop_source stop;
    struct Watch final : EventSink {
        std::stop_source& source;
        explicit Watch(std::stop_source& s) : source(s) {}
        void on_event(const Event& e) override {
            if (e.type == "step.retrying") source.request_stop();
        }
    } watch(stop);
    const Plan plan = site.plan();
    const Session session = start_session(site.journal, plan, {}, *site.clock);
    ExecutorOptions options = site.options;
    options.run = session.run;
    Executor executor(plan, {site.journal, site.fleet, *site.clock, &watch}, site.policy, options);
    EXPECT_EQ(executor.run(session.states, stop.get_token()).result, RunResult::cancelled);
    EXPECT_EQ(site.journal.node_states().front().outcome, "cancelled");
}

// What a step leaves on a host under this name belongs to it, and to no earlier one.
TEST(Executor, WorkKeepsItsBeginningOverRetriesCrashAndCancelButNotOverItsRecordedEnd) {
    Site site;
    std::vector<std::int64_t> began;
    std::stop_source stop;
    site.step("w1/a");
    site.fault("w1/a", {.times = -1, .act = [&](Context& c) {
                            began.push_back(c.began_ms());
                            site.jumping.advance(Millis(1000));
                            if (began.size() == 2) {
                                stop.request_stop();
                                hang(c);
                            }
                            const bool again = began.size() == 1 || began.size() == 3;
                            throw RemoteError(
                                "TEST-FAULT", "no",
                                {.recovery = again ? Recovery::transient : Recovery::fatal});
                        }});
    EXPECT_EQ(site.apply(stop.get_token()).result, RunResult::cancelled);
    EXPECT_EQ(site.apply().result, RunResult::partial);
    ASSERT_EQ(began.size(), 4u);
    EXPECT_THAT(began, Each(began[0]));
    site.apply();
    EXPECT_GT(began[4], began[0]);

    // A crash leaves the intent alone.
    const store::NodeState state = site.journal.node_states()[0];
    site.journal.record_intent(
        {.run = state.run, .node = state.node, .fingerprint = state.fingerprint, .at_ms = 77}, {});
    site.apply();
    EXPECT_EQ(began[5], 77);
}

TEST(Executor, StepThatGivesUpUnaskedIsAFailureNotAHang) {
    Site site;
    site.step("w1/a");
    site.fault("w1/a", {.times = 1, .act = [](Context&) { throw Cancelled(); }});
    const Outcome o = site.apply();
    EXPECT_THAT(o.failures, ElementsAre(Field(&Failure::error, "STEP-UNEXPECTED")));
}

TEST(Executor, FullDiskStopsTheRunWithATypedError) {
    for (int write = 1; write < 12; ++write) {
        Site site;
        site.step("w1/a");
        site.step("w1/b", {"w1/a"});
        site.step("w2/c");
        site.journal.fail_after(write);
        try {
            site.apply();
            site.journal.fail_after(-1);
            EXPECT_GT(write, 8);
        } catch (const StateError& error) {
            EXPECT_EQ(error.id(), "STATE-FULL");
        }
        site.journal.fail_after(-1);
        EXPECT_EQ(site.apply().result, RunResult::succeeded) << "after space was freed";
        EXPECT_EQ(site.world().size(), 3u);
    }
}

TEST(Executor, SkippedStepCountsAsDoneForThoseBehindIt) {
    Site site;
    site.step("w1/a");
    site.step("w1/b", {"w1/a"});
    site.plan_options.skip = {"a"};
    const Outcome o = site.apply();
    EXPECT_EQ(o.skipped, 1u);
    EXPECT_THAT(site.acts(), ElementsAre("w1/b"));
}

TEST(Executor, ProgressNeverGoesBackAndReachesTheEnd) {
    Site site;
    for (int i = 0; i < 30; ++i) {
        const std::string node = "h" + std::to_string(i % 5) + "/s" + std::to_string(i);
        site.step(node);
        site.fault(node, {.times = 1, .act = [&](Context&) { site.jumping.advance(Millis(600)); }});
    }
    site.fail("h3/s3", Recovery::fatal);
    site.apply();
    double last = -1;
    for (const Event& e : site.sink.of_type("progress")) {
        const double percent = e.body.at("percent").to_number<double>();
        EXPECT_GE(percent, last);
        EXPECT_LE(e.body.at("seconds-left-low").to_number<double>(),
                  e.body.at("seconds-left-high").to_number<double>());
        last = percent;
    }
    EXPECT_EQ(last, 100.0);
}

TEST(Executor, EventsTellTheWholeStoryInTheJournalAndInTheView) {
    Site site;
    site.step("w1/a");
    site.apply();
    std::vector<std::string> in_view;
    for (const Event& e : site.sink.events) in_view.push_back(e.type);
    EXPECT_THAT(in_view, ElementsAre("run.started", "progress", "step.started", "step.finished",
                                     "progress", "run.finished"));
    EXPECT_EQ(site.journal.last_event_seq(), static_cast<std::int64_t>(in_view.size()));
    for (const Event& e : site.sink.events) {
        EXPECT_TRUE(std::ranges::any_of(event_types(), [&](const EventType& t) {
            return t.name == e.type;
        })) << e.type;
    }
}

TEST(Executor, UndoPutsEverythingBackInReverseOrder) {
    Site site;
    site.step("cp/a");
    site.step("cp/b", {"cp/a"});
    site.step("cp/c", {"cp/b"});
    site.set_world("cp/b", "as found");
    site.apply();
    site.forget_acts();
    const Outcome o = site.reset();
    EXPECT_EQ(o.result, RunResult::succeeded);
    EXPECT_THAT(site.acts(), ElementsAre("undo cp/c", "undo cp/b", "undo cp/a"));
    EXPECT_THAT(site.world(),
                ElementsAre(std::pair<const std::string, std::string>{"cp/b", "as found"}));
    EXPECT_THAT(site.journal.baselines(), IsEmpty());
    site.forget_acts();
    EXPECT_EQ(site.apply().changed, 3u) << "an undone step is done again when wanted again";
}

TEST(Executor, UndoPutsBackWhatWasFoundFirstNotWhatAnEarlierRunLeft) {
    Site site;
    site.step("cp/a");
    site.set_world("cp/a", "original");
    site.apply();
    site.steps[0].inputs = "v2";
    site.apply();
    site.reset();
    EXPECT_EQ(site.world().at("cp/a"), "original");
}

TEST(Executor, InterruptedUndoGoesOnAsTheSameRun) {
    Site site;
    site.step("cp/a");
    site.step("cp/b", {"cp/a"});
    site.apply();
    const auto undo_a = site.steps[0].undo;
    site.steps[0].undo = [](Context&) { throw RemoteError("TEST-FAULT", "no"); };
    EXPECT_EQ(site.reset().result, RunResult::partial);
    site.steps[0].undo = undo_a;
    site.forget_acts();
    EXPECT_EQ(site.reset().result, RunResult::succeeded);
    EXPECT_THAT(site.acts(), ElementsAre("undo cp/a")) << "cp/b is undone already";
    EXPECT_EQ(site.journal.runs().size(), 2u);
    EXPECT_THAT(site.world(), IsEmpty());
}

TEST(Executor, UndoOfOneHostLeavesTheOthers) {
    Site site;
    site.step("w1/a");
    site.step("w2/a");
    site.apply();
    site.reset({.hosts = {"w1"}});
    EXPECT_THAT(site.world(), ElementsAre(std::pair<const std::string, std::string>{"w2/a", "v1"}));
}

TEST(Executor, StepWithoutUndoIsNamedWithItsReason) {
    Site site;
    Step& step = site.step("w1/script");
    step.undo = nullptr;
    step.why_no_undo = "a script of the user";
    site.apply();
    const UndoPlan undo =
        reverse(site.plan(), site.journal.node_states(), site.journal.baselines());
    EXPECT_EQ(undo.plan.size(), 0u);
    EXPECT_THAT(undo.left, ElementsAre(std::pair<std::string, std::string>{
                               "w1/script", "a script of the user"}));
}

TEST(Executor, StepWithoutProbeRunsOnceForTheSameInputs) {
    Site site;
    site.step("w1/script").probe = nullptr;
    EXPECT_EQ(site.apply().changed, 1u);
    EXPECT_EQ(site.apply().changed, 0u);
    site.steps[0].inputs = "v2";
    EXPECT_EQ(site.apply().changed, 1u);
}

}  // namespace slipway::engine
