#include "base/endpoint.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace slipway {
namespace {

TEST(Endpoint, TakesAddressesNamesAndUrls) {
    const auto words = [](std::string_view text) {
        const auto endpoint = parse_endpoint(text, 443);
        return endpoint ? fmt::format("{} {}", endpoint->host, endpoint->port) : "(none)";
    };
    EXPECT_EQ(words("registry.lan"), "registry.lan 443");
    EXPECT_EQ(words("registry.lan:5000/library"), "registry.lan 5000");
    EXPECT_EQ(words("https://10.0.0.5:2379"), "10.0.0.5 2379");
    EXPECT_EQ(words("http://10.0.0.5"), "10.0.0.5 80");
    EXPECT_EQ(words("fd00::5"), "fd00::5 443");
    EXPECT_EQ(words("[fd00::5]:5000"), "fd00::5 5000");
    for (const char* bad :
         {"", "registry:port", "registry:0", "registry:70000", "[fd00::5", ":5000"})
        EXPECT_EQ(words(bad), "(none)") << bad;
}

}  // namespace
}  // namespace slipway
