#include "remote/host.hpp"

#include <gtest/gtest.h>

namespace slipway::remote {
namespace {

TEST(Facts, SurviveJson) {
    Facts facts;
    facts.hostname = "cp1";
    facts.os_id = "debian";
    facts.os_version = "12";
    facts.kernel = "6.1";
    facts.arch = "arm64";
    facts.machine_id = "m";
    facts.product_uuid = "u";
    facts.cpus = 4;
    facts.memory_mib = 8192;
    facts.disk_free_mib = 100;
    facts.cgroup_version = 1;
    facts.selinux = "permissive";
    facts.firewall = "ufw";
    facts.time_service = "chrony";
    facts.addresses = {"10.0.0.1", "fd00::1"};
    facts.swaps = {"/dev/vda2"};
    facts.clock_offset_ms = -5;
    facts.package_manager = "apt";
    const json::object first = facts.to_json();
    EXPECT_EQ(Facts::from_json(first).to_json(), first);
    for (const auto& [key, value] : first) {
        const bool unset =
            value == json::value("") || value == json::value(0) || value == json::array();
        EXPECT_FALSE(unset) << key << " is not set by this test";
    }
}

}  // namespace
}  // namespace slipway::remote
