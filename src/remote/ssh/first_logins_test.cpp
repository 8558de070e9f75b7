#include "remote/ssh/first_logins.hpp"

#include "base/error.hpp"

#include <atomic>
#include <latch>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace slipway::remote {
namespace {

using Verdict = FirstLogins::Verdict;

class FirstLoginsTest : public ::testing::Test {
  protected:
    // Many come while the first one tries; the number of those who are refused.
    int refused_of_many(const FirstLogins::Try& attempt) {
        std::latch begun(1);
        std::atomic<int> refused = 0;
        const auto settle = [&] {
            try {
                logins_.settle("gate",
                               [&] {
                                   if (tries_++ == 0) begun.count_down();
                                   return attempt();
                               },
                               {});
            } catch (const HostError&) {
                ++refused;
            }
        };
        std::vector<std::jthread> hosts;
        hosts.emplace_back(settle);
        begun.wait();
        for (int i = 0; i < 5; ++i) hosts.emplace_back(settle);
        hosts.clear();
        return refused;
    }

    FirstLogins logins_;
    std::atomic<int> tries_ = 0;
};

TEST_F(FirstLoginsTest, RefusedOnceIsRefusedForAllAndForEver) {
    const auto refuse = []() -> Verdict { throw HostError("HOST-LOGIN-REFUSED", "no"); };
    EXPECT_EQ(refused_of_many(refuse), 6);
    EXPECT_THROW(logins_.settle("gate", refuse, {}), HostError);
    EXPECT_EQ(tries_, 1);
    EXPECT_NO_THROW(logins_.settle("another", [] { return Verdict::good; }, {}));
}

TEST_F(FirstLoginsTest, GoodIsTriedOnce) {
    EXPECT_EQ(refused_of_many([] { return Verdict::good; }), 0);
    EXPECT_EQ(tries_, 1);
}

TEST_F(FirstLoginsTest, UnclearIsTriedAgainByWhoComesLater) {
    const auto unclear = [&] {
        ++tries_;
        return Verdict::unclear;
    };
    logins_.settle("gate", unclear, {});
    logins_.settle("gate", unclear, {});
    EXPECT_EQ(tries_, 2);
}

TEST_F(FirstLoginsTest, WhoWaitsCanBeStopped) {
    std::latch begun(1), over(1);
    std::jthread first([&] {
        logins_.settle("gate",
                       [&] {
                           begun.count_down();
                           over.wait();
                           return Verdict::good;
                       },
                       {});
    });
    begun.wait();
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW(logins_.settle("gate", [] { return Verdict::good; }, stop.get_token()), Cancelled);
    over.count_down();
}

}  // namespace
}  // namespace slipway::remote
