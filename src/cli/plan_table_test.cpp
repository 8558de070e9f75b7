#include "cli/plan_table.hpp"

#include "cli/exit_code.hpp"
#include "cli/saved_plan.hpp"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

engine::Step step(std::string host, std::string id) {
    engine::Step s{.id = std::move(id), .host = std::move(host)};
    s.act = [](engine::Context&) {};
    return s;
}

struct Shown {
    engine::Plan plan = engine::Plan::build(
        {step("w10", "set-hostname"), step("w2", "set-hostname"), step("w2", "set-sysctls")});
    engine::Preview preview;

    engine::StepPreview& add(std::string_view node, std::string change, std::string reason = "") {
        engine::StepPreview row;
        row.node = plan.find(node);
        row.change = std::move(change);
        row.reason = std::move(reason);
        preview.steps.push_back(std::move(row));
        return preview.steps.back();
    }
};

TEST(PlanTable, GroupsByHostWithMarksAndCounts) {
    Shown shown;
    shown.add("w10/set-hostname", "change", "drift").changes = {
        {"change", "hostname", "localhost -> w10"}};
    shown.add("w2/set-hostname", "none");
    shown.add("w2/set-sysctls", "create", "new").changes = {
        {"create", "file /etc/sysctl.d/90-slipway.conf", ""}};
    EXPECT_EQ(plan_table(shown.plan, shown.preview, {}, false),
              "w2\n"
              "  + set-sysctls  (new)\n"
              "      + file /etc/sysctl.d/90-slipway.conf\n"
              "  1 as they should be\n"
              "\n"
              "w10\n"
              "  ~ set-hostname  (drift)\n"
              "      ~ hostname  localhost -> w10\n"
              "\n"
              "Plan: 1 to create, 1 to change; 1 as they should be\n");
}

TEST(PlanTable, SaysHowLongItTakesAndHowItKnows) {
    EXPECT_EQ(estimate_line({}), "");
    EXPECT_EQ(estimate_line({.seconds = 100, .low = 25, .high = 175, .steps = 4}),
              "Takes about 1 min 40 s (25 s to 2 min 55 s), a guess: nothing was measured yet\n");
    EXPECT_EQ(estimate_line({.seconds = 4, .low = 3, .high = 5, .steps = 4, .measured = 3}),
              "Takes about 4.0 s (3.0 s to 5.0 s), by 3 of 4 steps measured before\n");
}

TEST(PlanTable, SaysWhenThereIsNothingToDo) {
    Shown shown;
    shown.add("w2/set-hostname", "none");
    EXPECT_EQ(plan_table(shown.plan, shown.preview, {}, false),
              "Plan: nothing to change; 1 as they should be\n");
}

json::object plan_json(std::string hash, std::string world, std::string change) {
    return {{"hash", std::move(hash)},
            {"world", std::move(world)},
            {"steps", json::array{json::object{{"id", "w1/a"}, {"change", std::move(change)}},
                                  json::object{{"id", "w2/a"}, {"change", "none"}}}}};
}

TEST(SavedPlan, ComesBackAsItWasSaved) {
    const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "saved.plan";
    save_plan(file, {.cluster = "demo",
                     .spec = R"({"a":1})",
                     .options = R"({"simulate":true})",
                     .plan = plan_json("h", "w", "create")});
    const SavedPlan saved = load_plan(file);
    EXPECT_EQ(saved.cluster, "demo");
    EXPECT_EQ(saved.spec, R"({"a":1})");
    EXPECT_EQ(saved.plan, plan_json("h", "w", "create"));
    EXPECT_NO_THROW(require_same(saved, plan_json("h", "w", "create")));
    std::filesystem::remove(file);
}

TEST(SavedPlan, IsRefusedByNameWhenTheWorldHasMovedOn) {
    const SavedPlan saved{
        .cluster = "demo", .spec = "{}", .options = "{}", .plan = plan_json("h", "w", "create")};
    EXPECT_THAT(moved_steps(saved.plan, plan_json("h", "w2", "change")), ElementsAre("w1/a"));
    try {
        require_same(saved, plan_json("h", "w2", "change"));
        FAIL() << "a stale plan was accepted";
    } catch (const VerificationError& e) {
        EXPECT_EQ(e.id(), "PLAN-STALE");
        EXPECT_THAT(e.cause(), HasSubstr("w1/a"));
    }
    try {
        require_same(saved, plan_json("other", "w", "create"));
        FAIL() << "another plan was accepted";
    } catch (const VerificationError& e) {
        EXPECT_EQ(e.id(), "PLAN-OTHER");
    }
}

}  // namespace
}  // namespace slipway::cli
