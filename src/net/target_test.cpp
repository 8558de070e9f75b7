#include "net/target.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace slipway::net {
namespace {

TEST(Target, IsTakenApart) {
    const Target target = parse_target("GET", "/v2/a%20b/tags?n=10&last=x%2By+z&n=11&flag&=e");
    EXPECT_EQ(target.path, "/v2/a b/tags");
    EXPECT_EQ(target.raw_path, "/v2/a%20b/tags");
    EXPECT_EQ(target.parameter("n"), "10");
    EXPECT_EQ(target.parameter("last"), "x+y z");
    EXPECT_EQ(target.parameter("flag"), "");
    EXPECT_EQ(target.parameter("none"), std::nullopt);
    EXPECT_EQ(target.query.size(), 5u);
}

TEST(Target, MayNameTheServer) {
    EXPECT_EQ(parse_target("GET", "HTTP://a:1/b?c").path, "/b");
    EXPECT_EQ(parse_target("GET", "https://a").path, "/");
    EXPECT_EQ(parse_target("GET", "http://a?b=c").parameter("b"), "c");
    EXPECT_EQ(parse_target("OPTIONS", "*").path, "*");
    EXPECT_EQ(parse_target("GET", "HTTP://a:1/b?c").authority, "a:1");
    EXPECT_EQ(parse_target("GET", "http://a?b=c").authority, "a");
    EXPECT_EQ(parse_target("GET", "/http://a/").authority, "");
}

RC_GTEST_PROP(Percent, DecodesWhatItEncodes, (const std::string& text)) {
    RC_ASSERT(percent_decoded(percent_encoded(text)) == text);
}

}  // namespace
}  // namespace slipway::net
