#include "cluster/aliases.hpp"

#include "base/error.hpp"
#include "cluster/flow.hpp"
#include "cluster/operation.hpp"
#include "cluster/step_references.hpp"
#include "cluster/testing/sample_spec.hpp"
#include "remote/testing/test_fleet.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::sample_spec;
using ::testing::SizeIs;

TEST(StepAliases, EachStandsForStepsThatExistOrSaysWhyThereIsNothingToDo) {
    const std::vector<CatalogEntry> catalog = step_catalog();
    const auto exists = [&](const std::string& id) {
        return std::ranges::any_of(
            catalog, [&](const CatalogEntry& step) { return names_step(step.id, id); });
    };
    for (const StepAlias& alias : step_aliases()) {
        EXPECT_NE(alias.steps.empty(), alias.nothing.empty()) << alias.name;
        for (const std::string& id : alias.step_ids()) EXPECT_TRUE(exists(id)) << id;
    }
}

TEST(StepAliases, AreAllOfWhatThoseInstallersHave) {
    std::map<std::string_view, std::size_t> counts;
    for (const StepAlias& alias : step_aliases()) ++counts[alias.of];
    EXPECT_EQ(counts["TKE condition"], 56u + 4u) << "four are of workers alone";
    EXPECT_EQ(counts["TKE installer step"], 47u);
    // 38 entries, of which two come twice and one is two modules.
    EXPECT_EQ(counts["KubeKey module"], 38u);
}

TEST(StepAliases, NoTwoAreAlikeOnceTheyAreMadePlainAndNoneHidesAStep) {
    std::set<std::string> seen;
    for (const StepAlias& alias : step_aliases())
        EXPECT_TRUE(seen.insert(plain_alias(alias.name)).second) << alias.name;
    for (const CatalogEntry& step : step_catalog()) {
        if (!seen.contains(plain_alias(step.id))) continue;
        EXPECT_THAT(find_alias(step.id)->step_ids(), ElementsAre(step.id));
    }
}

TEST(StepAliases, AreFoundHoweverTheyAreWritten) {
    for (const char* name : {"EnsureSysctl", "Sysctl", "sysctl", "ensuresysctl", "SYSCTL"}) {
        ASSERT_NE(find_alias(name), nullptr) << name;
        EXPECT_THAT(find_alias(name)->step_ids(), ElementsAre("set-sysctls"));
    }
    for (const char* name : {"CustomScriptsModule PreInstall", "customscripts-preinstall"})
        EXPECT_NE(find_alias(name), nullptr) << name;
    EXPECT_EQ(find_alias("NoSuchThing"), nullptr);
    EXPECT_EQ(find_alias(""), nullptr);
}

config::LoadedSpec with_steps(std::vector<std::string> skip,
                              std::vector<std::string> delegate = {}) {
    config::LoadedSpec loaded;
    loaded.spec = sample_spec();
    loaded.spec.steps = {std::move(skip), std::move(delegate)};
    return loaded;
}

TEST(StepAliases, MayBeSkippedAndDelegatedLikeTheirSteps) {
    EXPECT_THAT(
        check_step_references(with_steps({"EnsureSysctl", "w1/disableswap"}, {"KernelModule"})),
        IsEmpty());
}

TEST(StepAliases, OfAStepThatMayNotBeSkippedAProblemNamesBoth) {
    const auto problems =
        check_step_references(with_steps({"EnsureManifestDir"}, {"PreInstallHook"}));
    ASSERT_THAT(problems, SizeIs(2));
    EXPECT_EQ(problems[0].id, "SPEC-STEP-NOT-SKIPPABLE");
    EXPECT_THAT(problems[0].what, HasSubstr("'EnsureManifestDir' stands for "
                                            "create-users-and-folders, which cannot be skipped"));
    EXPECT_EQ(problems[1].id, "SPEC-STEP-NOT-DELEGABLE");
    EXPECT_THAT(problems[1].what, HasSubstr("pre-install-script-greet"));
}

TEST(StepAliases, WithNothingToDoHereAreANotice) {
    for (const char* name :
         {"EnsureCleanup", "Stop local registry to give up 80/443 for ingress", "w1/Greetings"}) {
        const auto problems = check_step_references(with_steps({name}));
        ASSERT_THAT(problems, SizeIs(1)) << name;
        EXPECT_EQ(problems[0].severity, config::Severity::notice);
        EXPECT_EQ(problems[0].id, "SPEC-STEP-ALIAS");
    }
}

