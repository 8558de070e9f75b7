#include "desk/gantt.hpp"

#include "base/files.hpp"
#include "base/testing/document.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::desk {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

engine::Event event(double at, std::string type, std::string host, std::string step,
                    json::object body = {}) {
    return {.run = 3,
            .wall_ms = 1'700'000'000'000 + static_cast<std::int64_t>(at * 1000),
            .type = std::move(type),
            .host = std::move(host),
            .step = std::move(step),
            .body = std::move(body)};
}

engine::Event finished(double at, double took, std::string host, std::string step,
                       std::string outcome = "changed", std::string after = "") {
    json::object body{{"outcome", outcome}, {"seconds", took}};
    if (!after.empty()) body["after"] = after;
    return event(at, "step.finished", std::move(host), std::move(step), std::move(body));
}

// Two hosts; w1 waits for a slot, w2 fails, and the run is resumed.
std::vector<engine::Event> sample() {
    return {
        event(0, "run.started", "", "", {{"kind", "apply"}}),
        finished(1, 1, "", "operator-pre-install-a"),
        finished(3, 2, "cp1", "set-hostname", "changed", "operator-pre-install-a"),
        finished(3.02, 0.02, "cp1", "turn-off-swap", "unchanged", "cp1/set-hostname"),
        finished(6, 4, "w1", "set-hostname", "changed", "operator-pre-install-a"),
        finished(6, 0, "w1", "raise-limits", "skipped", "w1/set-hostname"),
        finished(7, 3, "w2", "set-<b>&\"name\"", "failed", "operator-pre-install-a"),
        event(20, "run.resumed", "", "", {{"kind", "apply"}}),
        finished(22, 2, "w2", "set-<b>&\"name\"", "changed"),
        finished(25, 3, "w2", "set-sysctls", "changed", "w2/set-<b>&\"name\""),
        event(25.1, "run.finished", "", "", {{"result", "succeeded"}}),
    };
}

const GanttBar& bar(const GanttModel& model, std::string_view node, std::size_t which = 0) {
    for (const GanttRow& row : model.rows) {
        if (row.node() == node) return row.bars.at(which);
    }
    throw std::out_of_range(std::string(node));
}

TEST(GanttModel, KnowsWhenEachStepWasReadyBeganAndEnded) {
    const GanttModel model = gantt_model(sample());
    EXPECT_EQ(model.result, "succeeded");
    EXPECT_DOUBLE_EQ(model.total, 25.1);
    EXPECT_THAT(model.resumed, ElementsAre(20.0));
    EXPECT_DOUBLE_EQ(bar(model, "w1/set-hostname").ready, 1);
    EXPECT_DOUBLE_EQ(bar(model, "w1/set-hostname").start, 2);
    EXPECT_DOUBLE_EQ(bar(model, "w1/set-hostname").waited(), 1);
    EXPECT_DOUBLE_EQ(bar(model, "w2/set-<b>&\"name\"", 1).ready, 20);
    EXPECT_EQ(bar(model, "w2/set-<b>&\"name\"").outcome, "failed");
}

TEST(GanttModel, TheCriticalPathGoesBackFromTheLastStep) {
    const GanttModel model = gantt_model(sample());
    EXPECT_TRUE(bar(model, "w2/set-sysctls").critical);
    EXPECT_TRUE(bar(model, "w2/set-<b>&\"name\"", 1).critical);
    EXPECT_FALSE(bar(model, "w2/set-<b>&\"name\"", 0).critical);
    EXPECT_FALSE(bar(model, "cp1/set-hostname").critical);
    EXPECT_EQ(model.critical_steps, 2u);
    EXPECT_DOUBLE_EQ(model.critical_seconds, 5);
}

TEST(GanttModel, WhatRunsStillReachesToTheEndAndWhatAKilledProcessRanIsForgotten) {
    auto events = std::vector{
        event(0, "run.started", "", "", {{"kind", "apply"}}), event(1, "step.started", "w1", "a"),
        event(9, "run.resumed", "", "", {{"kind", "apply"}}), event(10, "step.started", "w1", "b"),
        event(12, "step.started", "w1", "c")};
    const GanttModel model = gantt_model(events);
    EXPECT_EQ(model.rows.size(), 2u);
    EXPECT_EQ(bar(model, "w1/b").outcome, "running");
    EXPECT_DOUBLE_EQ(bar(model, "w1/b").end, 12);
}

TEST(GanttModel, EventsOfOlderVersionsSayNothingOfWaiting) {
    const GanttModel model =
        gantt_model({event(0, "run.started", "", ""), finished(5, 1, "w1", "a")});
    EXPECT_DOUBLE_EQ(bar(model, "w1/a").waited(), 0);
}

TEST(GanttSvg, IsAsInTheGoldenFile) {
    const std::string svg = gantt_svg(gantt_model(sample()), {.cluster = "demo", .run = 3});
    EXPECT_EQ(svg, gantt_svg(gantt_model(sample()), {.cluster = "demo", .run = 3}));
    testing::expect_document("src/cli/testdata/gantt.svg", svg);
}

TEST(GanttSvg, TextIsEscaped) {
    const std::string svg = gantt_svg(gantt_model(sample()), {.cluster = "a<script>", .run = 3});
    EXPECT_THAT(svg, Not(HasSubstr("<script>")));
    EXPECT_THAT(svg, HasSubstr("set-&lt;b&gt;&amp;&quot;name&quot;"));
}

TEST(GanttSvg, OfNothingAtAllIsAPictureToo) {
    EXPECT_THAT(gantt_svg(gantt_model({}), {}), HasSubstr("</svg>"));
}

TEST(GanttSvg, AThousandHostsStayUsable) {
    std::vector<engine::Event> events = {event(0, "run.started", "", "", {{"kind", "apply"}})};
    for (int host = 0; host < 1000; ++host) {
        std::string after;
        for (int step = 0; step < 12; ++step) {
            const std::string name = fmt::format("n{}", host), id = fmt::format("step-{}", step);
            const bool bad = host == 777 && step == 5;
            events.push_back(
                finished(host * 0.05 + step + 1, 0.9, name, id, bad ? "failed" : "changed", after));
            after = name + "/" + id;
        }
    }
    const std::string svg = gantt_svg(gantt_model(events), {.cluster = "big", .run = 1});
    EXPECT_THAT(svg, HasSubstr(">960 more hosts<"));
    EXPECT_THAT(svg, HasSubstr(">n777<")) << "a failure is always shown";
    EXPECT_THAT(svg, HasSubstr(">n999<")) << "and so is the critical path";
    EXPECT_LT(svg.size(), 600u << 10);
}

}  // namespace
}  // namespace slipway::desk
