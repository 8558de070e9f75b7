#include "convert/convert.hpp"

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/testing/error_of.hpp"
#include "base/testing/source_tree.hpp"
#include "convert/testing/lost_leaves.hpp"

#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdlib.h>
#include <sys/stat.h>

namespace slipway::convert {

namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

const std::vector<std::string>& samples() {
    static const std::vector<std::string> kSamples = {
        "tke-single.json", "tke-ha.json",     "tke-third-party.json",
        "tke-state.json",  "kubekey-ha.yaml", "kubekey-external-etcd.yaml",
        "kubekey-v4.yaml"};
    return kSamples;
}

config::Source sample(const std::string& name) {
    const std::string path = testing::source_file("src/convert/testdata/" + name);
    return {name, read_file(path)};
}

// Names of steps as only a higher layer knows them: one of the samples' is unknown, one does
// nothing.
std::vector<config::Problem> step_problems(const config::LoadedSpec& loaded) {
    std::vector<config::Problem> out;
    for (std::size_t i = 0; i < loaded.spec.steps.skip.size(); ++i) {
        const std::string& name = loaded.spec.steps.skip[i];
        const std::string path = "steps.skip[" + std::to_string(i) + "]";
        if (name == "EnsureNoSuchThing")
            out.push_back({"SPEC-UNKNOWN-STEP", {}, path, "there is no such step", "remove it"});
        if (name == "EnsureNvidiaDriver")
            out.push_back({"SPEC-STEP-ALIAS",
                           {},
                           path,
                           "nothing to do here",
                           "nothing to do",
                           config::Severity::notice});
    }
    return out;
}

Conversion converted(const std::string& name) {
    return convert(sample(name),
                   {.from = {}, .secrets_folder = {}, .more_problems = step_problems});
}

config::Spec spec_of(const Conversion& conversion) {
    const config::LoadedSpec loaded = config::load_spec({{"new.yaml", conversion.yaml}});
    for (const config::Problem& problem : loaded.problems) {
        if (problem.severity == config::Severity::error) ADD_FAILURE() << problem.line();
    }
    return loaded.spec;
}

std::vector<std::string> paths(const Conversion& conversion) {
    std::vector<std::string> out;
    for (const Unsupported& one : conversion.unsupported) out.push_back(one.path);
    return out;
}

std::string why(const Conversion& conversion, const std::string& path) {
    const auto found = std::ranges::find(conversion.unsupported, path, &Unsupported::path);
    return found == conversion.unsupported.end() ? "" : found->why;
}

class Folder {
  public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "convert-XXXXXX").string();
        path = ::mkdtemp(name.data());
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::filesystem::path path;
};

class EverySample : public ::testing::TestWithParam<std::string> {};

TEST_P(EverySample, BecomesAValidSpec) {
    const Conversion conversion = converted(GetParam());
    EXPECT_TRUE(conversion.valid) << ::testing::PrintToString(conversion.notes);
    spec_of(conversion);
}

TEST_P(EverySample, LosesNoLeaf) { EXPECT_THAT(lost_leaves(converted(GetParam())), IsEmpty()); }

TEST_P(EverySample, KeepsSecretsOutOfEverythingThatIsShown) {
    const Conversion conversion = converted(GetParam());
    const std::string shown = json::serialize(to_json(conversion));
    for (const char* secret : {"best-kept-secret",      "YmVzdC1rZXB0LXNlY3JldA",
                               "admin-console-secret",  "YWRtaW4tY29uc29sZS1zZWNyZXQ",
                               "one-and-same-secret",   "b25lLWFuZC1zYW1lLXNlY3JldA",
                               "passphrase-secret",     "cGFzc3BocmFzZS1zZWNyZXQ",
                               "not a key at all",      "search-secret",
                               "c2VhcmNoLXNlY3JldA",    "chart-value-secret",
                               "second-secret",         "registry-secret",
                               "cmVnaXN0cnktc2VjcmV0",  "bearer-token-secret",
                               "Y2Eta2V5LXNlY3JldA",    "Host@Secret1",
                               "inline-key-secret",     "Registry-Secret-5",
                               "kubesphere-jwt-secret", "12345678",
                               "Inventory-Secret-7"})
        EXPECT_THAT(shown, Not(HasSubstr(secret)));
}