TEST(StepAliases, OfOneComponentLeaveTheOthersAlone) {
    config::LoadedSpec loaded = with_steps({"EnsureGPUManager", "Install Thanos"});
    for (const char* name : {"thanos", "web"}) {
        config::Component& component = loaded.spec.components.emplace_back();
        component.name = name;
    }
    engine::Step thanos, web;
    thanos.id = "install-component-thanos";
    web.id = "install-component-web";
    EXPECT_THAT(expand_step_references(loaded.spec.steps.skip, {thanos, web}, loaded.spec),
                ElementsAre("install-component-thanos"));
    const auto problems = check_step_references(loaded);
    ASSERT_THAT(problems, SizeIs(1)) << "there is no gpu-manager here";
    EXPECT_EQ(problems[0].severity, config::Severity::notice);
    EXPECT_EQ(
        problems[0].what,
        "EnsureGPUManager stands for install-component-gpu-manager, of which this spec has none");
}

// Without that phase no token and no rules for joining would be there; nodes are labelled by
// others.
TEST(StepAliases, TheTokenOfKubeadmIsMadeWhereItsPhaseRuns) {
    EXPECT_THAT(find_alias("EnsureKubeadmInitPhaseBootstrapToken")->step_ids(),
                ElementsAre("upload-cluster-config"));
}

TEST(StepAliases, ChangeThePlanAsTheirStepsWould) {
    config::Spec spec = sample_spec();
    spec.steps.skip = {"EnsureSysctl", "w1/RegistryHosts", "Greetings", "PostInstallHook"};
    spec.steps.delegate = {"kernelmodule"};
    auto fleet = remote::testing::make_test_fleet({"cp1", "w1", "w2"});
    Operation operation(spec, *fleet, system_clock());
    std::vector<std::string> skipped;
    for (const engine::Node& node : operation.plan().nodes()) {
        if (node.mode == engine::Mode::skip) skipped.push_back(node.id);
        EXPECT_EQ(node.mode == engine::Mode::delegate, node.step.id == "load-kernel-modules");
    }
    EXPECT_THAT(skipped, ElementsAre("cp1/set-sysctls", "w1/post-install-script-done",
                                     "w1/set-sysctls", "w1/write-hosts-entries",
                                     "w2/post-install-script-done", "w2/set-sysctls"));
}

// Without a bundle hosts are only prepared, sample_spec() has no node-local DNS, and no w1 is a
// member of etcd: nothing of this would be done anyway.
TEST(StepReferences, ToStepsThisSpecHasNoPartForHaveNoEffect) {
    config::Spec spec = sample_spec();
    spec.steps.skip = {"install-metrics-server", "install-node-dns", "w1/backup-etcd",
                       "turn-off-swap"};
    spec.steps.delegate = {"install-dns", "w1/renew-certificates-timer"};
    auto fleet = remote::testing::make_test_fleet({"cp1", "w1", "w2"});
    Operation operation(spec, *fleet, system_clock());
    std::vector<std::string> marked;
    for (const engine::Node& node : operation.plan().nodes()) {
        if (node.mode != engine::Mode::normal) marked.push_back(node.id);
    }
    EXPECT_THAT(marked, ElementsAre("cp1/turn-off-swap", "w1/turn-off-swap", "w2/turn-off-swap"));
}

TEST(StepReferences, ToNothingAreRefusedAllAtOnce) {
    config::Spec spec = sample_spec();
    spec.steps.skip = {"install-metrics-server", "instal-dns", "pre-install-script-greet",
                       "pre-install-script-unknown"};
    spec.steps.delegate = {"w1/set-sysctlz"};
    auto fleet = remote::testing::make_test_fleet({"cp1", "w1", "w2"});
    Operation operation(spec, *fleet, system_clock());
    try {
        operation.plan();
        FAIL() << "accepted";
    } catch (const UserError& error) {
        EXPECT_EQ(error.message(),
                  "the plan cannot be built: no step is called instal-dns; no step is called "
                  "pre-install-script-unknown; no step is called w1/set-sysctlz");
    }
}

}  // namespace
}  // namespace slipway::cluster
