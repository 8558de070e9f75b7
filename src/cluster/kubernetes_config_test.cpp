#include "cluster/kubernetes_config.hpp"

#include "base/text.hpp"
#include "cluster/testing/sample_spec.hpp"
#include "cluster/testing/simulated_cluster.hpp"
#include "config/yaml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

using config::Role;
using testing::cluster_spec;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::SmallBundle;

// The documents of a text, each of which must be YAML.
std::vector<config::Node> documents(const std::string& text) {
    std::vector<config::Node> out;
    std::size_t at = 0;
    while (at != std::string::npos) {
        const std::size_t end = text.find("---\n", at);
        config::Findings findings;
        auto node = config::parse_yaml({"text", text.substr(at, end - at)}, 0, findings);
        EXPECT_TRUE(node) << text.substr(at, end - at);
        if (node) out.push_back(*std::move(node));
        at = end == std::string::npos ? end : end + 4;
    }
    return out;
}

std::string at(const config::Node& node, const std::string& path) {
    const config::Node* now = &node;
    for (const std::string& key : split(path, '.')) {
        now = now->kind == config::Node::Kind::list ? &now->items.at(std::stoul(key))
                                                    : now->find(key);
        if (now == nullptr) return "(absent)";
    }
    return now->text;
}

// The value of an extra argument, "(absent)" when it is not given.
std::string argument(const config::Node& document, const std::string& component,
                     const std::string& name) {
    const config::Node* part = document.find(component);
    const config::Node* list = part ? part->find("extraArgs") : nullptr;
    for (const config::Node& one : list ? list->items : std::vector<config::Node>()) {
        if (at(one, "name") == name) return at(one, "value");
    }
    return "(absent)";
}

class KubernetesConfig : public ::testing::Test {
  protected:
    std::vector<config::Node> kubeadm() {
        return documents(
            kubeadm_config(spec_, spec_.hosts[0], supplies_, {.cgroup_driver = "systemd"}));
    }
    config::Node kubelet(const config::Host& host) {
        return documents(kubelet_config(spec_, host, {.cgroup_driver = "systemd"})).front();
    }

    SmallBundle bundle_;
    Supplies supplies_{{bundle_.file()}};
    config::Spec spec_ = [this] {
        config::Spec spec = cluster_spec(3, 2);
        spec.bundles = {bundle_.file().string()};
        return spec;
    }();
};

TEST_F(KubernetesConfig, AnEtcdThatIsNoPodIsAnExternalOne) {
    spec_.etcd.mode = config::EtcdMode::external;
    spec_.etcd.endpoints = {"https://10.9.0.1:2379"};
    const auto all = kubeadm();
    EXPECT_EQ(at(all[1], "etcd.external.endpoints.0"), "https://10.9.0.1:2379");
    EXPECT_EQ(at(all[1], "etcd.external.caFile"), "/etc/kubernetes/pki/etcd/ca.crt");
    EXPECT_EQ(at(all[1], "etcd.external.keyFile"), "/etc/kubernetes/pki/apiserver-etcd-client.key");
    EXPECT_EQ(at(all[1], "etcd.local"), "(absent)");
    EXPECT_THAT(node_images(spec_, spec_.hosts[0], supplies_), Not(Contains(HasSubstr("etcd"))));
    const SmallBundle lacking({"registry.k8s.io/etcd"});
    EXPECT_NO_THROW(kubeadm_config(spec_, spec_.hosts[0], Supplies({lacking.file()}), {}));
}

TEST_F(KubernetesConfig, WhatRenewsCertificatesOfEtcdTakesThemForItsOwn) {
    const auto all = documents(etcd_renewal_config(spec_, spec_.hosts[0]));
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(at(all[1], "kubernetesVersion"), testing::kSmallVersion);
    EXPECT_EQ(at(all[1], "etcd.local.dataDir"), "/var/lib/etcd");
}

TEST_F(KubernetesConfig, KubeadmIsToldInFourDocuments) {
    const auto all = kubeadm();
    std::vector<std::string> kinds;
    for (const config::Node& one : all) kinds.push_back(at(one, "kind"));
    ASSERT_THAT(kinds, ElementsAre("InitConfiguration", "ClusterConfiguration",
                                   "KubeProxyConfiguration", "KubeletConfiguration"));
    EXPECT_EQ(at(all[1], "kubernetesVersion"), testing::kSmallVersion);
    EXPECT_EQ(at(all[1], "controlPlaneEndpoint"), "10.0.0.250:6443");
    EXPECT_EQ(at(all[1], "etcd.local.imageTag"), "3.6.0-0");
    EXPECT_EQ(at(all[1], "dns.imageTag"), "v1.12.0");
}

