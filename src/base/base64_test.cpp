#include "base/base64.hpp"

#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace slipway {
namespace {

TEST(Base64, IsTheUsualOne) {
    EXPECT_EQ(to_base64("").reveal(), "");
    EXPECT_EQ(to_base64("f").reveal(), "Zg==");
    EXPECT_EQ(to_base64("fo").reveal(), "Zm8=");
    EXPECT_EQ(to_base64("foobar").reveal(), "Zm9vYmFy");
    EXPECT_EQ(from_base64("Zm8=")->reveal(), "fo");
    EXPECT_EQ(from_base64("")->reveal(), "");
}

TEST(Base64, RefusesWhatIsNone) {
    for (const char* bad :
         {"Z", "Zg=", "Zg= ", "Z===", "====", "Zm9v YmFy", "Zm9v\nYmF", "Zm9-", "=Zm9"})
        EXPECT_FALSE(from_base64(bad)) << bad;
    EXPECT_FALSE(from_base64(std::string((64u << 10) + 4, 'A')));
}

RC_GTEST_PROP(Base64, ComesBack, (const std::string& bytes)) {
    RC_ASSERT(from_base64(to_base64(bytes).reveal())->reveal() == bytes);
}

}  // namespace
}  // namespace slipway
