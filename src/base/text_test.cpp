#include "base/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace slipway {
namespace {

using ::testing::ElementsAre;

const std::vector<std::string> kNames = {"hosts", "kubernetes", "etcd", "registry", "os"};

TEST(Nearest, FindsTheNameBehindATypo) {
    EXPECT_EQ(nearest("host", kNames), "hosts");
    EXPECT_EQ(nearest("Kubernets", kNames), "kubernetes");
    EXPECT_EQ(nearest("registyr", kNames), "registry");
    EXPECT_EQ(nearest("etdc", kNames), "etcd") << "two letters swapped are one slip";
}

TEST(Nearest, SaysNothingWhenNothingIsNear) {
    EXPECT_EQ(nearest("firewall", kNames), std::nullopt);
    EXPECT_EQ(nearest("x", kNames), std::nullopt);
    EXPECT_EQ(nearest("", kNames), std::nullopt);
    EXPECT_EQ(nearest("xy", {}), std::nullopt);
}

TEST(Nearest, AHugeWordCostsNoHugeComparison) {
    // Each comparison would be 64 MiB times the candidate's length, minutes under a sanitizer.
    EXPECT_EQ(nearest(std::string(64u << 20, 'h'), kNames), std::nullopt);
}

TEST(Text, SplitAndTrim) {
    EXPECT_THAT(split("a,,b", ','), ElementsAre("a", "", "b"));
    EXPECT_THAT(split("", ','), ElementsAre(""));
    EXPECT_EQ(trim(" \t a b\r\n"), "a b");
    EXPECT_EQ(trim(" \n"), "");
    EXPECT_TRUE(starts_with_dash("-oProxyCommand=x"));
    EXPECT_FALSE(starts_with_dash(""));
}

RC_GTEST_PROP(Text, JoinUndoesSplit, (const std::string& text)) {
    RC_ASSERT(join(split(text, ','), ",") == text);
}

TEST(Printable, TerminalEscapesBecomeVisible) {
    EXPECT_EQ(printable("\x1b[31mred\x1b[0m"), "\\x1b[31mred\\x1b[0m");
    EXPECT_EQ(printable("a\rb\x07\x7f"), "a\\x0db\\x07\\x7f");
    EXPECT_EQ(printable("\u009b31m"), "\\xc2\\x9b31m");  // CSI as a single C1 character
    EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
}

TEST(Printable, NewlinesStayOnlyWhenAskedFor) {
    EXPECT_EQ(printable("a\n\tb"), "a\\x0a\\x09b");
    EXPECT_EQ(printable("a\n\tb\r", true), "a\n\tb\\x0d");
}

TEST(Printable, TextThatChangesReadingOrderBecomesVisible) {
    for (const char* control :
         {"\u061c", "\u200e", "\u200f", "\u2028", "\u202a", "\u202e", "\u2066", "\u2069"}) {
        EXPECT_EQ(printable(control).substr(0, 2), "\\x") << printable(control);
    }
    for (const char* harmless :
         {"\u200d", "\u2010", "\u2027", "\u202f", "\u2065", "\u206a", "é", "中文", "🚢"}) {
        EXPECT_EQ(printable(harmless), harmless);
    }
}

TEST(Printable, InvalidUtf8BecomesVisible) {
    EXPECT_EQ(printable("\xff"), "\\xff");
    EXPECT_EQ(printable("\xc3"), "\\xc3");                             // cut off
    EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");                    // overlong '/'
    EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // surrogate
    EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond U+10FFFF
}

TEST(Utf8, FirstInvalidByteIsNamed) {
    EXPECT_EQ(first_invalid_utf8(""), std::string_view::npos);
    EXPECT_EQ(first_invalid_utf8("中文 é"), std::string_view::npos);
    EXPECT_EQ(first_invalid_utf8("ab\xff"), 2u);
    EXPECT_EQ(first_invalid_utf8("é\xc0\xaf"), 2u);
    EXPECT_EQ(first_invalid_utf8("a\xe4\xb8"), 1u);  // cut off
}

RC_GTEST_PROP(Printable, OutputHoldsNoControlByteAndIsStable, (const std::string& text)) {
    const std::string once = printable(text);
    for (const char c : once) RC_ASSERT(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
    RC_ASSERT(printable(once) == once);
}

TEST(Table, PadsColumnsByCharactersNotBytes) {
    EXPECT_EQ(table({{"HOST", "STATE"}, {"kü", "ok"}, {"w10", ""}}),
              "HOST  STATE\nkü    ok\nw10\n");
    EXPECT_EQ(table({{"A", "B"}, {"x"}}), "A  B\nx\n");  // short rows are fine
    EXPECT_EQ(table({}), "");
}

TEST(NaturalOrder, NumbersCountByValue) {
    EXPECT_TRUE(natural_less("node2", "node10"));
    EXPECT_FALSE(natural_less("node10", "node2"));
    EXPECT_TRUE(natural_less("node", "node1"));
    EXPECT_TRUE(natural_less("rack1-node9", "rack2-node1"));
    EXPECT_TRUE(natural_less("n99999999999999999998", "n99999999999999999999"));  // beyond 64 bits
    EXPECT_NE(natural_less("node01", "node1"), natural_less("node1", "node01"));
}

// Names over a small alphabet, so that equal prefixes and leading zeros are common.
rc::Gen<std::string> some_name() {
    return rc::gen::container<std::string>(rc::gen::elementOf(std::string("0019a-")));
}

RC_GTEST_PROP(NaturalOrder, IsAStrictTotalOrder, ()) {
    const std::string a = *some_name();
    const std::string b = *some_name();
    const std::string c = *some_name();
    RC_ASSERT(!natural_less(a, a));
    RC_ASSERT(a == b || natural_less(a, b) != natural_less(b, a));
    if (natural_less(a, b) && natural_less(b, c)) RC_ASSERT(natural_less(a, c));
}

}  // namespace
}  // namespace slipway
