// Members of a set that live, each a file on a simulated machine and a program that does not start
// when the file says "bad".
#include "cluster/steps/rolling_change.hpp"

#include "base/error.hpp"
#include "cluster/resources/kinds.hpp"
#include "cluster/testing/hasty_clock.hpp"
#include "cluster/testing/sample_spec.hpp"
#include "cluster/testing/step_runner.hpp"
#include "remote/testing/test_fleet.hpp"

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

using remote::testing::content_of;
using ::testing::HasSubstr;
using testing::HastyClock;
using ::testing::IsEmpty;
using testing::sample_host;
using testing::StepRunner;

constexpr const char* kFile = "/etc/thing";
constexpr const char* kExtra = "/etc/thing.extra";
constexpr const char* kMark = "/var/lib/slipway/changing-thing";

class RollingChange : public ::testing::Test {
  protected:
    RollingChange() {
        for (const char* name : {"a", "b", "c"}) {
            spec_.hosts.push_back(sample_host(name, "10.0.0.1", {config::Role::control_plane}));
            write(name, "old");
        }
    }

    void write(const std::string& host, const std::string& text) {
        fleet_->host(host).write_file(kFile, {.content = text, .mode = 0600}, {});
    }
    std::string text(const std::string& host, const char* path = kFile) {
        return content_of(*fleet_, host, path);
    }

    Member member(const std::string& host) {
        Member out{.turn = "things", .name = "thing", .error = "ETCD-SILENT", .see = "its log"};
        for (const config::Host& one : spec_.hosts) {
            if (one.name != host) out.others.push_back(one.name);
        }
        out.majority = majority_;
        out.files = {kFile, kExtra};
        out.lives = [this](engine::Context&, const std::string& one) {
            return text(one) != "(absent)";
        };
        out.answers = [this](engine::Context&, const std::string& one) {
            if (gone_.contains(one)) throw HostError("HOST-UNREACHABLE", one + " is away");
            return !silent_.contains(one) && text(one).find("bad") == std::string::npos;
        };
        out.running = [this, host](engine::Context&) -> RunningByFile {
            const std::string now = text(host);
            if (now == "(absent)" || now.find("bad") != std::string::npos) return {};
            return {{kFile, {now, now}}};
        };
        out.use_again = [this, host](engine::Context&) { used_again_.insert(host); };
        return out;
    }

    // With a memory of its own the step belongs to another run.
    engine::Step step(const std::string& host, const std::string& content, bool extra = false,
                      const std::function<void(engine::Context&)>& meanwhile = {}) {
        const auto at = std::ranges::find(spec_.hosts, host, &config::Host::name);
        const Surroundings around;
        const StepInput in{spec_, &*at, facts_, *memo_, around, around.material};
        std::vector<ResourcePtr> wanted = {file(kFile, {.content = content, .mode = 0600})};
        if (extra) wanted.push_back(file(kExtra, {.content = "extra"}));
        engine::Step plain = resources_step("change-thing", resource_list(wanted));
        plain.act = [meanwhile, act = plain.act](engine::Context& c) {
            act(c);
            if (meanwhile) meanwhile(c);
        };
        engine::Step out = rolling_change(in, std::move(plain), member(host));
        out.host = host;
        return out;
    }
    bool apply(const std::string& host, const std::string& content) {
        return runner_.apply(step(host, content));
    }
    // What the error says, and whether another try may help.
    std::string refusal(const engine::Step& one) {
        try {
            runner_.apply(one);
        } catch (const Error& error) {
            return fmt::format("{}: {}: {}", to_string(error.recovery()), error.message(),
                               error.cause());
        }
        return "applied";
    }
    void next_run() { memo_ = std::make_unique<Memo>(); }

    HastyClock clock_{2000};
    std::unique_ptr<remote::SimulatedFleet> fleet_ =
        remote::testing::make_test_fleet({"a", "b", "c"});
    StepRunner runner_{*fleet_, clock_};
    config::Spec spec_;
    remote::Facts facts_;
    std::unique_ptr<Memo> memo_ = std::make_unique<Memo>();
    bool majority_ = false;
    std::set<std::string> silent_, gone_, used_again_;
};

