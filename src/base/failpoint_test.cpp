#include "base/failpoint.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <thread>

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

namespace slipway {
namespace {

const Failpoint kFirst("test.first", Failpoint::Where::apply, "a place of this test", true);
const Failpoint kSecond("test.second", Failpoint::Where::resume, "another place of this test");

class FailpointTest : public ::testing::Test {
  protected:
    ~FailpointTest() override { Failpoint::arm(""); }
};

TEST_F(FailpointTest, ListsEveryPlaceByName) {
    const auto places = Failpoint::all();
    EXPECT_TRUE(std::ranges::is_sorted(places, {}, [](auto* p) { return p->name(); }));
    EXPECT_NE(std::ranges::find(places, &kFirst), places.end());
    EXPECT_NE(std::ranges::find(places, &kSecond), places.end());
    EXPECT_TRUE(kFirst.per_step());
    EXPECT_FALSE(kSecond.per_step());
}

TEST_F(FailpointTest, UnarmedPlacesDoNothing) {
    EXPECT_NO_THROW(kFirst.hit());
    EXPECT_FALSE(Failpoint::fired());
}

TEST_F(FailpointTest, FiresOnlyTheArmedPlaceAndOnlyOnce) {
    Failpoint::arm("test.first=error");
    EXPECT_NO_THROW(kSecond.hit());
    EXPECT_FALSE(Failpoint::fired());
    EXPECT_THROW(kFirst.hit(), RemoteError);
    EXPECT_TRUE(Failpoint::fired());
    EXPECT_NO_THROW(kFirst.hit());
}

TEST_F(FailpointTest, ActionChoosesWhetherTheErrorIsRetried) {
    const auto recovery_of = [](const char* text) {
        Failpoint::arm(text);
        try {
            kFirst.hit();
        } catch (const Error& e) {
            return e.recovery();
        }
        ADD_FAILURE() << text << " did not fire";
        return Recovery::needs_user;
    };
    EXPECT_EQ(recovery_of("test.first=error"), Recovery::fatal);
    EXPECT_EQ(recovery_of("test.first=transient"), Recovery::transient);
}

TEST_F(FailpointTest, CountsHitsUpToTheOneAskedFor) {
    Failpoint::arm("test.first=error#3");
    EXPECT_NO_THROW(kFirst.hit());
    EXPECT_NO_THROW(kFirst.hit());
    EXPECT_THROW(kFirst.hit(), RemoteError);
}

TEST_F(FailpointTest, NodeLimitsItToOneStepOfOneHost) {
    Failpoint::arm("test.first@cp1/set-hostname=error");
    EXPECT_NO_THROW(kFirst.hit());  // outside any step
    const FailpointScope outer("w1/set-hostname");
    EXPECT_NO_THROW(kFirst.hit());
    {
        const FailpointScope inner("cp1/set-hostname");
        std::jthread([] { EXPECT_NO_THROW(kFirst.hit()); }).join();  // another thread, another node
        EXPECT_THROW(kFirst.hit(), RemoteError);
    }
    Failpoint::arm("test.first@w1/set-hostname=error");
    EXPECT_THROW(kFirst.hit(), RemoteError);  // the outer node is back
}

TEST_F(FailpointTest, TextThatNamesNoPlaceAndActionIsRefused) {
    for (const char* text : {"test.third=kill", "test.first", "test.first=", "test.first=explode",
                             "=kill", "test.first=kill#0", "test.first=kill#-1", "test.first=kill#",
                             "test.first=kill#2x", "test.first@cp1/x"}) {
        try {
            Failpoint::arm(text);
            ADD_FAILURE() << "accepted: " << text;
        } catch (const UserError& e) {
            EXPECT_EQ(e.id(), "USAGE-FAILPOINT") << text;
        }
        EXPECT_NO_THROW(kFirst.hit()) << text;  // and nothing is armed
    }
}

TEST_F(FailpointTest, HangLastsUntilItIsDisarmed) {
    Failpoint::arm("test.first=hang");
    std::jthread hanging([] { kFirst.hit(); });
    while (!Failpoint::fired()) std::this_thread::yield();
    Failpoint::arm("");
}

TEST_F(FailpointTest, KillIsSigkill) {
    const pid_t child = ::fork();
    if (child == 0) {
        Failpoint::arm("test.first=kill#2");
        kFirst.hit();
        kFirst.hit();
        ::_exit(0);  // not reached
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

TEST_F(FailpointTest, ArmsFromTheEnvironment) {
    ::setenv("SLIPWAY_FAILPOINT", "test.second=error", 1);
    Failpoint::arm_from_environment();
    ::unsetenv("SLIPWAY_FAILPOINT");
    EXPECT_THROW(kSecond.hit(), RemoteError);
}

}  // namespace
}  // namespace slipway
