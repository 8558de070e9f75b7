// What a cluster's programs bring along, kind by kind: applied once, a drift seen and mended, and
// undone to what was there. Some of it is never twice the same (keys), so this asks for less than
// round_trip_test.cpp does of simple things.
#include "base/digest.hpp"
#include "cluster/resources/kinds.hpp"
#include "cluster/testing/step_runner.hpp"
#include "engine/testing/memory_journal.hpp"
#include "oci/testing/temp_folder.hpp"
#include "remote/testing/test_fleet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

using remote::FileState;
using remote::Model;
using remote::Section;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::StepRunner;

struct Case {
    std::string name;
    std::function<ResourcePtr()> make;
    std::function<void(remote::Host&)> drift;  // somebody's change, which the next apply mends
    std::function<void(Model&)> initial = [](Model&) {};
    bool undo_sees_drift = true;  // false: what the drift took away is all that undo goes by
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

const std::string kSum(64, 'a');

FetchFrom from(const std::string& name) {
    return {.servers = {"https://10.0.0.1:5000"},
            .path = "/v2/slipway.local/binaries/" + name + "/blobs/sha256:" + kSum,
            .sha256 = kSum,
            .size = 7,
            .label = name + " v1"};
}

std::shared_ptr<Vault> vault() {
    static engine::testing::MemoryJournal journal;
    static const auto one =
        std::make_shared<Vault>(journal, system_clock(), config::Certificates());
    return one;
}

UploadFrom upload() {
    static const oci::testing::TempFolder folder;
    return {
        .file = folder.write("large", "content"), .size = 7, .identity = "v1", .label = "large"};
}

VaultFile authority_file() {
    return {.path = "/etc/pki/ca.crt",
            .mode = 0644,
            .content = [] { return Secret(vault()->authority("kubernetes").certificate()); },
            .known =
                [] {
                    const auto text = vault()->authority_certificate("kubernetes");
                    return text ? sha256_hex(*text) : std::string();
                }};
}

std::vector<PackageFile> packages() {
    return {{.package = "conntrack", .from = from("conntrack"), .file = "conntrack_1_amd64.deb"},
            {.package = "socat", .from = from("socat"), .file = "socat_1_amd64.deb"}};
}

MadeFiles manifests() {
    const std::string config = "/etc/kubernetes/slipway/kubeadm.yaml";
    return {
        .name = "etcd",
        .command = {"/usr/local/bin/kubeadm", "init", "phase", "etcd", "local", "--config", config},
        .inputs = "1",
        .files = {"/etc/kubernetes/manifests/etcd.yaml"}};
}

std::function<void(Model&)> with(std::string path, FileState state) {
    return [=](Model& m) { m.set({Section::file, path}, state); };
}

std::function<void(remote::Host&)> without(std::string path) {
    return [=](remote::Host& host) { host.remove_file(path, {}); };
}

void with_kubeadm(Model& m) {
    with("/usr/local/bin/kubeadm", {.content = "x", .mode = 0755})(m);
    for (const char* folder : {"/etc/kubernetes", "/etc/kubernetes/slipway"})
        with(folder, {.content = "", .mode = 0755, .folder = true})(m);
    with("/etc/kubernetes/slipway/kubeadm.yaml", {.content = "kind: x\n"})(m);
}

std::vector<Case> files() {
    const auto program = [] { return fetched_file("/usr/local/bin/kubelet", from("kubelet")); };
    const std::string path = "/usr/local/bin/kubelet";
    return {
        {"Program", program, without(path)},
        {"ProgramOverAnother", program,
         [path](remote::Host& h) { h.write_file(path, {.content = "changed", .mode = 0755}, {}); },
         with(path, {.content = "somebody's", .mode = 0700})},
        {"Upload", [] { return uploaded_file("/srv/x.bundle", upload()); },
         [](remote::Host& h) { h.write_file("/srv/x.bundle", {.content = "cut"}, {}); }},
        {"Archive",
         [] {
             return unpacked_archive("/usr/local", from("containerd.tar.gz"),
                                     {"bin/containerd", "bin/ctr"});
         },
         without("/usr/local/bin/ctr")},
        {"ArchiveWithAFolderOfItsOwn",
         [] {
             return unpacked_archive("/usr/local/bin", from("etcd.tar.gz"), {"etcd", "etcdctl"},
                                     "etcd-v3.6.0-linux-amd64");
         },
         without("/usr/local/bin/etcd")},
        {"FilesOfACommand", [] { return made_files(manifests()); },
         [](remote::Host& h) {
             h.write_file("/etc/kubernetes/manifests/etcd.yaml", {.content = "x"}, {});
         },
         with_kubeadm},
        {"FirstLink", [] { return link_once("/var/lib/k/current.pem", "/var/lib/k/first.pem"); },
         without("/var/lib/k/current.pem")},
        {"FolderOfData", [] { return filled_folder("/var/lib/data", 0700); },
         [](remote::Host& h) { h.remove_tree("/var/lib/data", false, {}); }},
        {"KeptFolder", [] { return kept_folder("/srv/made/data", 0700); },
         [](remote::Host& h) { h.remove_tree("/srv/made/data", false, {}); }},
        {"Packages", [] { return os_packages(packages()); },
         [](remote::Host& h) { h.remove_packages({"socat"}, {}); }},
        {"PackagesOfWhichOneWasThere", [] { return os_packages(packages()); },
         [](remote::Host& h) { h.remove_packages({"socat"}, {}); },
         [](Model& m) { m.set({Section::package, "conntrack"}, "1.4"); }},
        {"PodsOfTheNode", pods_of_node, without("/var/lib/slipway/made/pods"), [](Model&) {},
         false},
        {"NetworkOfPods", pod_network, without("/var/lib/slipway/made/pod-network"), [](Model&) {},
         false},
    };
}

std::vector<Case> certificates() {
    const pki::Request request{.common_name = "x", .usage = pki::Usage::server};
    return {
        {"Certificate",
         [=] {
             return certificate({.certificate = "/etc/pki/x.crt",
                                 .key = "/etc/pki/x.key",
                                 .authority = "kubernetes",
                                 .request = request},
                                vault());
         },
         without("/etc/pki/x.key")},
        {"CertificateAndKeyInOneFile",
         [=] {
             return certificate({.certificate = "/etc/pki/x.pem",
                                 .key = "/etc/pki/x.pem",
                                 .authority = "kubernetes",
                                 .request = request},
                                vault());
         },
         [](remote::Host& h) { h.write_file("/etc/pki/x.pem", {.content = "broken"}, {}); }},
        {"Kubeconfig",
         [] {
             return kubeconfig_file({.path = "/etc/kubernetes/admin.conf",
                                     .server = "https://10.0.0.1:6443",
                                     .cluster = "demo",
                                     .user = "admin",
                                     .request = {.common_name = "admin"}},
                                    vault());
         },
         without("/etc/kubernetes/admin.conf")},
        {"FileOfTheVault", [] { return vault_file(authority_file()); },
         [](remote::Host& h) { h.write_file("/etc/pki/ca.crt", {.content = "other"}, {}); }},
        {"FileOfTheVaultOverAnother", [] { return vault_file(authority_file()); },
         without("/etc/pki/ca.crt"),
         [](Model& m) {
             with("/etc/pki", {.content = "", .mode = 0755, .folder = true})(m);
             with("/etc/pki/ca.crt", {.content = "somebody's", .mode = 0600})(m);
         }},
    };
}

engine::Step step_of_one(std::vector<ResourcePtr> resources) {
    engine::Step step = resources_step("one", resource_list(std::move(resources)));
    step.host = "h";
    return step;
}

class BundleResource : public ::testing::TestWithParam<Case> {
  protected:
    // An earlier step makes Slipway's own folder.
    BundleResource() {
        host_.tamper([&](Model& m) {
            with("/var/lib/slipway", {.content = "", .mode = 0755, .folder = true})(m);
            GetParam().initial(m);
        });
        start_ = state();
    }
    std::string state() { return json::serialize(host_.snapshot()); }