TEST_F(KubernetesConfig, AllMembersOfEtcdAreNamedFromTheStart) {
    const auto all = kubeadm();
    const config::Node* local = all[1].find("etcd")->find("local");
    std::string members;
    for (const config::Node& one : local->find("extraArgs")->items) {
        if (at(one, "name") == "initial-cluster") members = at(one, "value");
    }
    EXPECT_EQ(members,
              "cp1=https://10.0.0.2:2380,cp2=https://10.0.0.3:2380,"
              "cp3=https://10.0.0.4:2380");
}

TEST_F(KubernetesConfig, IPv6AddressesStandInBracketsWhereAPortFollows) {
    spec_.kubernetes.endpoint.address = "fd00::250";
    for (config::Host& host : spec_.hosts) host.address = "fd00::" + host.name.substr(2, 1);
    const auto all = kubeadm();
    EXPECT_EQ(at(all[1], "controlPlaneEndpoint"), "[fd00::250]:6443");
    EXPECT_EQ(at(all[0], "localAPIEndpoint.advertiseAddress"), "fd00::1");
    EXPECT_THAT(kubeadm_config(spec_, spec_.hosts[0], supplies_, {}),
                HasSubstr("cp1=https://[fd00::1]:2380"));
    EXPECT_THAT(mirror_config(spec_), HasSubstr("[host.\"https://[fd00::1]:5000\"]"));
}

TEST_F(KubernetesConfig, NodeMasksAreOfOneFamilyOrOfBoth) {
    auto one = kubeadm();
    EXPECT_EQ(argument(one[1], "controllerManager", "node-cidr-mask-size"), "24");
    EXPECT_EQ(argument(one[1], "controllerManager", "node-cidr-mask-size-ipv4"), "(absent)");
    spec_.kubernetes.networks.pods = {"10.244.0.0/16", "fd00:244::/56"};
    spec_.kubernetes.networks.services = {"10.96.0.0/16", "fd00:96::/112"};
    auto both = kubeadm();
    EXPECT_EQ(argument(both[1], "controllerManager", "node-cidr-mask-size"), "(absent)");
    EXPECT_EQ(argument(both[1], "controllerManager", "node-cidr-mask-size-ipv4"), "24");
    EXPECT_EQ(argument(both[1], "controllerManager", "node-cidr-mask-size-ipv6"), "64");
    EXPECT_EQ(at(both[1], "networking.podSubnet"), "10.244.0.0/16,fd00:244::/56");
}

TEST_F(KubernetesConfig, ANodeOfBothFamiliesHasAnAddressOfEach) {
    config::Host host;
    host.name = "n";
    host.address = "10.0.0.1";
    remote::Facts facts;
    facts.addresses = {"10.0.0.1", "fd01::1", "fd00::1"};
    facts.interfaces.resize(2);
    facts.interfaces[0].addresses = {"fd01::1/64"};
    facts.interfaces[1].addresses = {"fe80::1/64", "10.0.0.1/24", "fd00::1/64"};
    EXPECT_EQ(node_addresses(spec_, host, facts), "10.0.0.1");
    spec_.kubernetes.networks.pods = {"10.244.0.0/16", "fd00:10:244::/56"};
    EXPECT_EQ(node_addresses(spec_, host, facts), "10.0.0.1,fd00::1");
    facts.interfaces.pop_back();
    EXPECT_EQ(node_addresses(spec_, host, facts), "10.0.0.1,fd01::1");
    EXPECT_EQ(node_addresses(spec_, host, {}), "10.0.0.1");
}

TEST_F(KubernetesConfig, ControlPlanesAreTaintedUnlessTheyAreWorkersToo) {
    EXPECT_EQ(at(kubelet(spec_.hosts[0]), "registerWithTaints.0.key"),
              "node-role.kubernetes.io/control-plane");
    EXPECT_EQ(kubelet(spec_.hosts[3]).find("registerWithTaints"), nullptr);
    spec_.hosts[0].roles.push_back(Role::worker);
    EXPECT_EQ(kubelet(spec_.hosts[0]).find("registerWithTaints"), nullptr);
    spec_.hosts[3].taints = {{.key = "gpu", .value = "say \"yes\"", .effect = "NoSchedule"}};
    EXPECT_EQ(at(kubelet(spec_.hosts[3]), "registerWithTaints.0.value"), "say \"yes\"");
}

