// Components, local storage and network plugins by chart, on simulated machines.
#include "base/error.hpp"
#include "base/files.hpp"
#include "cluster/testing/simulated_cluster.hpp"
#include "cluster/testing/simulated_site.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

using engine::RunResult;
using testing::cluster_spec;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::SimulatedCluster;

std::string words(const engine::Outcome& outcome) {
    std::string out;
    for (const engine::Failure& failure : outcome.failures)
        out += failure.node + ": " + failure.message + ": " + failure.cause + "\n";
    return out;
}

class ComponentsFlow : public ::testing::Test {
  protected:
    ComponentsFlow() : cluster_(cluster_spec(1, 1)) {
        write("web.yaml", object("Deployment", "web") + "---\n" + object("ConfigMap", "page"));
    }

    static std::string object(const std::string& kind, const std::string& name) {
        return "apiVersion: apps/v1\nkind: " + kind + "\nmetadata:\n  name: " + name +
               "\n  namespace: site\n";
    }

    std::string write(const std::string& name, const std::string& content) {
        const std::string path = (cluster_.bundle().folder() / name).string();
        atomic_write(path, content);
        return path;
    }
    std::string path(const std::string& name) {
        return (cluster_.bundle().folder() / name).string();
    }

    config::Component manifests(const std::string& name, std::vector<std::string> needs = {}) {
        config::Component out;
        out.name = name;
        out.manifests = {path("web.yaml")};
        out.needs = std::move(needs);
        return out;
    }
    config::Component chart(const std::string& name) {
        config::Component out;
        out.name = name;
        out.chart = "small-chart";
        out.values_file = write("values.yaml", "replicas: 2\n");
        return out;
    }

    void apply(std::size_t changed) {
        const engine::Outcome outcome = cluster_.apply();
        ASSERT_EQ(outcome.result, RunResult::succeeded) << words(outcome);
        EXPECT_EQ(outcome.changed, changed);
    }

    bool has(const std::string& kind, const std::string& space, const std::string& name) {
        return cluster_.fleet()
            .host("cp1")
            .file_info("/var/lib/etcd/objects/" + kind + "/" + space + "/" + name, {})
            .has_value();
    }

    SimulatedCluster cluster_;
};

TEST_F(ComponentsFlow, AreInstalledOnceChangedAloneAndRemovedWithTheSpec) {
    const json::object bare = cluster_.snapshot();
    ASSERT_EQ(cluster_.apply().result, RunResult::succeeded);
    cluster_.spec().components = {manifests("site", {"base"}), chart("base")};
    apply(3);  // the chart's file and both
    EXPECT_TRUE(has("Deployment", "site", "web"));
    EXPECT_TRUE(has("ConfigMap", "site", "page"));
    EXPECT_TRUE(has("Release", "base", "base"));
    apply(0);

    write("web.yaml", object("Deployment", "web"));
    apply(1);
    EXPECT_FALSE(has("ConfigMap", "site", "page")) << "what the manifests no longer hold goes";
    EXPECT_TRUE(has("Deployment", "site", "web"));

    cluster_.spec().components.erase(cluster_.spec().components.begin());
    apply(1);
    EXPECT_FALSE(has("Deployment", "site", "web"));
    EXPECT_FALSE(has("ConfigMap", "kube-system", "slipway-component-site"));
    cluster_.spec().components.clear();
    apply(1);
    EXPECT_FALSE(has("Release", "base", "base"));
    apply(0);

    const engine::Outcome gone = cluster_.reset();
    ASSERT_EQ(gone.result, RunResult::succeeded) << words(gone);
    EXPECT_THAT(testing::differences(cluster_.snapshot(), bare), IsEmpty());
}

TEST_F(ComponentsFlow, WhatSomebodyTookAwayIsPutBack) {
    cluster_.spec().components = {manifests("site"), chart("base")};
    ASSERT_EQ(cluster_.apply().result, RunResult::succeeded);
    remote::Host& host = cluster_.fleet().host("cp1");
    host.remove_file("/var/lib/etcd/objects/Deployment/site/web", {});
    host.remove_file("/var/lib/etcd/objects/Release/base/base", {});
    apply(2);
    EXPECT_TRUE(has("Deployment", "site", "web"));
    EXPECT_TRUE(has("Release", "base", "base"));
}

TEST_F(ComponentsFlow, OneThatBecomesAChartLeavesItsManifests) {
    cluster_.spec().components = {manifests("site")};
    ASSERT_EQ(cluster_.apply().result, RunResult::succeeded);
    cluster_.spec().components = {chart("site")};
    ASSERT_EQ(cluster_.apply().result, RunResult::succeeded);
    EXPECT_FALSE(has("Deployment", "site", "web"));
    EXPECT_TRUE(has("Release", "site", "site"));
}

