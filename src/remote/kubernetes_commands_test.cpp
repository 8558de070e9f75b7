// kubeadm, kubectl, crictl, dpkg, tar and their kin on a simulated machine.
#include "base/text.hpp"
#include "remote/commands.hpp"
#include "remote/fresh_machine.hpp"
#include "remote/machine.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::remote {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ClusterCommands : public ::testing::Test {
  protected:
    CommandResult run(const std::string& line, std::string input = "") {
        Millis pause{0};
        const Elsewhere elsewhere{.kubelet_runs = [this](const std::string& machine) {
            return kubelets.contains(machine);
        }};
        CommandResult result = run_command(
            model, {.argv = split(line, ' '), .input = std::move(input)}, pause, elsewhere);
        model.commit();
        return result;
    }
    int exit_of(const std::string& line) { return run(line).exit_code; }
    std::string out_of(const std::string& line) { return run(line).out; }
    void write(const std::string& path, const std::string& content = "x") {
        machine::write_file(model, path, FileState{.content = content, .mode = 0755});
    }
    void start(const std::string& unit) {
        write("/etc/systemd/system/" + unit + ".service");
        machine::set_unit(model, unit, {.exists = true, .enabled = true, .active = true});
    }
    // A control plane as the steps leave it.
    void make_control_plane() {
        for (const char* name : {"kubeadm", "kubectl", "crictl"})
            write(std::string("/usr/local/bin/") + name);
        write("/etc/kubernetes/slipway/kubeadm.yaml", "etcd:\n  local:\n    dataDir: \"/srv/e\"\n");
        start("containerd");
        ASSERT_EQ(exit_of(kPhase + "control-plane all" + kWith), 0);
        start("kubelet");
    }

    const std::string kPhase = "/usr/local/bin/kubeadm init phase ";
    const std::string kWith = " --config /etc/kubernetes/slipway/kubeadm.yaml";
    const std::string kKubectl = "/usr/local/bin/kubectl --kubeconfig /x --request-timeout=20s ";
    Model model{fresh_machine({})};
    std::set<std::string> kubelets;
};

TEST_F(ClusterCommands, AreThereOnceTheirFilesAre) {
    EXPECT_EQ(exit_of("/usr/local/bin/kubectl get --raw /readyz"), 127);
    write("/usr/local/bin/kubectl");
    EXPECT_EQ(exit_of("/usr/local/bin/kubectl get --raw /readyz"), 1) << "no server answers";
    EXPECT_EQ(exit_of("/usr/bin/kubectl get --raw /readyz"), 127);
}

TEST_F(ClusterCommands, TheApiAnswersWhenManifestKubeletAndRuntimeAreThere) {
    make_control_plane();
    EXPECT_EQ(exit_of(kKubectl + "get --raw /readyz"), 0);
    machine::set_unit(model, "kubelet", {.exists = true});
    EXPECT_EQ(exit_of(kKubectl + "get --raw /readyz"), 1);
}

TEST_F(ClusterCommands, NotesAreKeptInEtcdsFolderAndMerged) {
    make_control_plane();
    const auto note = [&](const std::string& key, const std::string& value) {
        return run(kKubectl + "apply --server-side --field-manager a -f -",
                   "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: notes\n  namespace: s\n"
                   "data:\n  " +
                       key + ": \"" + value + "\"\n")
            .exit_code;
    };
    const std::string get = kKubectl + "get configmap notes -n s -o json";
    EXPECT_EQ(exit_of(get), 1);
    EXPECT_EQ(note("a", "1") + note("b", "2") + note("a", "3"), 0);
    EXPECT_THAT(out_of(get), HasSubstr(R"("data":{"a":"3","b":"2"})"));
    machine::remove_tree(model, "/srv/e", false);
    EXPECT_EQ(exit_of(get), 1) << "what etcd has lost is gone";
}

