#include "server/gate.hpp"

#include "remote/testing/manual_clock.hpp"
#include "server/problem.hpp"

#include <gtest/gtest.h>

namespace slipway::server {
namespace {

using std::chrono::seconds;

int seconds_to_wait(Gate& gate) {
    try {
        gate.attempt([] { return false; });
        return 0;
    } catch (const Problem& problem) {
        EXPECT_EQ(problem.status, 429);
        return std::stoi(std::string(problem.headers.find("Retry-After").value_or("0")));
    }
}

TEST(Gate, FiveAreFreeThenTheWaitDoublesUpToAMinute) {
    remote::testing::ManualClock clock;
    Gate gate(clock);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(seconds_to_wait(gate), 0) << i;
    for (const int wanted : {1, 2, 4, 8, 16, 32, 60, 60}) {
        EXPECT_EQ(seconds_to_wait(gate), wanted);
        clock.advance(Millis(seconds(wanted)) - Millis(1));
        EXPECT_EQ(seconds_to_wait(gate), 1);
        clock.advance(Millis(1));
        EXPECT_EQ(seconds_to_wait(gate), 0) << "one more is looked at";
    }
}

TEST(Gate, WhileItIsClosedNothingIsLookedAt) {
    remote::testing::ManualClock clock;
    Gate gate(clock);
    for (int i = 0; i < 5; ++i) seconds_to_wait(gate);
    bool looked = false;
    EXPECT_THROW(gate.attempt([&] { return looked = true; }), Problem);
    EXPECT_FALSE(looked);
    clock.advance(Millis(1000));
    EXPECT_TRUE(gate.attempt([] { return true; }));
    for (int i = 0; i < 4; ++i) EXPECT_EQ(seconds_to_wait(gate), 0) << "a right one forgives";
}

}  // namespace
}  // namespace slipway::server