TEST_F(ComponentsFlow, AJobThatGoesByItselfIsNotMissed) {
    write("web.yaml", object("Deployment", "web") + "---\n" + object("Job", "once") +
                          "spec:\n  ttlSecondsAfterFinished: 60\n---\n" + object("Job", "kept"));
    cluster_.spec().components = {manifests("site")};
    ASSERT_EQ(cluster_.apply().result, RunResult::succeeded);
    remote::Host& host = cluster_.fleet().host("cp1");
    host.remove_file("/var/lib/etcd/objects/Job/site/once", {});
    apply(0);
    host.remove_file("/var/lib/etcd/objects/Job/site/kept", {});
    apply(1);

    write("web.yaml", object("Job", "once") + "spec:\n  ttlSecondsAfterFinished: 60\n");
    apply(1);
    EXPECT_TRUE(has("Job", "site", "once"));
    apply(0);
    cluster_.spec().components.clear();
    apply(1);
    EXPECT_FALSE(has("Job", "site", "once")) << "one that is still there goes with the component";
}

TEST_F(ComponentsFlow, AChartThatIsNotInTheBundleIsRefusedBeforeAnythingIsChanged) {
    const json::object bare = cluster_.snapshot();
    cluster_.spec().components = {chart("base")};
    cluster_.spec().components[0].version = "9.9.9";
    EXPECT_THROW(cluster_.apply(), UserError);
    EXPECT_THAT(testing::differences(cluster_.snapshot(), bare), IsEmpty());
}

TEST_F(ComponentsFlow, AStepWaitsForWhatItsComponentNeeds) {
    cluster_.spec().components = {manifests("a", {"z"}), manifests("z")};
    const engine::Plan plan = cluster_.plan();
    for (const engine::Node& node : plan.nodes()) {
        if (node.id != "cp1/install-component-a") continue;
        std::vector<std::string> needs;
        for (const engine::NodeIndex need : node.needs) needs.push_back(plan.node(need).id);
        EXPECT_THAT(needs, ::testing::Contains("cp1/install-component-z"));
        return;
    }
    FAIL() << "there is no such step";
}

TEST_F(ComponentsFlow, LocalStorageLeavesNothingBehindUnlessItIsToStay) {
    for (const std::string reclaim : {"Delete", "Retain"}) {
        SCOPED_TRACE(reclaim);
        SimulatedCluster cluster(cluster_spec(1, 1));
        cluster.spec().storage.local.enabled = true;
        cluster.spec().storage.local.reclaim = reclaim;
        const json::object bare = cluster.snapshot();
        const engine::Outcome made = cluster.apply();
        ASSERT_EQ(made.result, RunResult::succeeded) << words(made);
        remote::Host& w1 = cluster.fleet().host("w1");
        w1.write_file("/var/lib/slipway-volumes/pvc-1/data", {.content = "mine\n"}, {});
        ASSERT_EQ(cluster.apply().changed, 0u);
        ASSERT_EQ(cluster.reset().result, RunResult::succeeded);
        EXPECT_EQ(w1.file_info("/var/lib/slipway-volumes/pvc-1/data", {}).has_value(),
                  reclaim == "Retain");
        if (reclaim == "Delete") {
            EXPECT_THAT(testing::differences(cluster.snapshot(), bare), IsEmpty());
        }
    }
}

// The last word counts, whichever way the folder was first made, and also when the spec has given
// up local storage since.
TEST_F(ComponentsFlow, VolumesStayWhenTheSpecCameToKeepThem) {
    for (const bool still_wanted : {true, false}) {
        SCOPED_TRACE(still_wanted);
        SimulatedCluster cluster(cluster_spec(1, 1));
        cluster.spec().storage.local.enabled = true;
        ASSERT_EQ(cluster.apply().result, RunResult::succeeded);
        remote::Host& w1 = cluster.fleet().host("w1");
        w1.write_file("/var/lib/slipway-volumes/pvc-1/data", {.content = "mine\n"}, {});
        cluster.spec().storage.local.reclaim = "Retain";
        ASSERT_EQ(cluster.apply().result, RunResult::succeeded);
        ASSERT_EQ(cluster.apply().changed, 0u);
        cluster.spec().storage.local.enabled = still_wanted;
        ASSERT_EQ(cluster.reset().result, RunResult::succeeded);
        EXPECT_TRUE(w1.file_info("/var/lib/slipway-volumes/pvc-1/data", {}).has_value());
    }
}

