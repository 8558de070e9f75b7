#include "cli/event_line.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

#include <time.h>

namespace slipway::cli {
namespace {

class EventLine : public ::testing::Test {
  protected:
    void SetUp() override {
        ::setenv("TZ", "UTC", 1);
        ::tzset();
    }

    static engine::Event event(std::string type, json::object body,
                               engine::Level level = engine::Level::info) {
        return {.run = 3,
                .wall_ms = 43'384'000,  // 12:03:04
                .type = std::move(type),
                .level = level,
                .host = "cp1",
                .step = "set-hostname",
                .body = std::move(body)};
    }
    static std::string line(const engine::Event& e) { return event_line(e, {}); }
};

TEST_F(EventLine, StepSaysWhenWhereWhatAndHowLong) {
    EXPECT_EQ(line(event("step.finished", {{"outcome", "changed"}, {"seconds", 0.42}})),
              "12:03:04  cp1  set-hostname  changed  0.4 s");
    EXPECT_EQ(line(event("step.finished", {{"outcome", "failed"},
                                           {"seconds", 12},
                                           {"error", "HOST-LOST"},
                                           {"message", "no answer"}})),
              "12:03:04  cp1  set-hostname  failed  12 s  HOST-LOST: no answer");
    EXPECT_EQ(line(event("step.retrying", {{"attempt", 1},
                                           {"error", "HOST-LOST"},
                                           {"message", "no answer"},
                                           {"wait-seconds", 0.5}})),
              "12:03:04  cp1  set-hostname  trying again in 0.5 s  HOST-LOST: no answer");
}

TEST_F(EventLine, RunSaysItsCounts) {
    engine::Event e = event("run.finished", {{"result", "partial"},
                                             {"changed", 4},
                                             {"unchanged", 1},
                                             {"skipped", 2},
                                             {"failed", 1},
                                             {"blocked", 3},
                                             {"seconds", 61.0}});
    e.host.clear();
    e.step.clear();
    EXPECT_EQ(line(e),
              "12:03:04  run finished: partial; 4 changed, 1 unchanged, 2 skipped, 1 failed, 3 "
              "blocked  1 min 01 s");
}

TEST_F(EventLine, OutputOfAHostCannotDriveTheTerminal) {
    EXPECT_EQ(line(event("log.line", {{"line", "a\x1b[2Jb"}})).find('\x1b'), std::string::npos);
}

TEST_F(EventLine, QuietRunLeavesOutWhatChangedNothing) {
    EXPECT_TRUE(is_of_interest(event("step.finished", {{"outcome", "changed"}}), false));
    EXPECT_FALSE(is_of_interest(event("step.finished", {{"outcome", "unchanged"}}), false));
    EXPECT_TRUE(is_of_interest(event("step.finished", {{"outcome", "unchanged"}}), true));
    EXPECT_FALSE(is_of_interest(event("log.line", {}), false));
    EXPECT_FALSE(is_of_interest(event("progress", {}), true));
    EXPECT_TRUE(is_of_interest(event("step.slow", {}, engine::Level::warning), false));
}

// A new type must not appear on people's screens as raw JSON.
TEST_F(EventLine, EveryTypeHasWords) {
    for (const engine::EventType& type : engine::event_types()) {
        EXPECT_EQ(event_words(event(std::string(type.name), {})).find('{'), std::string::npos)
            << type.name;
    }
}

TEST_F(EventLine, RowOfTheJournalComesBackAsTheEvent) {
    const engine::Event e = event_from_row({.seq = 9,
                                            .run = 3,
                                            .at_ms = 5,
                                            .type = "log.line",
                                            .level = "warning",
                                            .host = "w1",
                                            .step = "s",
                                            .body = R"({"line":"x"})"});
    EXPECT_EQ(e.seq, 9);
    EXPECT_EQ(e.level, engine::Level::warning);
    EXPECT_EQ(string_at(e.body, "line"), "x");
}

}  // namespace
}  // namespace slipway::cli
