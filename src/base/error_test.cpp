#include "base/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway {
namespace {

TEST(Error, SaysIdAndMessageInOneLineAndKeepsTheRest) {
    const HostError e(
        "HOST-NO-SUDO", "sudo refused the command on w2",
        {.cause = "user ops may not run sudo", .remedy = "add ops to the sudo group"});
    EXPECT_STREQ(e.what(), "HOST-NO-SUDO: sudo refused the command on w2");
    EXPECT_EQ(e.id(), "HOST-NO-SUDO");
    EXPECT_EQ(e.cause(), "user ops may not run sudo");
    EXPECT_EQ(e.remedy(), "add ops to the sudo group");
}

TEST(Error, IsFatalUnlessItSaysOtherwise) {
    EXPECT_EQ(Error("X-Y", "m").recovery(), Recovery::fatal);
    EXPECT_EQ(Error("X-Y", "m", {.recovery = Recovery::transient}).recovery(), Recovery::transient);
    EXPECT_EQ(to_string(Recovery::needs_user), "needs-user");
}

TEST(Error, ContextGrowsOutwardsWhileTheIdStays) {
    try {
        try {
            throw UserError("FILE-UNREADABLE", "cannot read key");
        } catch (Error& e) {
            e.add_context("reading the key of w2");
            throw;
        }
    } catch (Error& e) {
        e.add_context("connecting to w2");
        EXPECT_EQ(e.id(), "FILE-UNREADABLE");
        EXPECT_THAT(e.context(),
                    ::testing::ElementsAre("reading the key of w2", "connecting to w2"));
        EXPECT_NE(dynamic_cast<const UserError*>(&e), nullptr);  // rethrowing did not slice it
    }
}

TEST(Error, CatchingErrorsDoesNotSwallowCancelled) {
    static_assert(!std::is_base_of_v<Error, Cancelled>);
    static_assert(std::is_base_of_v<StateError, LockedError>);
    const auto cancel = [] {
        try {
            throw Cancelled();
        } catch (const Error&) {
            ADD_FAILURE() << "Cancelled was taken for an Error";
        }
    };
    EXPECT_THROW(cancel(), Cancelled);
}

}  // namespace
}  // namespace slipway
