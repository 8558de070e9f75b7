#include "server/request_fields.hpp"

#include <gtest/gtest.h>

namespace slipway::server {
namespace {

TEST(RequestFields, Cookies) {
    EXPECT_EQ(cookie_of("a=1; b=2", "b"), "2");
    EXPECT_EQ(cookie_of("b=2", "b"), "2");
    EXPECT_EQ(cookie_of("b=", "b"), "");
    EXPECT_EQ(cookie_of("ab=2; xb=3", "b"), std::nullopt);
    EXPECT_EQ(cookie_of("b=1; b=2", "b"), std::nullopt) << "one of them is not ours";
    EXPECT_EQ(cookie_of("", "b"), std::nullopt);
    EXPECT_EQ(cookie_of("b", "b"), std::nullopt);
}

TEST(RequestFields, ContentRanges) {
    const auto range = content_range_of("bytes 0-99/1000");
    ASSERT_TRUE(range.has_value());
    EXPECT_EQ(range->length(), 100u);
    EXPECT_EQ(range->size, 1000u);
    for (const char* bad : {"", "bytes", "bytes 0-99", "bytes 0-99/*", "bytes 5-4/10",
                            "bytes 0-10/10", "bytes -1-2/3", "bytes 0-1/99999999999999999999",
                            "bytes 0x1-2/3", "items 0-1/2", "bytes 0-1/2 ", "bytes 0/1-2"})
        EXPECT_FALSE(content_range_of(bad).has_value()) << bad;
}

TEST(RequestFields, Hosts) {
    EXPECT_EQ(host_of("LOCALHOST:8443"), "localhost");
    EXPECT_EQ(host_of("127.0.0.1"), "127.0.0.1");
    EXPECT_EQ(host_of("[::1]:8443"), "::1");
    EXPECT_EQ(host_of("[::1]"), "::1");
    for (const char* bad : {"", ":1", "a:b", "a:", "[::1", "[::1]x", "a b", "a/b", "a@b", "a:1:2"})
        EXPECT_FALSE(host_of(bad).has_value()) << bad;
}

TEST(RequestFields, Numbers) {
    EXPECT_EQ(number_of("0"), 0);
    EXPECT_EQ(number_of("123456789012345678"), 123456789012345678);
    for (const char* bad : {"", "-1", "+1", " 1", "1x", "1234567890123456789"})
        EXPECT_FALSE(number_of(bad).has_value()) << bad;
}

TEST(RequestFields, CompleteSizes) {
    EXPECT_EQ(complete_size_of("bytes */1000"), 1000u);
    for (const char* field : {"", "bytes */", "bytes 0-9/10", "bytes */-1", "bytes */1 ", "*/1",
                              "bytes */9999999999999999999"})
        EXPECT_EQ(complete_size_of(field), std::nullopt) << field;
}

}  // namespace
}  // namespace slipway::server
