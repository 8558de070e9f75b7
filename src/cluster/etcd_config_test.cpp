#include "cluster/etcd_config.hpp"

#include "cluster/testing/sample_spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

using config::EtcdMode;
using config::Role;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::sample_host;

config::Spec spec_of(EtcdMode mode) {
    config::Spec spec;
    spec.name = "demo";
    spec.etcd.mode = mode;
    spec.hosts = {sample_host("cp1", "10.0.0.1", {Role::control_plane}),
                  sample_host("e10", "fd00::10", {Role::etcd}),
                  sample_host("e2", "e2.example.org", {Role::etcd}),
                  sample_host("w1", "10.0.0.3", {Role::worker, Role::etcd})};
    return spec;
}

TEST(EtcdConfig, MembersFollowTheMode) {
    config::Spec spec = spec_of(EtcdMode::managed);
    EXPECT_EQ(
        etcd_initial_cluster(spec),
        "e2=https://e2.example.org:2380,e10=https://[fd00::10]:2380,w1=https://10.0.0.3:2380");
    EXPECT_THAT(etcd_endpoints(spec),
                ElementsAre("https://e2.example.org:2379", "https://[fd00::10]:2379",
                            "https://10.0.0.3:2379"));
    spec.etcd.mode = EtcdMode::stacked;
    EXPECT_EQ(etcd_initial_cluster(spec), "cp1=https://10.0.0.1:2380");
    spec.etcd.mode = EtcdMode::external;
    spec.etcd.endpoints = {"https://10.9.9.9:2379"};
    EXPECT_THAT(etcd_members(spec), IsEmpty());
    EXPECT_THAT(etcd_endpoints(spec), ElementsAre("https://10.9.9.9:2379"));
}

TEST(EtcdConfig, TheServiceListensAtNumbersAndWritesOnlyItsFolder) {
    config::Spec spec = spec_of(EtcdMode::managed);
    spec.etcd.data_folder = "/srv/etcd";
    spec.etcd.args = {{"quota-backend-bytes", "4294967296"}, {"snapshot-count", "5000"}};
    const std::string unit = etcd_unit(spec, spec.hosts[3], "v3.6.5");
    EXPECT_THAT(unit,
                HasSubstr("--listen-client-urls=https://127.0.0.1:2379,https://10.0.0.3:2379"));
    EXPECT_THAT(unit, HasSubstr("--data-dir=/srv/etcd \\\n"));
    EXPECT_THAT(unit, HasSubstr("ReadWritePaths=/srv/etcd\n"));
    EXPECT_THAT(unit, HasSubstr("--quota-backend-bytes=4294967296 \\\n"));
    EXPECT_THAT(unit, HasSubstr("--snapshot-count=5000 \\\n")) << "the user's wins";
    EXPECT_THAT(unit, HasSubstr("--watch-progress-notify-interval=5s"));
    EXPECT_THAT(unit, Not(HasSubstr("experimental")));
    EXPECT_THAT(etcd_unit(spec, spec.hosts[2], "v3.6.5"),
                HasSubstr("--listen-client-urls=https://[::]:2379 \\\n"));
    EXPECT_THAT(etcd_unit(spec, spec.hosts[3], "v3.5.24"),
                HasSubstr("--experimental-watch-progress-notify-interval=5s"));
}

}  // namespace
}  // namespace slipway::cluster
