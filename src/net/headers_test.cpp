#include "net/headers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::net {
namespace {

TEST(Headers, AreFoundWithoutCaseAndKeepTheirOrder) {
    Headers headers = {{"Accept", "a"}, {"X", "1"}, {"ACCEPT", "b"}};
    EXPECT_EQ(headers.find("accept"), "a");
    EXPECT_THAT(headers.find_all("aCCept"), ::testing::ElementsAre("a", "b"));
    EXPECT_EQ(headers.find("accep"), std::nullopt);
    headers.set("accept", "c");
    EXPECT_EQ(headers.count("Accept"), 1u);
    headers.remove("ACCEPT");
    EXPECT_EQ(headers.size(), 1u);
}

TEST(Headers, TokensOfLists) {
    const Headers headers = {{"Connection", "keep-alive , Upgrade"}, {"connection", "CLOSE"}};
    EXPECT_TRUE(headers.has_token("Connection", "close"));
    EXPECT_TRUE(headers.has_token("Connection", "upgrade"));
    EXPECT_FALSE(headers.has_token("Connection", "keep"));
}

TEST(Headers, OnlyOneLineIsSent) {
    EXPECT_TRUE(is_sendable({"X-Y_z", "a\tb \xc3\xa4"}));
    for (const Headers::Field& bad : std::vector<Headers::Field>{{"", "a"},
                                                                 {"X:", "a"},
                                                                 {"X Y", "a"},
                                                                 {"X\n", "a"},
                                                                 {"X", "a\n"},
                                                                 {"X", "a\rb"},
                                                                 {"X", std::string("a\0", 2)},
                                                                 {"X", "\x7f"}}) {
        EXPECT_FALSE(is_sendable(bad)) << bad.first;
    }
}

}  // namespace
}  // namespace slipway::net
