// Clusters whose etcd is not in the control planes' pods, on simulated machines.
#include "base/error.hpp"
#include "base/files.hpp"
#include "cluster/testing/sample_spec.hpp"
#include "cluster/testing/simulated_cluster.hpp"
#include "cluster/testing/simulated_site.hpp"
#include "pki/authority.hpp"
#include "store/testing/sample_journal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

using config::EtcdMode;
using config::Role;
using engine::RunResult;
using testing::cluster_spec;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::sample_host;
using testing::SimulatedCluster;

std::string content(SimulatedCluster& cluster, const std::string& host, const std::string& path) {
    const auto file = cluster.fleet().host(host).read_file(path, {});
    return file ? file->content : "";
}

bool has(SimulatedCluster& cluster, const std::string& host, const std::string& path) {
    return cluster.fleet().host(host).file_info(path, {}).has_value();
}

std::string failures(const engine::Outcome& outcome) {
    std::string out;
    for (const engine::Failure& one : outcome.failures)
        out += one.node + ": " + one.message + ": " + one.cause + "\n";
    return out;
}

// cp1, w1, and e1 to e3 that are no nodes.
config::Spec managed_spec() {
    config::Spec spec = cluster_spec(1, 1);
    spec.etcd.mode = EtcdMode::managed;
    for (const int number : {1, 2, 3})
        spec.hosts.push_back(sample_host("e" + std::to_string(number),
                                         "10.2.0." + std::to_string(number), {Role::etcd}));
    return spec;
}

TEST(ManagedEtcd, FromABundleToAClusterAndBack) {
    SimulatedCluster cluster(managed_spec());
    const json::object bare = cluster.snapshot();
    const engine::Outcome made = cluster.apply();
    ASSERT_EQ(made.result, RunResult::succeeded) << failures(made);
    EXPECT_TRUE(cluster.fleet().host("e2").unit("etcd.service", {}).active);
    EXPECT_TRUE(cluster.fleet().host("e2").unit("slipway-backup-etcd.timer", {}).active);
    EXPECT_TRUE(cluster.fleet().host("e2").unit("slipway-renew-certificates.timer", {}).active);
    EXPECT_THAT(content(cluster, "e2", "/usr/local/lib/slipway/renew-certificates"),
                HasSubstr("etcd-server etcd-peer etcd-healthcheck-client;"));
    EXPECT_THAT(content(cluster, "cp1", "/usr/local/lib/slipway/renew-certificates"),
                HasSubstr("for name in apiserver-etcd-client;"));
    EXPECT_FALSE(has(cluster, "e2", "/usr/local/bin/kubelet")) << "it is no node";
    EXPECT_FALSE(has(cluster, "cp1", "/etc/kubernetes/manifests/etcd.yaml"));
    EXPECT_THAT(content(cluster, "cp1", "/etc/kubernetes/slipway/kubeadm.yaml"),
                HasSubstr("    - \"https://10.2.0.3:2379\"\n    caFile: /etc/kubernetes/pki/etcd"));
    EXPECT_TRUE(has(cluster, "cp1", "/etc/kubernetes/pki/apiserver-etcd-client.key"));
    EXPECT_EQ(content(cluster, "cp1", "/etc/kubernetes/pki/etcd/ca.crt"),
              content(cluster, "e3", "/etc/kubernetes/pki/etcd/ca.crt"));

    EXPECT_EQ(cluster.apply().changed, 0u);
    const engine::Outcome gone = cluster.reset();
    ASSERT_EQ(gone.result, RunResult::succeeded) << failures(gone);
    EXPECT_THAT(testing::differences(cluster.snapshot(), bare), IsEmpty());
}

TEST(ManagedEtcd, OnTheControlPlanesThemselves) {
    config::Spec spec = cluster_spec(3, 1);
    spec.etcd.mode = EtcdMode::managed;
    for (config::Host& host : spec.hosts) {
        if (host.has(Role::control_plane)) host.roles.push_back(Role::etcd);
    }
    SimulatedCluster cluster(spec);
    const json::object bare = cluster.snapshot();
    const engine::Outcome made = cluster.apply();
    ASSERT_EQ(made.result, RunResult::succeeded) << failures(made);
    EXPECT_EQ(cluster.apply().changed, 0u);
    ASSERT_EQ(cluster.reset().result, RunResult::succeeded);
    EXPECT_THAT(testing::differences(cluster.snapshot(), bare), IsEmpty());
}

