// The rules of undo when the world did not stand still: edits by people, crashes, a changed spec.
#include "base/error.hpp"
#include "cluster/resources/kinds.hpp"
#include "cluster/testing/step_runner.hpp"
#include "remote/testing/test_fleet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

using remote::FileState;
using remote::Model;
using remote::Section;
using remote::testing::content_of;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::StepRunner;

class Undo : public ::testing::Test {
  protected:
    engine::Step step(std::vector<ResourcePtr> resources) {
        engine::Step out = resources_step("one", resource_list(std::move(resources)));
        out.host = "h";
        return out;
    }
    void edit(const std::string& path, const std::function<void(std::string&)>& change) {
        host.tamper([&](Model& m) {
            FileState state = *m.file(path);
            change(state.content);
            m.set({Section::file, path}, state);
        });
    }
    std::string hosts() { return content_of(*fleet, "h", "/etc/hosts"); }

    std::unique_ptr<remote::SimulatedFleet> fleet = remote::testing::make_test_fleet({"h"});
    remote::SimulatedHost& host = fleet->simulated("h");
    StepRunner runner{*fleet};
};

TEST_F(Undo, LinesTheUserAddedAroundTheBlockStay) {
    const std::string before = hosts();
    const engine::Step entries = step({text_block("/etc/hosts", "10.0.0.1 cp\n")});
    runner.apply(entries);
    edit("/etc/hosts",
         [](std::string& text) { text = "1.1.1.1 mine\n" + text + "2.2.2.2 also-mine\n"; });
    EXPECT_FALSE(runner.apply(entries)) << "edits outside the block are none of our business";

    runner.undo(entries);
    EXPECT_EQ(hosts(), "1.1.1.1 mine\n" + before + "2.2.2.2 also-mine\n");
}

TEST_F(Undo, ABlockTheUserRemovedIsNotAnError) {
    const std::string before = hosts();
    const engine::Step entries = step({text_block("/etc/hosts", "10.0.0.1 cp\n")});
    runner.apply(entries);
    edit("/etc/hosts", [&](std::string& text) { text = before; });
    runner.undo(entries);
    EXPECT_EQ(hosts(), before);
}

TEST_F(Undo, ABrokenBlockIsRefusedBecauseCuttingAtAGuessCouldDeleteTheUsersLines) {
    const engine::Step entries = step({text_block("/etc/hosts", "10.0.0.1 cp\n")});
    for (const char* text : {"# BEGIN slipway\n10.0.0.1 cp\nmine\n", "mine\n# END slipway\n",
                             "# BEGIN slipway\n# END slipway\n# BEGIN slipway\n# END slipway\n"}) {
        edit("/etc/hosts", [&](std::string& content) { content = text; });
        try {
            runner.probe(entries);
            FAIL() << text;
        } catch (const RemoteError& e) {
            EXPECT_EQ(e.id(), "BLOCK-DAMAGED");
            EXPECT_EQ(e.recovery(), Recovery::needs_user);
        }
        EXPECT_EQ(hosts(), text);
    }
}

TEST_F(Undo, WhatSomeoneChangedSinceIsPutBackWithAWordAboutIt) {
    const engine::Step forward = step({sysctl("net.ipv4.ip_forward", "1")});
    runner.apply(forward);
    host.tamper([](Model& m) { m.set({Section::sysctl, "net.ipv4.ip_forward"}, "2"); });
    runner.undo(forward);
    EXPECT_EQ(host.sysctl("net.ipv4.ip_forward", {}), "0");
    EXPECT_THAT(runner.log(),
                Contains(HasSubstr("sysctl net.ipv4.ip_forward was changed by someone")));
}

TEST_F(Undo, WhatWasAsWantedFromTheStartIsLeftAlone) {
    host.tamper([](Model& m) { m.set({Section::sysctl, "net.ipv4.ip_forward"}, "1"); });
    const engine::Step both =
        step({sysctl("net.ipv4.ip_forward", "1"), sysctl("vm.swappiness", "1")});
    runner.apply(both);
    // The user switches forwarding off afterwards: it was theirs before, and it is theirs now.
    host.tamper([](Model& m) { m.set({Section::sysctl, "net.ipv4.ip_forward"}, "0"); });
    runner.undo(both);
    EXPECT_EQ(host.sysctl("net.ipv4.ip_forward", {}), "0");
    EXPECT_EQ(host.sysctl("vm.swappiness", {}), "60");
}

TEST_F(Undo, ReturnsToTheFirstStateAfterTheSpecChangedTwice) {
    const json::object start = host.snapshot();
    for (const char* value : {"1", "2", "3"}) {
        runner.apply(step({file("/etc/sysctl.d/90-slipway.conf", {.content = value}),
                           sysctl("vm.swappiness", value)}));
    }
    runner.undo(step(
        {file("/etc/sysctl.d/90-slipway.conf", {.content = "3"}), sysctl("vm.swappiness", "3")}));
    EXPECT_EQ(host.snapshot(), start);
}