TEST_F(KubernetesConfig, ArgumentsOfTheSpecReachTheirComponentAsText) {
    spec_.kubernetes.tuning.api_server.args = {{"max-requests-inflight", "800"}};
    spec_.kubernetes.feature_gates = {{"SomeGate", true}};
    const auto all = kubeadm();
    EXPECT_EQ(argument(all[1], "apiServer", "max-requests-inflight"), "800");
    for (const char* component : {"apiServer", "controllerManager", "scheduler"})
        EXPECT_EQ(argument(all[1], component, "feature-gates"), "SomeGate=true");
    EXPECT_EQ(all[1].find("featureGates"), nullptr) << "those there are kubeadm's own";
    EXPECT_EQ(at(all[2], "featureGates.SomeGate"), "true");
    EXPECT_EQ(at(all[3], "featureGates.SomeGate"), "true");
}

TEST_F(KubernetesConfig, ArgumentsOfKubeProxyAreFieldsOfItsConfiguration) {
    spec_.kubernetes.tuning.kube_proxy.args = {{"conntrack-min", "4096"},
                                               {"kube-api-qps", "7.5"},
                                               {"nodeport-addresses", "10.0.0.0/8,192.168.0.0/16"},
                                               {"v", "3"}};
    const auto all = documents(kubeadm_config(spec_, spec_.hosts[0], supplies_,
                                              {.cgroup_driver = "systemd", .in_container = true}));
    EXPECT_EQ(at(all[2], "conntrack.min"), "4096") << "the user's wins";
    EXPECT_EQ(at(all[2], "conntrack.maxPerCore"), "0");
    EXPECT_EQ(at(all[2], "clientConnection.qps"), "7.5");
    EXPECT_EQ(at(all[2], "nodePortAddresses.1"), "192.168.0.0/16");
    EXPECT_EQ(at(all[2], "logging.verbosity"), "3");
}

TEST_F(KubernetesConfig, ArgumentsOfTheKubeletAreWordsOfItsFileAndTheUsersWin) {
    spec_.kubernetes.tuning.kubelet.args = {{"node-ip", "10.9.9.9"},
                                            {"eviction-hard", "memory.available<5%"}};
    EXPECT_EQ(kubelet_flags(spec_, spec_.hosts[3], {}),
              "# 10.0.0.250:6443\n"
              "KUBELET_KUBEADM_ARGS=\"--eviction-hard=memory.available<5% --hostname-override=w1 "
              "--node-ip=10.9.9.9\"\n");
}

TEST_F(KubernetesConfig, ANodePullsWhatItRunsAndNoMore) {
    const auto of = [&](int host) { return node_images(spec_, spec_.hosts[host], supplies_); };
    EXPECT_THAT(of(0), Contains("registry.k8s.io/etcd:3.6.0-0"));
    EXPECT_THAT(of(0), Contains("ghcr.io/kube-vip/kube-vip:v1.0.0"));
    EXPECT_THAT(of(0), Not(Contains(HasSubstr("coredns"))));
    EXPECT_THAT(of(3),
                ElementsAre("registry.k8s.io/pause:3.10", "registry.k8s.io/kube-proxy:v1.99.0",
                            "ghcr.io/flannel-io/flannel:v0.27.0",
                            "registry.k8s.io/coredns/coredns:v1.12.0"));
}

TEST(NodeSettings, TheCgroupDriverFollowsTheMachineUnlessTheSpecSays) {
    config::Spec spec;
    remote::Facts facts;
    EXPECT_EQ(node_settings(spec, facts).cgroup_driver, "systemd");
    facts.virtualization = "systemd-nspawn";
    facts.cgroup_version = 1;
    EXPECT_EQ(node_settings(spec, facts).cgroup_driver, "cgroupfs");
    EXPECT_TRUE(node_settings(spec, facts).in_container);
    spec.runtime.cgroup_driver = "systemd";
    EXPECT_EQ(node_settings(spec, facts).cgroup_driver, "systemd");
}

}  // namespace
}  // namespace slipway::cluster
