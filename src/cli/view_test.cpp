#include "cli/view.hpp"

#include "cli/columns.hpp"
#include "cli/terminal.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Style kUnicode{.colour = false, .unicode = true};
constexpr Style kAscii{.colour = false, .unicode = false};
constexpr std::int64_t kStart = 1'000'000'000;

engine::Event event(std::string type, std::string host, std::string step, json::object body,
                    std::int64_t at = kStart, engine::Level level = engine::Level::info) {
    return {.run = 3,
            .wall_ms = at,
            .type = std::move(type),
            .level = level,
            .host = std::move(host),
            .step = std::move(step),
            .body = std::move(body)};
}

ViewModel running_model() {
    ViewModel model("demo", {{"w10", 4}, {"cp1", 5}, {"w2", 4}});
    model.apply(event("run.started", "", "", {{"kind", "apply"}, {"steps", 13}, {"hosts", 3}}));
    for (const char* step : {"a", "b"}) {
        model.apply(event("step.started", "cp1", step, {{"attempt", 1}}));
        model.apply(event("step.finished", "cp1", step, {{"outcome", "changed"}}));
    }
    model.apply(
        event("step.started", "cp1", "load-kernel-modules", {{"attempt", 1}}, kStart + 1000));
    model.apply(event("progress", "", "",
                      {{"percent", 41.7},
                       {"done", 5},
                       {"total", 13},
                       {"running", 1},
                       {"seconds-left", 70},
                       {"seconds-left-low", 50.2},
                       {"seconds-left-high", 100}}));
    return model;
}

TEST(View, FrameShowsTheRunItsTimeLeftAndALineAHost) {
    EXPECT_THAT(render(running_model(), {100, 30}, kStart + 4000, kUnicode),
                ElementsAre("demo  apply run 3  00:04  about 1 min 10 s left (50 s to 1 min 40 s)",
                            "█████████████░░░░░░░░░░░░░░░░░░░░  41 %  5/13 steps, 1 running",
                            "● cp1       ████░░░░░░░░ 2/5  load-kernel-modules  3 s",
                            "○ w2        ░░░░░░░░░░░░ 0/4  waiting",
                            "○ w10       ░░░░░░░░░░░░ 0/4  waiting"));
}

TEST(View, WithoutUnicodeEveryStateStillHasItsOwnSign) {
    ViewModel model = running_model();
    model.apply(
        event("host.set-aside", "w2", "", {{"error", "HOST-LOST"}, {"message", "no answer"}}));
    for (const char* step : {"a", "b", "c", "d"}) {
        model.apply(event("step.finished", "w10", step, {{"outcome", "unchanged"}}));
    }
    const std::vector<std::string> frame = render(model, {60, 30}, kStart + 4000, kAscii);
    EXPECT_EQ(frame[2], "> cp1       ##----- 2/5  load-kernel-modules  3 s");
    EXPECT_EQ(frame[3], "x w2        ------- 0/4  set aside  HOST-LOST: no answer");
    EXPECT_EQ(frame[4], "= w10       ####### 4/4  done");
}

TEST(View, NoLineIsWiderThanTheTerminal) {
    ViewModel model = running_model();
    model.apply(event("step.retrying", "w2", "a",
                      {{"attempt", 1},
                       {"error", "HOST-LOST"},
                       {"message", "主机没有回答 and some more words"},
                       {"wait-seconds", 2}},
                      kStart, engine::Level::warning));
    for (const std::size_t width : {20u, 33u, 60u, 81u, 200u}) {
        for (const std::string& line : render(model, {width, 24}, kStart + 4000, kUnicode)) {
            EXPECT_LE(columns(line), width) << line;
        }
    }
}

TEST(View, ManyHostsAreFoldedWithActiveAndFailedOnesFirst) {
    std::vector<HostTotal> totals;
    for (int i = 1; i <= 1000; ++i) totals.push_back({fmt::format("n{}", i), 2});
    ViewModel model("big", totals);
    model.apply(event("run.started", "", "", {{"kind", "apply"}}));
    for (const char* step : {"a", "b"})
        model.apply(event("step.finished", "n1", step, {{"outcome", "changed"}}));
    model.apply(event("step.started", "n700", "a", {}));
    model.apply(
        event("step.finished", "n900", "a", {{"outcome", "failed"}, {"error", "HOST-LOST"}}));
    const std::vector<std::string> frame = render(model, {80, 8}, kStart, kUnicode);
    ASSERT_EQ(frame.size(), 7u);
    EXPECT_THAT(frame[2], HasSubstr("✗ n900"));
    EXPECT_THAT(frame[3], HasSubstr("● n700"));
    EXPECT_EQ(frame[6], "… 996 more hosts: 995 waiting, 1 done");
}