TEST_F(ClusterCommands, ANodeIsReadyWhenItsKubeletRunsAndTheNetworkPluginIsThere) {
    make_control_plane();
    EXPECT_EQ(exit_of(kKubectl + "get node w1 -o json"), 1);
    EXPECT_EQ(exit_of(kKubectl + "wait --for=create node/w1 --timeout=1s"), 1);
    kubelets.insert("w1");
    EXPECT_EQ(exit_of(kKubectl + "wait --for=create node/w1 --timeout=1s"), 0);
    EXPECT_EQ(exit_of(kKubectl + "wait --for=condition=Ready node/w1"), 1);
    run(kKubectl + "apply -f -",
        "kind: DaemonSet\nmetadata: {name: kube-flannel-ds, namespace: kube-flannel}\n");
    EXPECT_EQ(exit_of(kKubectl + "wait --for=condition=Ready node/w1"), 0);
    EXPECT_EQ(exit_of(kKubectl + "label node w1 --overwrite a=b role="), 0);
    EXPECT_THAT(out_of(kKubectl + "get node w1 -o json"), HasSubstr(R"({"a":"b","role":""})"));
    EXPECT_EQ(exit_of(kKubectl + "delete node w1 --ignore-not-found"), 0);
    kubelets.clear();
    EXPECT_EQ(exit_of(kKubectl + "get node w1 -o json"), 1);
}

TEST_F(ClusterCommands, ARolloutIsDoneOnceItsObjectIsThere) {
    make_control_plane();
    const std::string status = kKubectl + "rollout status daemonset/kube-proxy -n kube-system";
    EXPECT_THAT(out_of(status), Not(HasSubstr("successfully rolled out")));
    EXPECT_EQ(exit_of(kPhase + "addon kube-proxy" + kWith), 0);
    EXPECT_THAT(out_of(status), HasSubstr("successfully rolled out"));
}

TEST_F(ClusterCommands, NumbersOfWorkloadsSayWhereTheyRun) {
    make_control_plane();
    const std::string item = R"({"kind": "DaemonSet", "metadata": {"name": "kube-proxy"}})";
    const auto get = [&] {
        return run(kKubectl + "get --ignore-not-found -o json -n kube-system -f -",
                   R"({"items": [)" + item + "]}")
            .out;
    };
    EXPECT_EQ(get(), "");
    EXPECT_EQ(exit_of(kPhase + "addon kube-proxy" + kWith), 0);
    kubelets = {"w1"};
    run(kKubectl + "label node w1 a=b");
    run(kKubectl + "apply -f -",
        "kind: DaemonSet\nmetadata: {name: kube-flannel-ds, namespace: kube-flannel}\n");
    EXPECT_THAT(get(), AllOf(HasSubstr(R"("desiredNumberScheduled":1)"),
                             HasSubstr(R"("numberAvailable":1)")));
    kubelets.clear();
    EXPECT_THAT(get(), HasSubstr(R"("numberAvailable":0)"));
}

TEST_F(ClusterCommands, ManifestsChangeWithWhatKubeadmIsTold) {
    make_control_plane();
    const std::string path = "/etc/kubernetes/manifests/kube-apiserver.yaml";
    const std::string before = model.file(path)->content;
    write("/etc/kubernetes/slipway/kubeadm.yaml", "other\n");
    EXPECT_EQ(exit_of(kPhase + "control-plane all" + kWith), 0);
    EXPECT_NE(model.file(path)->content, before);
    EXPECT_EQ(exit_of(kPhase + "control-plane all --config /absent"), 1);
    EXPECT_EQ(exit_of("/usr/local/bin/kubeadm reset"), 1);
}

