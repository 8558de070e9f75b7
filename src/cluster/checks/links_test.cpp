#include "cluster/checks/links.hpp"

#include "cluster/checks/testing/cases.hpp"
#include "cluster/testing/sample_spec.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

using config::Role;
using testing::CheckedFleet;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// "from>to:port" of the links of one use.
std::vector<std::string> links_of(const CheckedFleet& fleet, LinkUse use) {
    std::vector<std::string> out;
    for (const Link& link : needed_links(fleet.spec, fleet.facts)) {
        if (link.use != use) continue;
        out.push_back(fmt::format("{}>{}:{}", link.from, link.to, link.target.port));
    }
    return out;
}

CheckedFleet small_fleet() {
    CheckedFleet fleet;
    for (const char* name : {"cp2", "cp3"}) fleet.facts.erase(name);
    return fleet;  // cp1, w1 (registry) and w2
}

TEST(Links, FollowTheRolesInBothDirections) {
    const CheckedFleet fleet = small_fleet();
    EXPECT_THAT(links_of(fleet, LinkUse::api), UnorderedElementsAre("w1>cp1:6443", "w2>cp1:6443"));
    EXPECT_THAT(links_of(fleet, LinkUse::kubelet),
                UnorderedElementsAre("cp1>w1:10250", "cp1>w2:10250"));
    EXPECT_THAT(links_of(fleet, LinkUse::registry),
                UnorderedElementsAre("cp1>w1:5000", "w2>w1:5000"));
    EXPECT_THAT(links_of(fleet, LinkUse::network_plugin),
                UnorderedElementsAre("cp1>w1:8472", "cp1>w2:8472", "w1>cp1:8472", "w1>w2:8472",
                                     "w2>cp1:8472", "w2>w1:8472"));
    EXPECT_THAT(links_of(fleet, LinkUse::etcd), IsEmpty());
    const CheckedFleet whole;
    EXPECT_EQ(links_of(whole, LinkUse::etcd).size(), 12u);  // six pairs, two ports
}

TEST(Links, EtcdOnHostsOfItsOwnIsReachedByTheControlPlanes) {
    CheckedFleet fleet = small_fleet();
    fleet.spec.etcd.mode = config::EtcdMode::managed;
    fleet.host("w1").roles = {Role::etcd};
    fleet.host("w2").roles = {Role::etcd};
    EXPECT_THAT(links_of(fleet, LinkUse::etcd),
                UnorderedElementsAre("cp1>w1:2379", "cp1>w2:2379", "w1>w2:2379", "w1>w2:2380",
                                     "w2>w1:2379", "w2>w1:2380"));
    EXPECT_THAT(links_of(fleet, LinkUse::network_plugin), IsEmpty());
    fleet.host("cp1").roles.push_back(Role::registry);
    EXPECT_THAT(links_of(fleet, LinkUse::registry),
                UnorderedElementsAre("w1>cp1:5000", "w2>cp1:5000"))
        << "the programs come from there";
}

TEST(Links, PathMtuIsAskedWithPacketsAsLargeAsTheSenderMakesThem) {
    CheckedFleet fleet = small_fleet();
    fleet.facts["w1"].interfaces[0].mtu = 9000;
    std::set<std::string> sizes;
    for (const Link& link : needed_links(fleet.spec, fleet.facts)) {
        if (link.use == LinkUse::path_mtu)
            sizes.insert(fmt::format("{} {}", link.from, link.target.size));
    }
    EXPECT_THAT(sizes, ElementsAre("cp1 1500", "w1 9000", "w2 1500"));
}

TEST(Links, WhatIsOutsideIsAskedByThoseWhoUseIt) {
    CheckedFleet fleet = small_fleet();
    fleet.spec.registry.address = "registry.lan:5000";
    fleet.facts["w1"].resolved["registry.lan"] = "10.9.0.1";
    fleet.facts["w2"].resolved["registry.lan"] = "";  // NET-RESOLVE says it
    fleet.facts["w2"].name_servers = {"127.0.0.53"};
    EXPECT_THAT(links_of(fleet, LinkUse::outside_registry), ElementsAre("w1>:5000"));
    EXPECT_THAT(links_of(fleet, LinkUse::registry), IsEmpty());
    EXPECT_THAT(links_of(fleet, LinkUse::name_server), ElementsAre("cp1>:53", "w1>:53"));
}

// 1,000 hosts have a million pairs; what is asked must grow with the hosts alone.
TEST(Links, GrowWithTheHostsAndNotWithTheirSquare) {
    config::Spec spec;
    std::map<std::string, remote::Facts> facts;
    const auto add = [&](const std::string& name, std::size_t number, Role role) {
        const std::string address = fmt::format("10.1.{}.{}", number / 200, 1 + number % 200);
        spec.hosts.push_back(testing::sample_host(name, address, {role}));
        facts[name].addresses = {address};
    };
    for (std::size_t i = 0; i < 3; ++i) add(fmt::format("cp{}", i), i, Role::control_plane);
    for (std::size_t i = 3; i < 1000; ++i) add(fmt::format("w{}", i), i, Role::worker);
    const std::vector<Link> links = needed_links(spec, facts);
    EXPECT_LT(links.size(), 40'000u);
    std::map<std::string, std::size_t> from, to;
    for (const Link& link : links) {
        if (link.use != LinkUse::network_plugin) continue;
        ++from[link.from];
        ++to[link.to];
    }
    EXPECT_EQ(from.size(), 1000u);
    EXPECT_EQ(to.size(), 1000u);
    const auto fewest = [](const auto& counts) {
        return std::ranges::min_element(counts, {}, [](const auto& c) { return c.second; })->second;
    };
    EXPECT_GE(fewest(from), kRing);
    EXPECT_GE(fewest(to), kRing);
    EXPECT_EQ(from.at("w500"), kRing + 3);
}

}  // namespace
}  // namespace slipway::cluster
