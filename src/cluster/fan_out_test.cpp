#include "cluster/fan_out.hpp"

#include "remote/testing/manual_clock.hpp"

#include <atomic>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

using remote::testing::ManualClock;

TEST(InParallel, DoesEachOnceAndWaitsForAll) {
    std::vector<std::atomic<int>> done(500);
    in_parallel(done.size(), 16, {}, [&](std::size_t i) { ++done[i]; });
    for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1);
    in_parallel(0, 16, {}, [](std::size_t) { FAIL(); });
}

TEST(InParallel, OneThatFailsDoesNotKeepTheOthersFromBeingDone) {
    std::atomic<int> done{0};
    EXPECT_THROW(in_parallel(100, 4, {},
                             [&](std::size_t i) {
                                 ++done;
                                 if (i == 3) throw std::runtime_error("no");
                             }),
                 std::runtime_error);
    EXPECT_EQ(done, 100);
}

TEST(InParallel, BeginsNothingAfterAStop) {
    const auto stop = std::make_unique<std::stop_source>();
    std::atomic<int> done{0};
    in_parallel(100, 1, stop->get_token(), [&](std::size_t i) {
        ++done;
        if (i == 9) stop->request_stop();
    });
    EXPECT_EQ(done, 10);
}

TEST(WithRetries, TriesTransientErrorsAgainAndNoOthers) {
    ManualClock clock(ManualClock::Mode::jump);
    int tries = 0;
    const auto fails = [&](int times, Recovery recovery) {
        tries = 0;
        return with_retries(clock, 3, {}, [&] {
            if (++tries <= times) throw HostError("HOST-LOST", "lost", {.recovery = recovery});
            return tries;
        });
    };
    EXPECT_EQ(fails(3, Recovery::transient), 4);
    EXPECT_EQ(clock.elapsed(), Millis(250 + 500 + 750));
    EXPECT_THROW(fails(4, Recovery::transient), HostError);
    EXPECT_THROW(fails(1, Recovery::fatal), HostError);
    EXPECT_EQ(tries, 1);
}

TEST(WithRetries, DoesNotTryAgainWhatTookLongToFail) {
    ManualClock clock(ManualClock::Mode::jump);
    int tries = 0;
    const auto hangs = [&] {
        ++tries;
        clock.sleep_for(std::chrono::seconds(25), {});
        throw HostError("HOST-STALLED", "stalled", {.recovery = Recovery::transient});
    };
    EXPECT_THROW(with_retries(clock, 4, {}, hangs), HostError);
    EXPECT_EQ(tries, 2);
}

}  // namespace
}  // namespace slipway::cluster