TEST(ManagedEtcd, ApiServersWaitForAllMembersButNotForOneThatIsSetAside) {
    SimulatedCluster cluster(managed_spec());
    const engine::Plan plan = cluster.plan();
    for (const engine::Node& node : plan.nodes()) {
        if (node.id != "cp1/start-control-plane") continue;
        std::vector<std::string> before;
        for (const engine::NodeIndex one : node.after) before.push_back(plan.node(one).id);
        EXPECT_THAT(before, ::testing::UnorderedElementsAre("e1/wait-for-etcd", "e2/wait-for-etcd",
                                                            "e3/wait-for-etcd"));
    }
    cluster.fleet().simulated("e3").add_fault({.on = remote::Call::write,
                                               .match = "/var/lib/slipway/unpacked",
                                               .times = "always",
                                               .error = remote::FaultKind::fatal});
    const engine::Outcome outcome = cluster.apply();
    EXPECT_EQ(outcome.result, RunResult::partial) << failures(outcome);
    EXPECT_THAT(outcome.set_aside, ::testing::ElementsAre("e3"));
    EXPECT_EQ(cluster.kubectl({"get", "node", "w1"}).exit_code, 0);
}

TEST(ManagedEtcd, AnOptionReachesTheServiceAndChangesNothingElse) {
    SimulatedCluster cluster(managed_spec());
    ASSERT_EQ(cluster.apply().result, RunResult::succeeded);
    cluster.spec().etcd.args["quota-backend-bytes"] = "4294967296";
    EXPECT_EQ(cluster.apply().changed, 3u);
    EXPECT_THAT(content(cluster, "e1", "/etc/systemd/system/etcd.service"),
                HasSubstr("--quota-backend-bytes=4294967296"));
}

TEST(ManagedEtcd, AnOptionItDoesNotTakeCostsNoMember) {
    SimulatedCluster cluster(managed_spec());
    ASSERT_EQ(cluster.apply().result, RunResult::succeeded);
    const std::string unit = "/etc/systemd/system/etcd.service";
    const std::string before = content(cluster, "e1", unit);
    cluster.spec().etcd.args["no-such-option"] = "1";
    const engine::Outcome failed = cluster.apply();
    EXPECT_EQ(failed.result, RunResult::failed);
    EXPECT_THAT(failed.failures,
                ::testing::Each(::testing::Field(&engine::Failure::error, "ETCD-CHANGE")))
        << failures(failed);
    EXPECT_EQ(content(cluster, "e1", unit), before);
    for (const char* host : {"e1", "e2", "e3"}) {
        EXPECT_THAT(content(cluster, host, unit), Not(HasSubstr("no-such-option")));
        EXPECT_FALSE(has(cluster, host, "/var/lib/slipway/changing-etcd"));
    }
    cluster.spec().etcd.args = {{"quota-backend-bytes", "4294967296"}};
    const engine::Outcome right = cluster.apply();
    EXPECT_EQ(right.result, RunResult::succeeded) << failures(right);
    EXPECT_EQ(cluster.apply().changed, 0u);
}

TEST(ManagedEtcd, InstalledHostsPassTheChecksOfBareOnes) {
    SimulatedCluster cluster(managed_spec());
    ASSERT_EQ(cluster.apply().result, RunResult::succeeded);
    EXPECT_THAT(installed_hosts(cluster.journal()), Contains("e1"));
    for (const CheckResult& result : cluster.checks())
        EXPECT_FALSE(result.blocks()) << result.host << " " << result.id << " " << result.seen;
}

std::string refusal(SimulatedCluster& cluster) {
    try {
        cluster.apply();
    } catch (const UserError& error) {
        return error.id() + ": " + error.cause();
    }
    return "applied";
}

TEST(EtcdPlace, IsNotChangedUnderALivingCluster) {
    SimulatedCluster cluster(managed_spec());
    ASSERT_EQ(cluster.apply().result, RunResult::succeeded);
    const config::Spec as_it_was = cluster.spec();
    const auto refused = [&] { return refusal(cluster); };
    cluster.spec().etcd.data_folder = "/srv/etcd";
    EXPECT_THAT(refused(), HasSubstr("ETCD-MOVED: etcd.dataFolder is /srv/etcd"));
    cluster.spec() = as_it_was;
    cluster.spec().hosts.push_back(sample_host("e4", "10.2.0.4", {Role::etcd}));
    EXPECT_THAT(refused(), HasSubstr("ETCD-MOVED: e4 would join"));
    cluster.spec() = as_it_was;
    cluster.spec().network_plugin.kind = "none";
    EXPECT_THAT(refused(), HasSubstr("NETWORK-PLUGIN-CHANGED: networkPlugin.kind is none"));
    cluster.spec() = as_it_was;
    cluster.spec().etcd.mode = EtcdMode::stacked;
    EXPECT_THAT(refused(), HasSubstr("ETCD-MOVED: etcd.mode is stacked"));
    cluster.spec() = as_it_was;
    for (config::Host& host : cluster.spec().hosts) {
        if (host.has(Role::etcd)) host.internal_address = "192.168.7" + host.address.substr(6);
    }
    EXPECT_THAT(refused(), HasSubstr("would move: e1 from 10.2.0.1 to 192.168.7.1, e2 from"));
    cluster.spec() = as_it_was;
    ASSERT_EQ(cluster.reset().result, RunResult::succeeded);
    cluster.spec().etcd.data_folder = "/srv/etcd";
    const engine::Outcome anew = cluster.apply();
    EXPECT_EQ(anew.result, RunResult::succeeded) << failures(anew);
}

