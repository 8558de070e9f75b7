#include "server/sessions.hpp"

#include "remote/testing/manual_clock.hpp"

#include <set>

#include <gtest/gtest.h>

namespace slipway::server {
namespace {

TEST(Sessions, EndWhenNobodyUsesThem) {
    remote::testing::ManualClock clock;
    Sessions sessions(clock);
    const std::string id = sessions.open(Role::admin).id;
    clock.advance(Millis(Sessions::kIdle) - Millis(1));
    EXPECT_TRUE(sessions.find(id).has_value());
    clock.advance(Millis(Sessions::kIdle) - Millis(1));
    EXPECT_TRUE(sessions.find(id).has_value()) << "it was used meanwhile";
    clock.advance(Millis(Sessions::kIdle));
    EXPECT_FALSE(sessions.find(id).has_value());
    EXPECT_EQ(sessions.count(), 0u);
}

TEST(Sessions, AreNeverMoreThanTheCap) {
    remote::testing::ManualClock clock;
    Sessions sessions(clock);
    const std::string first = sessions.open(Role::admin).id;
    std::set<std::string> ids;
    for (int i = 0; i < 10'000; ++i) {
        clock.advance(Millis(1));
        ids.insert(sessions.open(Role::admin).id);
    }
    EXPECT_EQ(ids.size(), 10'000u) << "no id comes twice";
    EXPECT_EQ(sessions.count(), Sessions::kMost);
    EXPECT_FALSE(sessions.find(first).has_value());
}

}  // namespace
}  // namespace slipway::server
