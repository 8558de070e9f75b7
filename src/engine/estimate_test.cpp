#include "engine/estimate.hpp"

#include "engine/testing/site.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace slipway::engine {
namespace {

using testing::Site;

// Two hosts with a chain of two steps each; `done` of them have nothing to do.
struct Case {
    Site site;
    Preview preview;

    Plan plan(const std::vector<std::string>& done = {}) {
        for (const std::string host : {"a", "b"}) {
            site.step(host + "/copy").weight = 30;
            site.step(host + "/start", {host + "/copy"}).weight = 10;
        }
        Plan plan = site.plan();
        for (NodeIndex i = 0; i < plan.size(); ++i) {
            const bool is_done = std::ranges::find(done, plan.node(i).id) != done.end();
            preview.steps.push_back(
                {.node = i, .change = is_done ? "none" : "create", .reason = ""});
        }
        return plan;
    }
};

TEST(Estimate, IsTheLongestChainWhenAllCanRunAtOnce) {
    Case c;
    const Plan plan = c.plan();
    const Estimate e = estimate(plan, c.preview, {}, {});
    EXPECT_DOUBLE_EQ(e.seconds, 40);
    EXPECT_EQ(e.steps, 4u);
    EXPECT_EQ(e.measured, 0u);
    EXPECT_LT(e.low, 15);
    EXPECT_GT(e.high, 60);
}

TEST(Estimate, IsAllWorkWhenOneStepRunsAtATime) {
    Case c;
    const Plan plan = c.plan();
    EXPECT_DOUBLE_EQ(estimate(plan, c.preview, {}, {.parallel_steps = 1}).seconds, 80);
}

TEST(Estimate, GoesByWhatWasMeasuredAndIsSurerThen) {
    Case c;
    const Plan plan = c.plan();
    const std::vector<store::Duration> measured = {{.step = "copy", .count = 2, .mean_ms = 3000},
                                                   {.step = "start", .count = 2, .mean_ms = 2000}};
    const Estimate e = estimate(plan, c.preview, measured, {});
    EXPECT_DOUBLE_EQ(e.seconds, 5);
    EXPECT_EQ(e.measured, 4u);
    EXPECT_DOUBLE_EQ(e.low, 3.75);
    EXPECT_DOUBLE_EQ(e.high, 6.25);
}

TEST(Estimate, CountsNoTimeForStepsThatAreAsTheyShouldBe) {
    Case c;
    const Plan plan = c.plan({"a/copy", "b/copy", "b/start"});
    const Estimate e = estimate(plan, c.preview, {}, {});
    EXPECT_EQ(e.steps, 1u);
    EXPECT_NEAR(e.seconds, 10, 0.1);
    Case all;
    const Plan same = all.plan({"a/copy", "a/start", "b/copy", "b/start"});
    EXPECT_LT(estimate(same, all.preview, {}, {}).seconds, 0.2);
}

TEST(Estimate, OfAnEmptyPlanIsNothing) {
    Site site;
    const Plan plan = site.plan();
    EXPECT_DOUBLE_EQ(estimate(plan, {}, {}, {}).seconds, 0);
}

}  // namespace
}  // namespace slipway::engine