    const engine::Step step_ = step_of_one({GetParam().make()});
    std::unique_ptr<remote::SimulatedFleet> fleet_ = remote::testing::make_test_fleet({"h"});
    remote::SimulatedHost& host_ = fleet_->simulated("h");
    StepRunner runner_{*fleet_};
    std::string start_;
};

TEST_P(BundleResource, IsAppliedOnceAndADriftIsMended) {
    EXPECT_EQ(runner_.probe(step_).changes.size(), 1u);
    EXPECT_EQ(state(), start_) << "a probe must not change anything";
    EXPECT_TRUE(runner_.apply(step_));
    EXPECT_FALSE(runner_.apply(step_));
    GetParam().drift(host_);
    EXPECT_FALSE(runner_.probe(step_).done);
    EXPECT_TRUE(runner_.apply(step_));
    EXPECT_FALSE(runner_.apply(step_));
}

TEST_P(BundleResource, UndoPutsBackWhatWasThereAlsoAfterADrift) {
    runner_.apply(step_);
    if (GetParam().undo_sees_drift) GetParam().drift(host_);
    runner_.undo(step_);
    EXPECT_EQ(state(), start_);
    runner_.apply(step_);
    runner_.undo(step_of_one({}));
    EXPECT_EQ(state(), start_) << "from the record alone";
}

TEST_P(BundleResource, TheRecordHoldsNoSecret) {
    runner_.apply(step_);
    EXPECT_THAT(runner_.probe(step_).before, Not(HasSubstr("PRIVATE KEY")));
}

INSTANTIATE_TEST_SUITE_P(Files, BundleResource, ::testing::ValuesIn(files()),
                         [](const auto& test) { return test.param.name; });
INSTANTIATE_TEST_SUITE_P(Certificates, BundleResource, ::testing::ValuesIn(certificates()),
                         [](const auto& test) { return test.param.name; });

TEST(FilledFolder, LeavesWhatWasInItAtFirst) {
    auto fleet = remote::testing::make_test_fleet({"h"});
    remote::SimulatedHost& host = fleet->simulated("h");
    host.write_file("/var/lib/data/theirs", {.content = "x"}, {});
    StepRunner runner(*fleet);
    // Nothing to apply: what comes into the folder later is taken away all the same, if the step
    // has changed something else.
    const engine::Step step = step_of_one({filled_folder("/var/lib/data"), hostname("n1")});
    EXPECT_TRUE(runner.apply(step));
    host.write_file("/var/lib/data/ours/x", {.content = "x"}, {});
    runner.undo(step);
    EXPECT_EQ(host.list_folder("/var/lib/data", {}), std::vector<std::string>({"theirs"}));
}

}  // namespace
}  // namespace slipway::cluster
