// Changes of a cluster that runs, on simulated machines: it goes on running.
#include "cluster/testing/sample_spec.hpp"
#include "cluster/testing/simulated_cluster.hpp"
#include "cluster/testing/simulated_site.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

using engine::RunResult;
using testing::cluster_spec;
using ::testing::Each;
using ::testing::IsEmpty;
using testing::SimulatedCluster;

const std::vector<std::string> kControlPlanes = {"cp1", "cp2", "cp3"};

std::vector<std::string> errors(const engine::Outcome& outcome) {
    std::vector<std::string> out;
    for (const engine::Failure& one : outcome.failures) out.push_back(one.error);
    return out;
}

std::string words(const engine::Outcome& outcome) {
    std::string out;
    for (const engine::Failure& one : outcome.failures)
        out += one.node + ": " + one.message + ": " + one.cause + "\n";
    return out;
}

// By host: "(absent)" where there is none.
std::map<std::string, std::string> contents(SimulatedCluster& cluster,
                                            const std::vector<std::string>& hosts,
                                            const std::string& path) {
    std::map<std::string, std::string> out;
    for (const std::string& host : hosts) {
        const auto found = cluster.fleet().host(host).read_file(path, {});
        out[host] = found ? found->content : "(absent)";
    }
    return out;
}

bool api_answers(SimulatedCluster& cluster, const std::string& host) {
    const remote::Command question = {
        .argv = {"/usr/local/bin/kubectl", "get", "--raw", "/readyz"}};
    return cluster.fleet().host(host).run(question, {}).exit_code == 0;
}

bool all_answer(SimulatedCluster& cluster) {
    return std::ranges::all_of(kControlPlanes,
                               [&](const std::string& host) { return api_answers(cluster, host); });
}

constexpr const char* kApiServer = "/etc/kubernetes/manifests/kube-apiserver.yaml";
constexpr const char* kMark = "/var/lib/slipway/changing-control-plane";

TEST(LivingControlPlanes, KeepTheirSettingsWhenTheFirstDoesNotRunWithNewOnes) {
    SimulatedCluster cluster(cluster_spec(3, 1));
    const json::object bare = cluster.snapshot();
    ASSERT_EQ(cluster.apply().result, RunResult::succeeded);
    const auto before = contents(cluster, kControlPlanes, kApiServer);
    config::StringMap& args = cluster.spec().kubernetes.tuning.api_server.args;
    args["no-such-argument"] = "1";
    const engine::Outcome failed = cluster.apply();
    EXPECT_EQ(failed.result, RunResult::failed);
    EXPECT_THAT(errors(failed), Each("CONTROL-PLANE-CHANGE")) << words(failed);
    EXPECT_EQ(contents(cluster, kControlPlanes, kApiServer), before);
    EXPECT_TRUE(all_answer(cluster));

    args.erase("no-such-argument");
    args["max-requests-inflight"] = "555";
    const engine::Outcome right = cluster.apply();
    EXPECT_EQ(right.result, RunResult::succeeded) << words(right);
    EXPECT_NE(contents(cluster, kControlPlanes, kApiServer), before);
    EXPECT_EQ(cluster.apply().changed, 0u);
    ASSERT_EQ(cluster.reset().result, RunResult::succeeded);
    EXPECT_THAT(testing::differences(cluster.snapshot(), bare), IsEmpty());
}

// Killed, or without a link, after the manifests are there and before anybody knows that they work.
TEST(LivingControlPlanes, CutOffInAChangeTheNextApplyGoesOnWithIt) {
    for (const bool corrected : {false, true}) {
        SCOPED_TRACE(corrected);
        config::Spec spec = cluster_spec(3, 1);
        spec.limits.retries = 0;
        SimulatedCluster cluster(spec);
        const json::object bare = cluster.snapshot();
        ASSERT_EQ(cluster.apply().result, RunResult::succeeded);
        const auto before = contents(cluster, kControlPlanes, kApiServer);
        config::StringMap& args = cluster.spec().kubernetes.tuning.api_server.args;
        args["no-such-argument"] = "1";
        for (const std::string& host : kControlPlanes)
            cluster.fleet().simulated(host).add_fault({.on = remote::Call::command,
                                                       .match = "crictl ps",
                                                       .after = 1,
                                                       .error = remote::FaultKind::unreachable});
        ASSERT_EQ(cluster.apply().result, RunResult::failed);
        EXPECT_FALSE(all_answer(cluster)) << "one of them was cut off";

        if (corrected) args.clear();
        const engine::Outcome next = cluster.apply();
        EXPECT_EQ(next.result, corrected ? RunResult::succeeded : RunResult::failed) << words(next);
        EXPECT_TRUE(all_answer(cluster));
        EXPECT_THAT(contents(cluster, kControlPlanes, kMark),
                    Each(::testing::Pair(::testing::_, "(absent)")));
        if (!corrected) {
            EXPECT_EQ(contents(cluster, kControlPlanes, kApiServer), before);
        } else {
            EXPECT_EQ(cluster.apply().changed, 0u);
        }
        ASSERT_EQ(cluster.reset().result, RunResult::succeeded);
        EXPECT_THAT(testing::differences(cluster.snapshot(), bare), IsEmpty());
    }
}

TEST(LivingControlPlanes, KeepTheirEtcdWhenTheFirstMemberDoesNotRunWithAnOption) {
    SimulatedCluster cluster(cluster_spec(3, 1));
    const json::object bare = cluster.snapshot();
    ASSERT_EQ(cluster.apply().result, RunResult::succeeded);
    const auto before = contents(cluster, kControlPlanes, "/etc/kubernetes/manifests/etcd.yaml");
    config::StringMap& args = cluster.spec().etcd.args;
    args["no-such-option"] = "1";
    cluster.spec().kubernetes.tuning.api_server.args["max-requests-inflight"] = "555";
    const engine::Outcome failed = cluster.apply();
    EXPECT_EQ(failed.result, RunResult::failed);
    EXPECT_THAT(errors(failed), Each("ETCD-CHANGE")) << words(failed);
    EXPECT_EQ(contents(cluster, kControlPlanes, "/etc/kubernetes/manifests/etcd.yaml"), before);
    EXPECT_TRUE(all_answer(cluster));

    args.clear();
    args["quota-backend-bytes"] = "4294967296";
    const engine::Outcome right = cluster.apply();
    EXPECT_EQ(right.result, RunResult::succeeded) << words(right);
    EXPECT_TRUE(all_answer(cluster));
    EXPECT_EQ(cluster.apply().changed, 0u);
    ASSERT_EQ(cluster.reset().result, RunResult::succeeded);
    EXPECT_THAT(testing::differences(cluster.snapshot(), bare), IsEmpty());
}

}  // namespace
}  // namespace slipway::cluster
