#include "cluster/domains.hpp"

#include "cluster/testing/sample_spec.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

using config::Role;
using ::testing::ElementsAre;
using testing::sample_host;

std::vector<std::string> rules(const config::Spec& spec) {
    std::vector<std::string> out;
    for (const engine::FailureDomain& d : failure_domains(spec)) {
        out.push_back(fmt::format("{}: {} of {}", d.name, d.must_survive, d.hosts.size()));
    }
    return out;
}

TEST(FailureDomains, FollowQuorumForControlPlanesAndLetWorkersGo) {
    config::Spec spec;
    for (const char* name : {"a", "b", "c"})
        spec.hosts.push_back(sample_host(name, "", {Role::control_plane}));
    for (const char* name : {"w1", "w2", "w3"})
        spec.hosts.push_back(sample_host(name, "", {Role::worker}));
    EXPECT_THAT(rules(spec), ElementsAre("control-plane: 2 of 3", "worker: 0 of 3"));
    spec.limits.max_failed_workers = 1;
    EXPECT_THAT(rules(spec), ElementsAre("control-plane: 2 of 3", "worker: 2 of 3"));
    spec.limits.max_failed_workers = 9;
    EXPECT_THAT(rules(spec), ElementsAre("control-plane: 2 of 3", "worker: 0 of 3"));
}

TEST(FailureDomains, EtcdHostsOfTheirOwnHaveTheirOwnQuorumAndOneRegistryIsEnough) {
    config::Spec spec;
    spec.etcd.mode = config::EtcdMode::managed;
    spec.hosts = {sample_host("cp", "", {Role::control_plane})};
    for (int i = 0; i < 5; ++i)
        spec.hosts.push_back(sample_host(fmt::format("e{}", i), "", {Role::etcd}));
    for (int i = 0; i < 2; ++i)
        spec.hosts.push_back(sample_host(fmt::format("r{}", i), "", {Role::registry}));
    EXPECT_THAT(rules(spec),
                ElementsAre("control-plane: 1 of 1", "etcd: 3 of 5", "registry: 1 of 2"));
}

}  // namespace
}  // namespace slipway::cluster
