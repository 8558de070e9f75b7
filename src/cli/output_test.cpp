#include "cli/output.hpp"

#include <sstream>

#include <gtest/gtest.h>

namespace slipway::cli {
namespace {

TEST(Output, ErrorSaysWhatWhyAndWhatToDo) {
    HostError error(
        "HOST-CLOCK-SKEW", "clocks of w2 and cp differ by 94 s",
        {.cause = "chronyd is not running", .remedy = "systemctl enable --now chronyd"});
    error.add_context("checking the hosts of demo");
    EXPECT_EQ(describe(error, {}),
              "error[HOST-CLOCK-SKEW]: clocks of w2 and cp differ by 94 s\n"
              "  while   checking the hosts of demo\n"
              "  cause   chronyd is not running\n"
              "  remedy  systemctl enable --now chronyd\n"
              "  more    slipway explain HOST-CLOCK-SKEW\n");
}

TEST(Output, LongCausesKeepTheirLines) {
    const UserError error("INIT-INVALID", "two problems", {.cause = "one\ntwo"});
    EXPECT_EQ(describe(error, {}),
              "error[INIT-INVALID]: two problems\n  cause   one\n          two\n  more    slipway "
              "explain INIT-INVALID\n");
}

TEST(Output, DataIsWrittenInTheFormatAskedFor) {
    const auto written = [](Format format) {
        std::ostringstream out, err;
        Output output(out, err);
        output.format = format;
        output.data({{"name", "demo"}, {"hosts", json::array{1}}}, [] { return "NAME\ndemo\n"; });
        EXPECT_EQ(err.str(), "");
        return out.str();
    };
    EXPECT_EQ(written(Format::table), "NAME\ndemo\n");
    EXPECT_EQ(written(Format::json), "{\n  \"name\": \"demo\",\n  \"hosts\": [\n    1\n  ]\n}\n");
    EXPECT_EQ(written(Format::yaml), "name: demo\nhosts:\n- 1\n");
}

TEST(Output, ColourOnlyWhereItIsWelcome) {
    EXPECT_EQ((Style{.colour = true}.paint("x", Colour::red)), "\x1b[31mx\x1b[0m");
    EXPECT_EQ((Style{.colour = false}.paint("x", Colour::red)), "x");
    EXPECT_FALSE(style_for(false, false).colour);
    EXPECT_FALSE(style_for(true, true).colour);
    ::setenv("NO_COLOR", "1", 1);
    EXPECT_FALSE(style_for(true, false).colour);
    ::unsetenv("NO_COLOR");
}

TEST(Output, UnicodeOnlyInAUtf8Locale) {
    ::setenv("LC_ALL", "C", 1);
    EXPECT_FALSE(style_for(true, false).unicode);
    ::setenv("LC_ALL", "zh_CN.UTF-8", 1);
    EXPECT_TRUE(style_for(true, false).unicode);
    ::unsetenv("LC_ALL");
}

}  // namespace
}  // namespace slipway::cli
