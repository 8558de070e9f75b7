#include "cluster/checks/disk_need.hpp"

#include "cluster/testing/sample_spec.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

using config::Role;
using ::testing::HasSubstr;

std::vector<std::string> folders(const std::vector<DiskNeed>& needs) {
    std::vector<std::string> out;
    for (const DiskNeed& need : needs) {
        EXPECT_GT(need.least_mib, 0) << need.folder;
        EXPECT_GE(need.enough_mib, need.least_mib) << need.folder;
        EXPECT_FALSE(need.reason.empty()) << need.folder;
        out.push_back(need.folder);
    }
    return out;
}

remote::Disk disk(std::string mount, std::int64_t free_mib) {
    return {.mount = std::move(mount),
            .device = "/dev/vda1",
            .type = "ext4",
            .size_mib = free_mib,
            .free_mib = free_mib};
}

TEST(DiskNeed, FollowsTheRoles) {
    config::Spec spec = testing::sample_spec();
    spec.etcd.data_folder = "/data/etcd";
    const auto has = [&](const std::vector<Role>& roles, const std::string& folder) {
        const auto all = folders(disk_needs(spec, testing::sample_host("h", "10.0.0.1", roles)));
        return std::ranges::find(all, folder) != all.end();
    };
    EXPECT_TRUE(has({Role::control_plane}, "/data/etcd"));
    EXPECT_TRUE(has({Role::control_plane}, "/var/lib/containerd"));
    EXPECT_FALSE(has({Role::worker}, "/data/etcd"));
    EXPECT_TRUE(has({Role::worker}, "/var/lib/kubelet"));
    EXPECT_TRUE(has({Role::registry}, "/var/lib/slipway/registry"));
    EXPECT_FALSE(has({Role::registry}, "/var/lib/containerd"));
    spec.registry.address = "registry.lan";
    EXPECT_FALSE(has({Role::registry}, "/var/lib/slipway/registry"));
}

TEST(DiskNeed, FallsOnTheFileSystemWithTheLongestMatchingMount) {
    remote::Facts facts;
    facts.disks = {disk("/", 1), disk("/var", 2), disk("/var/lib/etcd", 3), disk("/va", 4)};
    EXPECT_EQ(disk_of(facts, "/var/lib/etcd")->free_mib, 3);
    EXPECT_EQ(disk_of(facts, "/var/lib/etcd/member")->free_mib, 3);
    EXPECT_EQ(disk_of(facts, "/var/lib/etcd2")->free_mib, 2);
    EXPECT_EQ(disk_of(facts, "/usr/local/bin")->free_mib, 1);
    facts.disks.erase(facts.disks.begin());
    EXPECT_EQ(disk_of(facts, "/usr/local/bin"), nullptr);
}

TEST(DiskNeed, IsAddedUpWhereFoldersShareAFileSystem) {
    remote::Facts facts;
    facts.disks = {disk("/", 1000), disk("/var/lib/etcd", 1000)};
    const std::vector<DiskShare> shares =
        shares_of(facts, {{"/var/lib/etcd", 10, 20, "etcd"},
                          {"/var/lib/kubelet", 1, 2, "pods"},
                          {"/var/lib/containerd", 100, 200, "images"}});
    ASSERT_EQ(shares.size(), 2u);
    EXPECT_EQ(shares[0].disk.mount, "/var/lib/etcd");
    EXPECT_EQ(shares[0].least_mib, 10);
    EXPECT_EQ(shares[1].least_mib, 101);
    EXPECT_EQ(shares[1].enough_mib, 202);
    EXPECT_THAT(shares[1].reasons(), HasSubstr("/var/lib/containerd 0.2 GiB (images)"));
}

TEST(DiskNeed, FactsOfOlderVersionsKnowOnlyTheRoomBelowVarLib) {
    remote::Facts facts;
    facts.disk_free_mib = 7;
    const std::vector<DiskShare> shares = shares_of(facts, {{"/var/lib/etcd", 1, 2, "etcd"}});
    ASSERT_EQ(shares.size(), 1u);
    EXPECT_EQ(shares[0].disk.free_mib, 7);
}

}  // namespace
}  // namespace slipway::cluster
