#include "remote/simulated_fleet.hpp"

#include "base/error.hpp"
#include "remote/testing/manual_clock.hpp"
#include "remote/testing/test_fleet.hpp"

#include <chrono>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

namespace slipway::remote {
namespace {

using testing::make_test_fleet;
using testing::ManualClock;

TEST(SimulatedFleet, UnknownHostIsNamedWithTheNearest) {
    auto fleet = make_test_fleet({"worker1"});
    try {
        fleet->host("worker");
        FAIL() << "accepted";
    } catch (const HostError& e) {
        EXPECT_EQ(e.id(), "HOST-UNKNOWN");
        EXPECT_THAT(e.remedy(), ::testing::HasSubstr("worker1"));
    }
}

TEST(SimulatedFleet, MachinesComeFromTheSpec) {
    config::Spec spec;
    spec.hosts.resize(2);
    spec.hosts[0].name = "cp";
    spec.hosts[0].address = "192.0.2.1";
    spec.hosts[1].name = "w1";
    spec.hosts[1].address = "192.0.2.2";
    spec.hosts[1].internal_address = "10.0.0.2";
    spec.hosts[1].arch = "arm64";
    SimulatedFleet fleet(load_profile("healthy"), machines_of(spec), {}, system_clock());
    const Facts cp = fleet.host("cp").facts({}, {});
    const Facts w1 = fleet.host("w1").facts({}, {});
    EXPECT_THAT(w1.addresses, ::testing::ElementsAre("10.0.0.2"));
    EXPECT_EQ(w1.arch, "arm64");
    EXPECT_NE(cp.machine_id, w1.machine_id);
    EXPECT_NE(cp.product_uuid, w1.product_uuid);
}

TEST(SimulatedFleet, ProfileMakesMachinesDiffer) {
    auto fleet = make_test_fleet({"cp", "w1"}, R"(
hosts:
  cp: {facts: {os: rocky}}
  w*: {facts: {os: ubuntu, firewall: ufw, time-service: none}, swaps: {/dev/vda2: absent},
       hostname: twin, files: {/srv/x: {content: hi, mode: "0600"}, /etc/fstab: {absent: true}}}
)");
    const Facts cp = fleet->host("cp").facts({}, {});
    EXPECT_EQ(cp.package_manager, "dnf");
    EXPECT_EQ(cp.selinux, "enforcing");
    EXPECT_EQ(cp.firewall, "firewalld");
    EXPECT_EQ(cp.time_service, "chrony");
    const Facts w1 = fleet->host("w1").facts({}, {});
    EXPECT_EQ(w1.hostname, "twin");
    EXPECT_EQ(w1.firewall, "ufw");
    EXPECT_EQ(w1.time_service, "");
    EXPECT_TRUE(w1.swaps.empty());
    EXPECT_EQ(fleet->host("w1").read_file("/srv/x", {})->mode, 0600u);
    EXPECT_FALSE(fleet->host("w1").read_file("/etc/fstab", {}));
}

TEST(SimulatedFleet, SameWorkInAnotherOrderEndsInTheSameState) {
    auto one = make_test_fleet({"a", "b"});
    auto other = make_test_fleet({"a", "b"});
    one->host("a").write_file("/etc/x", {.content = "1"}, {});
    one->host("b").set_sysctl("net.ipv4.ip_forward", "1", {});
    one->host("a").set_sysctl("vm.swappiness", "0", {});
    other->host("b").set_sysctl("net.ipv4.ip_forward", "1", {});
    other->host("a").set_sysctl("vm.swappiness", "0", {});
    EXPECT_NE(one->fingerprint(), other->fingerprint());
    other->host("a").write_file("/etc/x", {.content = "0"}, {});
    other->host("a").write_file("/etc/x", {.content = "1"}, {});
    EXPECT_EQ(one->fingerprint(), other->fingerprint());
    EXPECT_EQ(pretty(one->snapshot()), pretty(other->snapshot()));
}

std::size_t resident_kib() {
    std::ifstream statm("/proc/self/statm");
    std::size_t total = 0, resident = 0;
    statm >> total >> resident;
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) / 1024;
}

// The figures are for the log (bench/ watches them); what is asserted is that all of it happened.
TEST(SimulatedFleet, ThousandHostsTimesAHundredWrites) {
    std::vector<std::string> names;
    for (int i = 0; i < 1000; ++i) names.push_back(fmt::format("h{}", i));
    const std::size_t before = resident_kib();
    auto fleet = make_test_fleet(names);
    for (const std::string& name : names) fleet->host(name);
    const std::size_t opened = resident_kib();
    const auto start = std::chrono::steady_clock::now();
    for (const std::string& name : names) {
        Host& host = fleet->host(name);
        for (int i = 0; i < 100; ++i) {
            host.write_file(fmt::format("/etc/slipway/{}", i),
                            {.content = "some lines of content\n"}, {});
        }
    }
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    fmt::print("1,000 hosts x 100 writes: {:.1f} us a write, {} KiB a host fresh, {} KiB after\n",
               took.count() / 100'000, (opened - before) / 1000, (resident_kib() - before) / 1000);
    EXPECT_EQ(testing::content_of(*fleet, "h999", "/etc/slipway/99"), "some lines of content\n");
    EXPECT_EQ(testing::content_of(*fleet, "h0", "/etc/slipway/0"), "some lines of content\n");
}

TEST(ManualClock, SleepersWakeWhenTimeHasCome) {
    ManualClock clock;
    const SteadyTime start = clock.steady();
    bool slept = false;
    {
        const std::jthread sleeper([&] { slept = clock.sleep_for(Millis(5000), {}); });
        clock.wait_for_sleepers(1);
        clock.advance(Millis(4999));
        clock.wait_for_sleepers(1);
        clock.advance(Millis(1));
    }
    EXPECT_TRUE(slept);
    EXPECT_EQ(clock.steady() - start, Millis(5000));
}

TEST(ManualClock, JumpingClockDoesNotSleepAndStoppedOnesSayFalse) {
    ManualClock clock(ManualClock::Mode::jump);
    EXPECT_TRUE(clock.sleep_for(std::chrono::hours(5), {}));
    EXPECT_EQ(clock.elapsed(), std::chrono::hours(5));
    std::stop_source stop;
    stop.request_stop();
    EXPECT_FALSE(clock.sleep_for(Millis(1), stop.get_token()));
    ManualClock manual;
    EXPECT_FALSE(manual.sleep_for(Millis(1), stop.get_token()));
}

}  // namespace
}  // namespace slipway::remote
