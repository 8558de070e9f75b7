#include "cli/detach.hpp"

#include "base/error.hpp"

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

namespace slipway::cli {
namespace {

TEST(Detached, GivesTheCodeOfAProcessThatEndedBeforeItsRunBegan) {
    Detached detached;
    if (detached.in_child()) ::_exit(3);
    ExitCode ended = ExitCode::ok;
    EXPECT_EQ(detached.wait(ended), std::nullopt);
    EXPECT_EQ(static_cast<int>(ended), 3);
}

TEST(Detached, SaysThatTheProcessWasKilled) {
    Detached detached;
    if (detached.in_child()) ::raise(SIGKILL);
    ExitCode ended = ExitCode::ok;
    try {
        detached.wait(ended);
        FAIL() << "nobody was told";
    } catch (const StateError& error) {
        EXPECT_EQ(error.id(), "SYSTEM-NO-PROCESS");
        EXPECT_THAT(error.cause(), ::testing::HasSubstr("Killed"));
    }
}

}  // namespace
}  // namespace slipway::cli