TEST_F(ClusterCommands, AProgramThatDoesNotKnowAnArgumentDoesNotStart) {
    make_control_plane();
    write("/etc/kubernetes/slipway/kubeadm.yaml",
          "scheduler:\n  extraArgs:\n  - name: no-such-argument\n");
    EXPECT_EQ(exit_of(kPhase + "control-plane all" + kWith), 0);
    EXPECT_THAT(out_of("/usr/local/bin/crictl ps -o json"), Not(HasSubstr("kube-scheduler")));
    EXPECT_THAT(out_of("/usr/local/bin/crictl ps -o json"), HasSubstr("kube-apiserver"));
    EXPECT_EQ(exit_of(kKubectl + "get --raw /readyz"), 0);

    write("/usr/local/bin/etcdctl");
    const std::string health = "/usr/local/bin/etcdctl endpoint health";
    start("etcd");
    EXPECT_EQ(exit_of(health), 0);
    write("/etc/systemd/system/etcd.service", "ExecStart=/usr/local/bin/etcd --no-such-option=1");
    machine::restart_unit(model, "etcd");
    EXPECT_TRUE(machine::unit(model, "etcd").active) << "systemd starts it again and again";
    EXPECT_EQ(exit_of(health), 1);
}

TEST_F(ClusterCommands, ImagesAreInTheRuntimesFolder) {
    make_control_plane();
    write("/etc/containerd/config.toml", "version = 3\nroot = \"/srv/c\"\n");
    EXPECT_EQ(exit_of("/usr/local/bin/crictl --timeout 10m pull registry.k8s.io/pause:3.10"), 0);
    EXPECT_THAT(out_of("/usr/local/bin/crictl images -o json"),
                HasSubstr(R"(["registry.k8s.io/pause:3.10"])"));
    machine::remove_tree(model, "/srv/c", false);
    EXPECT_THAT(out_of("/usr/local/bin/crictl images -o json"), Not(HasSubstr("pause")));
    machine::set_unit(model, "containerd", {.exists = true});
    EXPECT_EQ(exit_of("/usr/local/bin/crictl images -o json"), 1);
}

TEST_F(ClusterCommands, FilesAreCopiedMovedAndMeasured) {
    write("/srv/a", "four");
    EXPECT_EQ(out_of("stat -c %s /srv/a"), "4\n");
    EXPECT_EQ(exit_of("stat -c %s /srv/b"), 1);
    EXPECT_EQ(exit_of("mkdir -p -m 0700 /srv/x/y"), 0);
    EXPECT_EQ(model.file("/srv/x/y")->mode, 0700u);
    EXPECT_EQ(exit_of("mkdir -p /srv/a"), 1);
    EXPECT_EQ(exit_of("cp -a -- /srv/a /srv/x/b"), 0);
    EXPECT_EQ(exit_of("mv -f -- /srv/a /srv/x/c"), 0);
    EXPECT_EQ(model.file("/srv/a"), nullptr);
    EXPECT_EQ(model.file("/srv/x/c")->content, model.file("/srv/x/b")->content);
}

TEST_F(ClusterCommands, TarKnowsTheArchivesOfABundle) {
    machine::write_file(model, "/srv/t", ModelFile(FileState{.content = ""}, 9, "digest"));
    EXPECT_EQ(exit_of("tar -tf /srv/t"), 2) << "nobody knows what it is";
    model.set({Section::origin, "digest"}, "containerd.tar.gz");
    EXPECT_THAT(out_of("tar -tf /srv/t"), HasSubstr("bin/containerd\n"));
    EXPECT_EQ(exit_of("tar -xf /srv/t -C /usr/local --no-same-owner"), 0);
    EXPECT_EQ(model.file("/usr/local/bin/ctr")->mode, 0755u);
}

TEST_F(ClusterCommands, DpkgInstallsFromFilesAndPurges) {
    const std::string query = "dpkg-query -W -f x conntrack socat";
    EXPECT_EQ(run(query).exit_code, 1);
    EXPECT_EQ(exit_of("dpkg --install --force-confold /srv/conntrack_1.4_amd64.deb"), 1);
    write("/srv/conntrack_1.4_amd64.deb");
    EXPECT_EQ(exit_of("dpkg --install --force-confold /srv/conntrack_1.4_amd64.deb"), 0);
    EXPECT_EQ(out_of(query), "conntrack installed\n");
    EXPECT_EQ(exit_of("dpkg --purge conntrack"), 0);
    EXPECT_EQ(out_of(query), "");
}

}  // namespace
}  // namespace slipway::remote
