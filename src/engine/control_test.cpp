// What other processes may ask of a running engine, through the journal.
#include "base/error.hpp"
#include "engine/testing/site.hpp"

#include <atomic>
#include <functional>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::engine {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Site;

namespace {

// Does something once, the first time an event of a type is seen; runs on the engine's loop.
class React final : public EventSink {
  public:
    void on(std::string type, std::function<void(const Event&)> what) {
        reactions_.push_back({std::move(type), std::move(what), false});
    }
    void on_event(const Event& event) override {
        seen.push_back(event.type);
        for (Reaction& r : reactions_) {
            if (r.type != event.type || r.done) continue;
            r.done = true;
            r.what(event);
        }
    }
    std::vector<std::string> seen;

  private:
    struct Reaction {
        std::string type;
        std::function<void(const Event&)> what;
        bool done;
    };
    std::vector<Reaction> reactions_;
};

struct Controlled {
    Site site;
    React react;

    std::int64_t leave(const std::string& verb, const std::string& target = "") {
        return site.journal.leave_command({.run = site.journal.last_run()->id,
                                           .at_ms = 0,
                                           .verb = verb,
                                           .target = target,
                                           .by = "test",
                                           .answer = ""});
    }
    std::string answer(std::int64_t id) { return site.journal.command(id)->answer; }

    Outcome run() {
        const Plan plan = site.plan();
        const Session session = start_session(site.journal, plan, {}, *site.clock);
        ExecutorOptions options = site.options;
        options.run = session.run;
        options.resumed = session.resumed;
        Executor executor(plan, {site.journal, site.fleet, *site.clock, &react}, site.policy,
                          options);
        return executor.run(session.states, {});
    }
};

}  // namespace

TEST(Control, PauseLetsRunningStepsFinishAndStartsNothing) {
    Controlled c;
    c.site.policy.parallel_steps = 1;
    c.site.step("w1/a");
    c.site.step("w1/b", {"w1/a"});
    c.react.on("step.started", [&](const Event&) { c.leave("pause"); });
    std::vector<std::string> when_continued;
    c.react.on("run.paused", [&](const Event&) { c.leave("continue"); });
    c.react.on("run.continued", [&](const Event&) { when_continued = c.site.acts(); });
    EXPECT_EQ(c.run().result, RunResult::succeeded);
    EXPECT_LE(when_continued.size(), 2u);
    EXPECT_THAT(c.react.seen,
                ::testing::IsSupersetOf({std::string("run.paused"), std::string("run.continued")}));
}

TEST(Control, CancelFromAnotherProcessIsAnsweredAndRecorded) {
    Controlled c;
    c.site.step("w1/a");
    c.site.fault("w1/a", {.times = 1, .act = [](Context& context) {
                              while (!context.stop().stop_requested()) std::this_thread::yield();
                              throw Cancelled();
                          }});
    std::atomic<std::int64_t> command{0};
    c.react.on("step.started", [&](const Event&) { command = c.leave("cancel"); });
    EXPECT_EQ(c.run().result, RunResult::cancelled);
    EXPECT_EQ(c.answer(command), "cancelling");
}

TEST(Control, RetryOfAHostWhileTheRunGoesOn) {
    Controlled c;
    c.site.step("w1/a");
    c.site.step("w1/b", {"w1/a"});
    c.site.step("w2/slow");
    std::atomic<bool> let_go{false};
    c.site.fault("w2/slow", {.times = 1, .act = [&](Context&) {
                                 while (!let_go) std::this_thread::yield();
                             }});
    c.site.fail("w1/a", Recovery::fatal, 1);
    std::atomic<std::int64_t> command{0};
    c.react.on("host.set-aside", [&](const Event&) { command = c.leave("retry", "w1"); });
    c.react.on("host.returned", [&](const Event&) { let_go = true; });
    const Outcome o = c.run();
    EXPECT_EQ(o.result, RunResult::succeeded);
    EXPECT_EQ(c.answer(command), "2 steps are tried again");
    EXPECT_TRUE(c.site.world().contains("w1/b"));
}

TEST(Control, FailedStepCanBeSkippedAndTheHostGoesOn) {
    Controlled c;
    c.site.step("w1/a");
    c.site.step("w1/b", {"w1/a"});
    c.site.step("w2/slow");
    std::atomic<bool> let_go{false};
    c.site.fault("w2/slow", {.times = 1, .act = [&](Context&) {
                                 while (!let_go) std::this_thread::yield();
                             }});
    c.site.fail("w1/a", Recovery::fatal);
    std::atomic<std::int64_t> command{0};
    c.react.on("host.set-aside", [&](const Event&) {
        command = c.leave("skip", "w1/a");
        let_go = true;
    });
    c.site.fault("w2/slow", {.times = 1, .act = [&](Context&) {
                                 while (!let_go || c.answer(command).empty())
                                     std::this_thread::yield();
                             }});
    const Outcome o = c.run();
    EXPECT_EQ(o.result, RunResult::succeeded);
    EXPECT_EQ(o.skipped, 1u);
    EXPECT_EQ(c.answer(command), "1 steps are skipped");
    EXPECT_TRUE(c.site.world().contains("w1/b"));
}

