#include "cluster/supplies.hpp"

#include "base/error.hpp"
#include "base/testing/error_of.hpp"
#include "cluster/testing/small_bundle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

using slipway::testing::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kSmallVersion;
using testing::SmallBundle;
using ::testing::StartsWith;

std::vector<std::string> names(const std::vector<SuppliedPackage>& packages) {
    std::vector<std::string> out;
    for (const SuppliedPackage& one : packages) out.push_back(one.package);
    return out;
}

class SuppliesTest : public ::testing::Test {
  protected:
    SmallBundle bundle_;
    Supplies supplies_{{bundle_.file()}};
};

TEST_F(SuppliesTest, ProgramsAreFoundByNameVersionAndArchitecture) {
    const Supply kubelet = supplies_.program("kubelet", "amd64", kSmallVersion);
    EXPECT_EQ(kubelet.name, "kubelet");
    EXPECT_EQ(kubelet.version, kSmallVersion);
    EXPECT_EQ(kubelet.size, std::string("program kubelet").size());
    EXPECT_EQ(kubelet.path, "/v2/slipway.local/binaries/kubelet/blobs/sha256:" + kubelet.sha256);
    EXPECT_FALSE(supplies_.find_program("kubelet", "amd64", "v1.0.0"));
    EXPECT_FALSE(supplies_.find_program("kubelet", "arm64", kSmallVersion)) << "of one platform";
    EXPECT_FALSE(supplies_.find_program("kube", "amd64")) << "the beginning of a name is no name";
}

TEST_F(SuppliesTest, AProgramMayComeInAnArchive) {
    EXPECT_EQ(supplies_.program("containerd", "amd64").name, "containerd.tar.gz");
    EXPECT_EQ(supplies_.program("cni-plugins", "amd64").name, "cni-plugins.tgz");
}

TEST_F(SuppliesTest, ImagesAreFoundByRepositoryAndTag) {
    EXPECT_EQ(supplies_.image("registry.k8s.io/pause"), "registry.k8s.io/pause:3.10");
    EXPECT_EQ(supplies_.image("registry.k8s.io/pause", "3.10"), "registry.k8s.io/pause:3.10");
    EXPECT_TRUE(supplies_.has_image("ghcr.io/flannel-io/flannel"));
    EXPECT_FALSE(supplies_.has_image("registry.k8s.io/coredns"));
    EXPECT_EQ(error_of([&] { supplies_.image("registry.k8s.io/pause", "3.9"); }), "BUNDLE-LACKS");
}

TEST_F(SuppliesTest, ChartsAreFoundByNameAndVersion) {
    const Supply chart = supplies_.chart("small-chart");
    EXPECT_EQ(chart.name, "small-chart-1.2.3.tgz");
    EXPECT_EQ(chart.version, "1.2.3");
    EXPECT_THAT(chart.path, StartsWith("/v2/slipway.local/charts/small-chart/blobs/sha256:"));
    EXPECT_EQ(supplies_.chart("small-chart", "1.2.3").sha256, chart.sha256);
    EXPECT_FALSE(supplies_.find_chart("small"));
    EXPECT_EQ(error_of([&] { supplies_.chart("small-chart", "2.0.0"); }), "BUNDLE-LACKS");
}

TEST_F(SuppliesTest, PackagesComeWithWhatTheyNeedAndNothingElse) {
    EXPECT_THAT(names(supplies_.packages("debian-12", "amd64", {"conntrack", "not-there"})),
                ElementsAre("conntrack", "libnetfilter"));
    EXPECT_THAT(supplies_.packages("debian-13", "amd64", {"conntrack"}), IsEmpty());
    EXPECT_THAT(supplies_.packages("debian-12", "arm64", {"conntrack"}), IsEmpty());
    const SuppliedPackage one = supplies_.packages("debian-12", "amd64", {"conntrack"}).front();
    EXPECT_THAT(one.file.path, StartsWith("/v2/slipway.local/packages/debian-12/blobs/sha256:"));
}

TEST(Supplies, WhatIsLackingIsNamedWithItsBundleAndWhatToDo) {
    const SmallBundle bundle({"kubelet", "registry.k8s.io/etcd"});
    const Supplies supplies({bundle.file()});
    try {
        supplies.program("kubelet", "amd64", kSmallVersion);
        FAIL() << "it was found";
    } catch (const UserError& error) {
        EXPECT_EQ(error.id(), "BUNDLE-LACKS");
        EXPECT_THAT(error.message(), HasSubstr("no kubelet v1.99.0 for amd64 in small.bundle"));
        EXPECT_THAT(error.remedy(), HasSubstr("slipway bundle build"));
    }
    EXPECT_EQ(error_of([&] { supplies.image("registry.k8s.io/etcd"); }), "BUNDLE-LACKS");
}

TEST(Supplies, OfTwoBundlesBothAreAskedAndBothCountInTheDigest) {
    const SmallBundle without({"kubelet"}), whole;
    const Supplies one({without.file()});
    const Supplies two({without.file(), whole.file()});
    EXPECT_FALSE(one.find_program("kubelet", "amd64"));
    EXPECT_TRUE(two.find_program("kubelet", "amd64"));
    EXPECT_NE(one.digest(), two.digest());
    EXPECT_EQ(one.digest(), Supplies({without.file()}).digest());
}

}  // namespace
}  // namespace slipway::cluster
