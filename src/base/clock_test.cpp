#include "base/clock.hpp"

#include <thread>

#include <gtest/gtest.h>

namespace slipway {
namespace {

using std::chrono::hours;

TEST(Clock, FormatsUtcWithMilliseconds) {
    EXPECT_EQ(format_utc(0), "1970-01-01T00:00:00.000Z");
    EXPECT_EQ(format_utc(951'782'400'007), "2000-02-29T00:00:00.007Z");
    EXPECT_EQ(format_utc(-1), "1969-12-31T23:59:59.999Z");
}

TEST(Clock, FormatsDurationsForPeople) {
    EXPECT_EQ(format_duration(Millis(0)), "0 ms");
    EXPECT_EQ(format_duration(Millis(850)), "850 ms");
    EXPECT_EQ(format_duration(Millis(1500)), "1.5 s");
    EXPECT_EQ(format_duration(Millis(12'400)), "12 s");
    EXPECT_EQ(format_duration(Millis(59'600)), "1 min 00 s");  // never "60 s"
    EXPECT_EQ(format_duration(Millis(185'000)), "3 min 05 s");
    EXPECT_EQ(format_duration(Millis(3'599'600)), "1 h 00 min");
    EXPECT_EQ(format_duration(Millis(3'720'000)), "1 h 02 min");
}

TEST(Clock, SleepEndsAtItsTimeAndNotBefore) {
    Clock& clock = system_clock();
    const SteadyTime until = clock.steady() + Millis(5);
    EXPECT_TRUE(clock.sleep_until(until, {}));
    EXPECT_GE(clock.steady(), until);
}

TEST(Clock, StopEndsASleepOfHours) {
    Clock& clock = system_clock();
    std::stop_source stop;
    bool slept = true;
    std::jthread sleeper([&] { slept = clock.sleep_for(hours(10), stop.get_token()); });
    stop.request_stop();
    sleeper.join();
    EXPECT_FALSE(slept);
    EXPECT_FALSE(clock.sleep_for(hours(10), stop.get_token()));  // stopped before it began
}

TEST(Clock, WallTimeIsInThisCentury) {
    EXPECT_GT(system_clock().wall_ms(), 1'700'000'000'000);
    EXPECT_LT(system_clock().wall_ms(), 4'102'444'800'000);
}

}  // namespace
}  // namespace slipway