TEST(Control, SkipIsRefusedWhereTheStepDoesNotAllowIt) {
    Controlled c;
    Step& step = c.site.step("w1/a");
    step.skippable = false;
    step.why_not_skippable = "nothing works without it";
    c.site.step("w1/b", {"w1/a"});
    std::atomic<std::int64_t> command{0};
    std::atomic<bool> answered{false};
    c.site.fault("w1/a", {.times = 1, .act = [&](Context&) {
                              while (!answered) std::this_thread::yield();
                          }});
    c.react.on("step.started", [&](const Event&) { command = c.leave("skip", "a"); });
    std::jthread watcher([&](const std::stop_token& stop) {
        while (!stop.stop_requested() && (command == 0 || c.answer(command).empty()))
            std::this_thread::yield();
        answered = true;
    });
    EXPECT_EQ(c.run().skipped, 0u);
    EXPECT_THAT(c.answer(command), HasSubstr("nothing works without it"));
}

TEST(Control, ErrorThatNeedsAPersonWaitsForRetry) {
    Controlled c;
    c.site.options.wait_for_user = true;
    c.site.step("w1/a");
    c.site.step("w2/a");
    c.site.fail("w1/a", Recovery::needs_user, 1);
    c.react.on("step.waiting", [&](const Event& e) {
        EXPECT_EQ(e.body.at("for"), "user");
        c.leave("retry", "w1/a");
    });
    EXPECT_EQ(c.run().result, RunResult::succeeded);
}

// A user's script that a crash cut off is followed once; what came of it is known then.
TEST(Control, RetryAfterACrashAndAFailureBeginsAnew) {
    Controlled c;
    c.site.options.wait_for_user = true;
    c.site.step("w1/a");
    const Plan plan = c.site.plan();
    const Session dead = start_session(c.site.journal, plan, {}, *c.site.clock);
    c.site.journal.record_intent(
        {.run = dead.run, .node = "w1/a", .fingerprint = plan.node(plan.find("w1/a")).fingerprint},
        {});
    std::vector<bool> interrupted;
    c.site.fault("w1/a", {.times = 2, .act = [&](Context& context) {
                              interrupted.push_back(context.interrupted());
                              if (interrupted.size() > 1) return;
                              throw HostError("TEST-FAULT", "the machine was restarted",
                                              {.recovery = Recovery::needs_user});
                          }});
    c.react.on("step.waiting", [&](const Event&) { c.leave("retry", "w1/a"); });
    EXPECT_EQ(c.run().result, RunResult::succeeded);
    EXPECT_THAT(interrupted, ElementsAre(true, false));
}

TEST(Control, ErrorThatNeedsAPersonFailsWhenNobodyIsThere) {
    Controlled c;
    c.site.step("w1/a");
    c.site.fail("w1/a", Recovery::needs_user);
    EXPECT_EQ(c.run().result, RunResult::partial);
}