TEST_P(EverySample, GivesTheSameTextTwice) {
    EXPECT_EQ(converted(GetParam()).yaml, converted(GetParam()).yaml);
}

INSTANTIATE_TEST_SUITE_P(Convert, EverySample, ::testing::ValuesIn(samples()), [](const auto& one) {
    std::string name = one.param.substr(0, one.param.find('.'));
    std::ranges::replace(name, '-', '_');
    return name;
});

TEST(ConvertTke, OneMachineIsControlPlaneAndWorker) {
    const Conversion conversion = converted("tke-single.json");
    const config::Spec spec = spec_of(conversion);
    EXPECT_EQ(spec.name, "global");
    ASSERT_EQ(spec.hosts.size(), 1u);
    EXPECT_EQ(spec.hosts[0].address, "192.0.2.11");
    EXPECT_THAT(spec.hosts[0].roles,
                UnorderedElementsAre(config::Role::control_plane, config::Role::worker));
    EXPECT_EQ(spec.hosts[0].password.env, "SLIPWAY_SSH_PASSWORD_CP1");
    EXPECT_EQ(spec.kubernetes.max_pods, 256);
    EXPECT_EQ(spec.kubernetes.networks.node_mask_v4, 24);
    EXPECT_EQ(spec.kubernetes.tuning.scheduler.args.at("v"), "2");
    EXPECT_EQ(spec.network_plugin.values.at("interface"), "eth0");
    EXPECT_THAT(paths(conversion), Contains("Config.business"));
    EXPECT_THAT(paths(conversion), Contains("Config.mesh"));
    EXPECT_THAT(why(conversion, "cluster.spec.version"), HasSubstr("v1.34.11"));
    // What is switched off says nothing.
    EXPECT_THAT(paths(conversion), Not(Contains("cluster.spec.features.gpuType")));
}

TEST(ConvertTke, ThreeMastersGetAVirtualAddress) {
    const Conversion conversion = converted("tke-ha.json");
    const config::Spec spec = spec_of(conversion);
    ASSERT_EQ(spec.hosts.size(), 3u);
    EXPECT_EQ(spec.kubernetes.endpoint.kind, config::EndpointKind::kube_vip);
    EXPECT_EQ(spec.kubernetes.endpoint.address, "192.0.2.100");
    EXPECT_EQ(spec.kubernetes.endpoint.interface, "eth1");
    EXPECT_EQ(spec.kubernetes.version, "v1.34.11");
    EXPECT_EQ(spec.hosts[0].labels.at("example.org/row"), "b");
    ASSERT_EQ(spec.hosts[0].taints.size(), 1u);
    EXPECT_EQ(spec.hosts[0].taints[0].effect, "NoSchedule");
    EXPECT_EQ(spec.hosts[2].address, "192.0.2.13");
    EXPECT_EQ(spec.hosts[2].bastion, "cp1");
    EXPECT_EQ(spec.kubernetes.networks.proxy_mode, "ipvs");
    EXPECT_EQ(spec.etcd.data_folder, "/data/etcd");
    EXPECT_THAT(spec.kubernetes.certificates.extra_sans, ElementsAre("api.example.org"));
    ASSERT_EQ(spec.hooks.files.size(), 2u);
    EXPECT_EQ(spec.hooks.pre_install.at(0).script, "/opt/site/prepare.sh --now");
    EXPECT_EQ(spec.hooks.post_cluster_ready.at(0).roles.size(), 1u);
    ASSERT_EQ(spec.components.size(), 1u);
    EXPECT_EQ(spec.components[0].name, "grafana");
    EXPECT_EQ(spec.components[0].chart, "grafana");
}

