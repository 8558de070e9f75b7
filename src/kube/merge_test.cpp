#include "kube/merge.hpp"

#include "base/secret.hpp"
#include "base/testing/error_of.hpp"
#include "kube/access.hpp"
#include "pki/kubeconfig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::kube {
namespace {

using ::testing::HasSubstr;

std::string kubeconfig_of(const std::string& cluster, const std::string& server) {
    const Secret key("KEY of " + cluster);
    return std::string(pki::kubeconfig({.cluster = cluster,
                                        .server = server,
                                        .ca_pem = "CA of " + cluster,
                                        .user = "kubernetes-admin",
                                        .client_certificate = "CERT of " + cluster,
                                        .client_key = &key})
                           .reveal());
}

TEST(ReadKubeconfig, TakesWhatTheCurrentContextNames) {
    const Access access = read_kubeconfig(kubeconfig_of("demo", "https://10.0.0.1:6443"), "x");
    EXPECT_EQ(access.context, "kubernetes-admin@demo");
    EXPECT_EQ(access.server, "https://10.0.0.1:6443");
    EXPECT_EQ(access.ca_pem, "CA of demo");
    EXPECT_EQ(access.client_certificate, "CERT of demo");
    EXPECT_EQ(access.client_key.reveal(), "KEY of demo");
    EXPECT_TRUE(access.token.empty());
}

TEST(ReadKubeconfig, RefusesWhatDoesNotHangTogether) {
    for (const char* text : {"", "[]", "a: [", "current-context: x", "kind: Config",
                             "{current-context: a, contexts: [{name: a, context: {cluster: c}}]}",
                             "{current-context: a, contexts: 7}"})
        EXPECT_EQ(testing::error_of([&] { read_kubeconfig(text, "x"); }), "KUBECONFIG-INVALID")
            << text;
}

TEST(MergeKubeconfig, AnEmptyFileGetsTheClusterUnderItsName) {
    const std::string merged = merge_kubeconfig(
        "", "x", kubeconfig_of("demo", "https://10.0.0.1:6443"), "demo", Current::keep);
    const Access access = read_kubeconfig(merged, "x");
    EXPECT_EQ(access.context, "demo");
    EXPECT_EQ(access.client_key.reveal(), "KEY of demo");
}

TEST(MergeKubeconfig, TwoClustersKeepTheirAdministratorsAndTheContextInUseStays) {
    const std::string first = merge_kubeconfig(
        "", "x", kubeconfig_of("one", "https://10.0.0.1:6443"), "one", Current::keep);
    const std::string both = merge_kubeconfig(
        first, "x", kubeconfig_of("two", "https://10.0.0.2:6443"), "two", Current::keep);
    EXPECT_EQ(read_kubeconfig(both, "x").client_key.reveal(), "KEY of one");
    const std::string switched = merge_kubeconfig(
        both, "x", kubeconfig_of("two", "https://10.0.0.3:6443"), "two", Current::switch_to);
    const Access access = read_kubeconfig(switched, "x");
    EXPECT_EQ(access.client_key.reveal(), "KEY of two");
    EXPECT_EQ(access.server, "https://10.0.0.3:6443");
    EXPECT_EQ(merge_kubeconfig(switched, "x", kubeconfig_of("two", "https://10.0.0.3:6443"), "two",
                               Current::keep),
              switched);
}

TEST(MergeKubeconfig, WhatOthersWroteStays) {
    const std::string merged = merge_kubeconfig(
        R"(apiVersion: v1
kind: Config
preferences: {}
current-context: work
contexts:
- name: work
  context: {cluster: w, user: u, namespace: "true"}
clusters:
- name: w
  cluster:
    server: https://w.example.org
    insecure-skip-tls-verify: true
users:
- name: u
  user:
    exec:
      command: login
      args: [--to, "a: b # c"]
      env: null
)",
        "x", kubeconfig_of("demo", "https://10.0.0.1:6443"), "demo", Current::keep);
    EXPECT_THAT(merged, HasSubstr("insecure-skip-tls-verify: true\n"));
    EXPECT_THAT(merged, HasSubstr("namespace: \"true\"\n"));
    EXPECT_THAT(merged, HasSubstr("- --to\n"));
    EXPECT_THAT(merged, HasSubstr("- \"a: b # c\"\n"));
    EXPECT_THAT(merged, HasSubstr("env: null\n"));
    EXPECT_THAT(merged, HasSubstr("preferences: {}\n"));
    EXPECT_THAT(merged, HasSubstr("current-context: work\n"));
}

}  // namespace
}  // namespace slipway::kube
