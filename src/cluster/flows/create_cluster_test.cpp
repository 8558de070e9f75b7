// The whole flow, from a bundle to a cluster and back, on simulated machines.
#include "base/files.hpp"
#include "base/mutex.hpp"
#include "cluster/testing/simulated_cluster.hpp"
#include "cluster/testing/simulated_site.hpp"
#include "engine/event.hpp"
#include "remote/machine.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

using engine::RunResult;
using testing::cluster_spec;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::SimulatedCluster;

std::vector<std::string> words(const std::vector<engine::Failure>& failures) {
    std::vector<std::string> out;
    for (const engine::Failure& failure : failures)
        out.push_back(failure.node + ": " + failure.message + ": " + failure.cause);
    return out;
}

// Writes down what started before something it needs had finished, and how progress went.
class OrderWatch final : public engine::EventSink {
  public:
    explicit OrderWatch(const engine::Plan& plan) {
        for (const engine::Node& node : plan.nodes()) {
            std::vector<std::string>& before = before_[node.id];
            for (const auto* list : {&node.needs, &node.after}) {
                for (const engine::NodeIndex need : *list) before.push_back(plan.node(need).id);
            }
        }
    }

    void on_event(const engine::Event& event) override {
        const Lock lock(mutex_);
        const std::string node = event.host.empty() ? event.step : event.host + "/" + event.step;
        if (event.type == "step.finished") finished_.insert(node);
        if (event.type == "progress") {
            const double now = event.body.at("percent").to_number<double>();
            if (now < percent) too_early.push_back("progress went back");
            percent = now;
        }
        if (event.type != "step.started") return;
        ++started;
        for (const std::string& need : before_.at(node)) {
            if (!finished_.contains(need)) too_early.push_back(node + " before " + need);
        }
    }

    std::vector<std::string> too_early;
    std::size_t started = 0;
    double percent = 0;

  private:
    std::map<std::string, std::vector<std::string>> before_;
    Mutex mutex_;  // steps report from their own threads
    std::set<std::string> finished_ SLIPWAY_GUARDED_BY(mutex_);
};

TEST(CreateCluster, FromABundleToReadyNodesAndBack) {
    SimulatedCluster cluster(cluster_spec(1, 2));
    const json::object bare = cluster.snapshot();
    const engine::Outcome made = cluster.apply();
    ASSERT_EQ(made.result, RunResult::succeeded) << ::testing::PrintToString(words(made.failures));
    EXPECT_THAT(cluster.kubectl({"get", "node", "w2", "-o", "json"}).out,
                HasSubstr(R"("status":"True")"));
    EXPECT_TRUE(std::filesystem::exists(cluster.bundle().folder() / "kubeconfig"));

    const engine::Outcome again = cluster.apply();
    EXPECT_EQ(again.result, RunResult::succeeded);
    EXPECT_EQ(again.changed, 0u);

    const engine::Outcome gone = cluster.reset();
    ASSERT_EQ(gone.result, RunResult::succeeded) << ::testing::PrintToString(words(gone.failures));
    EXPECT_THAT(testing::differences(cluster.snapshot(), bare), IsEmpty());
    EXPECT_FALSE(std::filesystem::exists(cluster.bundle().folder() / "kubeconfig"));

    EXPECT_EQ(cluster.apply().result, RunResult::succeeded) << "what was reset can be made again";
}

TEST(CreateCluster, AChangedLabelChangesItsNodeAlone) {
    SimulatedCluster cluster(cluster_spec(1, 2));
    ASSERT_EQ(cluster.apply().result, RunResult::succeeded);
    cluster.spec().hosts[2].labels["zone"] = "b";
    EXPECT_EQ(cluster.apply().changed, 1u);
    EXPECT_THAT(cluster.kubectl({"get", "node", "w2", "-o", "json"}).out,
                HasSubstr(R"("zone":"b")"));
}

