// The order of versions, by the tables of the programs we follow.
#include "oci/packages/deb_version.hpp"
#include "oci/packages/rpm_relation.hpp"
#include "oci/packages/rpm_version.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace slipway::oci::packages {
namespace {

struct Row {
    const char* left;
    char order;
    const char* right;
};

char sign(std::strong_ordering order) { return order < 0 ? '<' : order > 0 ? '>' : '='; }

TEST(DebVersion, OrdersAsDpkgDoes) {
    const Row rows[] = {{"1.0", '=', "1.0"},
                        {"1.0", '<', "1.1"},
                        {"1.9", '<', "1.10"},
                        {"1:0.1", '>', "9"},
                        {"0:1", '=', "1"},
                        {"1.0~rc1", '<', "1.0"},
                        {"1.0~~", '<', "1.0~"},
                        {"1.0~rc1-1", '<', "1.0-1"},
                        {"1.0-1", '<', "1.0-1+b1"},
                        {"1.0-1~bpo1", '<', "1.0-1"},
                        {"1.0a", '<', "1.0+"},
                        {"1.0", '<', "1.0a"},
                        {"1.0-0", '=', "1.0"},
                        {"007", '=', "7"},
                        {"1.2.3-4-5", '>', "1.2.3-4-4"},
                        {"2.36-9+deb12u4", '<', "2.36-9+deb12u10"},
                        {"a", '<', "b"},
                        {"1.0Z", '<', "1.0a"},
                        {"99999999999999999999", '>', "9999999999999999999"},
                        {"1.0-", '=', "1.0-0"},
                        {"1.0.", '>', "1.0"}};
    for (const Row& row : rows) {
        EXPECT_EQ(sign(compare_deb_versions(row.left, row.right)), row.order)
            << row.left << " " << row.right;
        const char back = row.order == '<' ? '>' : row.order == '>' ? '<' : '=';
        EXPECT_EQ(sign(compare_deb_versions(row.right, row.left)), back);
    }
}

auto some_version() {
    return rc::gen::container<std::string>(rc::gen::elementOf(std::string("019az~^+.-:")));
}

RC_GTEST_PROP(DebVersion, IsAnOrder, ()) {
    const auto a = *some_version(), b = *some_version(), c = *some_version();
    RC_ASSERT(sign(compare_deb_versions(a, a)) == '=');
    RC_ASSERT((compare_deb_versions(a, b) < 0) == (compare_deb_versions(b, a) > 0));
    if (compare_deb_versions(a, b) <= 0 && compare_deb_versions(b, c) <= 0)
        RC_ASSERT(sign(compare_deb_versions(a, c)) != '>');
}

// The table of rpm's own tests, in part.
TEST(RpmVersion, OrdersAsRpmDoes) {
    const Row rows[] = {{"1.0", '=', "1.0"},
                        {"1.0", '<', "2.0"},
                        {"2.0.1", '>', "2.0"},
                        {"2.0.1a", '>', "2.0.1"},
                        {"5.5p1", '<', "5.5p2"},
                        {"5.5p10", '>', "5.5p1"},
                        {"10xyz", '<', "10.1xyz"},
                        {"xyz10", '=', "xyz10"},
                        {"xyz.4", '<', "8"},
                        {"5.5p2", '<', "5.6p1"},
                        {"6.0.rc1", '>', "6.0"},
                        {"10b2", '>', "10a1"},
                        {"1.0aa", '>', "1.0a"},
                        {"10.0001", '=', "10.1"},
                        {"4.999.9", '<', "5.0"},
                        {"20101121", '<', "20101122"},
                        {"2_0", '=', "2.0"},
                        {"a+", '=', "a_"},
                        {"1.0~rc1", '<', "1.0"},
                        {"1.0~rc1~git1", '<', "1.0~rc1"},
                        {"1.0^", '>', "1.0"},
                        {"1.0^git1", '<', "1.0^git2"},
                        {"1.0^git1", '<', "1.01"},
                        {"1.0^20160101", '<', "1.0.1"},
                        {"1.0~rc1^git1", '>', "1.0~rc1"},
                        {"1.0^git1~pre", '<', "1.0^git1"},
                        {"", '=', ""},
                        {"1", '>', ""}};
    for (const Row& row : rows) {
        EXPECT_EQ(sign(compare_rpm_parts(row.left, row.right)), row.order)
            << row.left << " " << row.right;
        const char back = row.order == '<' ? '>' : row.order == '>' ? '<' : '=';
        EXPECT_EQ(sign(compare_rpm_parts(row.right, row.left)), back);
    }
    EXPECT_EQ(sign(compare_rpm_versions(RpmVersion::parse("1:1"), RpmVersion::parse("2"))), '>');
    EXPECT_EQ(sign(compare_rpm_versions(RpmVersion::parse("1-1"), RpmVersion::parse("1"))), '=');
    EXPECT_EQ(sign(compare_rpm_versions(RpmVersion::parse("1-1"), RpmVersion::parse("1-2"))), '<');
}

RC_GTEST_PROP(RpmVersion, IsTheSameFromBothSides, ()) {
    const auto a = *some_version(), b = *some_version();
    RC_ASSERT(sign(compare_rpm_parts(a, a)) == '=');
    RC_ASSERT((compare_rpm_parts(a, b) < 0) == (compare_rpm_parts(b, a) > 0));
}

TEST(RpmRelation, RangesMeet) {
    const auto meets = [](const char* wanted, const char* provided) {
        return RpmRelation::parse(wanted).is_met_by(RpmRelation::parse(provided));
    };
    EXPECT_TRUE(meets("a", "a = 1"));
    EXPECT_TRUE(meets("a >= 1", "a"));
    EXPECT_TRUE(meets("a >= 1", "a = 1-5"));
    EXPECT_FALSE(meets("a > 1", "a = 1-5"));
    EXPECT_TRUE(meets("a < 2", "a > 1"));
    EXPECT_FALSE(meets("a < 1", "a >= 1"));
    EXPECT_FALSE(meets("a = 1", "b = 1"));
}

TEST(RpmRelation, SomeRichDependenciesAreUnderstood) {
    EXPECT_EQ(parse_rich("(a or b >= 2 or c)").needs.at(0).size(), 3u);
    EXPECT_EQ(parse_rich("(a and b)").needs.size(), 2u);
    EXPECT_EQ(parse_rich("(a(x86-64) = 1 if b)").only_if.at(0).name, "b");
    for (const char* other :
         {"(a if b else c)", "(a or (b and c))", "(a unless b)", "(a and b or c)", "(a with b)",
          "()", "(or)", "(a or)", "a", "(a b)"}) {
        EXPECT_FALSE(parse_rich(other).is_understood) << other;
    }
}

}  // namespace
}  // namespace slipway::oci::packages