TEST_F(Undo, WhatTheSpecNoLongerAsksForLeavesWithTheNextApply) {
    runner.apply(step({file("/etc/a.conf", {.content = "1\n"}), sysctl("vm.swappiness", "7"),
                       filled_folder("/var/lib/data")}));
    host.write_file("/var/lib/data/mine", {.content = "1"}, {});
    const engine::Step less = step({file("/etc/b.conf", {.content = "2\n"})});
    EXPECT_TRUE(runner.apply(less));
    EXPECT_FALSE(host.file_info("/etc/a.conf", {}));
    EXPECT_TRUE(host.file_info("/var/lib/data/mine", {})) << "data stay until undo";
    EXPECT_FALSE(runner.apply(less));
    EXPECT_TRUE(runner.apply(step({activated_file("/etc/b.conf", "3\n", {})})));
    EXPECT_EQ(content_of(*fleet, "h", "/etc/b.conf"), "3\n") << "another kind in its place";
    runner.undo(less);
    EXPECT_FALSE(host.file_info("/var/lib/data", {}));
    EXPECT_FALSE(host.file_info("/etc/b.conf", {}));
}

TEST_F(Undo, AFolderThatIsInUseStaysAndTheLogSaysSo) {
    const engine::Step folders = step({folder("/var/lib/kubelet", 0755)});
    runner.apply(folders);
    host.write_file("/var/lib/kubelet/state", {.content = "data"}, {});
    runner.undo(folders);
    EXPECT_EQ(content_of(*fleet, "h", "/var/lib/kubelet/state"), "data");
    EXPECT_THAT(runner.log(), Contains(HasSubstr("/var/lib/kubelet stays")));
}

TEST_F(Undo, AModuleThatCannotGoStaysLoadedAndTheRestIsStillUndone) {
    const engine::Step both = step({sysctl("vm.swappiness", "1"), kernel_module("overlay")});
    runner.apply(both);
    host.tamper(
        [](Model& m) { m.set({Section::module, "overlay"}, "builtin"); });  // cannot be unloaded
    runner.undo(both);
    EXPECT_THAT(runner.log(), Contains(HasSubstr("kernel module overlay stays loaded")));
    EXPECT_EQ(host.sysctl("vm.swappiness", {}), "60");
}

TEST_F(Undo, WithoutARecordDoesNothing) {
    const json::object start = host.snapshot();
    runner.undo(step({sysctl("vm.swappiness", "1")}));
    EXPECT_EQ(host.snapshot(), start);
    EXPECT_THAT(runner.log(), IsEmpty());
}

TEST(Folder, ALinkMeansTheAdministratorKeepsItElsewhere) {
    auto fleet = remote::testing::make_test_fleet({"h"});
    fleet->simulated("h").tamper([](Model& m) {
        m.set({Section::file, "/var/lib/etcd"},
              FileState{.content = "", .mode = 0777, .link_target = "/data/etcd"});
    });
    engine::Step step = resources_step("one", resource_list({folder("/var/lib/etcd", 0700)}));
    step.host = "h";
    EXPECT_FALSE(StepRunner(*fleet).apply(step));
}

TEST(Folder, AFileInItsPlaceIsRefused) {
    auto fleet = remote::testing::make_test_fleet({"h"});
    fleet->host("h").write_file("/var/lib/etcd", {.content = "x"}, {});
    engine::Step step = resources_step("one", resource_list({folder("/var/lib/etcd", 0700)}));
    step.host = "h";
    EXPECT_THROW(StepRunner(*fleet).apply(step), RemoteError);
    EXPECT_EQ(content_of(*fleet, "h", "/var/lib/etcd"), "x");
}

TEST(Activated, AServiceThatRunsIsRestartedAndOneThatDoesNotIsNot) {
    auto fleet = remote::testing::make_test_fleet({"h"});
    remote::SimulatedHost& host = fleet->simulated("h");
    engine::Step step = resources_step(
        "one", resource_list({activated_file("/etc/x.conf", "a\n", {.unit = "cron.service"})}));
    step.host = "h";
    StepRunner runner(*fleet);
    host.set_unit("cron.service", {.exists = true, .enabled = true, .active = false}, {});
    runner.apply(step);
    EXPECT_FALSE(host.unit("cron.service", {}).active);
}

TEST(Activated, ADraftThatIsRefusedChangesNothing) {
    const auto fleet = remote::testing::make_test_fleet({"h"});
    StepRunner runner{*fleet};
    engine::Step step = resources_step(
        "one", resource_list({activated_file("/etc/a.conf", "bad\n", {.check = {"false", "{}"}})}));
    step.host = "h";
    EXPECT_THROW(runner.apply(step), Error);
    EXPECT_FALSE(fleet->host("h").file_info("/etc/a.conf", {}));
    EXPECT_FALSE(fleet->host("h").file_info("/etc/a.conf.slipway-draft", {}));
}

TEST(ResourceList, DigestFollowsTheWantedStateAndNothingElse) {
    const auto digest = [](const char* value) {
        return resource_list({sysctl("vm.swappiness", value)})->digest;
    };
    EXPECT_EQ(digest("1"), digest("1"));
    EXPECT_EQ(digest("1"), digest(" 1 "));
    EXPECT_NE(digest("1"), digest("2"));
}

TEST(Record, OfANewerSlipwayIsRefusedByName) {
    EXPECT_THROW(resource_from_identity({{"kind", "quantum state"}, {"name", "x"}}), StateError);
}

}  // namespace
}  // namespace slipway::cluster