TEST(View, FrameNeverFillsTheWholeScreen) {
    for (const std::size_t height : {1u, 3u, 4u, 9u, 24u}) {
        EXPECT_LE(render(running_model(), {80, height}, kStart, kUnicode).size(),
                  std::max<std::size_t>(height, 4) - 1);
    }
}

TEST(View, PercentNeverGoesBack) {
    ViewModel model = running_model();
    model.apply(
        event("progress", "", "", {{"percent", 12.0}, {"done", 5}, {"total", 13}, {"running", 1}}));
    EXPECT_GE(model.percent, 41.7);
}

TEST(View, ResumedRunCountsWhatWasDoneBefore) {
    ViewModel model("demo", {{.host = "cp1", .steps = 5, .done_before = 3}});
    model.apply(event("run.resumed", "", "", {{"kind", "apply"}, {"done", 3}, {"steps", 5}}));
    EXPECT_EQ(model.hosts()[0].done, 3u);
}

TEST(View, PausedRunSaysHowToGoOn) {
    ViewModel model = running_model();
    model.apply(event("run.paused", "", "", {{"by", "ops"}}));
    EXPECT_THAT(render(model, {100, 30}, kStart, kUnicode)[0],
                HasSubstr("paused: slipway resume demo"));
    model.apply(event("run.continued", "", "", {{"by", "ops"}}));
    EXPECT_THAT(render(model, {100, 30}, kStart, kUnicode)[0],
                HasSubstr("00:00  about 1 min 10 s left"));
}

TEST(View, StepThatWaitsForSomebodyIsShownUntilItEnds) {
    ViewModel model = running_model();
    model.apply(event("step.waiting", "w2", "sync-time", {{"for", "delegate"}}));
    model.apply(event("step.started", "w2", "other", {}));
    EXPECT_THAT(render(model, {100, 30}, kStart, kUnicode)[3],
                HasSubstr("? w2        ░░░░░░░░░░░░ 0/4  sync-time  waiting for delegate"));
    model.apply(event("step.finished", "w2", "sync-time", {{"outcome", "changed"}}));
    EXPECT_THAT(render(model, {100, 30}, kStart, kUnicode)[3],
                HasSubstr("● w2        ███░░░░░░░░░ 1/4  other"));
}

TEST(View, OnlyTheLastTroublesStay) {
    ViewModel model = running_model();
    for (int i = 1; i <= 5; ++i) {
        model.apply(event("step.slow", "cp1", fmt::format("s{}", i),
                          {{"seconds", 70}, {"deadline-seconds", 300}}, kStart,
                          engine::Level::warning));
    }
    const std::vector<std::string> frame = render(model, {100, 30}, kStart, kUnicode);
    EXPECT_THAT(frame.back(), HasSubstr("cp1  s5  slow: 1 min 10 s so far, deadline 5 min 00 s"));
    EXPECT_THAT(frame[frame.size() - 3], HasSubstr("s3"));
    EXPECT_EQ(frame.size(), 5u + 3u);
}

TEST(View, SummaryNamesWhatRuns) {
    EXPECT_EQ(summary(running_model(), kStart + 4000),
              "41 %, 5 of 13 steps; running: cp1/load-kernel-modules (3.0 s)");
}

TEST(Terminal, RedrawGoesUpOverTheFormerFrameAndErasesTheRest) {
    EXPECT_EQ(redraw(2, {}, {"a", "b"}), "\r\x1b[2A\x1b[Ka\r\n\x1b[Kb\r\n\x1b[J");
    EXPECT_EQ(redraw(0, {}, {"a"}), "\r\x1b[Ka\r\n\x1b[J");
    EXPECT_EQ(redraw(1, {"log"}, {"a"}), "\r\x1b[1A\x1b[Jlog\r\n\x1b[Ka\r\n\x1b[J");
}

TEST(Columns, WideAndCombiningCharactersCountAsTheTerminalDraws) {
    EXPECT_EQ(columns("abc"), 3u);
    EXPECT_EQ(columns("主机"), 4u);
    EXPECT_EQ(columns("e\xcc\x81"), 1u);
    EXPECT_EQ(fit("主机名", 4, true), "主…");
    EXPECT_EQ(fit("hostname", 4, false), "hos~");
    EXPECT_EQ(pad("ab", 4, true), "ab  ");
}

}  // namespace
}  // namespace slipway::cli