TEST(ConvertTke, ListsWhatTheSpecsRulesRefuse) {
    const Conversion conversion = converted("tke-ha.json");
    const config::Spec spec = spec_of(conversion);
    EXPECT_THAT(why(conversion, "cluster.spec.apiServerExtraArgs.etcd-servers"), HasSubstr("etcd"));
    EXPECT_EQ(spec.kubernetes.tuning.api_server.args.count("etcd-servers"), 0u);
    EXPECT_EQ(spec.kubernetes.tuning.api_server.args.at("audit-log-maxage"), "7");
    EXPECT_THAT(why(conversion, "Config.ha.tke.vrid"), Not(IsEmpty()));
    EXPECT_THAT(why(conversion, "cluster.metadata.annotations"), Not(IsEmpty()));
    EXPECT_THAT(why(conversion, "Config.expansionApps[1]"), HasSubstr("not enabled"));
}

TEST(ConvertTke, NamesOfStepsAreJudgedByTheCaller) {
    const Conversion conversion = converted("tke-ha.json");
    EXPECT_THAT(spec_of(conversion).steps.skip,
                UnorderedElementsAre("EnsureSysctl", "EnsureMetricsServer",
                                     "Push images to registry", "Execute post install hook"));
    EXPECT_THAT(why(conversion, "cluster.spec.features.skipConditions[2]"),
                HasSubstr("there is no such step"));
    EXPECT_THAT(why(conversion, "cluster.spec.features.skipConditions[1]"),
                HasSubstr("nothing to do here"));
}

TEST(ConvertTke, TheLoginOfAnotherRegistryIsKept) {
    const Conversion conversion = converted("tke-third-party.json");
    const config::Spec spec = spec_of(conversion);
    EXPECT_EQ(spec.name, "global-2");
    ASSERT_EQ(spec.registry.logins.size(), 1u);
    EXPECT_EQ(spec.registry.logins[0].host, "registry.example.org");
    EXPECT_EQ(spec.registry.logins[0].password.env, "SLIPWAY_REGISTRY_PASSWORD");
    EXPECT_THAT(why(conversion, "Config.registry.thirdParty.domain"), HasSubstr("bundle"));
    EXPECT_EQ(spec.kubernetes.endpoint.kind, config::EndpointKind::external);
    EXPECT_EQ(spec.kubernetes.endpoint.port, 8443);
    EXPECT_EQ(spec.network_plugin.kind, "cilium");
}

TEST(ConvertTke, AnEtcdOfOthersStaysOne) {
    const config::Spec spec = spec_of(converted("tke-third-party.json"));
    EXPECT_EQ(spec.etcd.mode, config::EtcdMode::external);
    EXPECT_EQ(spec.etcd.endpoints.size(), 3u);
    EXPECT_THAT(spec.etcd.key.file, HasSubstr("etcd/client.key"));
}

TEST(ConvertTke, ASecretThatIsNotBase64IsListed) {
    const Conversion conversion = converted("tke-third-party.json");
    EXPECT_THAT(why(conversion, "cluster.spec.machines[0].password"), HasSubstr("not base64"));
    EXPECT_TRUE(spec_of(conversion).hosts[0].password.empty());
}

TEST(ConvertTke, SecretsOfHostsMayBeAskedForAndNoOthers) {
    const Conversion conversion =
        convert(sample("tke-third-party.json"),
                {.from = Format::tke, .prompt_for_secrets = true, .bundles = {"/srv/k.bundle"}});
    const config::Spec spec = spec_of(conversion);
    EXPECT_EQ(conversion.cluster, spec.name);
    EXPECT_TRUE(spec.hosts[1].password.prompt);
    EXPECT_TRUE(spec.registry.logins.empty());
    EXPECT_THAT(why(conversion, "Config.registry.thirdParty"), HasSubstr("cannot be asked for"));
    EXPECT_THAT(spec.bundles, ElementsAre("/srv/k.bundle"));
    EXPECT_THAT(lost_leaves(conversion), IsEmpty());
}

TEST(ConvertTke, AWrongValueIsToldFromOneWithoutACounterpart) {
    const Conversion conversion = converted("tke-ha.json");
    for (const Unsupported& one : conversion.unsupported) {
        if (one.path == "cluster.spec.apiServerExtraArgs.etcd-servers") {
            EXPECT_TRUE(one.is_wrong);
        } else if (one.path == "Config.audit" || one.path == "cluster.spec.features.gpuType") {
            EXPECT_FALSE(one.is_wrong) << one.path;
        }
    }
    EXPECT_TRUE(std::ranges::any_of(conversion.unsupported, &Unsupported::is_wrong));
}

