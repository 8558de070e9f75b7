#include "cli/progress.hpp"

#include "base/digest.hpp"
#include "base/files.hpp"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>

namespace slipway::cli {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

// A view that writes into a file instead of a terminal.
class Views : public ::testing::Test {
  protected:
    void SetUp() override {
        file_ = std::filesystem::path(::testing::TempDir()) / ("slipway-view-" + random_hex(6));
        fd_ = Fd(::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND, 0600));
        ASSERT_TRUE(fd_);
    }
    void TearDown() override { std::filesystem::remove(file_); }

    std::unique_ptr<engine::EventSink> view(ViewKind kind, Millis heartbeat = Millis(60'000)) {
        return make_view(kind, {.cluster = "demo",
                                .totals = {{.host = "cp1", .steps = 2}},
                                .fd = fd_.get(),
                                .clock = &system_clock(),
                                .heartbeat = heartbeat});
    }
    std::string written() const { return read_file(file_); }

    bool comes(std::string_view text) const {
        const SteadyTime until = system_clock().steady() + Millis(10'000);
        while (system_clock().steady() < until) {
            if (written().find(text) != std::string::npos) return true;
            system_clock().sleep_for(Millis(5), {});
        }
        return false;
    }

    static engine::Event event(std::string type, json::object body) {
        return {.run = 1,
                .wall_ms = system_clock().wall_ms(),
                .type = std::move(type),
                .host = "cp1",
                .step = "set-hostname",
                .body = std::move(body)};
    }

    std::filesystem::path file_;
    Fd fd_;
};

TEST_F(Views, PlainOneBeatsWhileNothingIsSaid) {
    const auto plain = view(ViewKind::plain, Millis(10));
    plain->on_event(event("step.started", {{"attempt", 1}}));
    EXPECT_TRUE(comes("still running: 0 %, 0 of 2 steps; running: cp1/set-hostname ("));
}

TEST_F(Views, PlainOneWritesALineAnEvent) {
    const auto plain = view(ViewKind::plain);
    plain->on_event(event("step.finished", {{"outcome", "changed"}, {"seconds", 0.4}}));
    plain->on_event(event("progress", {{"percent", 50.0}}));
    EXPECT_THAT(written(), EndsWith("  cp1  set-hostname  changed  0.4 s\n"));
    EXPECT_THAT(written(), Not(HasSubstr("\x1b")));
}

TEST_F(Views, LiveOneShowsTheHostsAndLeavesTheTerminalAsItWas) {
    auto live = view(ViewKind::live);
    live->on_event(event("step.started", {{"attempt", 1}}));
    EXPECT_TRUE(comes("> cp1"));
    live.reset();
    EXPECT_THAT(written(), EndsWith("\x1b[3A\x1b[J"));  // erased, nothing drawn over it
    EXPECT_THAT(written(),
                Not(HasSubstr("\x1b[?")));  // no mode was switched that a kill would leave
}

TEST_F(Views, JsonOneWritesObjects) {
    const auto lines = view(ViewKind::json);
    lines->on_event(event("step.finished", {{"outcome", "changed"}}));
    EXPECT_EQ(parse_json(written(), "line").as_object().at("outcome"), "changed");
}

TEST_F(Views, LostTerminalStopsNothing) {
    fd_.reset();
    const auto plain = make_view(
        ViewKind::plain, {.cluster = "demo", .totals = {}, .fd = -1, .clock = &system_clock()});
    const auto live = make_view(
        ViewKind::live, {.cluster = "demo", .totals = {}, .fd = -1, .clock = &system_clock()});
    plain->on_event(event("step.finished", {{"outcome", "changed"}}));
    live->on_event(event("step.finished", {{"outcome", "changed"}}));
    EXPECT_EQ(make_view(ViewKind::none, {.cluster = "", .totals = {}}), nullptr);
}

TEST_F(Views, AutomaticIsLiveOnlyOnATerminal) {
    view(ViewKind::automatic)
        ->on_event(event("step.finished", {{"outcome", "changed"}, {"seconds", 0}}));
    EXPECT_THAT(written(), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace slipway::cli
