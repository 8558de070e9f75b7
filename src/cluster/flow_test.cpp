#include "cluster/flow.hpp"

#include "base/text.hpp"
#include "cluster/flows/flows.hpp"
#include "cluster/step_references.hpp"
#include "cluster/testing/sample_spec.hpp"
#include "engine/plan.hpp"

#include <algorithm>
#include <chrono>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

using config::Role;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::sample_host;
using testing::sample_spec;
using ::testing::SizeIs;

StepKind kind(std::string id, std::vector<std::string> needs = {}) {
    return {.id = id,
            .title = id,
            .part = "",
            .enabled = [](const config::Spec&) { return true; },
            .needs = std::move(needs),
            .make = [id](const StepInput&) { return std::vector<engine::Step>{{.id = id}}; }};
}

std::vector<std::string> nodes(const std::vector<engine::Step>& steps) {
    std::vector<std::string> out;
    for (const engine::Step& step : steps) out.push_back(step.node_id());
    return out;
}

const engine::Step& find(const std::vector<engine::Step>& steps, const std::string& node) {
    const auto found = std::ranges::find(steps, node, &engine::Step::node_id);
    if (found == steps.end()) throw std::out_of_range(node);
    return *found;
}

config::Spec three_control_planes() {
    config::Spec spec;
    spec.hosts = {sample_host("n10", "10.0.0.10", {Role::control_plane}),
                  sample_host("n2", "10.0.0.2", {Role::control_plane}),
                  sample_host("n1", "10.0.0.1", {Role::worker})};
    return spec;
}

TEST(Flow, FirstAndRestGoByNaturalOrderOfNamesWhateverTheOrderInTheFile) {
    const Flow flow = {{every(Host), kind("a")},
                       {first(ControlPlane), kind("b")},
                       {rest(ControlPlane), kind("c")},
                       {every(Worker), kind("d")},
                       {once, kind("e")},
                       {first(Registry), kind("f")}};
    config::Spec spec = three_control_planes();
    const auto expected = ElementsAre("n1/a", "n2/a", "n10/a", "n2/b", "n10/c", "n1/d", "e");
    EXPECT_THAT(nodes(instantiate(flow, spec, {})), expected);
    std::ranges::reverse(spec.hosts);
    EXPECT_THAT(nodes(instantiate(flow, spec, {})), expected);
}

TEST(Flow, NeedsMeanEarlierStepsOfTheSameHostAndThoseNotInThePlanAreNotWaitedFor) {
    const Flow flow = {{every(Worker), kind("script-x")},
                       {every(Host), kind("a", {"script-*"})},
                       {every(Host), kind("b", {"a", "not-there"})},
                       {every(Host), kind("c", {"*"})}};
    const auto steps = instantiate(flow, three_control_planes(), {});
    EXPECT_THAT(find(steps, "n1/a").needs, ElementsAre("n1/script-x"));
    EXPECT_THAT(find(steps, "n2/a").needs, IsEmpty());
    EXPECT_THAT(find(steps, "n2/b").needs, ElementsAre("n2/a"));
    EXPECT_THAT(find(steps, "n1/c").needs, ElementsAre("n1/script-x", "n1/a", "n1/b"));
}

TEST(Flow, AStepOfNoHostMayStandBeforeOrAfterAllHostsWithFewEdges) {
    StepKind before = kind("before"), after = kind("after");
    before.stand = Stand::before_all;
    after.stand = Stand::after_all;
    const Flow flow = {{once, before},
                       {every(Host), kind("a")},
                       {every(Host), kind("b", {"a"})},
                       {once, after},
                       {every(Worker), kind("c", {"after"})}};
    const auto steps = instantiate(flow, three_control_planes(), {});
    EXPECT_THAT(find(steps, "n1/a").needs, ElementsAre("before"));
    EXPECT_THAT(find(steps, "n1/b").needs, ElementsAre("n1/a"));
    EXPECT_THAT(find(steps, "after").after, ElementsAre("n1/b", "n2/b", "n10/b"));
    EXPECT_THAT(find(steps, "n1/c").needs, ElementsAre("after"));
}

