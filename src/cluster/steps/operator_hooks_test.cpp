// Programs of the user on this computer, in the plan and run by the real engine.
#include "cluster/steps/operator_hooks.hpp"

#include "cluster/flows/flows.hpp"
#include "cluster/testing/sample_spec.hpp"
#include "cluster/testing/simulated_site.hpp"
#include "cluster/testing/step_runner.hpp"
#include "engine/plan.hpp"
#include "remote/testing/test_fleet.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::sample_spec;
using testing::SimulatedSite;
using testing::StepRunner;

config::OperatorHook hook(std::string name, std::vector<std::string> command) {
    config::OperatorHook out;
    out.name = std::move(name);
    out.command = std::move(command);
    return out;
}

config::Spec with_hooks() {
    config::Spec spec = sample_spec();
    spec.hooks.operator_pre_install = {hook("a", {"true"}), hook("b", {"true"})};
    spec.hooks.operator_post_cluster_ready = {hook("c", {"true"})};
    spec.hooks.operator_post_install = {hook("d", {"true"}), hook("e", {"true"})};
    return spec;
}

std::size_t place(const engine::Plan& plan, std::string_view node) {
    const auto& order = plan.order();
    const auto at = std::ranges::find(order, plan.find(node));
    return static_cast<std::size_t>(at - order.begin());
}

// Everything a node waits for, near and far.
std::vector<bool> behind(const engine::Plan& plan, std::string_view node) {
    std::vector<bool> seen(plan.size(), false);
    std::vector<engine::NodeIndex> open = {plan.find(node)};
    while (!open.empty()) {
        const engine::NodeIndex at = open.back();
        open.pop_back();
        for (const auto* list : {&plan.node(at).needs, &plan.node(at).after}) {
            for (const engine::NodeIndex next : *list) {
                if (!seen[next]) open.push_back(next);
                seen[next] = true;
            }
        }
    }
    return seen;
}

TEST(OperatorHooks, StandBeforeAndAfterAllHosts) {
    const engine::Plan plan = engine::Plan::build(instantiate(prepare_hosts(), with_hooks(), {}));
    const engine::NodeIndex first = plan.find("operator-pre-install-a");
    for (engine::NodeIndex i = 0; i < plan.size(); ++i) {
        const std::string& id = plan.node(i).id;
        EXPECT_EQ(behind(plan, id)[first], i != first) << id;
        const bool before_ready = !id.starts_with("operator-post-") && id != "await-cluster" &&
                                  id.find("/post-install-script-") == std::string::npos;
        EXPECT_EQ(behind(plan, "operator-post-cluster-ready-c")[i],
                  before_ready || id == "await-cluster")
            << id;
        EXPECT_EQ(behind(plan, "operator-post-install-e")[i], id != "operator-post-install-e")
            << id;
    }
    EXPECT_LT(place(plan, "operator-pre-install-a"), place(plan, "operator-pre-install-b"));
    EXPECT_TRUE(
        behind(plan, "w1/post-install-script-done")[plan.find("operator-post-cluster-ready-c")]);
}

TEST(OperatorHooks, WithoutThemNothingWaitsForOtherHosts) {
    for (const engine::Step& step : instantiate(prepare_hosts(), sample_spec(), {})) {
        EXPECT_FALSE(step.host.empty());
        EXPECT_THAT(step.after, IsEmpty());
    }
}

TEST(OperatorHooks, GetTheirEnvironmentAndNoSecret) {
    config::Spec spec = sample_spec();
    spec.hosts[0].password.env = "SLIPWAY_TEST_PASSWORD";
    spec.hooks = {};
    spec.hooks.operator_pre_install = {
        hook("show", {"/bin/sh", "-c", "env; echo \"arg $1\"", "x", "$HOME"})};
    spec.hooks.operator_pre_install[0].env = {{"CHANNEL", "ops"}};
    ::setenv("SLIPWAY_TEST_PASSWORD", "hush", 1);
    auto fleet = remote::testing::make_test_fleet({"cp1", "w1", "w2"});
    StepRunner runner(*fleet);
    const auto steps =
        instantiate(prepare_hosts(), spec, {}, {.state_folder = "/state/demo", .kubeconfig = [] {
                                                    return std::string("/state/demo/admin.conf");
                                                }});
    runner.apply(steps.front());
    ::unsetenv("SLIPWAY_TEST_PASSWORD");
    for (const char* line :
         {"stdout: SLIPWAY_CLUSTER=demo", "stdout: SLIPWAY_STATE=/state/demo",
          "stdout: SLIPWAY_PHASE=pre-install", "stdout: KUBECONFIG=/state/demo/admin.conf",
          "stdout: CHANNEL=ops", "stdout: arg $HOME"}) {
        EXPECT_THAT(runner.log(), Contains(line));
    }
    EXPECT_THAT(runner.log(),
                Contains(HasSubstr(R"(SLIPWAY_HOSTS=[{"name":"cp1","address":"10.0.0.11",)")));
    EXPECT_THAT(runner.log(), Not(Contains(HasSubstr("hush"))));
}