TEST_F(RollingChange, WhatRunsWithItsNewSettingsIsDone) {
    for (const char* host : {"a", "b", "c"}) {
        EXPECT_TRUE(apply(host, "new"));
        EXPECT_EQ(text(host), "new");
        EXPECT_EQ(text(host, kMark), "(absent)");
        EXPECT_FALSE(apply(host, "new"));
    }
    EXPECT_THAT(used_again_, IsEmpty());
}

TEST_F(RollingChange, OneIsAwayAtATime) {
    std::atomic<int> away = 0, most = 0;
    {
        std::vector<std::jthread> threads;
        for (const char* host : {"a", "b", "c"}) {
            engine::Step one = step(host, "new", false, [&](engine::Context& c) {
                most = std::max(most.load(), ++away);
                c.clock().sleep_for(Millis(1000), c.stop());
                --away;
            });
            threads.emplace_back([this, one = std::move(one)] {
                HastyClock clock(2000);
                StepRunner(*fleet_, clock).apply(one);
            });
        }
    }
    EXPECT_EQ(most.load(), 1);
    for (const char* host : {"a", "b", "c"}) EXPECT_EQ(text(host), "new");
}

TEST_F(RollingChange, WhatDoesNotComeBackIsPutBackAndTheOthersAreLeftAsTheyAre) {
    EXPECT_THAT(refusal(step("a", "bad", true)),
                HasSubstr("fatal: a does not run with the new settings, and has the old again: it "
                          "did not come back"));
    EXPECT_EQ(text("a"), "old");
    EXPECT_EQ(text("a", kExtra), "(absent)") << "there was none, and an empty one is not none";
    EXPECT_EQ(text("a", kMark), "(absent)");
    EXPECT_TRUE(used_again_.contains("a"));
    EXPECT_EQ(refusal(step("b", "bad")),
              "fatal: b was left as it is: a does not run with the same settings");
    EXPECT_EQ(text("b"), "old");
    next_run();
    EXPECT_TRUE(apply("b", "new")) << "another run has other settings";
}

TEST_F(RollingChange, WorkThatFailsIsPutBackToo) {
    fleet_->simulated("a").add_fault(
        {.on = remote::Call::write, .match = kExtra, .error = remote::FaultKind::fatal});
    EXPECT_THAT(refusal(step("a", "new", true)), HasSubstr("fatal: a does not run with the new"));
    EXPECT_EQ(text("a"), "old");
    EXPECT_EQ(text("a", kMark), "(absent)");
}

TEST_F(RollingChange, WhatIsNotThereYetIsMadeWithoutAskingAnybody) {
    fleet_->host("a").remove_file(kFile, {});
    silent_ = {"a", "b", "c"};
    EXPECT_TRUE(apply("a", "new"));
    EXPECT_EQ(text("a", kMark), "(absent)");
}

// The link goes once the new file is there.
void cut_off(remote::SimulatedHost& host) {
    host.add_fault({.on = remote::Call::read,
                    .match = kExtra,
                    .after = 1,
                    .error = remote::FaultKind::transient});
}

TEST_F(RollingChange, CutOffBeforeItIsKnownToRunAChangeIsNotDone) {
    cut_off(fleet_->simulated("a"));
    EXPECT_THAT(refusal(step("a", "bad")), HasSubstr("transient: "));
    EXPECT_EQ(text("a"), "bad");
    EXPECT_EQ(refusal(step("b", "bad")),
              "transient: b was left as it is: a was cut off while it was changed");
    EXPECT_EQ(text("b"), "old");

    next_run();
    EXPECT_FALSE(runner_.probe(step("a", "bad")).done) << "the file is right, but nobody waited";
    EXPECT_EQ(refusal(step("b", "new")), "fatal: b was left as it is: no answer from a")
        << "it would be the second one that is away";
    EXPECT_TRUE(apply("a", "new")) << "this one is away already";
    EXPECT_TRUE(apply("b", "new"));
    EXPECT_EQ(text("a", kMark), "(absent)");
}

