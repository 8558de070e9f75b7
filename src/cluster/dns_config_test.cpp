#include "cluster/dns_config.hpp"

#include "cluster/testing/simulated_cluster.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

using ::testing::AllOf;
using testing::cluster_spec;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(DnsConfig, WithoutWishesTheNodesNameServersAreAskedForAllOtherNames) {
    const config::Spec spec = cluster_spec(1, 1);
    const std::string text = corefile(spec, true);
    EXPECT_THAT(text, AllOf(HasSubstr("kubernetes cluster.local in-addr.arpa ip6.arpa {"),
                            HasSubstr("forward . /etc/resolv.conf {"), HasSubstr("cache 30 {"),
                            Not(HasSubstr("hosts {"))));
    EXPECT_THAT(corefile(spec, false), Not(HasSubstr("forward"))) << "it would not start";
}

TEST(DnsConfig, UpstreamsAreAskedInsteadAndNoneMeansNobody) {
    config::Spec spec = cluster_spec(1, 1);
    spec.kubernetes.dns.upstreams = {"10.0.0.53", "[fd00::53]:5353"};
    EXPECT_THAT(corefile(spec, false), HasSubstr("forward . 10.0.0.53 [fd00::53]:5353 {"));
    spec.kubernetes.dns.upstreams = {"none"};
    EXPECT_THAT(corefile(spec, true), Not(HasSubstr("forward")));
}

TEST(DnsConfig, FixedNamesHoldInEveryZone) {
    config::Spec spec = cluster_spec(1, 1);
    spec.kubernetes.dns.hosts = {{"10.0.0.7", {"git.corp.example.org", "git"}}};
    spec.kubernetes.dns.zones = {{"corp.example.org", {"10.0.0.53", "10.0.1.53:5353"}}};
    spec.kubernetes.dns.cache_seconds = 5;
    const std::string text = corefile(spec, false);
    const std::size_t zone = text.find("corp.example.org:53 {\n");
    ASSERT_NE(zone, std::string::npos) << text;
    for (const std::string& block : {text.substr(0, zone), text.substr(zone)})
        EXPECT_THAT(block, HasSubstr("       10.0.0.7 git.corp.example.org git\n"
                                     "       fallthrough\n"));
    EXPECT_THAT(text.substr(zone),
                AllOf(HasSubstr("forward . 10.0.0.53 10.0.1.53:5353 {"), HasSubstr("cache 5\n")));
}

TEST(DnsConfig, NothingIsKeptForNoSeconds) {
    config::Spec spec = cluster_spec(1, 1);
    spec.kubernetes.dns.cache_seconds = 0;
    spec.kubernetes.dns.zones = {{"corp.example.org", {"10.0.0.53"}}};
    EXPECT_THAT(corefile(spec, true), Not(HasSubstr("cache")));
}

TEST(DnsConfig, TheCacheOfANodeAsksCoreDnsForEverything) {
    config::Spec spec = cluster_spec(1, 1);
    EXPECT_THAT(dns_servers(spec), ElementsAre("10.96.0.10"));
    spec.kubernetes.dns.node_local = true;
    EXPECT_THAT(dns_servers(spec), ElementsAre("169.254.25.10", "10.96.0.10"));
    EXPECT_THAT(node_corefile(spec),
                AllOf(HasSubstr("cluster.local:53 in-addr.arpa:53 ip6.arpa:53 {"),
                      HasSubstr("bind 169.254.25.10"), HasSubstr("forward . 10.96.0.10 {"),
                      HasSubstr("health 169.254.25.10:9254"), HasSubstr("\n.:53 {")));
}

}  // namespace
}  // namespace slipway::cluster
