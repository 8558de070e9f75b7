#include "base/base64.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace slipway {
namespace {

TEST(Base64, IsTheUsualOne) {
    EXPECT_EQ(to_base64(""), "");
    EXPECT_EQ(to_base64("f"), "Zg==");
    EXPECT_EQ(to_base64("fo"), "Zm8=");
    EXPECT_EQ(to_base64("foobar"), "Zm9vYmFy");
    EXPECT_EQ(from_base64("Zm8="), "fo");
    EXPECT_EQ(from_base64(""), "");
}

TEST(Base64, RefusesWhatIsNone) {
    for (const char* bad :
         {"Z", "Zg=", "Zg= ", "Z===", "====", "Zm9v YmFy", "Zm9v\nYmF", "Zm9-", "=Zm9"})
        EXPECT_EQ(from_base64(bad), std::nullopt) << bad;
}

RC_GTEST_PROP(Base64, ComesBack, (const std::string& bytes)) {
    RC_ASSERT(from_base64(to_base64(bytes)) == bytes);
}

}  // namespace
}  // namespace slipway