TEST(CreateCluster, EveryNodeWithoutAnApiServerHasAProxyOfItsOwn) {
    config::Spec spec = cluster_spec(3, 2);
    spec.kubernetes.endpoint = config::Endpoint();
    spec.kubernetes.endpoint.kind = config::EndpointKind::local_haproxy;
    SimulatedCluster cluster(spec);
    const json::object bare = cluster.snapshot();
    const engine::Outcome made = cluster.apply();
    ASSERT_EQ(made.result, RunResult::succeeded) << ::testing::PrintToString(words(made.failures));
    const auto text = [&](const char* host, const char* path) {
        const auto found = cluster.fleet().host(host).read_file(path, {});
        return found ? found->content : "(absent)";
    };
    const char* const config = "/etc/kubernetes/haproxy/haproxy.cfg";
    EXPECT_THAT(text("w1", config), HasSubstr("    bind 127.0.0.1:6443\n"));
    EXPECT_THAT(text("w1", config),
                HasSubstr("    server cp1 10.0.0.2:6443\n    server cp2 10.0.0.3:6443\n"));
    EXPECT_THAT(text("w1", "/etc/kubernetes/manifests/haproxy.yaml"),
                HasSubstr("image: docker.io/library/haproxy:2.8\n"));
    EXPECT_THAT(text("w1", "/etc/kubernetes/kubelet.conf"), HasSubstr("https://127.0.0.1:6443"));
    EXPECT_EQ(text("cp1", config), "(absent)");
    EXPECT_EQ(cluster.apply().changed, 0u);

    cluster.spec().kubernetes.endpoint.port = 16443;
    ASSERT_EQ(cluster.apply().result, RunResult::succeeded);
    for (const char* host : {"cp1", "w1"})
        EXPECT_THAT(text(host, config), HasSubstr("    bind 127.0.0.1:16443\n"));

    ASSERT_EQ(cluster.reset().result, RunResult::succeeded);
    EXPECT_THAT(testing::differences(cluster.snapshot(), bare), IsEmpty());
}

// The steps that an apply had to do something for, without their hosts.
std::set<std::string> changed_by_apply(SimulatedCluster& cluster) {
    struct Watch final : engine::EventSink {
        void on_event(const engine::Event& event) override {
            const Lock lock(mutex);
            if (event.type == "step.started") steps.insert(event.step);
        }
        Mutex mutex;
        std::set<std::string> steps SLIPWAY_GUARDED_BY(mutex);
    } watch;
    const engine::Outcome outcome = cluster.apply(&watch);
    EXPECT_EQ(outcome.result, RunResult::succeeded)
        << ::testing::PrintToString(words(outcome.failures));
    const Lock lock(watch.mutex);
    return watch.steps;
}

TEST(CreateCluster, AChangedArgumentOrPatchChangesWhatReadsItAndNoMore) {
    SimulatedCluster cluster(cluster_spec(1, 1));
    const json::object bare = cluster.snapshot();
    ASSERT_EQ(cluster.apply().result, RunResult::succeeded);
    config::Tuning& tuning = cluster.spec().kubernetes.tuning;
    tuning.scheduler.args["v"] = "3";
    EXPECT_THAT(changed_by_apply(cluster),
                ElementsAre("configure-kubeadm", "start-control-plane", "upload-cluster-config"));
    tuning.kubelet.args["v"] = "3";
    EXPECT_THAT(changed_by_apply(cluster), ElementsAre("start-kubelet"));
    tuning.kube_proxy.args["v"] = "3";
    EXPECT_THAT(changed_by_apply(cluster),
                ElementsAre("configure-kubeadm", "install-kube-proxy", "upload-cluster-config"));

    const auto folder = cluster.bundle().folder();
    atomic_write(folder / "pod.yaml", "metadata: {labels: {a: b}}\n");
    atomic_write(folder / "kubelet.yaml", "- {op: replace, path: /maxPods, value: 42}\n");
    tuning.api_server.patches = {(folder / "pod.yaml").string()};
    tuning.kubelet.patches = {(folder / "kubelet.yaml").string()};
    EXPECT_THAT(changed_by_apply(cluster), ElementsAre("configure-kubeadm", "start-control-plane",
                                                       "start-kubelet", "upload-cluster-config"));
    remote::Host& host = cluster.fleet().host("cp1");
    const auto text = [&](const std::string& path) { return host.read_file(path, {})->content; };
    EXPECT_THAT(text("/var/lib/kubelet/config.yaml"), HasSubstr("maxPods: 42\n"));
    const std::string config = text("/etc/kubernetes/slipway/kubeadm.yaml");
    const std::size_t at = config.find("  directory: ") + 13;
    const std::string patches = config.substr(at, config.find('\n', at) - at);
    EXPECT_EQ(text(patches + "/kube-apiserver00+strategic.yaml"), "metadata: {labels: {a: b}}\n");
    EXPECT_EQ(cluster.apply().changed, 0u);

    std::filesystem::remove(folder / "pod.yaml");  // what was applied can be undone without it
    ASSERT_EQ(cluster.reset().result, RunResult::succeeded);
    EXPECT_THAT(testing::differences(cluster.snapshot(), bare), IsEmpty());
}

