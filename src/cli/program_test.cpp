// Whole commands on simulated hosts, in this process: what a user types and what comes back.
#include "base/digest.hpp"
#include "base/files.hpp"
#include "base/testing/document.hpp"
#include "cli/app.hpp"
#include "cli/documents.hpp"
#include "cli/state.hpp"
#include "cli/testing/ran.hpp"
#include "store/run_lock.hpp"

#include <filesystem>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cli {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

using testing::Ran;

class Commands : public ::testing::Test {
  protected:
    void SetUp() override {
        folder_ = std::filesystem::path(::testing::TempDir()) / ("slipway-cli-" + random_hex(6));
        std::filesystem::create_directories(folder_);
        spec_ = (folder_ / "demo.yaml").string();
        const Ran init = run({"init", "demo", "--host", "cp1=10.0.0.11:control-plane,etcd",
                              "--host", "w1=10.0.0.21:worker"});
        atomic_write(spec_, init.out);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    Ran run(std::vector<std::string> args) {
        args.insert(args.end(), {"--state", (folder_ / "state").string()});
        return testing::run_command(args);
    }

    Ran apply(std::vector<std::string> more = {}) {
        std::vector<std::string> args = {"apply",      "-c",   spec_, "--simulate", "--yes",
                                         "--progress", "none", "-o",  "json"};
        args.insert(args.end(), more.begin(), more.end());
        return run(args);
    }

    std::filesystem::path folder_;
    std::string spec_;
};

TEST_F(Commands, InitWritesASpecThatValidates) {
    EXPECT_EQ(run({"validate", "-c", spec_}).code, ExitCode::ok);
    EXPECT_EQ(run({"validate", "-c", spec_, "-o", "json"}).object().at("valid"), true);
    const json::object shown = run({"validate", "-c", spec_, "--effective", "-o", "json"}).object();
    EXPECT_EQ(shown.at("spec").at("kind"), "Cluster");
    EXPECT_EQ(shown.at("effective").at("kind"), "Cluster");
    EXPECT_GT(json::serialize(shown.at("effective")).size(),
              json::serialize(shown.at("spec")).size());
}

TEST_F(Commands, InitReadsHostsFromAFile) {
    const std::string file = (folder_ / "hosts.txt").string();
    atomic_write(
        file, "# two machines\ncp1=10.0.0.11:control-plane,etcd\n\n  w1=10.0.0.21:worker  # new\n");
    EXPECT_EQ(run({"init", "demo", "--hosts-file", file}).out, read_file(spec_));
    EXPECT_THAT(run({"init", "demo"}).err, HasSubstr("--host NAME=ADDRESS"));
}

TEST_F(Commands, InvalidSpecListsItsProblemsAndExits3) {
    atomic_write(spec_,
                 "apiVersion: slipway.dev/v1\nkind: Cluster\nmetadata: {name: demo}\nhots: []\n");
    const Ran validate = run({"validate", "-c", spec_});
    EXPECT_EQ(validate.code, ExitCode::spec_invalid);
    EXPECT_THAT(validate.out, HasSubstr("demo.yaml:4:1: "));
    EXPECT_EQ(apply().code, ExitCode::spec_invalid);
}

TEST_F(Commands, PlanChangesNothingAndMakesNoState) {
    const Ran plan = run({"plan", "-c", spec_, "--simulate", "-o", "json"});
    EXPECT_EQ(plan.code, ExitCode::ok);
    EXPECT_FALSE(plan.object().at("hash").as_string().empty());
    EXPECT_FALSE(plan.object().at("steps").as_array().empty());
    EXPECT_FALSE(std::filesystem::exists(folder_ / "state"));
    EXPECT_EQ(run({"plan", "-c", spec_, "--simulate", "--detailed-exitcode"}).code,
              ExitCode::changes);
}

TEST_F(Commands, SecondApplyChangesNothingAndPlanAgrees) {
    const Ran first = apply();
    ASSERT_EQ(first.code, ExitCode::ok) << first.err;
    EXPECT_EQ(first.object().at("result"), "succeeded");
    EXPECT_GT(first.object().at("changed").to_number<int>(), 0);
    const Ran second = apply();
    EXPECT_EQ(second.code, ExitCode::ok);
    EXPECT_EQ(second.object().at("changed"), 0);
    EXPECT_EQ(run({"plan", "-c", spec_, "--simulate", "--detailed-exitcode"}).code, ExitCode::ok);
}

TEST_F(Commands, WithoutTerminalApplyNamesTheFlagThatAnswers) {
    const Ran ran = run({"apply", "-c", spec_, "--simulate"});
    EXPECT_EQ(ran.code, ExitCode::usage);
    EXPECT_THAT(ran.err, HasSubstr("--yes"));
}

TEST_F(Commands, PlanOfHostsThatCannotBeReachedIsNoPlan) {
    std::string text = read_file(spec_);
    int number = 0;  // names that never have an address
    for (std::size_t at = 0; (at = text.find("address: 10.", at)) != std::string::npos; ++at) {
        text.replace(at, text.find_first_of("\n,}", at) - at,
                     fmt::format("address: nowhere{}.invalid", ++number));
    }
    atomic_write(spec_, text);
    const Ran ran = run({"plan", "-c", spec_});
    EXPECT_EQ(ran.code, ExitCode::failed);
    EXPECT_THAT(ran.err, HasSubstr("HOST-UNREACHABLE"));
    EXPECT_THAT(ran.err, HasSubstr("its name has no address"));
}

TEST_F(Commands, SavedPlanAppliesOnceAndIsRefusedAfterwards) {
    const std::string plan = (folder_ / "demo.plan").string();
    ASSERT_EQ(run({"plan", "-c", spec_, "--simulate", "--out", plan}).code, ExitCode::ok);
    const Ran first = run({"apply", "--plan", plan, "--progress", "none"});
    ASSERT_EQ(first.code, ExitCode::ok) << first.err;
    const Ran second = run({"apply", "--plan", plan, "--progress", "none"});
    EXPECT_EQ(second.code, ExitCode::verification_failed);
    EXPECT_THAT(second.err, HasSubstr("PLAN-STALE"));
    EXPECT_THAT(second.err, HasSubstr("cp1/"));
}

TEST_F(Commands, FailedCheckExits4AndCanBeIgnoredByItsId) {
    const std::string profile = (folder_ / "small.yaml").string();
    atomic_write(
        profile,
        "apiVersion: slipway.dev/v1\nkind: SimulationProfile\ntime-scale: 0\nhosts:\n  w1: {facts: "
        "{memory-mib: 64}}\n");
    const Ran preflight = run({"preflight", "-c", spec_, "--simulate=" + profile, "-o", "json"});
    EXPECT_EQ(preflight.code, ExitCode::preflight_failed) << preflight.out;
    EXPECT_EQ(run({"apply", "-c", spec_, "--simulate=" + profile, "--yes"}).code,
              ExitCode::preflight_failed);
    std::string ids;
    const json::object answer = preflight.object();
    for (const json::value& check : answer.at("checks").as_array()) {
        if (check.at("result") == "failed") ids += std::string(check.at("id").as_string()) + ",";
    }
    EXPECT_EQ(ids, "HOST-MEMORY,HOST-MEMORY-AVAILABLE,");
    EXPECT_EQ(run({"preflight", "-c", spec_, "--simulate=" + profile, "--ignore-checks", ids}).code,
              ExitCode::ok);
    EXPECT_EQ(run({"preflight", "-c", spec_, "--simulate=" + profile, "--ignore", "HOST-CPU"}).code,
              ExitCode::preflight_failed);
    const Ran typo = run({"preflight", "-c", spec_, "--simulate", "--ignore", "HOST-MEMROY"});
    EXPECT_EQ(typo.code, ExitCode::usage);
    EXPECT_THAT(typo.err, HasSubstr("HOST-MEMORY"));
}

TEST_F(Commands, WhatWasIgnoredIsKeptWithTheRun) {
    const std::string profile = (folder_ / "small.yaml").string();
    atomic_write(profile, "time-scale: 0\nhosts: {w1: {facts: {memory-mib: 64}}}\n");
    const Ran applied = run({"apply", "-c", spec_, "--simulate=" + profile, "--yes", "--progress",
                             "none", "--ignore", "HOST-MEMORY"});
    ASSERT_EQ(applied.code, ExitCode::ok) << applied.err;
    EXPECT_THAT(run({"status"}).out, HasSubstr("ignored checks: HOST-MEMORY"));
    const json::object runs = run({"runs", "-o", "json"}).object();
    EXPECT_EQ(runs.at("runs").at(0).at("ignoredChecks"), json::array({"HOST-MEMORY"}));
    EXPECT_THAT(run({"events", "demo", "--type", "check.finished", "-o", "json"}).out,
                HasSubstr(R"("result":"ignored")"));
}

TEST_F(Commands, PreflightOfFreshMachinesHasNothingToSay) {
    const Ran preflight = run({"preflight", "-c", spec_, "--simulate"});
    EXPECT_EQ(preflight.code, ExitCode::ok);
    EXPECT_THAT(preflight.out, HasSubstr(" 0 failed, 0 warnings\n"));
    EXPECT_EQ(preflight.err, "");
}

TEST_F(Commands, PreflightFindsAClosedPortBetweenHosts) {
    const std::string profile = (folder_ / "closed.yaml").string();
    atomic_write(profile, "time-scale: 0\nhosts: {w1: {network: {drop: [10250/tcp]}}}\n");
    const Ran preflight = run({"preflight", "-c", spec_, "--simulate=" + profile});
    EXPECT_EQ(preflight.code, ExitCode::preflight_failed);
    EXPECT_THAT(preflight.out, HasSubstr("NET-REACH-KUBELET"));
    EXPECT_THAT(preflight.out, HasSubstr("10250/tcp not reached from cp1"));
}

TEST_F(Commands, ResetPutsTheHostsBackAndLooksShowIt) {
    const Ran before = apply();
    ASSERT_EQ(before.code, ExitCode::ok) << before.err;
    EXPECT_THAT(run({"reset", "--dry-run"}).out, HasSubstr("w1/set-hostname"));
    EXPECT_EQ(run({"reset", "demo", "--yes", "--host", ","}).code, ExitCode::usage)
        << "nothing would stand for everything";
    const Ran reset = run({"reset", "demo", "--yes", "--progress", "none", "-o", "json"});
    EXPECT_EQ(reset.code, ExitCode::ok) << reset.err;
    EXPECT_EQ(reset.object().at("kind"), "reset");
    EXPECT_EQ(run({"runs", "-o", "json"}).object().at("runs").as_array().size(), 2u);
    EXPECT_THAT(run({"status"}).out, HasSubstr("demo: reset run 2, succeeded"));
}

TEST_F(Commands, ResetRefusesNamesThatNothingHas) {
    ASSERT_EQ(apply().code, ExitCode::ok);
    const auto refusal = [&](const std::string& option, const std::string& name) {
        const Ran ran = run({"reset", "demo", "--yes", option, name});
        EXPECT_EQ(ran.code, ExitCode::usage);
        return ran.err;
    };
    EXPECT_THAT(refusal("--host", "w1,cp11"),
                AllOf(HasSubstr("demo has no host 'cp11'"), HasSubstr("did you mean cp1?")));
    EXPECT_THAT(refusal("--step", "set-hostnam"), HasSubstr("did you mean set-hostname?"));
    EXPECT_THAT(refusal("--step", "w1/nonsense"), HasSubstr("demo has no step 'w1/nonsense'"));
    EXPECT_EQ(run({"runs", "-o", "json"}).object().at("runs").as_array().size(), 1u);
    for (const char* step : {"set-hostname", "w1/set-sysctls"})
        EXPECT_EQ(run({"reset", "--yes", "--step", step, "--progress", "none"}).code, ExitCode::ok);
}

TEST_F(Commands, StepsAreListedWithWhatTheyWaitFor) {
    EXPECT_THAT(run({"steps"}).out,
                ContainsRegex("set-sysctls .*Set kernel parameters +pre-install-script-\\*, "
                              "load-kernel-modules\n"));
}

TEST_F(Commands, ARunIsShownStepByStepAndAsAPicture) {
    ASSERT_EQ(apply().code, ExitCode::ok);
    const json::object shown = run({"runs", "show", "1", "-o", "json"}).object();
    EXPECT_EQ(shown.at("result"), "succeeded");
    bool waited_for_another = false, critical = false;
    for (const json::value& step : shown.at("steps").as_array()) {
        waited_for_another = waited_for_another || !step.at("after").as_string().empty();
        critical = critical || step.at("critical").as_bool();
    }
    EXPECT_TRUE(waited_for_another && critical);
    EXPECT_THAT(run({"runs", "show", "--gantt"}).out, ::testing::StartsWith("<svg "));
    const std::string file = (folder_ / "run.svg").string();
    EXPECT_EQ(run({"runs", "show", "1", "--gantt=" + file}).out, file + "\n");
    EXPECT_THAT(read_file(file), HasSubstr(">set-hostname<"));
}

TEST_F(Commands, ProgramsOfTheUserRunHereAndStopTheRunWhenTheyFail) {
    const std::string more = (folder_ / "hooks.yaml").string();
    const std::string mark = (folder_ / "ready").string();
    atomic_write(
        more, "spec:\n  hooks:\n    operatorPreInstall:\n    - {name: look, command: [ls, " + mark +
                  "]}\n    operatorPostInstall:\n    - {name: tell, command: [sh, -c, "
                  "'echo $SLIPWAY_CLUSTER run $SLIPWAY_RUN $SLIPWAY_PHASE']}\n");
    const std::vector<std::string> command = {"apply",      "-c",    spec_,        "-c",  more,
                                              "--simulate", "--yes", "--progress", "none"};
    const Ran failed = run(command);
    EXPECT_EQ(failed.code, ExitCode::failed);
    EXPECT_THAT(failed.out + failed.err, HasSubstr("HOOK-FAILED"));
    atomic_write(mark, "");
    EXPECT_EQ(run(command).code, ExitCode::ok);
    EXPECT_THAT(run({"logs", "operator-post-install-tell"}).out,
                HasSubstr("demo run 1 post-install"));
}

TEST_F(Commands, ValidateLooksAtTheFilesTheSpecNames) {
    const std::string more = (folder_ / "files.yaml").string();
    atomic_write(more, "spec:\n  hooks:\n    preInstall: [{name: a, file: gone.sh}]\n");
    const Ran ran = run({"validate", "-c", spec_, "-c", more});
    EXPECT_EQ(ran.code, ExitCode::spec_invalid);
    EXPECT_THAT(ran.out, HasSubstr("gone.sh is not there"));
}

TEST_F(Commands, EventsAreJsonLinesInOrder) {
    ASSERT_EQ(apply().code, ExitCode::ok);
    std::istringstream lines(run({"events", "demo", "--follow", "-o", "json"}).out);
    std::int64_t last = 0;
    std::string type;
    for (std::string line; std::getline(lines, line);) {
        const json::object event = parse_json(line, "event").as_object();
        EXPECT_GT(int_at(event, "seq"), last);
        last = int_at(event, "seq");
        type = string_at(event, "type");
    }
    EXPECT_EQ(type, "run.finished");
}

TEST_F(Commands, ControlOfARunThatIsNotAliveSaysSo) {
    ASSERT_EQ(apply().code, ExitCode::ok);
    EXPECT_THAT(run({"pause"}).err, HasSubstr("RUN-NOT-ALIVE"));
    EXPECT_THAT(run({"resume"}).err, HasSubstr("RUN-COMPLETE"));
}

TEST_F(Commands, SecondEngineIsLockedOut) {
    ASSERT_EQ(apply().code, ExitCode::ok);
    const store::RunLock lock = store::RunLock::take(folder_ / "state" / "demo", "apply");
    EXPECT_EQ(apply().code, ExitCode::locked);
}

TEST_F(Commands, ClusterIsFoundWhenThereIsOneAndAskedForWhenThereAreMore) {
    EXPECT_THAT(run({"status"}).err, HasSubstr("CLUSTER-NONE"));
    ASSERT_EQ(apply().code, ExitCode::ok);
    EXPECT_EQ(run({"status"}).code, ExitCode::ok);
    EXPECT_THAT(run({"status", "demmo"}).err, HasSubstr("did you mean 'demo'?"));
    EXPECT_EQ(run({"status", "../demo"}).code, ExitCode::usage);
    atomic_write(spec_,
                 run({"init", "other", "--host", "m1=10.0.0.1:control-plane,etcd,worker"}).out);
    ASSERT_EQ(apply().code, ExitCode::ok);
    const Ran several = run({"status"});
    EXPECT_EQ(several.code, ExitCode::usage);
    EXPECT_THAT(several.err, HasSubstr("demo, other"));
}

TEST_F(Commands, FactsAreShownWithTheirAge) {
    ASSERT_EQ(apply().code, ExitCode::ok);
    EXPECT_THAT(run({"hosts", "facts", "w1"}).out, HasSubstr(" ago"));
    EXPECT_THAT(run({"hosts", "list"}).out, HasSubstr("10.0.0.21"));
}

TEST_F(Commands, CompletionKnowsClustersHostsStepsAndRuns) {
    ASSERT_EQ(apply().code, ExitCode::ok);
    const std::string state = "--state=" + (folder_ / "state").string();
    const auto offered = [&](std::vector<std::string> words) {
        words.insert(words.begin(), {"__complete", "--", state});
        std::ostringstream out, err;
        Output output(out, err);
        EXPECT_EQ(run_program(words, output), ExitCode::ok);
        return out.str();
    };
    EXPECT_THAT(offered({"status", ""}), HasSubstr("demo\t"));
    EXPECT_THAT(offered({"logs", "w1/set-h"}), HasSubstr("w1/set-hostname\tSet the hostname\n"));
    EXPECT_THAT(offered({"retry", "demo", "--host", ""}), HasSubstr("cp1\t10.0.0.11\n"));
    EXPECT_THAT(offered({"events", "--run", ""}), HasSubstr("1\tapply succeeded\n"));
}

TEST_F(Commands, ExplainKnowsFieldsErrorsAndChecks) {
    EXPECT_THAT(run({"explain", "kubernetes.networks.pods"}).out, HasSubstr("10.244.0.0/16"));
    EXPECT_THAT(run({"explain", "STATE-LOCKED"}).out, HasSubstr("remedy"));
    EXPECT_THAT(run({"explain", "STATE-LOKED"}).err, HasSubstr("did you mean STATE-LOCKED?"));
}

TEST_F(Commands, VersionNamesTheFormatsItReads) {
    const json::object version = run({"version", "-o", "json"}).object();
    EXPECT_EQ(version.at("schemas").at("spec").at(0), "slipway.dev/v1");
    EXPECT_EQ(version.at("schemas").at("journal").at("writes"), 1);
    EXPECT_FALSE(version.at("commit").as_string().empty());
}

TEST_F(Commands, FailpointsAreListedForTheCrashSuite) {
    const json::object list = run({"debug", "failpoints", "-o", "json"}).object();
    EXPECT_FALSE(list.at("failpoints").as_array().empty());
}

TEST(Documents, AreWhatTheProgramSaysOfItself) {
    for (const std::string_view name : document_names()) {
        slipway::testing::expect_document("docs/" + std::string(name) + ".md", document(name));
    }
}

}  // namespace
}  // namespace slipway::cli