TEST_F(ComponentsFlow, VolumesGoWhenTheSpecCameToGiveThemUp) {
    SimulatedCluster cluster(cluster_spec(1, 1));
    cluster.spec().storage.local.enabled = true;
    cluster.spec().storage.local.reclaim = "Retain";
    const json::object bare = cluster.snapshot();
    ASSERT_EQ(cluster.apply().result, RunResult::succeeded);
    cluster.fleet().host("w1").write_file("/var/lib/slipway-volumes/pvc-1/data",
                                          {.content = "mine\n"}, {});
    cluster.spec().storage.local.reclaim = "Delete";
    ASSERT_EQ(cluster.apply().result, RunResult::succeeded);
    ASSERT_EQ(cluster.reset().result, RunResult::succeeded);
    EXPECT_THAT(testing::differences(cluster.snapshot(), bare), IsEmpty());
}

TEST_F(ComponentsFlow, FoldersThatWereThereKeepTheirModeAndOwner) {
    const remote::FileState theirs{.content = "", .mode = 0755, .owner = "backup", .folder = true};
    cluster_.fleet().simulated("cp1").tamper([&](remote::Model& m) {
        m.set({remote::Section::file, "/var/backups"}, theirs);
        m.set({remote::Section::file, "/srv/volumes"}, theirs);
    });
    const json::object bare = cluster_.snapshot();
    cluster_.spec().etcd.backup.folder = "/var/backups";
    cluster_.spec().storage.local.enabled = true;
    cluster_.spec().storage.local.reclaim = "Retain";
    cluster_.spec().storage.local.folder = "/srv/volumes";
    const engine::Outcome made = cluster_.apply();
    ASSERT_EQ(made.result, RunResult::succeeded) << words(made);
    remote::Host& host = cluster_.fleet().host("cp1");
    EXPECT_EQ(host.read_file("/var/backups", {}), theirs);
    EXPECT_EQ(host.read_file("/srv/volumes", {}), theirs);
    EXPECT_EQ(cluster_.fleet().host("w1").read_file("/srv/volumes", {})->mode, 0711u);
    apply(0);
    ASSERT_EQ(cluster_.reset().result, RunResult::succeeded);
    EXPECT_THAT(testing::differences(cluster_.snapshot(), bare), IsEmpty());
}

TEST_F(ComponentsFlow, ANodeLocalCacheComesAndGoesWithTheSpec) {
    const json::object bare = cluster_.snapshot();
    cluster_.spec().kubernetes.dns.node_local = true;
    ASSERT_EQ(cluster_.apply().result, RunResult::succeeded);
    EXPECT_TRUE(has("DaemonSet", "kube-system", "node-local-dns"));
    EXPECT_TRUE(cluster_.fleet().host("w1").unit("slipway-dns-address.service", {}).active);
    apply(0);
    cluster_.spec().kubernetes.dns.node_local = false;
    ASSERT_EQ(cluster_.apply().result, RunResult::succeeded);
    EXPECT_FALSE(has("DaemonSet", "kube-system", "node-local-dns"));
    apply(0);
    cluster_.spec().kubernetes.dns.node_local = true;
    ASSERT_EQ(cluster_.apply().result, RunResult::succeeded);
    EXPECT_TRUE(has("DaemonSet", "kube-system", "node-local-dns")) << "once more";
    ASSERT_EQ(cluster_.reset().result, RunResult::succeeded);
    EXPECT_THAT(testing::differences(cluster_.snapshot(), bare), IsEmpty());
}

TEST_F(ComponentsFlow, ANetworkPluginComesAsAChart) {
    const json::object bare = cluster_.snapshot();
    cluster_.spec().network_plugin.kind = "cilium";
    EXPECT_THROW(cluster_.apply(), UserError) << "the bundle has no such chart";
    EXPECT_THAT(testing::differences(cluster_.snapshot(), bare), IsEmpty());

    cluster_.spec().network_plugin = {.kind = "calico", .values = {{"installation.mtu", "1450"}}};
    const engine::Outcome made = cluster_.apply();
    ASSERT_EQ(made.result, RunResult::succeeded) << words(made);
    EXPECT_FALSE(has("DaemonSet", "kube-flannel", "kube-flannel-ds"));
    EXPECT_THAT(cluster_.fleet()
                    .host("cp1")
                    .read_file("/var/lib/etcd/objects/Release/tigera-operator/calico", {})
                    ->content,
                HasSubstr(R"("mtu":1450)"));
    EXPECT_THAT(cluster_.kubectl({"get", "node", "w1", "-o", "json"}).out,
                HasSubstr(R"("status":"True")"));
    apply(0);
}

}  // namespace
}  // namespace slipway::cluster