// For each host it would be an edge to every step of all others.
TEST(StepCatalog, OnlyStepsOfNoHostStandBeforeOrAfterAll) {
    for (const FlowLine& line : create_cluster()) {
        const bool once_only = line.where.reach == Where::Reach::once;
        EXPECT_TRUE(once_only || line.kind.stand == Stand::by_needs) << line.kind.id;
    }
}

// A need that names nothing would be dropped in silence.
TEST(StepCatalog, EveryNeedNamesAStepEarlierInTheList) {
    std::vector<std::string> earlier;
    for (const CatalogEntry& entry : step_catalog()) {
        earlier.push_back(entry.id);
        for (const std::string& need : entry.needs) {
            const std::string wanted = need.substr(need.find(':') + 1);  // on whatever host
            const bool known = std::ranges::any_of(
                earlier, [&](const std::string& id) { return wanted == id || wanted == "*"; });
            EXPECT_TRUE(known) << entry.id << " needs " << need;
        }
    }
}

TEST(StepCatalog, SaysOfEachStepWhyNotWhereSomethingIsNotAllowed) {
    std::set<std::string> ids;
    std::set<std::pair<std::string, std::string>>
        places;  // a step may come at two times, for other hosts
    for (const CatalogEntry& entry : step_catalog()) {
        ids.insert(entry.id);
        EXPECT_TRUE(places.insert({entry.id, entry.where}).second) << entry.id;
        EXPECT_FALSE(entry.title.empty());
        EXPECT_FALSE(entry.part.empty());
        EXPECT_EQ(entry.skippable, entry.why_not_skippable.empty());
        EXPECT_EQ(entry.undo, entry.why_no_undo.empty());
    }
    EXPECT_THAT(ids, SizeIs(53));
    EXPECT_THAT(places, SizeIs(54));
}

TEST(PrepareHosts, APartThatIsSwitchedOffIsNotInThePlan) {
    config::Spec spec = sample_spec();
    spec.hooks = {};
    spec.os = {};
    spec.os.hostname = spec.os.hosts_entries = spec.os.kernel_modules = spec.os.sysctl = false;
    spec.os.swap_off = spec.os.limits = spec.os.time_sync.enabled = spec.os.users_and_folders =
        false;
    spec.os.selinux.enabled = spec.os.firewall = false;
    remote::Facts facts;
    facts.selinux = "enforcing";
    facts.firewall = "firewalld";
    facts.time_service = "chrony";
    const std::map<std::string, remote::Facts> all = {{"cp1", facts}};
    EXPECT_THAT(instantiate(prepare_hosts(), spec, all), IsEmpty());
    spec.os.swap_off = true;
    EXPECT_THAT(nodes(instantiate(prepare_hosts(), spec, all)),
                ElementsAre("cp1/turn-off-swap", "w1/turn-off-swap", "w2/turn-off-swap"));
    spec.os.firewall = true;
    EXPECT_THAT(nodes(instantiate(prepare_hosts(), spec, all)),
                Contains("cp1/open-firewall-ports"));
    EXPECT_THAT(nodes(instantiate(prepare_hosts(), spec, all)),
                Not(Contains("w1/open-firewall-ports")))
        << "a host without a firewall has nothing to open";
}

TEST(PrepareHosts, OnlyWhatMustWaitWaits) {
    config::Spec spec = sample_spec();
    const auto steps = instantiate(prepare_hosts(), spec, {});
    EXPECT_THAT(find(steps, "w1/set-sysctls").needs,
                ElementsAre("w1/pre-install-script-greet", "w1/load-kernel-modules"));
    EXPECT_THAT(find(steps, "w1/create-users-and-folders").needs,
                ElementsAre("w1/pre-install-script-greet"));
    EXPECT_THAT(find(steps, "w1/post-install-script-done").needs, SizeIs(9));
    for (const engine::Step& step : steps) {
        for (const std::string& need : step.needs) EXPECT_TRUE(need.starts_with(step.host + "/"));
    }
}

