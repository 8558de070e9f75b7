#include "server/gate.hpp"

#include "remote/testing/manual_clock.hpp"
#include "server/problem.hpp"

#include <gtest/gtest.h>

namespace slipway::server {
namespace {

using std::chrono::seconds;

constexpr const char* kPeer = "10.0.0.7:51234";

int seconds_to_wait(Gate& gate, const std::string& peer = kPeer) {
    try {
        gate.attempt(peer, [] { return false; });
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
    EXPECT_THROW(gate.attempt(kPeer, [&] { return looked = true; }), Problem);
    EXPECT_FALSE(looked);
    clock.advance(Millis(1000));
    EXPECT_TRUE(gate.attempt(kPeer, [] { return true; }));
    for (int i = 0; i < 4; ++i) EXPECT_EQ(seconds_to_wait(gate), 0) << "a right one forgives";
}

TEST(Gate, WhoGuessesKeepsNobodyElseOut) {
    remote::testing::ManualClock clock;
    Gate gate(clock);
    for (int i = 0; i < 5; ++i) seconds_to_wait(gate);
    EXPECT_EQ(seconds_to_wait(gate, "10.0.0.7:999"), 1) << "another port is the same one";
    EXPECT_TRUE(gate.attempt("10.0.0.8:51234", [] { return true; }));
    EXPECT_EQ(seconds_to_wait(gate), 1) << "the right answer of another forgives nothing";
}

TEST(Gate, ManyAddressesTogetherGetOneGuessASecond) {
    remote::testing::ManualClock clock;
    Gate gate(clock);
    const auto peer = [](int i) { return "10.0." + std::to_string(i) + ".1:1"; };
    for (int i = 0; i < Gate::kFreeOfAll; ++i) EXPECT_EQ(seconds_to_wait(gate, peer(i)), 0) << i;
    for (int i = 100; i < 110; ++i) {
        EXPECT_EQ(seconds_to_wait(gate, peer(i)), 1) << i;
        clock.advance(Millis(1000));
        EXPECT_EQ(seconds_to_wait(gate, peer(i)), 0) << i;
    }
    clock.advance(Millis(1000));
    EXPECT_TRUE(gate.attempt(peer(200), [] { return true; }));
}

TEST(Gate, NetworksOfIpv6CountTogether) {
    EXPECT_EQ(guesser_of("[2001:db8:1:2:3:4:5:6]:443"), guesser_of("[2001:db8:1:2::9]:1"));
    EXPECT_NE(guesser_of("[2001:db8:1:3::9]:1"), guesser_of("[2001:db8:1:2::9]:1"));
    EXPECT_EQ(guesser_of("10.0.0.7:443"), "10.0.0.7");
    EXPECT_EQ(guesser_of(""), "");
}

}  // namespace
}  // namespace slipway::server