TEST(ConvertTke, OfAKeptStateTheInputCounts) {
    const Conversion conversion = converted("tke-state.json");
    EXPECT_EQ(spec_of(conversion).kubernetes.networks.pods.size(), 2u);
    EXPECT_THAT(paths(conversion), Contains("cluster"));
    EXPECT_THAT(paths(conversion), Contains("config"));
    EXPECT_THAT(paths(conversion), Contains("step"));
}

TEST(ConvertKubekey, RangesNameHosts) {
    const Conversion conversion = converted("kubekey-ha.yaml");
    const config::Spec spec = spec_of(conversion);
    EXPECT_EQ(spec.name, "sample");
    EXPECT_EQ(spec.with_role(config::Role::control_plane).size(), 3u);
    EXPECT_EQ(spec.with_role(config::Role::etcd).size(), 3u);
    EXPECT_EQ(spec.etcd.mode, config::EtcdMode::managed);
    EXPECT_THAT(why(conversion, "spec.roleGroups.worker[2]"), HasSubstr("worker-9"));
    EXPECT_THAT(why(conversion, "spec.roleGroups.gpu"), Not(IsEmpty()));
    EXPECT_EQ(spec.find_host("spare"), nullptr);
    EXPECT_THAT(why(conversion, "spec.hosts[4]"), HasSubstr("no group"));
}

TEST(ConvertKubekey, HostsKeepTheirLogins) {
    const Conversion conversion = converted("kubekey-ha.yaml");
    EXPECT_THAT(paths(conversion), Not(Contains("spec.hosts[2].privateKeyPath")));
    const config::Spec spec = spec_of(conversion);
    const config::Host& first = *spec.find_host("node1");
    EXPECT_EQ(first.internal_address, "10.1.0.21");
    EXPECT_EQ(first.password.env, "SLIPWAY_SSH_PASSWORD_NODE1");
    EXPECT_EQ(first.become.password.env, "SLIPWAY_SSH_PASSWORD_NODE1");
    EXPECT_EQ(spec.find_host("node2")->password.env, "SLIPWAY_SSH_PASSWORD_NODE1");
    EXPECT_THAT(spec.find_host("node3")->key.file, HasSubstr(".ssh/id_rsa"));
    EXPECT_EQ(spec.find_host("worker-1")->key.env, "SLIPWAY_SSH_KEY_WORKER_1");
    EXPECT_EQ(spec.find_host("worker-1")->arch, "arm64");
}

TEST(ConvertKubekey, TheClusterIsTheSame) {
    const Conversion conversion = converted("kubekey-ha.yaml");
    const config::Spec spec = spec_of(conversion);
    const config::Kubernetes& kubernetes = spec.kubernetes;
    EXPECT_EQ(kubernetes.endpoint.kind, config::EndpointKind::local_haproxy);
    EXPECT_EQ(kubernetes.endpoint.domain, "lb.example.local");
    EXPECT_THAT(kubernetes.networks.pods, ElementsAre("10.233.64.0/18"));
    EXPECT_EQ(kubernetes.max_pods, 120);
    EXPECT_FALSE(kubernetes.certificates.auto_renew);
    EXPECT_FALSE(kubernetes.dns.node_local);
    EXPECT_THAT(kubernetes.dns.hosts.at("192.0.2.99"),
                ElementsAre("store.example.org", "files.example.org"));
    EXPECT_THAT(kubernetes.dns.zones.at("corp.example.org"), ElementsAre("192.0.2.54"));
    EXPECT_TRUE(kubernetes.feature_gates.at("NodeSwap"));
    EXPECT_EQ(spec.etcd.args.at("quota-backend-bytes"), "8589934592");
    EXPECT_EQ(spec.etcd.backup.keep, 7);
    EXPECT_EQ(spec.network_plugin.kind, "calico");
    EXPECT_EQ(spec.storage.local.folder, "/data/volumes");
    EXPECT_EQ(spec.os.time_sync.timezone, "Europe/Berlin");
    EXPECT_EQ(spec.hooks.pre_install.at(0).name, "format-disk");
    EXPECT_EQ(spec.registry.mirrors.at("docker.io"), "mirror.example.org");
    EXPECT_THAT(why(conversion, "spec.registry.registryMirrors[1]"), HasSubstr("one mirror"));
    EXPECT_THAT(why(conversion, "spec.kubernetes.apiserverArgs[1]"), HasSubstr("etcd"));
}