TEST(PrepareHosts, ThePlanIsTheSameForAReorderedFile) {
    config::Spec spec = sample_spec();
    const std::string hash = engine::Plan::build(instantiate(prepare_hosts(), spec, {})).hash();
    std::ranges::reverse(spec.hosts);
    EXPECT_EQ(engine::Plan::build(instantiate(prepare_hosts(), spec, {})).hash(), hash);
    spec.os.extra_sysctls["vm.swappiness"] = "20";
    EXPECT_NE(engine::Plan::build(instantiate(prepare_hosts(), spec, {})).hash(), hash);
}

TEST(PrepareHosts, AChangedValueChangesTheInputsOfItsOwnStepAlone) {
    config::Spec spec = sample_spec();
    const auto before = instantiate(prepare_hosts(), spec, {});
    spec.os.extra_sysctls["vm.swappiness"] = "20";
    for (const engine::Step& step : instantiate(prepare_hosts(), spec, {})) {
        EXPECT_EQ(step.inputs != find(before, step.node_id()).inputs, step.id == "set-sysctls")
            << step.id;
    }
}

TEST(PrepareHosts, AThousandHostsArePlannedWithoutRepeatingTheWork) {
    config::Spec spec = sample_spec();
    spec.hosts.clear();
    for (int i = 0; i < 1000; ++i) {
        spec.hosts.push_back(sample_host(
            "n" + std::to_string(i),
            "10.1." + std::to_string(i / 250) + "." + std::to_string(i % 250 + 1), {Role::worker}));
    }
    const auto start = std::chrono::steady_clock::now();
    const auto steps = instantiate(prepare_hosts(), spec, {});
    const auto took = std::chrono::steady_clock::now() - start;
    EXPECT_EQ(steps.size(), 10'000u);
    // 40 KB of hosts entries made and hashed for each host would take many times as long.
    EXPECT_LT(took, std::chrono::seconds(5));
}

config::LoadedSpec with_steps(std::vector<std::string> skip,
                              std::vector<std::string> delegate = {}) {
    config::LoadedSpec loaded;
    loaded.spec = sample_spec();
    loaded.spec.steps = {std::move(skip), std::move(delegate)};
    return loaded;
}

TEST(StepReferences, KnownNamesPass) {
    EXPECT_THAT(
        check_step_references(with_steps(
            {"set-hostname", "w1/turn-off-swap", "pre-install-script-greet"}, {"sync-time"})),
        IsEmpty());
}

TEST(StepReferences, ATypoGetsTheNearestNameAndItsPlace) {
    const auto problems = check_step_references(with_steps({"set-hostname", "w1/turn-of-swap"}));
    ASSERT_THAT(problems, SizeIs(1));
    EXPECT_EQ(problems[0].id, "SPEC-UNKNOWN-STEP");
    EXPECT_EQ(problems[0].path, "steps.skip[1]");
    EXPECT_THAT(problems[0].todo, HasSubstr("turn-off-swap"));
}

TEST(StepReferences, AStepThatMayNotBeSkippedOrDelegatedSaysWhy) {
    const auto problems = check_step_references(
        with_steps({"create-users-and-folders"}, {"pre-install-script-greet"}));
    ASSERT_THAT(problems, SizeIs(2));
    EXPECT_EQ(problems[0].id, "SPEC-STEP-NOT-SKIPPABLE");
    EXPECT_THAT(problems[0].what, HasSubstr("later steps write into these folders"));
    EXPECT_THAT(problems[0].todo, HasSubstr("os.usersAndFolders"));
    EXPECT_EQ(problems[1].id, "SPEC-STEP-NOT-DELEGABLE");
}

}  // namespace
}  // namespace slipway::cluster
