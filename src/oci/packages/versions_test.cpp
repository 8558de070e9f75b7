// The order of versions, by the tables of the programs we follow.
#include "oci/packages/deb_version.hpp"

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

}  // namespace
}  // namespace slipway::oci::packages
