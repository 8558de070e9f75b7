// Jobs, fetch, listen, probe and claim of simulated hosts.
#include "base/digest.hpp"
#include "base/error.hpp"
#include "remote/testing/manual_clock.hpp"
#include "remote/testing/test_fleet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::remote {
namespace {

using testing::make_test_fleet;
using testing::ManualClock;

template <class F>
std::string error_of(F&& f) {
    try {
        f();
        return "(none)";
    } catch (const Error& e) {
        return e.id();
    }
}

const std::vector<Port> kApi = {{.address = "10.0.0.12", .port = 6443}};

ProbeAnswer probe(SimulatedFleet& fleet, const std::string& from, Port target) {
    return fleet.host(from).probe({std::move(target)}, "n", Millis(100), {}).at(0);
}

TEST(SimulatedNetwork, AListenerIsReachedByItsNonceOnlyAndGoesWithItsObject) {
    auto fleet = make_test_fleet({"a", "b"});
    EXPECT_EQ(probe(*fleet, "a", kApi[0]).reason, "refused");
    {
        const auto listener = fleet->host("b").listen({{.address = "", .port = 6443}}, "n", {});
        EXPECT_TRUE(listener->refused().empty());
        EXPECT_TRUE(probe(*fleet, "a", kApi[0]).reached);
        EXPECT_FALSE(fleet->host("a").probe(kApi, "other", Millis(100), {})[0].reached);
        EXPECT_EQ(fleet->network().listeners(), 1u);
    }
    EXPECT_EQ(probe(*fleet, "a", kApi[0]).reason, "refused");
    EXPECT_EQ(fleet->network().listeners(), 0u);
}

TEST(SimulatedNetwork, AProgramInTheWayIsToldApartFromSilence) {
    auto fleet = make_test_fleet({"a", "b"}, "hosts: {b: {listening: {6443/tcp: haproxy}}}");
    const auto listener = fleet->host("b").listen({{.address = "", .port = 6443}}, "n", {});
    EXPECT_EQ(listener->refused().at(6443), "address already in use");
    const ProbeAnswer answer = probe(*fleet, "a", kApi[0]);
    EXPECT_TRUE(answer.accepted);
    EXPECT_FALSE(answer.reached);
    const std::vector<ListeningPort> listening = fleet->host("b").facts({}, {}).listening;
    EXPECT_THAT(listening, ::testing::Contains(ListeningPort{"tcp", "0.0.0.0", 6443, "haproxy"}));
}

TEST(SimulatedNetwork, DropsAndPathMtuHoldInOneDirectionAndFromSomeOnly) {
    auto fleet = make_test_fleet({"a", "b", "c"}, R"(
hosts: {b: {network: {drop: [6443/tcp], mtu: 1400, from: [a]}}}
)");
    const auto at_a = fleet->host("a").listen({{.address = "", .port = 6443}}, "n", {});
    const auto at_b = fleet->host("b").listen(
        {{.address = "", .port = 6443}, {.protocol = Protocol::udp, .address = "", .port = 8472}},
        "n", {});
    EXPECT_EQ(probe(*fleet, "a", kApi[0]).reason, "timed out");
    EXPECT_TRUE(probe(*fleet, "c", kApi[0]).reached);
    EXPECT_TRUE(probe(*fleet, "b", {.address = "10.0.0.11", .port = 6443}).reached);
    Port datagram{.protocol = Protocol::udp, .address = "10.0.0.12", .port = 8472, .size = 1500};
    EXPECT_EQ(probe(*fleet, "a", datagram).reason, "too big for the path");
    EXPECT_TRUE(probe(*fleet, "c", datagram).reached);
    datagram.size = 1400;
    EXPECT_TRUE(probe(*fleet, "a", datagram).reached);
}

TEST(SimulatedNetwork, AMachineWithoutPowerAnswersNobody) {
    ManualClock clock(ManualClock::Mode::jump);
    auto fleet = make_test_fleet({"a", "b"}, clock);
    const auto listener = fleet->host("b").listen({{.address = "", .port = 6443}}, "n", {});
    fleet->simulated("b").add_fault({.on = Call::write, .error = FaultKind::power_cut});
    EXPECT_EQ(error_of([&] { fleet->host("b").write_file("/etc/x", {.content = ""}, {}); }),
              "HOST-UNREACHABLE");
    EXPECT_EQ(probe(*fleet, "a", kApi[0]).reason, "timed out");
    fleet->simulated("b").reboot();
    EXPECT_EQ(probe(*fleet, "a", kApi[0]).reason, "refused");
}

TEST(SimulatedNetwork, NamesAreFoundUnlessTheProfileSaysOtherwise) {
    auto fleet = make_test_fleet({"a", "b"}, "hosts: {a: {network: {unresolvable: [time.*]}}}");
    const FactsQuery query{.modules = {},
                           .commands = {},
                           .leftovers = {},
                           .resolve = {"b", "time.example"},
                           .disk_folder = ""};
    EXPECT_EQ(fleet->host("a").facts(query, {}).resolved,
              (std::map<std::string, std::string>{{"b", "10.0.0.12"}, {"time.example", ""}}));
}

TEST(SimulatedJob, GoesOnWhenTheLinkIsLostAndIsFollowedByTheNextCall) {
    auto fleet = make_test_fleet({"a"});
    SimulatedHost& host = fleet->simulated("a");
    host.write_file("/tmp/greet", {.content = "echo first\n"}, {});
    host.add_fault({.on = Call::command, .error = FaultKind::crash});
    const Command command{.argv = {"bash", "/tmp/greet"}, .job = "greet"};
    EXPECT_EQ(error_of([&] { host.run(command, {}); }), "HOST-CALL-LOST");
    std::vector<std::string> lines;
    Command again = command;
    again.on_line = [&](std::string_view, std::string_view line) { lines.emplace_back(line); };
    EXPECT_EQ(host.run(again, {}).out, "first\n");
    EXPECT_THAT(lines, ::testing::ElementsAre("first"));
    EXPECT_EQ(host.executed_scripts().size(), 1u);
    host.run(command, {});  // the first one is finished and forgotten: this is another
    EXPECT_EQ(host.executed_scripts().size(), 2u);
}

TEST(SimulatedJob, AMachineThatWasRestartedKnowsNoJobs) {
    auto fleet = make_test_fleet({"a"});
    SimulatedHost& host = fleet->simulated("a");
    host.write_file("/tmp/greet", {.content = "echo first\n"}, {});
    host.add_fault({.on = Call::command, .error = FaultKind::crash});
    const Command command{.argv = {"bash", "/tmp/greet"}, .job = "greet"};
    EXPECT_EQ(error_of([&] { host.run(command, {}); }), "HOST-CALL-LOST");
    const std::string boot = host.facts({}, {}).boot_id;
    host.reboot();
    EXPECT_NE(host.facts({}, {}).boot_id, boot);
    host.run(command, {});
    EXPECT_EQ(host.executed_scripts().size(), 2u);
}

TEST(SimulatedFetch, WritesWhatTheServerHasAndKnowsWhatIsThere) {
    auto fleet = make_test_fleet({"a"}, "defaults: {fetchable: {http://r/x: hello}}");
    Host& host = fleet->host("a");
    Fetch what;
    what.url = "http://r/x";
    what.sha256 = sha256_hex("hello");
    what.path = "/usr/local/bin/x";
    what.mode = 0755;
    std::uint64_t told = 0;
    EXPECT_EQ(host.fetch(what, [&](std::uint64_t bytes) { told = bytes; }, {}).fetched, 5u);
    EXPECT_EQ(told, 5u);
    EXPECT_EQ(host.read_file("/usr/local/bin/x", {})->mode, 0755u);
    EXPECT_TRUE(host.fetch(what, {}, {}).already);
    what.path = "/usr/local/bin/y";
    what.sha256 = sha256_hex("other");
    EXPECT_EQ(error_of([&] { host.fetch(what, {}, {}); }), "HOST-DIGEST");
    EXPECT_FALSE(host.read_file("/usr/local/bin/y", {}));
}

TEST(SimulatedClaim, OneOwnerAtATimeAndTheSameOneAgain) {
    auto fleet = make_test_fleet({"a", "b"}, "hosts: {b: {claimed-by: laptop of ops}}");
    fleet->host("a").claim("one", "", {});
    fleet->host("a").claim("one", "", {});
    EXPECT_EQ(error_of([&] { fleet->host("a").claim("two", "", {}); }), "HOST-BUSY");
    EXPECT_EQ(error_of([&] { fleet->host("b").claim("one", "", {}); }), "HOST-BUSY");
}

TEST(SimulatedFacts, FollowTheMachineAndTheQuery) {
    auto fleet = make_test_fleet({"a"}, R"(
defaults:
  packages: {docker-ce: 5:24.0}
  files: {/etc/kubernetes/admin.conf: {content: x}, /etc/cni: {folder: true},
          /etc/environment: {content: "HTTP_PROXY=http://proxy:3128\n"}}
  units: {kubelet.service: {}}
  disks: {/var/lib/etcd: {free-mib: 4096, no-exec: true}}
  network: {interfaces: {cni0: 10.244.0.1/24}}
  modules: {veth: absent}
)");
    FactsQuery query;
    query.modules = {"overlay", "veth", "ext4"};
    query.commands = {"sysctl", "conntrack"};
    query.leftovers = {"/etc/kubernetes",      "/etc/cni",       "/var/lib/cni",
                       "unit:kubelet.service", "interface:cni0", "interface:flannel.1"};
    query.disk_folder = "/var/lib/etcd";
    const Facts facts = fleet->host("a").facts(query, {});
    EXPECT_EQ(facts.modules.at("overlay"), "available");
    EXPECT_EQ(facts.modules.at("veth"), "absent");
    EXPECT_EQ(facts.modules.at("ext4"), "loaded");
    EXPECT_EQ(facts.commands.at("sysctl"), "/usr/bin/sysctl");
    EXPECT_EQ(facts.commands.at("conntrack"), "");
    EXPECT_THAT(facts.leftovers, ::testing::ElementsAre("/etc/kubernetes", "unit:kubelet.service",
                                                        "interface:cni0"));
    EXPECT_THAT(facts.runtimes, ::testing::ElementsAre("docker-ce 5:24.0"));
    EXPECT_EQ(facts.proxies.at("http_proxy"), "http://proxy:3128");
    EXPECT_EQ(facts.interfaces.at(0).addresses.at(0), "10.0.0.11/24");
    EXPECT_EQ(facts.routes.at(0).gateway, "10.0.0.1");
    ASSERT_EQ(facts.disks.size(), 2u);
    EXPECT_EQ(facts.disks[1].mount, "/var/lib/etcd");
    EXPECT_EQ(facts.disks[1].free_mib, 4096);
    EXPECT_TRUE(facts.disks[1].no_exec);
    EXPECT_GT(facts.fsync_median_us, 0);
    EXPECT_EQ(fleet->host("a").facts({}, {}).fsync_median_us, 0);
}

}  // namespace
}  // namespace slipway::remote