TEST(CreateCluster, AKubeletThatDoesNotRunWithNewSettingsHasItsOldOnesAgain) {
    SimulatedCluster cluster(cluster_spec(1, 3));
    ASSERT_EQ(cluster.apply().result, RunResult::succeeded);
    const json::object before = cluster.snapshot();
    cluster.spec().kubernetes.tuning.kubelet.args["no-such-argument"] = "1";
    const engine::Outcome outcome = cluster.apply();
    EXPECT_NE(outcome.result, RunResult::succeeded);
    EXPECT_THAT(words(outcome.failures), Contains(HasSubstr("has the old again")));
    for (const char* host : {"cp1", "w1", "w2", "w3"}) {
        EXPECT_TRUE(cluster.fleet().host(host).unit("kubelet.service", {}).active) << host;
    }
    cluster.spec().kubernetes.tuning.kubelet.args.clear();
    ASSERT_EQ(cluster.apply().result, RunResult::succeeded);
    EXPECT_THAT(testing::differences(cluster.snapshot(), before), IsEmpty());
}

TEST(CreateCluster, ANodeThatIsAwayDoesNotHoldUpKubeProxyOnTheOthers) {
    SimulatedCluster cluster(cluster_spec(1, 2));
    ASSERT_EQ(cluster.apply().result, RunResult::succeeded);
    cluster.spec().kubernetes.tuning.kube_proxy.args["v"] = "3";
    cluster.fleet().simulated("w2").add_fault(
        {.times = "always", .error = remote::FaultKind::unreachable});
    cluster.fleet().simulated("w2").tamper([](remote::Model& model) {
        remote::machine::set_unit(model, "kubelet", {.exists = true, .enabled = true});
    });
    const engine::Outcome outcome = cluster.apply();
    EXPECT_EQ(outcome.result, RunResult::partial)
        << ::testing::PrintToString(words(outcome.failures));
    EXPECT_THAT(outcome.set_aside, ElementsAre("w2"));
}

TEST(CreateCluster, WhatSomebodyTookAwayIsPutBack) {
    SimulatedCluster cluster(cluster_spec(1, 1));
    ASSERT_EQ(cluster.apply().result, RunResult::succeeded);
    remote::Host& w1 = cluster.fleet().host("w1");
    const auto kubelet = w1.file_info("/usr/local/bin/kubelet", {});
    w1.remove_file("/usr/local/bin/kubelet", {});
    w1.set_unit("kubelet.service", {.exists = true, .enabled = true}, {});
    EXPECT_THAT(cluster.kubectl({"get", "node", "w1", "-o", "json"}).out,
                HasSubstr(R"("status":"False")"));
    EXPECT_EQ(cluster.apply().result, RunResult::succeeded);
    EXPECT_EQ(w1.file_info("/usr/local/bin/kubelet", {}), kubelet);
    EXPECT_TRUE(w1.unit("kubelet.service", {}).active);
}

