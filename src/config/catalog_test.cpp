// The catalogue the program is built with.
#include "config/catalog.hpp"

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/testing/source_tree.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::config {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// As cmd/kubeadm/app/constants of each release has them. A row that is moved to another patch
// release is looked up there again: patches do change etcd.
TEST(Catalog, HasTheTagsKubeadmAsksFor) {
    struct Row {
        const char* version;
        const char* etcd;
        const char* coredns;
        const char* pause;
    };
    const Row rows[] = {
        {"v1.36.4", "3.6.8-0", "v1.14.2", "3.10.2"},  {"v1.35.8", "3.6.6-0", "v1.13.1", "3.10.1"},
        {"v1.34.11", "3.6.5-0", "v1.12.1", "3.10.1"}, {"v1.33.11", "3.5.24-0", "v1.12.0", "3.10"},
        {"v1.32.11", "3.5.24-0", "v1.11.3", "3.10"},  {"v1.31.13", "3.5.15-0", "v1.11.3", "3.10"}};
    ASSERT_EQ(catalog().spec.kubernetes.size(), std::size(rows));
    for (const Row& row : rows) {
        const KubernetesRelease* release = catalog().find(row.version);
        ASSERT_NE(release, nullptr) << row.version;
        EXPECT_THAT(release->images(), Contains("registry.k8s.io/etcd:" + std::string(row.etcd)));
        EXPECT_EQ(release->coredns, row.coredns) << row.version;
        EXPECT_EQ(release->pause, row.pause) << row.version;
    }
}

TEST(Catalog, EveryReleaseIsWhole) {
    std::set<std::string> sums, minors;
    for (const KubernetesRelease& release : catalog().spec.kubernetes) {
        EXPECT_TRUE(minors.insert(release.minor()).second) << release.minor();
        for (const char* program : {"kubeadm", "kubelet", "kubectl"}) {
            ASSERT_TRUE(release.programs.contains(program)) << release.version;
            for (const char* arch : {"amd64", "arm64"}) {
                // A sum that stands twice was copied to the wrong line.
                EXPECT_TRUE(sums.insert(release.programs.at(program).of(arch)).second);
            }
        }
        for (const char* tool : {"crictl", "containerd", "runc", "cni-plugins", "helm", "etcd"}) {
            EXPECT_TRUE(release.tools.contains(tool)) << release.version << " " << tool;
        }
        EXPECT_THAT(release.tools.at("crictl"), HasSubstr(release.minor()));
    }
    for (const CatalogTool& tool : catalog().spec.tools) {
        EXPECT_TRUE(sums.insert(tool.sha256.amd64).second) << tool.name;
        EXPECT_TRUE(sums.insert(tool.sha256.arm64).second) << tool.name;
        EXPECT_THAT(tool.url, HasSubstr(tool.version));
        EXPECT_THAT(tool.url_for("arm64"), HasSubstr("arm64"));
    }
}

TEST(Catalog, FindsByVersionAndMinor) {
    EXPECT_EQ(catalog().find("v1.34"), catalog().find("1.34.11"));
    EXPECT_EQ(catalog().find("v1.3"), nullptr);
    EXPECT_EQ(catalog().find(""), nullptr);
    EXPECT_EQ(catalog().find("v1.34")->program_url("kubeadm", "arm64"),
              "https://dl.k8s.io/release/v1.34.11/bin/linux/arm64/kubeadm");
}

TEST(Catalog, IsRefusedWithEveryProblem) {
    std::string text = read_file(::slipway::testing::source_file("catalog/kubernetes.yaml"));
    text.replace(text.find("crictl: v1.36.0"), 15, "crictl: v1.99.0");
    text.replace(text.find("amd64: 10d0"), 11, "amd64: XXXX");
    try {
        load_catalog({"c.yaml", text});
        FAIL();
    } catch (const UserError& e) {
        EXPECT_EQ(e.id(), "CATALOG-INVALID");
        EXPECT_THAT(e.cause(), HasSubstr("is not a SHA-256"));
    }
}

}  // namespace
}  // namespace slipway::config
