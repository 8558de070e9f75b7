#include "cluster/checks/check.hpp"

#include "cluster/testing/sample_spec.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Checks : public ::testing::Test {
  protected:
    Checks() {
        for (const config::Host& host : spec.hosts) {
            remote::Facts f;
            f.hostname = f.machine_id = f.product_uuid = host.name;
            f.os_id = "debian";
            f.arch = "amd64";
            f.cpus = 4;
            f.memory_mib = 8192;
            f.disk_free_mib = 100'000;
            f.time_service = "chrony";
            f.addresses = {host.address, "172.17.0.1"};
            facts[host.name] = f;
        }
    }

    // "ID host severity" of every failed check.
    std::vector<std::string> failed(std::vector<std::string> ignored = {}) {
        std::vector<std::string> out;
        for (const CheckResult& r : run_checks(spec, facts, unreachable, ignored)) {
            if (r.outcome == CheckOutcome::passed) continue;
            EXPECT_FALSE(r.seen.empty()) << r.id;
            EXPECT_FALSE(r.wanted.empty()) << r.id;
            EXPECT_FALSE(r.remedy.empty()) << r.id;
            out.push_back(r.id + " " + r.host + (r.other_host.empty() ? "" : "," + r.other_host) +
                          " " + std::string(to_string(r.severity)));
        }
        return out;
    }

    config::Spec spec = testing::sample_spec();
    std::map<std::string, remote::Facts> facts;
    std::map<std::string, std::string> unreachable;
};

TEST_F(Checks, HealthyHostsPassThemAll) {
    EXPECT_THAT(failed(), IsEmpty());
    EXPECT_EQ(run_checks(spec, facts, {}).front().id, "HOST-UNREACHABLE");
}

TEST_F(Checks, AHostWithoutFactsIsNamedWithTheReason) {
    facts.erase("w1");
    unreachable["w1"] = "connection refused";
    EXPECT_THAT(failed(), ElementsAre("HOST-UNREACHABLE w1 error"));
    EXPECT_THAT(run_checks(spec, facts, unreachable)[1].seen, HasSubstr("refused"));
}

TEST_F(Checks, EveryProblemOfEveryHostIsFoundAtOnce) {
    facts["cp1"].cpus = 1;
    facts["cp1"].memory_mib = 1699;
    facts["w1"].memory_mib = 900;  // just enough
    facts["w1"].os_id = "plan9";
    facts["w2"].memory_mib = 899;
    facts["w2"].disk_free_mib = 6000;
    facts["w2"].cgroup_version = 1;
    facts["w2"].time_service = "";
    EXPECT_THAT(failed(),
                ElementsAre("HOST-OS w1 warning", "HOST-CPU cp1 warning", "HOST-MEMORY cp1 error",
                            "HOST-MEMORY w2 error", "HOST-DISK w2 warning",
                            "HOST-CGROUP w2 warning", "HOST-TIME-SERVICE w2 warning"));
}

TEST_F(Checks, TheArchitectureMustBeSupportedAndTheOneInTheSpec) {
    facts["w1"].arch = "riscv64";
    spec.hosts[2].arch = "arm64";
    EXPECT_THAT(failed(), ElementsAre("HOST-ARCH w1 error", "HOST-ARCH w2 error"));
}

TEST_F(Checks, ClonesAreFoundAndTheOriginalIsNamed) {
    facts["w2"].machine_id = "w1";
    facts["w2"].product_uuid = "cp1";
    EXPECT_THAT(failed(), ElementsAre("HOST-DUPLICATE-MACHINE-ID w2,w1 error",
                                      "HOST-DUPLICATE-PRODUCT-UUID w2,cp1 warning"));
}

TEST_F(Checks, EqualHostnamesMatterOnlyWhenSlipwayDoesNotSetThem) {
    facts["w2"].hostname = "w1";
    EXPECT_THAT(failed(), IsEmpty());
    spec.os.hostname = false;
    EXPECT_THAT(failed(), ElementsAre("HOST-DUPLICATE-HOSTNAME w2,w1 error"));
}

TEST_F(Checks, AnAddressOfAnotherHostIsAnErrorAndACommonBridgeAddressIsNot) {
    facts["w2"].addresses.push_back("10.0.0.11");
    EXPECT_THAT(failed(), ElementsAre("HOST-DUPLICATE-ADDRESS w2,cp1 error"));
}

TEST_F(Checks, TheOneWrongClockIsNamedAndNotAllTheOthers) {
    facts["w1"].clock_offset_ms = 5'000;
    EXPECT_THAT(failed(), IsEmpty());
    facts["w1"].clock_offset_ms = -5'001;
    EXPECT_THAT(failed(), ElementsAre("HOST-CLOCK-SKEW w1,cp1 warning"));
    for (auto& [name, f] : facts) f.clock_offset_ms = 94'000;
    facts["cp1"].clock_offset_ms = 0;
    EXPECT_THAT(failed(), ElementsAre(HasSubstr("HOST-CLOCK-SKEW cp1,")));
}

TEST_F(Checks, AnIgnoredCheckIsStillShownButDoesNotBlock) {
    facts["w2"].memory_mib = 100;
    const auto blocks = [&](std::vector<std::string> ignored) {
        return std::ranges::any_of(run_checks(spec, facts, {}, ignored), &CheckResult::blocks);
    };
    EXPECT_TRUE(blocks({}));
    EXPECT_TRUE(blocks({"HOST-CPU"}));
    EXPECT_FALSE(blocks({"HOST-MEMORY"}));
    EXPECT_THAT(failed({"HOST-MEMORY"}), ElementsAre("HOST-MEMORY w2 error"));
}

}  // namespace
}  // namespace slipway::cluster
