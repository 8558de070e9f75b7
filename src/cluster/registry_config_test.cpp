#include "cluster/registry_config.hpp"

#include "cluster/testing/sample_spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using testing::sample_host;

constexpr const char* kOwn =
    "[host.\"https://10.0.0.1:5000\"]\n"
    "capabilities = [\"pull\", \"resolve\"]\n"
    "ca = \"/etc/containerd/certs.d/_default/ca.crt\"\n";

config::RegistryLogin login(std::string host, std::string user = "") {
    config::RegistryLogin out;
    out.host = std::move(host);
    out.user = std::move(user);
    return out;
}

class RegistryConfig : public ::testing::Test {
  protected:
    RegistryConfig() {
        spec_.bundles = {"some.bundle"};
        spec_.hosts = {sample_host("cp1", "10.0.0.1", {config::Role::control_plane})};
    }
    std::string text(const RegistryFolder& folder) {
        return std::string(hosts_toml(spec_, folder, password_).reveal());
    }
    config::Spec spec_;
    PasswordOf password_ = [](const config::RegistryLogin& one) {
        return Secret("of \"" + one.host + "\"");
    };
};

TEST_F(RegistryConfig, WithoutAnythingOfTheUsersThereAreNoFolders) {
    EXPECT_THAT(registry_folders(spec_), IsEmpty());
    spec_.registry.logins = {login("registry.lan", "puller")};
    EXPECT_THAT(registry_folders(spec_), IsEmpty()) << "the kubelet's file has the login";
    EXPECT_TRUE(has_logins(spec_));
}

TEST_F(RegistryConfig, AMirrorIsAskedAfterTheClustersOwnAndBeforeItsUpstream) {
    spec_.registry.mirrors = {{"docker.io", "mirror.lan:5000"}};
    const auto folders = registry_folders(spec_);
    ASSERT_EQ(folders.size(), 1u);
    EXPECT_EQ(folders[0].path, "/etc/containerd/certs.d/docker.io");
    EXPECT_FALSE(folders[0].secret);
    EXPECT_EQ(text(folders[0]), std::string("server = \"https://registry-1.docker.io\"\n") + kOwn +
                                    "[host.\"https://mirror.lan:5000\"]\n"
                                    "capabilities = [\"pull\", \"resolve\"]\n");
}

TEST_F(RegistryConfig, AMirrorHasItsOwnAuthorityAndLogin) {
    spec_.registry.mirrors = {{"registry.lan", "mirror.lan"}};
    spec_.registry.logins = {login("mirror.lan", "puller"), login("registry.lan")};
    spec_.registry.logins[0].ca_file = "mirror.crt";
    spec_.registry.logins[1].insecure = true;
    const auto folders = registry_folders(spec_);
    ASSERT_EQ(folders.size(), 2u) << "the mirror may be named by an image as well";
    EXPECT_EQ(text(folders[0]),
              std::string("server = \"https://mirror.lan\"\n"
                          "ca = \"/etc/containerd/certs.d/mirror.lan/ca.crt\"\n") +
                  kOwn);
    EXPECT_TRUE(folders[1].secret);
    EXPECT_THAT(folders[1].authorities, ElementsAre(Pair("mirror-ca.crt", "mirror.crt")));
    EXPECT_EQ(text(folders[1]),
              std::string("server = \"http://registry.lan\"\n") + kOwn +
                  "[host.\"https://mirror.lan\"]\ncapabilities = [\"pull\", \"resolve\"]\n"
                  "ca = \"/etc/containerd/certs.d/registry.lan/mirror-ca.crt\"\n"
                  "[host.\"https://mirror.lan\".header]\n"
                  "Authorization = [\"Basic cHVsbGVyOm9mICJtaXJyb3IubGFuIg==\"]\n");
}

TEST_F(RegistryConfig, LoginsAreKeptAsDockerKeepsThem) {
    spec_.registry.logins = {login("a.lan", "u"), login("b.lan"), login("c.lan:5000", "v")};
    EXPECT_EQ(kubelet_logins(spec_, password_).reveal(),
              "{\"auths\": {\"a.lan\": {\"auth\": \"dTpvZiAiYS5sYW4i\"}, "
              "\"c.lan:5000\": {\"auth\": \"djpvZiAiYy5sYW46NTAwMCI=\"}}}\n");
}

}  // namespace
}  // namespace slipway::cluster