TEST(ConvertKubekey, AddonsAreComponentsAndKubeSphereIsListed) {
    const Conversion conversion = converted("kubekey-ha.yaml");
    const config::Spec spec = spec_of(conversion);
    ASSERT_EQ(spec.components.size(), 2u);
    EXPECT_EQ(spec.components[0].chart, "nfs-client");
    EXPECT_EQ(spec.components[0].version, "1.2.9");
    EXPECT_EQ(spec.components[1].manifests.size(), 1u);
    EXPECT_THAT(paths(conversion), Contains("spec.addons[0].sources.chart.values"));
    EXPECT_THAT(paths(conversion), Contains("spec.addons[1].sources.yaml.path[1]"));
    EXPECT_THAT(paths(conversion), Contains("documents[1]"));
}

TEST(ConvertKubekey, WhatSlipwayDoesNotHaveIsListed) {
    const Conversion conversion = converted("kubekey-external-etcd.yaml");
    const config::Spec spec = spec_of(conversion);
    EXPECT_EQ(spec.name, "sample-two");
    EXPECT_NE(spec.find_host("master1"), nullptr);
    EXPECT_EQ(spec.kubernetes.endpoint.vip_mode, "bgp");
    EXPECT_EQ(spec.etcd.mode, config::EtcdMode::external);
    EXPECT_FALSE(spec.os.hostname);
    EXPECT_FALSE(spec.os.firewall);
    for (const char* path :
         {"spec.kubernetes.version", "spec.kubernetes.containerManager", "spec.kubernetes.type",
          "spec.network.plugin", "spec.network.kubeovn.tunnelType", "spec.system.rpms",
          "spec.misspelt"})
        EXPECT_THAT(paths(conversion), Contains(path));
    EXPECT_TRUE(spec.kubernetes.dns.node_local) << "KubeKey's default is written out";
}

TEST(ConvertKubekey, AnInventoryGivesTheHosts) {
    const Conversion conversion = converted("kubekey-v4.yaml");
    const config::Spec spec = spec_of(conversion);
    ASSERT_EQ(spec.hosts.size(), 2u);
    EXPECT_EQ(spec.find_host("node1")->internal_address, "10.1.0.21");
    EXPECT_EQ(spec.with_role(config::Role::etcd).size(), 1u);
    EXPECT_THAT(paths(conversion), Contains("spec.vars"));
    EXPECT_THAT(paths(conversion), Contains("documents[1].spec.etcd"));
}

