#include "engine/plan.hpp"

#include "base/error.hpp"
#include "engine/testing/site.hpp"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace slipway::engine {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Site;

namespace {

std::string refusal(const Site& site) {
    try {
        site.plan();
    } catch (const UserError& error) {
        EXPECT_EQ(error.id(), "PLAN-INVALID");
        return error.message();
    }
    return "accepted";
}

}  // namespace

TEST(Plan, NamesEveryProblemAtOnce) {
    Site site;
    site.step("cp/a", {"cp/nowhere"});
    site.step("cp/a");
    const std::string message = refusal(site);
    EXPECT_THAT(message, HasSubstr("two steps are called cp/a"));
    EXPECT_THAT(message, HasSubstr("cp/a needs cp/nowhere"));
}

TEST(Plan, RefusesACircleAndNamesIt) {
    Site site;
    site.step("a", {"c"});
    site.step("b", {"a"});
    site.step("c", {"b"});
    EXPECT_THAT(refusal(site), HasSubstr("wait for each other in a circle: a, b, c"));
}

TEST(Plan, SkipsOnlyWhatAllowsIt) {
    Site site;
    site.step("cp/a").skippable = false;
    site.steps.back().why_not_skippable = "the rest depends on it";
    site.step("cp/b");
    site.plan_options.skip = {"a", "b", "nonsense"};
    const std::string message = refusal(site);
    EXPECT_THAT(message, HasSubstr("cp/a cannot be skipped: the rest depends on it"));
    EXPECT_THAT(message, HasSubstr("no step is called nonsense"));
    EXPECT_THAT(message, ::testing::Not(HasSubstr("cp/b")));
}

TEST(Plan, OrderPutsEveryNodeBehindItsNeeds) {
    Site site;
    site.step("z");
    site.step("m", {"z"});
    site.step("a", {"m"});
    const Plan plan = site.plan();
    std::vector<std::string> order;
    for (const NodeIndex i : plan.order()) order.push_back(plan.node(i).id);
    EXPECT_THAT(order, ElementsAre("z", "m", "a"));
}

TEST(Plan, TailsAreTheLongestChainBehindANode) {
    Site site;
    site.step("a");
    site.step("b", {"a"});
    site.step("c", {"a"});
    const Plan plan = site.plan();
    EXPECT_THAT(plan.tails({1, 2, 5}), ElementsAre(6, 2, 5));
}

TEST(Plan, HashChangesWithInputsNeedsPoolsAndModes) {
    Site site;
    site.step("cp/a");
    site.step("cp/b");
    const std::string before = site.plan().hash();
    const auto hash_with = [&](auto change) {
        Site other;
        other.step("cp/a");
        other.step("cp/b");
        change(other);
        return other.plan().hash();
    };
    EXPECT_EQ(hash_with([](Site&) {}), before);
    EXPECT_NE(hash_with([](Site& s) { s.steps[0].inputs = "v2"; }), before);
    EXPECT_NE(hash_with([](Site& s) { s.steps[1].needs = {"cp/a"}; }), before);
    EXPECT_NE(hash_with([](Site& s) { s.steps[1].after = {"cp/a"}; }), before);
    EXPECT_NE(hash_with([](Site& s) { s.steps[1].pools = {"dial"}; }), before);
    EXPECT_NE(hash_with([](Site& s) { s.plan_options.skip = {"a"}; }), before);
    EXPECT_EQ(hash_with([](Site& s) { s.steps[1].deadline = Millis(1); }), before)
        << "limits do not make another plan";
}

RC_GTEST_PROP(Plan, HashDoesNotDependOnTheOrderStepsAreGiven, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Site site;
    const int count = *rc::gen::inRange(1, 30);
    for (int i = 0; i < count; ++i) {
        std::vector<std::string> needs;
        for (int j = 0; j < i; ++j) {
            if (random() % 4 == 0)
                needs.push_back("h" + std::to_string(j % 3) + "/s" + std::to_string(j));
        }
        site.step("h" + std::to_string(i % 3) + "/s" + std::to_string(i), needs);
    }
    const std::string hash = site.plan().hash();
    std::shuffle(site.steps.begin(), site.steps.end(), random);
    for (Step& step : site.steps) std::shuffle(step.needs.begin(), step.needs.end(), random);
    RC_ASSERT(site.plan().hash() == hash);
}

}  // namespace slipway::engine
