#include "cluster/plugin_chart.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "cluster/testing/simulated_cluster.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

using testing::cluster_spec;
using testing::SmallBundle;

TEST(PluginChart, ValuesOfTheSpecStandOverThoseOfItsNetworks) {
    config::Spec spec = cluster_spec(1, 1);
    spec.network_plugin = {.kind = "cilium",
                           .values = {{"ipam.mode", "cluster-pool"},
                                      {"tunnelPort", "8473"},
                                      {"hubble.enabled", "true"},
                                      {"image.tag", "v1.18.0"},
                                      {"pin", "007"}}};
    EXPECT_EQ(parse_json(plugin_values(spec), "values"),
              parse_json(R"({"ipam": {"mode": "cluster-pool"}, "k8sServiceHost": "10.0.0.2",
                             "k8sServicePort": 6443, "hubble": {"enabled": true},
                             "image": {"tag": "v1.18.0"}, "pin": "007", "tunnelPort": 8473})",
                         "wanted"));
}

TEST(PluginChart, CalicoGetsThePodNetworks) {
    config::Spec spec = cluster_spec(1, 1);
    spec.network_plugin.kind = "calico";
    spec.kubernetes.networks.pods = {"10.244.0.0/16", "fd00:10:244::/56"};
    EXPECT_EQ(parse_json(plugin_values(spec), "values")
                  .at_pointer("/installation/calicoNetwork/ipPools/1/cidr"),
              "fd00:10:244::/56");
}

TEST(PluginChart, ABundleWithoutItIsRefused) {
    const SmallBundle bundle;
    const Supplies supplies({bundle.file()});
    config::Spec spec = cluster_spec(1, 1);
    spec.network_plugin.kind = "cilium";
    try {
        plugin_chart(spec, supplies);
        FAIL() << "there is no such chart";
    } catch (const UserError& error) {
        EXPECT_EQ(error.id(), "BUNDLE-LACKS");
        EXPECT_THAT(error.message(), ::testing::HasSubstr("chart cilium"));
    }
}

}  // namespace
}  // namespace slipway::cluster