TEST(Convert, SecretsAreFilesThatOnlyTheirOwnerReads) {
    Folder folder;
    const std::string place = (folder.path / "secrets").string();
    const Conversion conversion =
        convert(sample("tke-ha.json"),
                {.from = {}, .secrets_folder = place, .more_problems = step_problems});
    write_secrets(conversion, place);
    const config::Spec spec = spec_of(conversion);
    EXPECT_EQ(read_file(spec.hosts[0].password.file), "one-and-same-secret");
    EXPECT_EQ(spec.hosts[1].password.file, spec.hosts[0].password.file);
    struct stat info{};
    ASSERT_EQ(::stat(spec.hosts[0].password.file.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u);
    write_secrets(conversion, place);  // the same again is no conflict
    atomic_write(spec.hosts[0].password.file, "another");
    EXPECT_EQ(testing::error_of([&] { write_secrets(conversion, place); }),
              "CONVERT-SECRET-EXISTS");
    EXPECT_EQ(read_file(spec.hosts[0].password.file), "another");
}

TEST(Convert, SaysWhatItCannotRead) {
    const auto id = [](const std::string& text, std::optional<Format> from = {}) {
        return testing::error_of([&] {
            convert({"x", text}, {.from = from, .secrets_folder = {}, .more_problems = {}});
        });
    };
    EXPECT_EQ(id(""), "CONVERT-UNREADABLE");
    EXPECT_EQ(id("{\"cluster\": "), "CONVERT-UNREADABLE");
    EXPECT_EQ(id(std::string(5u << 20, ' ')), "CONVERT-UNREADABLE");
    EXPECT_EQ(id("a: 1"), "CONVERT-UNKNOWN");
    EXPECT_EQ(id("[1, 2]"), "CONVERT-UNKNOWN");
    EXPECT_EQ(id(sample("tke-ha.json").text, Format::kubekey), "CONVERT-UNKNOWN");
    EXPECT_EQ(id(sample("kubekey-v4.yaml").text, Format::tke), "CONVERT-UNKNOWN");
}

TEST(Convert, WhatIsMissingIsSaidInANote) {
    const Conversion conversion =
        convert({"x", R"({"cluster": {"spec": {"machines": [{"ip": "nowhere at all"}]}},
                  "Config": {"ha": {"tke": {"vrid": 3}}}})"});
    EXPECT_FALSE(conversion.valid);
    EXPECT_THAT(conversion.notes, Contains(HasSubstr("kubernetes.endpoint.address")));
    EXPECT_THAT(conversion.notes, Contains(HasSubstr("hosts[0].address")));
    EXPECT_THAT(why(conversion, "cluster.spec.machines[0].ip"), Not(IsEmpty()));
}

TEST(Convert, AKeyWrittenTwiceIsListed) {
    const Conversion conversion =
        convert({"x", R"({"cluster": {"spec": {"dnsDomain": "a.local", "dnsDomain": "b.local"}},
                          "Config": {}})"});
    EXPECT_THAT(why(conversion, "cluster.spec.dnsDomain"), HasSubstr("again"));
    EXPECT_THAT(conversion.yaml, HasSubstr("a.local"));
}

TEST(Convert, TextsOfJsonAreReadAsJsonMeansThem) {
    const Conversion conversion = convert(
        {"x",
         "{\n\t\"cluster\": {\"spec\": {\n\t\t\"machines\": [{\"ip\": \"192.0.2.1\", \"labels\": "
         "{\"a\\u002fb\": \"caf\\u00e9\", \"c\\/d\": \"x\"}}]}}, \"Config\": {}}"});
    const config::Spec spec = spec_of(conversion);
    EXPECT_EQ(spec.hosts.at(0).labels.at("c/d"), "x");
    EXPECT_THAT(why(conversion, "cluster.spec.machines[0].labels.a/b"), HasSubstr("label value"));
}

TEST(ConvertKubekey, ALoginInTheAddressOfAMirrorStaysOut) {
    std::string text = sample("kubekey-ha.yaml").text;
    const std::string mirror = "http://mirror.example.org";
    const std::size_t at = text.find(mirror);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, mirror.size(), "http://puller:hunter2@mirror.example.org");
    const Conversion conversion = convert({"file", text}, {});
    EXPECT_THAT(conversion.yaml, Not(HasSubstr("hunter2")));
    EXPECT_THAT(json::serialize(to_json(conversion)), Not(HasSubstr("hunter2")));
    EXPECT_THAT(conversion.yaml, HasSubstr("mirror.example.org"));
}

TEST(ConvertKubekey, ARangeAtTheEndOfAllNumbersIsNoRange) {
    const std::string text =
        "apiVersion: kubekey.kubesphere.io/v1alpha2\nkind: Cluster\nmetadata: {name: demo}\nspec:\n"
        "  hosts: [{name: node1, address: 192.0.2.1}]\n"
        "  roleGroups: {control-plane: [\"node[2147483647:2147483647]\"]}\n";
    EXPECT_THAT(convert({"file", text}, {}).yaml, Not(HasSubstr("node2147483647")));
}

}  // namespace

}  // namespace slipway::convert
