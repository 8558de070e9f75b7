#include "cluster/topology.hpp"

#include "cluster/host_ports.hpp"
#include "cluster/roles.hpp"
#include "cluster/testing/sample_spec.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

using config::Role;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::sample_host;

config::Spec two_control_planes() {
    config::Spec spec;
    spec.bundles = {"some.bundle"};
    spec.hosts = {sample_host("n10", "10.0.0.10", {Role::control_plane}),
                  sample_host("n2", "10.0.0.2", {Role::control_plane}),
                  sample_host("w1", "10.0.0.3", {Role::worker})};
    return spec;
}

TEST(Topology, TheFirstControlPlaneGoesByNaturalOrder) {
    EXPECT_EQ(first_control_plane(two_control_planes()).name, "n2");
}

TEST(Topology, WithoutARegistryHostTheFirstControlPlaneServesTheBundle) {
    config::Spec spec = two_control_planes();
    EXPECT_THAT(registry_urls(spec), ElementsAre("https://10.0.0.2:5000"));
    spec.hosts[2].roles.push_back(Role::registry);
    EXPECT_THAT(registry_urls(spec), ElementsAre("https://10.0.0.3:5000"));
    spec.registry.address = "registry.lan";
    EXPECT_THAT(registry_urls(spec), ElementsAre("https://registry.lan:5000"));
    EXPECT_THAT(registry_hosts(spec), IsEmpty());
}

TEST(Topology, OneRuleSaysWhoServesImages) {
    config::Spec spec = two_control_planes();
    const auto serving = [&] {
        std::vector<std::string> out;
        for (const config::Host& host : spec.hosts) {
            const auto ports = host_ports(spec, host);
            const bool port = std::ranges::any_of(
                ports, [](const HostPort& one) { return one.use == PortUse::registry; });
            EXPECT_EQ(port, serves_images(spec, host)) << host.name;
            if (serves_images(spec, host)) out.push_back(host.name);
        }
        return out;
    };
    EXPECT_THAT(serving(), ElementsAre("n2"));
    spec.bundles.clear();
    EXPECT_THAT(serving(), IsEmpty()) << "hosts are only prepared";
    spec.hosts[2].roles.push_back(Role::registry);
    EXPECT_THAT(serving(), ElementsAre("w1"));
    spec.registry.address = "registry.lan";
    EXPECT_THAT(serving(), IsEmpty());
}

TEST(Topology, WithLocalBalancersNodesGoToTheirOwnMachineAndUsersToAControlPlane) {
    config::Spec spec = two_control_planes();
    spec.kubernetes.endpoint.kind = config::EndpointKind::local_haproxy;
    EXPECT_EQ(api_url(spec, spec.hosts[2]), "https://127.0.0.1:6443");
    EXPECT_EQ(node_endpoint(spec), "127.0.0.1:6443");
    EXPECT_EQ(endpoint(spec), "10.0.0.2:6443");
    EXPECT_FALSE(runs_local_balancer(spec, spec.hosts[0])) << "its API server is at that port";
    EXPECT_TRUE(runs_local_balancer(spec, spec.hosts[2]));
    spec.kubernetes.endpoint.port = 16443;
    EXPECT_EQ(api_url(spec, spec.hosts[2]), "https://127.0.0.1:16443");
    EXPECT_EQ(api_url(spec, spec.hosts[0]), "https://10.0.0.10:6443");
    EXPECT_EQ(endpoint(spec), "10.0.0.2:6443");
    EXPECT_TRUE(runs_local_balancer(spec, spec.hosts[0]));
    spec.kubernetes.endpoint.domain = "api.demo";
    EXPECT_EQ(endpoint_url(spec), "https://api.demo:6443");
}

TEST(Topology, TheEndpointIsDomainThenAddressThenTheFirstControlPlane) {
    config::Spec spec = two_control_planes();
    EXPECT_EQ(endpoint(spec), "10.0.0.2:6443");
    spec.kubernetes.endpoint.address = "fd00::250";
    EXPECT_EQ(endpoint(spec), "[fd00::250]:6443");
    spec.kubernetes.endpoint.domain = "api.demo";
    EXPECT_EQ(endpoint_url(spec), "https://api.demo:6443");
}

TEST(Topology, AControlPlaneTalksToItsOwnApiServer) {
    config::Spec spec = two_control_planes();
    spec.kubernetes.endpoint.address = "10.0.0.250";
    EXPECT_EQ(api_url(spec, spec.hosts[0]), "https://10.0.0.10:6443");
    EXPECT_EQ(api_url(spec, spec.hosts[2]), "https://10.0.0.250:6443");
    spec.hosts[0].address = "fd00::10";
    EXPECT_EQ(api_url(spec, spec.hosts[0]), "https://[fd00::10]:6443");
}

TEST(Topology, ServiceAddressesAreCountedInTheFirstNetwork) {
    config::Spec spec = two_control_planes();
    EXPECT_EQ(service_address(spec, 1), "10.96.0.1");
    EXPECT_EQ(dns_address(spec), "10.96.0.10");
    spec.kubernetes.networks.services = {"fd00:96::/112", "10.96.0.0/16"};
    EXPECT_EQ(dns_address(spec), "fd00:96::a");
}

TEST(Topology, TheApiServersCertificateHoldsEveryNameItIsReachedAt) {
    config::Spec spec = two_control_planes();
    spec.kubernetes.endpoint.domain = "api.demo";
    spec.kubernetes.endpoint.address = "10.0.0.250";
    spec.kubernetes.certificates.extra_sans = {"api.outside", "10.0.0.10"};
    const auto names = api_server_names(spec, spec.hosts[0]);
    for (const char* name : {"kubernetes.default.svc.cluster.local", "127.0.0.1", "10.96.0.1",
                             "api.demo", "10.0.0.250", "n10", "10.0.0.10", "api.outside"}) {
        EXPECT_THAT(names, Contains(name).Times(1));
    }
}

}  // namespace
}  // namespace slipway::cluster
