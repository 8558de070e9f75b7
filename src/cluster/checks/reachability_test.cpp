#include "cluster/checks/reachability.hpp"

#include "base/error.hpp"
#include "cluster/checks/check.hpp"
#include "cluster/checks/facts_query.hpp"
#include "cluster/testing/sample_spec.hpp"
#include "remote/testing/manual_clock.hpp"
#include "remote/testing/test_fleet.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

using config::Role;
using remote::Call;
using remote::FaultKind;
using remote::testing::make_test_fleet;
using remote::testing::ManualClock;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Reach : public ::testing::Test {
  protected:
    Reach() {
        spec.hosts = {testing::sample_host("cp1", "10.0.0.11", {Role::control_plane}),
                      testing::sample_host("w1", "10.0.0.12", {Role::worker, Role::registry}),
                      testing::sample_host("w2", "10.0.0.13", {Role::worker})};
    }

    void make(std::string_view profile) {
        fleet = make_test_fleet({"cp1", "w1", "w2"}, profile, clock);
        facts.clear();
        for (const config::Host& host : spec.hosts)
            facts[host.name] = fleet->host(host.name).facts(facts_query(spec, host), {});
    }
    Reachability probe() { return probe_reachability(spec, facts, *fleet, clock, {}, {}); }

    // "ID host seen" of every failed check about reaching; and nobody listens any more.
    std::vector<std::string> failed() {
        const Reachability seen = probe();
        EXPECT_EQ(fleet->network().listeners(), 0u);
        std::vector<std::string> out;
        for (const CheckResult& r : run_checks({spec, facts, {}, seen})) {
            const bool about =
                r.id.starts_with("NET-REACH-") || r.id == "NET-PATH-MTU" || r.id == "NET-PROBE";
            if (about && r.outcome == CheckOutcome::failed)
                out.push_back(fmt::format("{} {}: {}", r.id, r.host, r.seen));
        }
        return out;
    }

    ManualClock clock{ManualClock::Mode::jump};
    config::Spec spec;
    std::unique_ptr<remote::SimulatedFleet> fleet;
    std::map<std::string, remote::Facts> facts;
};

TEST_F(Reach, AnOpenNetworkIsFoundOpenAndNothingListensAfterwards) {
    make("");
    EXPECT_THAT(failed(), IsEmpty());
    const Reachability seen = probe();
    EXPECT_TRUE(seen.failed.empty());
    EXPECT_TRUE(std::ranges::all_of(seen.links, &ProbedLink::open));
    EXPECT_EQ(seen.links.size(), needed_links(spec, facts).size());
}

TEST_F(Reach, APortDroppedOnOneHostIsSaidOfThatHost) {
    make("hosts: {w2: {network: {drop: [10250/tcp]}}}");
    EXPECT_THAT(failed(),
                ElementsAre("NET-REACH-KUBELET w2: 10250/tcp not reached from cp1: timed out"));
}

TEST_F(Reach, APortDroppedInOneDirectionIsFoundAndTheOtherIsNotBlamed) {
    make("hosts: {w2: {network: {drop: [8472/udp], from: [w1]}}}");
    EXPECT_THAT(failed(), ElementsAre("NET-REACH-NETWORK-PLUGIN w2: 8472/udp not reached from w1: "
                                      "timed out"));
}

TEST_F(Reach, APathWithASmallerMtuIsFoundBySize) {
    make("hosts: {w2: {network: {mtu: 1400}}}");
    EXPECT_THAT(failed(), ElementsAre("NET-PATH-MTU w2: packets of 1500 bytes do not arrive from "
                                      "cp1, w1: too big for the path"));
}

TEST_F(Reach, APortThatAProgramHasIsNotTakenFromItAndCountsAsOpen) {
    make("hosts: {cp1: {listening: {6443/tcp: kube-apiserver, 8472/udp: flanneld}}}");
    EXPECT_THAT(failed(), IsEmpty());
    const Reachability seen = probe();
    const auto to_taken = [](const ProbedLink& probed) {
        return probed.link.to == "cp1" && probed.link.target.port == 8472;
    };
    // Nothing of ours can answer there, so nothing is said about it.
    EXPECT_TRUE(std::ranges::none_of(seen.links, to_taken));
}

TEST_F(Reach, APortTakenSinceTheFactsWereReadIsNoFailure) {
    make("");
    auto other =
        make_test_fleet({"cp1", "w1", "w2"}, "hosts: {w2: {listening: {8472/udp: vxlan}}}", clock);
    fleet = std::move(other);
    EXPECT_THAT(failed(), IsEmpty());
}

TEST_F(Reach, AHostLostInTheMiddleIsNamedAndTheOthersAreStillJudged) {
    make("hosts: {w1: {network: {drop: [5000/tcp], from: [cp1]}}}");
    // It listens, and its power is cut when it is asked to probe.
    fleet->simulated("w2").add_fault(
        {.on = Call::network, .match = "probe", .times = "always", .error = FaultKind::power_cut});
    const std::vector<std::string> found = failed();
    EXPECT_THAT(found, Contains(::testing::StartsWith("NET-PROBE w2: ")));
    EXPECT_THAT(found, Contains("NET-REACH-REGISTRY w1: 5000/tcp not reached from cp1: timed out"));
}

TEST_F(Reach, ALinkThatFailsOnceIsTriedAgain) {
    make("");
    fleet->simulated("w2").add_fault({.on = Call::network, .match = "listen"});
    fleet->simulated("w1").add_fault({.on = Call::network, .match = "probe"});
    EXPECT_THAT(failed(), IsEmpty());
}

TEST_F(Reach, AHostThatCannotListenIsNotTakenForOneThatIsClosed) {
    make("");
    fleet->simulated("w2").add_fault(
        {.on = Call::network, .match = "listen", .times = "always", .error = FaultKind::fatal});
    EXPECT_THAT(failed(), ElementsAre(::testing::StartsWith("NET-PROBE w2: ")));
}

TEST_F(Reach, CancellingClosesEveryListener) {
    make("");
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW(probe_reachability(spec, facts, *fleet, clock, {}, stop.get_token()), Cancelled);
    EXPECT_EQ(fleet->network().listeners(), 0u);
}

TEST_F(Reach, AThousandHostsTakeOneListenAndOneProbeEach) {
    spec.hosts.clear();
    std::vector<std::string> names;
    for (std::size_t i = 0; i < 1000; ++i) {
        names.push_back(i < 3 ? fmt::format("cp{}", i) : fmt::format("w{}", i));
        spec.hosts.push_back(testing::sample_host(names.back(),
                                                  fmt::format("10.0.{}.{}", i / 200, 11 + i % 200),
                                                  {i < 3 ? Role::control_plane : Role::worker}));
    }
    fleet = make_test_fleet(names, "", clock);
    for (const config::Host& host : spec.hosts)
        facts[host.name] = fleet->host(host.name).facts(facts_query(spec, host), {});
    const Reachability seen = probe();
    EXPECT_EQ(fleet->network().requests().listen, 1000u);
    EXPECT_EQ(fleet->network().requests().probe, 1000u);
    EXPECT_EQ(fleet->network().listeners(), 0u);
    EXPECT_TRUE(seen.failed.empty());
    const std::vector<CheckResult> results = run_checks({spec, facts, {}, seen});
    const auto blocked = std::ranges::count_if(results, &CheckResult::blocks);
    EXPECT_EQ(blocked, 1) << "CLUSTER-POD-CAPACITY alone: a /16 holds 256 nodes";
}

}  // namespace
}  // namespace slipway::cluster
