#include "remote/profile.hpp"

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/testing/source_tree.hpp"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::remote {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Profile, OneLineIsEnough) {
    const Profile profile = parse_profile("p.yaml", "time-scale: 0.25\n");
    EXPECT_EQ(profile.time_scale, 0.25);
    EXPECT_TRUE(profile.for_host("any").faults.empty());
}

TEST(Profile, NameWinsOverGlobsAndGlobsOverDefaults) {
    const Profile profile = parse_profile("p.yaml", R"(
apiVersion: slipway.dev/v1
kind: SimulationProfile
defaults:
  facts: {cpus: 2, memory-mib: 1024, os: ubuntu}
  packages: {a: "1", b: "1"}
  faults: [{on: read}]
hosts:
  w1: {facts: {cpus: 8}, faults: [{on: command, match: "sysctl *", times: always}]}
  w*: {facts: {cpus: 4, memory-mib: 2048}, packages: {b: absent}}
  other: {facts: {cpus: 16}}
)");
    const HostProfile w1 = profile.for_host("w1");
    EXPECT_EQ(w1.facts.cpus, 8);
    EXPECT_EQ(w1.facts.memory_mib, 2048);
    EXPECT_EQ(w1.facts.os, "ubuntu");
    EXPECT_EQ(w1.packages.at("a"), "1");
    EXPECT_EQ(w1.packages.at("b"), "absent");
    ASSERT_EQ(w1.faults.size(), 2u);
    EXPECT_EQ(w1.faults[1].times, "always");
    EXPECT_EQ(profile.for_host("w2").facts.cpus, 4);
    EXPECT_THAT(profile.entries_for("w1"), ElementsAre("w*", "w1"));
    EXPECT_THAT(profile.entries_for("cp"), ElementsAre());
}

TEST(Profile, EveryProblemAtOnceWithItsPlace) {
    try {
        parse_profile("p.yaml",
                      "kind: Other\ntime-scal: 1\ndefaults:\n  latency: {read: fast}\n  faults:\n"
                      "    - {on: write, times: never, chance: 0.5}\n"
                      "    - {error: slow}\n    - {chance: 7}\n    - {error: exit-code}\n"
                      "  swaps: {/dev/vda2: maybe}\n");
        FAIL() << "accepted";
    } catch (const UserError& e) {
        EXPECT_EQ(e.id(), "PROFILE-INVALID");
        for (const char* part : {"p.yaml:1:", "time-scale", "latency.read", "faults[0].times",
                                 "faults[1]", "faults[2].chance", "faults[3]", "swaps"}) {
            EXPECT_THAT(e.cause() + e.message(), HasSubstr(part));
        }
    }
    EXPECT_THROW(parse_profile("p.yaml", "time-scale: -1\n"), UserError);
}

TEST(Profile, BuiltInsAreValidAndHealthyIsInstant) {
    for (const BuiltinProfile& builtin : builtin_profiles()) {
        EXPECT_NO_THROW(load_profile(std::string(builtin.name))) << builtin.name;
    }
    const Profile healthy = load_profile("healthy");
    EXPECT_EQ(healthy.time_scale, 0);
    EXPECT_TRUE(healthy.for_host("cp").faults.empty());
    EXPECT_FALSE(load_profile("flaky").for_host("cp").faults.empty());
}

TEST(Profile, ExamplesAreValid) {
    int count = 0;
    const std::filesystem::path folder(::slipway::testing::source_file("examples/profiles"));
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        EXPECT_NO_THROW(load_profile(entry.path().string())) << entry.path();
        ++count;
    }
    EXPECT_GE(count, 3);
}

TEST(Profile, UnknownNameSuggestsTheNearest) {
    try {
        load_profile("helthy");
        FAIL() << "accepted";
    } catch (const UserError& e) {
        EXPECT_EQ(e.id(), "PROFILE-UNKNOWN");
        EXPECT_THAT(e.remedy(), HasSubstr("healthy"));
    }
}

TEST(Delay, UnitsAndRanges) {
    EXPECT_EQ(parse_delay("250us")->least, Micros(250));
    EXPECT_EQ(parse_delay("1.5s")->most, Micros(1'500'000));
    EXPECT_EQ(parse_delay("2m")->most, Micros(120'000'000));
    EXPECT_EQ(parse_delay("0")->most, Micros(0));
    EXPECT_EQ(parse_delay("10ms-80ms")->least, Micros(10'000));
    EXPECT_EQ(parse_delay("10ms-80ms")->most, Micros(80'000));
    for (const char* bad :
         {"", "5", "ms", "-5ms", "80ms-10ms", "10ms-", "1h", "nans", "infs", "1e30s", "25h"}) {
        EXPECT_FALSE(parse_delay(bad)) << bad;
    }
}

TEST(Match, TextAnywhereOrGlobOverAll) {
    EXPECT_TRUE(matches("", "anything"));
    EXPECT_TRUE(matches("/etc", "/etc/hosts"));
    EXPECT_TRUE(matches("/etc/*.conf", "/etc/a/b.conf"));
    EXPECT_FALSE(matches("/etc/*.conf", "/etc/a/b.cfg"));
    EXPECT_TRUE(matches("w?", "w1"));
    EXPECT_FALSE(matches("w?", "w10"));
    EXPECT_TRUE(matches("*a*b*", "xxaxxbxx"));
}

}  // namespace
}  // namespace slipway::remote