TEST(CreateCluster, AWorkerThatFailsIsSetAsideAndTheClusterStands) {
    SimulatedCluster cluster(cluster_spec(1, 3));
    cluster.fleet().simulated("w2").add_fault({.on = remote::Call::write,
                                               .match = "/usr/local/bin/kubelet",
                                               .times = "always",
                                               .error = remote::FaultKind::fatal});
    const engine::Outcome outcome = cluster.apply();
    EXPECT_EQ(outcome.result, RunResult::partial);
    EXPECT_THAT(outcome.set_aside, ElementsAre("w2"));
    EXPECT_EQ(cluster.kubectl({"get", "node", "w3"}).exit_code, 0);
    EXPECT_NE(cluster.kubectl({"get", "node", "w2"}).exit_code, 0);
}

TEST(CreateCluster, InstalledHostsPassTheChecksOfBareOnes) {
    SimulatedCluster cluster(cluster_spec(1, 1));
    const auto blocking = [&] {
        std::vector<std::string> out;
        for (const CheckResult& result : cluster.checks()) {
            if (result.blocks()) out.push_back(result.host + " " + result.id);
        }
        return out;
    };
    EXPECT_THAT(blocking(), IsEmpty());
    ASSERT_EQ(cluster.apply().result, RunResult::succeeded);
    EXPECT_THAT(installed_hosts(cluster.journal()), ElementsAre("cp1", "w1"));
    EXPECT_THAT(blocking(), IsEmpty());
}

// Whatever was cut off is found half done by the next apply, and by the next reset.
TEST(CreateCluster, InterruptedAnywhereTheNextApplyFinishesAndTheNextResetLeavesNothing) {
    config::Spec spec = cluster_spec(1, 1);
    spec.limits.retries = 0;
    for (const int calls : {3, 40, 110}) {
        SCOPED_TRACE(calls);
        SimulatedCluster cluster(spec);
        const json::object bare = cluster.snapshot();
        const auto until_done = [&](const std::function<engine::Outcome()>& work) {
            for (const char* host : {"cp1", "w1"}) {
                cluster.fleet().simulated(host).add_fault({.on = remote::Call::change,
                                                           .after = calls,
                                                           .error = remote::FaultKind::crash});
            }
            for (int tries = 0; tries < 30; ++tries) {
                const engine::Outcome outcome = work();
                if (outcome.result == RunResult::succeeded) return tries;
                if (tries == 29) ADD_FAILURE() << ::testing::PrintToString(words(outcome.failures));
            }
            return -1;
        };
        EXPECT_GT(until_done([&] { return cluster.apply(); }), 0);
        EXPECT_EQ(cluster.apply().changed, 0u);
        EXPECT_GE(until_done([&] { return cluster.reset(); }), 0);
        EXPECT_THAT(testing::differences(cluster.snapshot(), bare), IsEmpty());
    }
}

TEST(CreateCluster, AThousandNodesInTheRightOrderAndTheSecondTimeNothing) {
    SimulatedCluster cluster(cluster_spec(3, 997));
    const engine::Plan plan = cluster.plan();
    OrderWatch watch(plan);
    const engine::Outcome made = cluster.apply(&watch);
    ASSERT_EQ(made.result, RunResult::succeeded) << ::testing::PrintToString(words(made.failures));
    EXPECT_THAT(watch.too_early, IsEmpty());
    EXPECT_EQ(watch.started, made.changed);
    EXPECT_GT(watch.started, 14'000u);
    EXPECT_EQ(watch.percent, 100);
    for (const char* node : {"cp3", "w1", "w997"}) {
        EXPECT_THAT(cluster.kubectl({"get", "node", node, "-o", "json"}).out,
                    HasSubstr(R"("status":"True")"));
    }
    const engine::Outcome again = cluster.apply();
    EXPECT_EQ(again.result, RunResult::succeeded);
    EXPECT_EQ(again.changed, 0u);
    EXPECT_EQ(again.unchanged, plan.size());
}

}  // namespace
}  // namespace slipway::cluster