TEST(OperatorHooks, ThePlaceOfTheStateDoesNotChangeThePlan) {
    const auto hash = [](const Surroundings& around) {
        return engine::Plan::build(instantiate(prepare_hosts(), with_hooks(), {}, around)).hash();
    };
    EXPECT_EQ(hash({}), hash({.state_folder = "/elsewhere"}));
}

TEST(OperatorHooks, RunOnceAndNotAgain) {
    SimulatedSite site(with_hooks());
    EXPECT_EQ(site.apply().result, engine::RunResult::succeeded);
    const engine::Outcome again = site.apply();
    EXPECT_EQ(again.result, engine::RunResult::succeeded);
    EXPECT_EQ(again.changed, 0u);
}

TEST(OperatorHooks, AFailingOneStopsTheRunBeforeAnyHostIsTouched) {
    config::Spec spec = with_hooks();
    spec.hooks.operator_pre_install[1] =
        hook("b", {"/bin/sh", "-c", "echo no licence >&2; exit 4"});
    SimulatedSite site(spec);
    const json::object start = site.snapshot();
    const engine::Outcome outcome = site.apply();
    EXPECT_EQ(outcome.result, engine::RunResult::failed);
    ASSERT_EQ(outcome.failures.size(), 1u);
    EXPECT_EQ(outcome.failures[0].error, "HOOK-FAILED");
    EXPECT_EQ(outcome.failures[0].message, "hook b ended with 4");
    EXPECT_EQ(outcome.failures[0].cause, "no licence");
    EXPECT_EQ(site.snapshot(), start);
}

TEST(OperatorHooks, OneThatTakesTooLongIsEndedAndShowsItsLastLines) {
    config::Spec spec = with_hooks();
    spec.hooks.operator_pre_install[0] = hook("a", {"/bin/sh", "-c", "echo asking; sleep 600"});
    spec.hooks.operator_pre_install[0].timeout_seconds = 1;
    const engine::Outcome outcome = SimulatedSite(spec).apply();
    ASSERT_EQ(outcome.failures.size(), 1u);
    EXPECT_EQ(outcome.failures[0].error, "HOOK-FAILED");
    EXPECT_THAT(outcome.failures[0].message, HasSubstr("not finished after 1"));
    EXPECT_EQ(outcome.failures[0].cause, "asking");
}

TEST(OperatorHooks, AHostThatIsSetAsideHoldsNoneOfThemUp) {
    config::Spec spec = with_hooks();
    spec.hooks.pre_install[0].roles = {config::Role::worker};
    spec.hooks.pre_install[0].script = "exit 3\n";
    spec.hosts[2].roles = {config::Role::registry};
    SimulatedSite site(spec);
    const engine::Outcome outcome = site.apply();
    EXPECT_EQ(outcome.result, engine::RunResult::partial);
    EXPECT_THAT(outcome.set_aside, ElementsAre("w1"));
    for (const store::NodeState& state : site.states()) {
        if (!state.node.starts_with("operator-")) continue;
        EXPECT_EQ(state.outcome, "changed") << state.node;
    }
}

TEST(OperatorHooks, ResetNamesThemAsNotUndone) {
    SimulatedSite site(with_hooks());
    site.apply();
    std::vector<std::string> left;
    for (const auto& [node, why] : site.undo_plan().left) left.push_back(node);
    EXPECT_THAT(left, Contains("operator-pre-install-a"));
    EXPECT_EQ(site.reset().result, engine::RunResult::succeeded);
}

}  // namespace
}  // namespace slipway::cluster
