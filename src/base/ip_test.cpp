#include "base/ip.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace slipway {

namespace {

Network net(std::string_view text) { return Network::parse(text).value(); }

TEST(Ip, ReadsBothFamiliesAndWritesTheShortestForm) {
    EXPECT_EQ(IpAddress::parse("10.0.0.1")->text(), "10.0.0.1");
    EXPECT_EQ(IpAddress::parse("FD00:0:0:0::0001")->text(), "fd00::1");
    EXPECT_EQ(IpAddress::parse("::ffff:10.0.0.1")->text(), "::ffff:10.0.0.1");
}

TEST(Ip, RefusesWhatOnlyLooksLikeAnAddress) {
    for (const char* text :
         {"", "10.0.0", "10.0.0.256", "10.0.0.01", "010.0.0.1", "1", "10.0.0.1 ", "fe80::1%eth0",
          "[::1]", "::g", "1::2::3", "0x0a.0.0.1", "10.0.0.1/8"}) {
        EXPECT_FALSE(IpAddress::parse(text)) << text;
    }
    EXPECT_FALSE(IpAddress::parse(std::string_view("10.0.0.1\0x", 10)));
}

TEST(Ip, RefusesBadPrefixes) {
    for (const char* text : {"10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/08",
                             "10.0.0.0/+8", "fd00::/129", "10.0.0.0/8/8", "/8", "10.0.0.0/8 "}) {
        EXPECT_FALSE(Network::parse(text)) << text;
    }
}

TEST(Ip, HostBitsAreSeen) {
    EXPECT_TRUE(net("10.0.0.1/8").has_host_bits());
    EXPECT_EQ(net("10.0.0.1/8").text(), "10.0.0.0/8");
    EXPECT_FALSE(net("10.0.0.0/8").has_host_bits());
    EXPECT_FALSE(net("10.0.0.1/32").has_host_bits());
    EXPECT_TRUE(net("fd00::1/64").has_host_bits());
    EXPECT_FALSE(net("0.0.0.0/0").has_host_bits());
}

TEST(Ip, NetworksOverlapWhenOneHoldsTheOther) {
    EXPECT_TRUE(net("10.0.0.0/8").overlaps(net("10.96.0.0/12")));
    EXPECT_TRUE(net("10.96.0.0/12").overlaps(net("10.0.0.0/8")));
    EXPECT_FALSE(net("10.96.0.0/16").overlaps(net("10.97.0.0/16")));
    EXPECT_FALSE(net("0.0.0.0/0").overlaps(net("::/0")));
    EXPECT_TRUE(net("10.244.0.0/16").contains(*IpAddress::parse("10.244.255.255")));
    EXPECT_FALSE(net("10.244.0.0/16").contains(*IpAddress::parse("10.245.0.0")));
    EXPECT_FALSE(net("::/0").contains(*IpAddress::parse("10.0.0.1")));
}

RC_GTEST_PROP(IpProperty, OverlapIsSymmetricAndFollowsFromContainment,
              (std::uint32_t a, std::uint32_t b)) {
    const auto make = [](std::uint32_t bits, int prefix) {
        return net(std::to_string(bits >> 24) + "." + std::to_string(bits >> 16 & 255) + "." +
                   std::to_string(bits >> 8 & 255) + "." + std::to_string(bits & 255) + "/" +
                   std::to_string(prefix));
    };
    const int p = *rc::gen::inRange(0, 33);
    const int q = *rc::gen::inRange(0, 33);
    const Network x = make(a, p);
    const Network y = make(b, q);
    const Network wide = p < q ? x : y;
    const std::string narrow = (p < q ? y : x).text();
    RC_ASSERT(x.overlaps(y) == y.overlaps(x));
    RC_ASSERT(x.overlaps(y) ==
              wide.contains(*IpAddress::parse(narrow.substr(0, narrow.find('/')))));
    RC_ASSERT(Network::parse(x.text())->text() == x.text());
}

TEST(Network, CountsItsAddressesFromItsOwn) {
    EXPECT_EQ(Network::parse("10.96.0.0/16")->address(10).text(), "10.96.0.10");
    EXPECT_EQ(Network::parse("10.96.3.7/16")->address(1).text(), "10.96.0.1");
    EXPECT_EQ(Network::parse("10.0.0.0/8")->address(256).text(), "10.0.1.0");
    EXPECT_EQ(Network::parse("fd00:10:96::/112")->address(10).text(), "fd00:10:96::a");
}

}  // namespace

}  // namespace slipway