TEST(Control, DelegatedStepIsDoneByTheHolderOfTheLease) {
    Controlled c;
    c.site.step("w1/a");
    c.site.step("w1/b", {"w1/a"});
    c.site.plan_options.delegate = {"a"};
    c.react.on("step.waiting", [&](const Event& e) {
        EXPECT_EQ(e.body.at("for"), "delegate");
        auto& journal = c.site.journal;
        const std::int64_t now = c.site.clock->wall_ms();
        EXPECT_TRUE(journal.take_lease(1, "w1/a", "outside", now, now + 60'000));
        EXPECT_FALSE(journal.take_lease(1, "w1/a", "another", now, now + 60'000));
        EXPECT_FALSE(journal.report_delegation(1, "w1/a", "another", now, true, "{}"));
        EXPECT_TRUE(journal.report_delegation(1, "w1/a", "outside", now, true, "{}"));
    });
    const Outcome o = c.run();
    EXPECT_EQ(o.result, RunResult::succeeded);
    EXPECT_THAT(c.site.acts(), ElementsAre("w1/b")) << "we do not do what was delegated";
}

TEST(Control, DelegatedStepIsNotAskedForAgainWhenItIsDone) {
    Controlled c;
    c.site.step("w1/a");
    c.site.plan_options.delegate = {"a"};
    c.react.on("step.waiting", [&](const Event&) {
        const std::int64_t now = c.site.clock->wall_ms();
        c.site.journal.take_lease(1, "w1/a", "outside", now, now + 60'000);
        c.site.journal.report_delegation(1, "w1/a", "outside", now, true, "{}");
    });
    EXPECT_EQ(c.run().changed, 1u);
    const Outcome again = c.run();
    EXPECT_EQ(again.result, RunResult::succeeded);
    EXPECT_EQ(again.unchanged, 1u);
}

TEST(Control, CommandLeftForADeadProcessIsRefusedByTheNext) {
    Controlled c;
    c.site.step("w1/a");
    c.site.fail("w1/a", Recovery::fatal, 1);
    c.run();
    const std::int64_t command = c.leave("cancel");
    EXPECT_EQ(c.run().result, RunResult::succeeded);
    EXPECT_THAT(c.answer(command), HasSubstr("refused"));
}

TEST(Control, RetryOfOneStepLeavesWhatStillNeedsAnotherBlockedAndTheRunEnds) {
    Controlled c;
    c.site.step("w1/a");
    c.site.step("w1/b");
    c.site.step("w1/last", {"w1/a", "w1/b"});
    c.site.step("w2/slow");
    c.site.fail("w1/a", Recovery::fatal);
    c.site.policy.parallel_per_host = 1;
    std::atomic<std::int64_t> command{0};
    c.react.on("host.set-aside", [&](const Event&) { command = c.leave("retry", "w1/b"); });
    c.site.fault("w2/slow", {.times = 1, .act = [&](Context&) {
                                 while (command == 0 || c.answer(command).empty())
                                     std::this_thread::yield();
                             }});
    const Outcome o = c.run();
    EXPECT_EQ(o.result, RunResult::partial);
    EXPECT_TRUE(c.site.world().contains("w1/b"));
    EXPECT_EQ(o.blocked, 1u);
}

TEST(Control, RetryOfAWorkerDoesNotLiftALostQuorum) {
    Controlled c;
    c.site.step("cp1/a");
    c.site.step("w1/a");
    c.site.step("w1/b", {"w1/a"});
    c.site.step("w2/slow");
    c.site.policy.domains = {{"control-plane", {"cp1"}, 1}};
    c.site.fail("cp1/a", Recovery::fatal);
    c.site.fail("w1/a", Recovery::fatal, 1);
    std::atomic<std::int64_t> command{0};
    c.react.on("run.stopping", [&](const Event&) { command = c.leave("retry", "w1"); });
    c.site.fault("w2/slow", {.times = 1, .act = [&](Context&) {
                                 while (command == 0 || c.answer(command).empty())
                                     std::this_thread::yield();
                             }});
    EXPECT_EQ(c.run().result, RunResult::failed);
    EXPECT_FALSE(c.site.world().contains("w1/b"));
}

TEST(Control, LeaseThatRanOutCanBeTakenByAnother) {
    Controlled c;
    c.site.step("w1/a");
    c.site.plan_options.delegate = {"a"};
    int waits = 0;
    c.react.on("step.waiting", [&](const Event&) {
        const std::int64_t now = c.site.clock->wall_ms();
        EXPECT_TRUE(c.site.journal.take_lease(1, "w1/a", "dies", now, now + 100));
        c.site.jumping.advance(Millis(500));
        const std::int64_t later = c.site.clock->wall_ms();
        EXPECT_FALSE(c.site.journal.report_delegation(1, "w1/a", "dies", later, true, "{}"));
        EXPECT_TRUE(c.site.journal.take_lease(1, "w1/a", "second", later, later + 60'000));
        EXPECT_TRUE(c.site.journal.report_delegation(1, "w1/a", "second", later, true, "{}"));
        ++waits;
    });
    EXPECT_EQ(c.run().result, RunResult::succeeded);
    EXPECT_EQ(waits, 1);
}

TEST(Control, FailureReportedByTheDelegateFailsTheStep) {
    Controlled c;
    c.site.step("w1/a");
    c.site.plan_options.delegate = {"a"};
    c.react.on("step.waiting", [&](const Event&) {
        const std::int64_t now = c.site.clock->wall_ms();
        c.site.journal.take_lease(1, "w1/a", "outside", now, now + 60'000);
        c.site.journal.report_delegation(1, "w1/a", "outside", now, false, R"({"why":"no disk"})");
    });
    const Outcome o = c.run();
    EXPECT_EQ(o.result, RunResult::partial);
    EXPECT_THAT(o.failures, ElementsAre(::testing::Field(&Failure::error, "STEP-DELEGATE-FAILED")));
}

}  // namespace slipway::engine
