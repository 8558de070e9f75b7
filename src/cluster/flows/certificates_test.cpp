// How long certificates live, and what the script of the timer does when kubeadm fails.
#include "base/files.hpp"
#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "cluster/testing/simulated_cluster.hpp"
#include "pki/certificate.hpp"
#include "store/testing/sample_journal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

using engine::RunResult;
using testing::cluster_spec;
using testing::SimulatedCluster;

std::string content(SimulatedCluster& cluster, const std::string& path) {
    return cluster.fleet().host("cp1").read_file(path, {})->content;
}

// The script of a control plane with a kubeadm of our own.
class RenewalScript : public ::testing::Test {
  protected:
    RenewalScript() : cluster_(cluster_spec(1, 0)) {}

    int run(const std::string& kubeadm) {
        std::string text = content(cluster_, "/usr/local/lib/slipway/renew-certificates");
        const auto put = [&](const std::string& what, const std::string& instead) {
            const std::size_t at = text.find(what);
            ASSERT_NE(at, std::string::npos) << what;
            text.replace(at, what.size(), instead);
        };
        put("/usr/local/bin/kubeadm", path("kubeadm"));
        put("/usr/local/bin/crictl", path("crictl"));
        put("sleep 20", "sleep 0");
        atomic_write(path("crictl"), "#!/bin/sh\n", 0700);
        atomic_write(path("kubeadm"),
                     "#!/bin/sh\ncase \"$2\" in\ncheck-expiration)\n" + kubeadm +
                         "\n;;\nrenew) echo \"$3\" >>" + path("renewed") + ";;\nesac\n",
                     0700);
        Subprocess script({.argv = {"/bin/sh", "-c", text}});
        return script.wait();
    }
    std::string path(const std::string& name) { return (folder_.path() / name).string(); }
    bool renewed() { return std::filesystem::exists(path("renewed")); }

    SimulatedCluster cluster_;
    store::testing::TemporaryFolder folder_;
};

TEST_F(RenewalScript, RenewsWhatEndsWithinSixtyDays) {
    ASSERT_EQ(cluster_.apply().result, RunResult::succeeded);
    EXPECT_EQ(run(R"(echo '{"residualTime": 0}, {"residualTime": 5184001}')"), 0);
    EXPECT_FALSE(renewed());
    EXPECT_EQ(run(R"(echo '{"residualTime": 5183999}, {"residualTime": 9999999}')"), 0);
    EXPECT_TRUE(renewed());
}

TEST_F(RenewalScript, RenewsWhatHasEnded) {
    ASSERT_EQ(cluster_.apply().result, RunResult::succeeded);
    EXPECT_EQ(run(R"(echo '{"residualTime": -5}, {"residualTime": 9999999}')"), 0);
    EXPECT_TRUE(renewed());
}

TEST_F(RenewalScript, FailsWhenKubeadmFailsOrSaysSomethingElse) {
    ASSERT_EQ(cluster_.apply().result, RunResult::succeeded);
    EXPECT_NE(run("echo broken >&2; exit 1"), 0);
    EXPECT_NE(run("echo '{}'"), 0);
    EXPECT_FALSE(renewed());
}

TEST(ServingCertificates, OfHostsThatCannotRenewThemLiveAsLongAsTheCA) {
    SimulatedCluster cluster(cluster_spec(1, 0));
    ASSERT_EQ(cluster.apply().result, RunResult::succeeded);
    const auto end = [&](const std::string& path) {
        return pki::read_certificate(content(cluster, path)).not_after_ms;
    };
    EXPECT_EQ(end("/var/lib/kubelet/pki/kubelet.crt"), end("/etc/kubernetes/pki/ca.crt"));
    EXPECT_LT(end("/etc/kubernetes/pki/apiserver.crt"), end("/etc/kubernetes/pki/ca.crt"));
}

}  // namespace
}  // namespace slipway::cluster