TEST_F(RollingChange, CutOffAndTriedAgainItIsStillPutBackToWhatRan) {
    cut_off(fleet_->simulated("a"));
    EXPECT_THAT(refusal(step("a", "bad")), HasSubstr("transient: "));
    EXPECT_THAT(refusal(step("a", "bad")), HasSubstr("fatal: a does not run with the new"))
        << "the engine's next try";
    EXPECT_EQ(text("a"), "old");
    EXPECT_THAT(refusal(step("b", "bad")), HasSubstr("fatal: b was left as it is"));
}

TEST_F(RollingChange, WhatWasCutOffIsPutBackWhenAnotherIsLostWithTheSameSettings) {
    cut_off(fleet_->simulated("a"));
    EXPECT_THAT(refusal(step("a", "bad")), HasSubstr("transient: "));
    next_run();
    write("b", "bad");  // away as well, so that it may go before the first
    EXPECT_THAT(refusal(step("b", "worse bad")), HasSubstr("b does not run"));
    EXPECT_THAT(refusal(step("a", "worse bad")), HasSubstr("fatal: a was left as it is"));
    EXPECT_EQ(text("a"), "old");
    EXPECT_EQ(text("a", kMark), "(absent)");
}

TEST_F(RollingChange, ASecondOneIsNotTakenAway) {
    silent_ = {"b"};
    EXPECT_EQ(refusal(step("a", "new")), "fatal: a was left as it is: no answer from b");
    EXPECT_EQ(text("a"), "old");
    EXPECT_EQ(text("a", kMark), "(absent)");
    fleet_->host("b").remove_file(kFile, {});
    fleet_->host("c").remove_file(kFile, {});
    EXPECT_TRUE(apply("a", "new")) << "what is yet to be made is not waited for";
}

TEST_F(RollingChange, AMachineThatIsAwayStopsNobodyAsLongAsEnoughAreLeft) {
    gone_ = {"b"};
    EXPECT_TRUE(apply("a", "new"));
    majority_ = true;
    next_run();
    EXPECT_EQ(refusal(step("c", "new")), "fatal: c was left as it is: no answer from b");
}

TEST_F(RollingChange, WhereAllAreDownNoneIsWaitedFor) {
    for (const char* host : {"a", "b", "c"}) write(host, "bad");
    silent_ = {"a", "b", "c"};
    for (const char* host : {"a", "b", "c"}) EXPECT_TRUE(apply(host, "new"));
    EXPECT_THAT(used_again_, IsEmpty());
}

TEST_F(RollingChange, OfASetThatIsBeingMadeNoneIsWaitedFor) {
    write("a", "bad");
    for (const char* host : {"b", "c"}) fleet_->host(host).remove_file(kFile, {});
    EXPECT_TRUE(apply("a", "worse bad")) << "alone it cannot answer";
    EXPECT_EQ(text("a"), "worse bad");
}

TEST_F(RollingChange, WhereNothingRunsAnyMoreAMarkSaysNothing) {
    cut_off(fleet_->simulated("a"));
    EXPECT_THAT(refusal(step("a", "bad")), HasSubstr("transient: "));
    fleet_->host("a").remove_file(kFile, {});
    EXPECT_TRUE(apply("a", "new"));
    EXPECT_EQ(text("a", kMark), "(absent)");
}

TEST_F(RollingChange, UndoLeavesNoMark) {
    cut_off(fleet_->simulated("a"));
    const engine::Step one = step("a", "bad");
    EXPECT_THAT(refusal(one), HasSubstr("transient: "));
    EXPECT_NE(text("a", kMark), "(absent)");
    EXPECT_EQ(fleet_->host("a").file_info(kMark, {})->mode, 0600u);
    runner_.undo(one);
    EXPECT_EQ(text("a", kMark), "(absent)");
    EXPECT_EQ(text("a"), "old");
}

}  // namespace
}  // namespace slipway::cluster
