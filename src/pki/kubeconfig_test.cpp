#include "pki/kubeconfig.hpp"

#include "base/testing/error_of.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::pki {
namespace {

using slipway::testing::error_of;
using ::testing::HasSubstr;

// cluster/vault_test.cpp reads one back as YAML.
TEST(Kubeconfig, HoldsCertificateAndKey) {
    const Secret key("key");
    const KubeconfigInput input{.cluster = "demo",
                                .server = "https://[fd00::1]:6443",
                                .ca_pem = "ca",
                                .user = "kubernetes-admin",
                                .client_certificate = "certificate",
                                .client_key = &key};
    const std::string text(kubeconfig(input).reveal());
    EXPECT_EQ(text,
              "apiVersion: v1\n"
              "kind: Config\n"
              "clusters:\n"
              "- cluster:\n"
              "    certificate-authority-data: Y2E=\n"
              "    server: \"https://[fd00::1]:6443\"\n"
              "  name: \"demo\"\n"
              "contexts:\n"
              "- context:\n"
              "    cluster: \"demo\"\n"
              "    user: \"kubernetes-admin\"\n"
              "  name: \"kubernetes-admin@demo\"\n"
              "current-context: \"kubernetes-admin@demo\"\n"
              "users:\n"
              "- name: \"kubernetes-admin\"\n"
              "  user:\n"
              "    client-certificate-data: Y2VydGlmaWNhdGU=\n"
              "    client-key-data: a2V5\n");
    EXPECT_EQ(kubeconfig(input).reveal(), text);
}

TEST(Kubeconfig, PointsToFilesOfTheHost) {
    const std::string pem = "/var/lib/kubelet/pki/kubelet-client-current.pem";
    const std::string text(kubeconfig({.cluster = "demo",
                                       .server = "https://10.0.0.1:6443",
                                       .ca_file = "/etc/kubernetes/pki/ca.crt",
                                       .user = "system:node:w1",
                                       .client_certificate_file = pem,
                                       .client_key_file = pem})
                               .reveal());
    EXPECT_THAT(text, HasSubstr("    certificate-authority: \"/etc/kubernetes/pki/ca.crt\"\n"));
    EXPECT_THAT(text, HasSubstr("    client-certificate: \"" + pem + "\"\n"));
    EXPECT_THAT(text, HasSubstr("    client-key: \"" + pem + "\"\n"));
    EXPECT_THAT(text, ::testing::Not(HasSubstr("-data")));
}

TEST(Kubeconfig, QuotesATokenThatLooksLikeANumber) {
    const Secret token("123456.1234567890123456"), hostile("a\"\nusers: []");
    KubeconfigInput input{
        .cluster = "c", .server = "https://a:1", .ca_pem = "x", .user = "u", .token = &token};
    EXPECT_THAT(std::string(kubeconfig(input).reveal()),
                HasSubstr("    token: \"123456.1234567890123456\"\n"));
    input.token = &hostile;
    EXPECT_EQ(error_of([&] { kubeconfig(input); }), "PKI-REQUEST");
}

}  // namespace
}  // namespace slipway::pki
