// A cluster from a bundle on simulated hosts, as a user types it.
#include "base/files.hpp"
#include "cli/testing/ran.hpp"
#include "cluster/testing/small_bundle.hpp"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cli {
namespace {

using cluster::testing::SmallBundle;
using ::testing::HasSubstr;
using testing::Ran;

class ClusterCommands : public ::testing::Test {
  protected:
    void SetUp() override {
        ::setenv("XDG_CONFIG_HOME", (bundle_.folder() / "config").c_str(), 1);
        spec_ = (bundle_.folder() / "cluster.yaml").string();
        write("bundles: [" + bundle_.file().string() + "]");
    }
    void TearDown() override { ::unsetenv("XDG_CONFIG_HOME"); }

    void write(const std::string& more) {
        atomic_write(spec_,
                     "apiVersion: slipway.dev/v1\nkind: Cluster\nmetadata: {name: demo}\nspec:\n"
                     "  kubernetes: {version: v1.99.0}\n"
                     "  hosts:\n"
                     "  - {name: cp1, address: 10.0.0.1, roles: [control-plane]}\n"
                     "  - {name: w1, address: 10.0.0.2, roles: [worker]}\n"
                     "  " +
                         more + "\n");
    }
    Ran run(std::vector<std::string> args) const {
        args.insert(args.end(), {"--state", (bundle_.folder() / "state").string()});
        return testing::run_command(args);
    }
    Ran apply() const {
        return run({"apply", "-c", spec_, "--simulate", "--yes", "--allow-unsigned", "--progress",
                    "none", "-o", "json"});
    }

    SmallBundle bundle_;
    std::string spec_;
};

TEST_F(ClusterCommands, ApplyMakesItOnceAndResetTakesItAway) {
    const Ran made = apply();
    ASSERT_EQ(made.code, ExitCode::ok) << made.err << made.out;
    const Ran plan =
        run({"plan", "-c", spec_, "--simulate", "--allow-unsigned", "--detailed-exitcode"});
    EXPECT_EQ(plan.code, ExitCode::ok) << plan.out;
    EXPECT_EQ(apply().object().at("changed"), 0);
    const Ran gone = run({"reset", "demo", "--yes", "--progress", "none"});
    EXPECT_EQ(gone.code, ExitCode::ok) << gone.err << gone.out;
}

TEST_F(ClusterCommands, StatusOfSimulatedHostsAsksNobodyOnTheNetwork) {
    ASSERT_EQ(apply().code, ExitCode::ok);
    const json::object cluster =
        run({"status", "-o", "json"}).object().at("kubernetes").as_object();
    EXPECT_EQ(cluster.at("server"), "https://10.0.0.1:6443");
    EXPECT_EQ(cluster.at("answers"), false);
    EXPECT_EQ(cluster.at("simulated"), true);
    EXPECT_THAT(std::string(cluster.at("why").as_string()), HasSubstr("simulated"));
    EXPECT_THAT(run({"status"}).out,
                HasSubstr("the hosts are simulated, so there is nobody to ask"));
}

TEST_F(ClusterCommands, ABundleNobodySignedIsNotUsedUnlessAsked) {
    EXPECT_NE(run({"apply", "-c", spec_, "--simulate", "--yes"}).code, ExitCode::ok);
}

TEST_F(ClusterCommands, WhatTheBundleLacksIsSaidBeforeAnythingIsChanged) {
    const SmallBundle without({"kubelet"});
    write("bundles: [" + without.file().string() + "]");
    const Ran ran = apply();
    EXPECT_NE(ran.code, ExitCode::ok);
    EXPECT_THAT(ran.err + ran.out, HasSubstr("BUNDLE-LACKS"));
}

}  // namespace
}  // namespace slipway::cli
