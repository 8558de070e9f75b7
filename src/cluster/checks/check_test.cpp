#include "cluster/checks/check.hpp"

#include "base/text.hpp"
#include "cluster/checks/testing/cases.hpp"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

using testing::all_cases;
using testing::Case;
using testing::CheckedFleet;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// ---- one wrong thing a case

class OneThingWrong : public ::testing::TestWithParam<Case> {};

TEST_P(OneThingWrong, IsFoundByTheCheckThatIsThereForItAndByNoOther) {
    const Case& wrong = GetParam();
    CheckedFleet fleet;
    wrong.break_it(fleet);
    EXPECT_EQ(join(fleet.failed(), "; "), wrong.fails);

    bool seen = false;
    for (const CheckResult& result : fleet.results()) {
        if (result.outcome == CheckOutcome::passed) continue;
        EXPECT_FALSE(result.seen.empty()) << result.id;
        EXPECT_FALSE(result.wanted.empty()) << result.id;
        EXPECT_GT(result.remedy.size(), 10u) << result.id;
        seen |= result.id == wrong.id() && result.seen.find(wrong.seen) != std::string::npos;
        if (result.id == wrong.id() && !seen) ADD_FAILURE() << result.seen;
    }
    EXPECT_TRUE(seen) << "nothing seen says: " << wrong.seen;
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
    std::string name = info.param.id() + "_" + std::to_string(info.index);
    std::ranges::replace(name, '-', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Checks, OneThingWrong, ::testing::ValuesIn(all_cases()), name_of);

// ---- hosts this cluster is on already

// What of it still fails when these hosts are installed.
std::vector<std::string> failed_with(const std::string& id, std::set<std::string> ours) {
    const std::vector<Case> cases = all_cases();
    const auto wrong = std::ranges::find_if(cases, [&](const Case& c) { return c.id() == id; });
    EXPECT_NE(wrong, cases.end()) << id;
    CheckedFleet fleet;
    wrong->break_it(fleet);
    fleet.ours = std::move(ours);
    return fleet.failed();
}

const std::set<std::string> kAll = {"cp1", "cp2", "cp3", "w1", "w2"};

TEST(InstalledHosts, AreNotAskedWhatBareOnesAre) {
    for (const char* id : {"HOST-LEFTOVER-KUBERNETES", "HOST-LEFTOVER-ETCD", "NET-PORT-API",
                           "NET-PORT-KUBELET", "HOST-DISK", "NET-REACH-API", "NET-RANGE-PODS"}) {
        EXPECT_THAT(failed_with(id, kAll), IsEmpty()) << id;
        EXPECT_THAT(failed_with(id, {}), ::testing::Not(IsEmpty())) << id;
    }
}

TEST(InstalledHosts, AreAskedEverythingElse) {
    for (const char* id : {"HOST-UNREACHABLE", "HOST-CPU", "HOST-CLOCK-SKEW", "HOST-KERNEL"})
        EXPECT_EQ(failed_with(id, kAll), failed_with(id, {})) << id;
}

TEST(InstalledHosts, DoNotSpeakForTheOthers) {
    EXPECT_THAT(failed_with("HOST-LEFTOVER-KUBERNETES", {"w1"}), IsEmpty());
    EXPECT_THAT(failed_with("HOST-LEFTOVER-KUBERNETES", {"cp1", "w2"}),
                Contains("HOST-LEFTOVER-KUBERNETES w1 error"));
}

// ---- the table

TEST(CheckTable, HasEnoughChecksEachOnceAndEachWithACaseAtItsWorst) {
    std::set<std::string> ids;
    std::string worst;
    for (const Case& wrong : all_cases()) worst += "; " + wrong.fails;
    for (const CheckInfo& check : check_catalog()) {
        EXPECT_TRUE(ids.emplace(check.id).second) << check.id << " is there twice";
        EXPECT_TRUE(check.question.ends_with('?')) << check.id;
        EXPECT_FALSE(check.why.empty()) << check.id;
        EXPECT_TRUE(check.id.starts_with("HOST-") || check.id.starts_with("NET-") ||
                    check.id.starts_with("CLUSTER-"))
            << check.id;
        const auto fails_so = [&](const std::string& part) {
            return trim(part).starts_with(std::string(check.id) + " ") &&
                   part.ends_with(to_string(check.severity));
        };
        EXPECT_TRUE(std::ranges::any_of(split(worst, ';'), fails_so))
            << check.id << " is never seen to fail with " << to_string(check.severity);
    }
    EXPECT_GE(ids.size(), 50u);
}

TEST(CheckTable, NoCheckFailsWorseThanTheTableSays) {
    std::map<std::string, CheckSeverity> worst;
    for (const CheckInfo& check : check_catalog()) worst[std::string(check.id)] = check.severity;
    for (const Case& wrong : all_cases()) {
        CheckedFleet fleet;
        wrong.break_it(fleet);
        for (const CheckResult& r : fleet.results()) {
            const bool allowed = r.outcome == CheckOutcome::passed || r.severity <= worst.at(r.id);
            EXPECT_TRUE(allowed) << r.id;
        }
    }
}

// ---- healthy, and more than one thing wrong

TEST(Checks, HealthyHostsPassThemAllAndMostAreAskedOfEveryHost) {
    const CheckedFleet fleet;
    EXPECT_THAT(fleet.failed(), IsEmpty());
    const std::vector<CheckResult> results = fleet.results();
    EXPECT_EQ(results.front().id, "HOST-UNREACHABLE");
    std::set<std::string> asked;
    for (const CheckResult& r : results) asked.insert(r.id);
    EXPECT_GE(asked.size(), 70u);
}

TEST(Checks, EveryProblemOfEveryHostIsFoundAtOnce) {
    CheckedFleet fleet;
    fleet.facts["cp1"].cpus = 1;
    fleet.facts["w1"].os_id = "plan9";
    fleet.facts["w2"].memory_mib = 899;
    fleet.facts["w2"].time_service = "";
    EXPECT_THAT(fleet.failed(),
                ElementsAre("HOST-OS w1 warning", "HOST-CPU cp1 warning", "HOST-MEMORY w2 error",
                            "HOST-TIME-SERVICE w2 warning"));
}

TEST(Checks, AnIgnoredCheckIsStillShownButDoesNotBlock) {
    CheckedFleet fleet;
    fleet.facts["w2"].memory_mib = 100;
    const auto blocks = [&](const std::vector<std::string>& ignored) {
        return std::ranges::any_of(fleet.results(ignored), &CheckResult::blocks);
    };
    EXPECT_TRUE(blocks({}));
    EXPECT_TRUE(blocks({"HOST-CPU"}));
    EXPECT_FALSE(blocks({"HOST-MEMORY"}));
    EXPECT_THAT(fleet.failed({"HOST-MEMORY"}), ElementsAre("HOST-MEMORY w2 error"));
}

TEST(Checks, EqualHostnamesMatterOnlyWhenSlipwayDoesNotSetThem) {
    CheckedFleet fleet;
    for (auto& [name, facts] : fleet.facts) facts.hostname = "clone";
    EXPECT_THAT(fleet.failed(), IsEmpty());
    fleet.spec.os.hostname = false;
    EXPECT_THAT(fleet.failed(), Contains("HOST-DUPLICATE-HOSTNAME w2,cp1 error"));
}

TEST(Checks, TheOneWrongClockIsNamedAndNotAllTheOthers) {
    CheckedFleet fleet;
    for (auto& [name, facts] : fleet.facts) facts.clock_offset_ms = 94'000;
    fleet.facts["cp1"].clock_offset_ms = 0;
    EXPECT_THAT(fleet.failed(), ElementsAre(HasSubstr("HOST-CLOCK-SKEW cp1,")));
}

TEST(Checks, AClockIsNotBlamedForWhatTheMeasurementIsWorth) {
    CheckedFleet fleet;
    fleet.facts["w1"].clock_offset_ms = 6'000;
    EXPECT_THAT(fleet.failed(), ElementsAre("HOST-CLOCK-SKEW w1,cp3 warning"));
    fleet.facts["w1"].clock_error_ms = 1'500;  // a slow link
    EXPECT_THAT(fleet.failed(), IsEmpty());
}

TEST(Checks, APortThatSlipwayOpensIsNotMissedBeforeItDoes) {
    CheckedFleet fleet;
    fleet.close(LinkUse::kubelet, "*", "w2");
    EXPECT_THAT(fleet.failed(), ElementsAre("NET-REACH-KUBELET w2 error"));
    fleet.facts["w2"].firewall = "firewalld";
    EXPECT_THAT(fleet.failed(), IsEmpty());
    fleet.spec.os.firewall = false;
    EXPECT_THAT(fleet.failed(),
                ElementsAre("NET-FIREWALL w2 warning", "NET-REACH-KUBELET w2 error"));
}

TEST(Checks, ADiskOfItsOwnForEtcdIsNoLeftover) {
    CheckedFleet fleet;
    fleet.facts["cp1"].leftovers = {"/var/lib/etcd/lost+found"};
    EXPECT_THAT(fleet.failed(), IsEmpty());
}

TEST(Checks, RoutesOfPodNetworksAreNoConflictWithThemselves) {
    CheckedFleet fleet;
    fleet.facts["w1"].routes.push_back({"10.244.1.0/24", "", "cni0"});
    fleet.facts["w1"].interfaces.push_back({"flannel.1", "", 1450, true, {"10.244.1.0/32"}});
    EXPECT_THAT(fleet.failed(), IsEmpty());
}

}  // namespace
}  // namespace slipway::cluster
