#include "base/local_command.hpp"

#include "base/error.hpp"
#include "base/testing/error_of.hpp"

#include <csignal>
#include <memory>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

struct Ran {
    LocalResult result;
    std::vector<std::string> lines;
};

Ran run(LocalCommand command) {
    Ran out;
    command.on_line = [&](std::string_view stream, std::string_view line) {
        out.lines.push_back(std::string(stream) + ": " + std::string(line));
    };
    out.result = run_local(command, std::stop_token());
    return out;
}

Ran shell(std::string script, Millis deadline = 30s) {
    return run({.argv = {"/bin/sh", "-c", std::move(script)}, .deadline = deadline});
}

TEST(LocalCommand, HandsOverLinesOfBothStreamsAndTheExitCode) {
    const Ran ran = shell("echo one; echo two >&2; printf 'three\\r\\nfour'; exit 7");
    EXPECT_EQ(ran.result.exit_code, 7);
    EXPECT_FALSE(ran.result.timed_out);
    EXPECT_THAT(ran.lines, ::testing::UnorderedElementsAre("stdout: one", "stdout: three",
                                                           "stdout: four", "stderr: two"));
}

TEST(LocalCommand, GivesNoInputAndTheEnvironmentWithWhatIsAddedAndTakenOut) {
    ::setenv("SLIPWAY_TEST_SECRET", "hush", 1);
    const Ran ran = run({.argv = {"/bin/sh", "-c", "cat; echo \"$A-$SLIPWAY_TEST_SECRET-\""},
                         .env = {{"A", "b c"}, {"SLIPWAY_TEST_SECRET", ""}}});
    ::unsetenv("SLIPWAY_TEST_SECRET");
    EXPECT_THAT(ran.lines, ElementsAre("stdout: b c--"));
}

TEST(LocalCommand, NoShellReadsTheArguments) {
    EXPECT_THAT(run({.argv = {"echo", "$HOME; `id` *"}}).lines,
                ElementsAre("stdout: $HOME; `id` *"));
}

bool lives(pid_t pid) { return ::kill(pid, 0) == 0; }

// A killed process stays visible until its new parent has looked.
bool goes(pid_t pid) {
    for (int i = 0; i < 2000 && lives(pid); ++i) {
        const std::string state = "/proc/" + std::to_string(pid) + "/stat";
        std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(state.c_str(), "r"),
                                                             std::fclose);
        char letter = 0;
        if (file && std::fscanf(file.get(), "%*d %*s %c", &letter) == 1 && letter == 'Z')
            return true;
        std::this_thread::yield();
    }
    return !lives(pid);
}

TEST(LocalCommand, AtTheDeadlineTheProgramAndAllItStartedAreEnded) {
    const Ran ran = shell("trap '' TERM; sleep 600 & echo $!; wait; sleep 600", 300ms);
    EXPECT_TRUE(ran.result.timed_out);
    ASSERT_EQ(ran.lines.size(), 1u);
    EXPECT_TRUE(goes(std::stoi(ran.lines[0].substr(8))));
}

TEST(LocalCommand, AWishToStopEndsItAsWell) {
    const auto stop = std::make_unique<std::stop_source>();
    pid_t child = 0;
    LocalCommand command{.argv = {"/bin/sh", "-c", "sleep 600 & echo $!; wait"}};
    command.on_line = [&](std::string_view, std::string_view line) {
        child = std::stoi(std::string(line));
        stop->request_stop();
    };
    EXPECT_THROW(run_local(command, stop->get_token()), Cancelled);
    ASSERT_NE(child, 0);
    EXPECT_TRUE(goes(child));
}

TEST(LocalCommand, WhatAProgramLeavesRunningIsNotWaitedFor) {
    const Ran ran = shell("sleep 600 & echo $!");
    EXPECT_EQ(ran.result.exit_code, 0);
    ASSERT_EQ(ran.lines.size(), 1u);
    const pid_t left = std::stoi(ran.lines[0].substr(8));
    EXPECT_TRUE(lives(left));
    ::kill(left, SIGKILL);
}

TEST(LocalCommand, AProgramThatIsNotThereSaysSo) {
    EXPECT_EQ(testing::error_of([] { run({.argv = {"no-such-program-x"}}); }), "PROGRAM-MISSING");
    EXPECT_EQ(testing::error_of([] { run({.argv = {"/no/such/program"}}); }), "PROGRAM-START");
}

TEST(LocalCommand, AVeryLongLineComesInPieces) {
    const Ran ran = shell("head -c 200000 /dev/zero | tr '\\0' x");
    std::size_t total = 0;
    for (const std::string& line : ran.lines) total += line.size() - 8;
    EXPECT_EQ(total, 200000u);
    EXPECT_GT(ran.lines.size(), 1u);
}

}  // namespace
}  // namespace slipway