class ExternalEtcdCluster : public ::testing::Test {
  protected:
    config::Spec spec() {
        config::Spec out = cluster_spec(3, 1);
        out.etcd.mode = EtcdMode::external;
        out.etcd.endpoints = {"https://10.9.0.1:2379", "https://10.9.0.2:2379"};
        out.etcd.ca_file = file("ca.crt", ca_.certificate());
        out.etcd.cert_file = file("client.crt", client_.certificate);
        out.etcd.key.file = file("client.key", client_.key.reveal());
        return out;
    }

    std::string file(const std::string& name, std::string_view text) const {
        const std::string path = (folder_.path() / name).string();
        atomic_write(path, text, 0600);
        return path;
    }

    store::testing::TemporaryFolder folder_;
    pki::Authority ca_ = pki::Authority::make("their-ca", 1, system_clock().wall_ms());
    pki::KeyPair client_ = ca_.issue({.common_name = "client"}, system_clock().wall_ms());
};

TEST_F(ExternalEtcdCluster, GetsWhatTheUserGaveOnEveryControlPlane) {
    SimulatedCluster cluster(spec());
    const json::object bare = cluster.snapshot();
    const engine::Outcome made = cluster.apply();
    ASSERT_EQ(made.result, RunResult::succeeded) << failures(made);
    for (const char* host : {"cp1", "cp3"}) {
        EXPECT_EQ(content(cluster, host, "/etc/kubernetes/pki/etcd/ca.crt"), ca_.certificate());
        const std::string key = "/etc/kubernetes/pki/apiserver-etcd-client.key";
        EXPECT_EQ(content(cluster, host, key), client_.key.reveal());
        EXPECT_EQ(cluster.fleet().host(host).file_info(key, {})->mode, 0600u);
        EXPECT_FALSE(has(cluster, host, "/etc/kubernetes/manifests/etcd.yaml"));
        EXPECT_FALSE(has(cluster, host, "/etc/systemd/system/slipway-backup-etcd.timer"));
        EXPECT_FALSE(has(cluster, host, "/var/lib/etcd"));
    }
    EXPECT_FALSE(has(cluster, "w1", "/etc/kubernetes/pki/apiserver-etcd-client.key"));
    EXPECT_EQ(cluster.apply().changed, 0u);
    ASSERT_EQ(cluster.reset().result, RunResult::succeeded);
    EXPECT_THAT(testing::differences(cluster.snapshot(), bare), IsEmpty());
}

TEST_F(ExternalEtcdCluster, StaysTheSameEvenWhenItsMembersComeAndGo) {
    SimulatedCluster cluster(spec());
    ASSERT_EQ(cluster.apply().result, RunResult::succeeded);
    cluster.spec().etcd.endpoints = {"https://10.9.0.2:2379", "https://10.9.0.3:2379"};
    EXPECT_EQ(refusal(cluster), "applied");
    cluster.spec().etcd.endpoints = {"https://10.9.0.7:2379"};
    EXPECT_EQ(refusal(cluster),
              "ETCD-MOVED: none of etcd.endpoints is one of the cluster's: https://10.9.0.2:2379, "
              "https://10.9.0.3:2379");
}

TEST_F(ExternalEtcdCluster, ARenewedCertificateReachesTheControlPlanesAlone) {
    SimulatedCluster cluster(spec());
    ASSERT_EQ(cluster.apply().result, RunResult::succeeded);
    client_ = ca_.issue({.common_name = "client"}, system_clock().wall_ms());
    cluster.spec().etcd = spec().etcd;
    EXPECT_EQ(cluster.apply().changed, 3u);
    EXPECT_EQ(content(cluster, "cp2", "/etc/kubernetes/pki/apiserver-etcd-client.key"),
              client_.key.reveal());
}

}  // namespace
}  // namespace slipway::cluster
