// The whole preparation on simulated machines, run by the real engine.
#include "base/error.hpp"
#include "cluster/flows/flows.hpp"
#include "cluster/testing/sample_spec.hpp"
#include "cluster/testing/simulated_site.hpp"
#include "cluster/testing/step_runner.hpp"
#include "remote/testing/test_fleet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

using remote::Call;
using remote::FaultKind;
using remote::testing::content_of;
using testing::differences;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::sample_spec;
using testing::SimulatedSite;
using testing::StepRunner;

TEST(PrepareHosts, PreparesMachinesOfEveryFamily) {
    SimulatedSite site(sample_spec());
    const engine::Outcome outcome = site.apply();
    ASSERT_EQ(outcome.result, engine::RunResult::succeeded)
        << (outcome.failures.empty()
                ? ""
                : outcome.failures[0].node + ": " + outcome.failures[0].message + ": " +
                      outcome.failures[0].cause);
    for (const std::string name : {"cp1", "w1", "w2"}) {
        remote::SimulatedHost& host = site.host(name);
        EXPECT_EQ(host.facts({}, {}).hostname, name);
        EXPECT_THAT(site.file(name, "/etc/hosts"),
                    HasSubstr("# BEGIN slipway\n10.0.0.11 cp1\n10.0.0.12 w1\n10.0.0.13 w2\n"
                              "10.0.0.11 api.demo.internal\n# END slipway\n"));
        EXPECT_TRUE(host.module_loaded("br_netfilter", {}));
        EXPECT_EQ(host.sysctl("net.ipv4.ip_forward", {}), "1");
        EXPECT_EQ(host.sysctl("vm.swappiness", {}), "10");
        EXPECT_EQ(host.sysctl("fs.nr_open", {}), "2097152");
        EXPECT_THAT(host.swaps({}), IsEmpty());
        EXPECT_TRUE(host.user("backup", {}));
        EXPECT_EQ(host.read_file("/srv/data", {})->owner, "backup");
        EXPECT_EQ(host.read_file("/etc/localtime", {})->link_target,
                  "/usr/share/zoneinfo/Europe/Berlin");
    }
    EXPECT_EQ(site.host("cp1").facts({}, {}).selinux, "permissive");
    EXPECT_THAT(site.file("cp1", "/etc/chrony.conf"), HasSubstr("server 10.0.0.1 iburst"));
    EXPECT_THAT(site.file("w1", "/etc/chrony/conf.d/slipway.conf"),
                HasSubstr("server 10.0.0.2 iburst"));
    EXPECT_THAT(site.file("w2", "/etc/systemd/timesyncd.conf.d/slipway.conf"),
                HasSubstr("NTP=10.0.0.1 10.0.0.2"));
}

TEST(PrepareHosts, OpensThePortsOfARoleAndNoOthers) {
    SimulatedSite site(sample_spec());
    site.apply();
    const std::string control_plane = site.file("cp1", "/etc/firewalld/services/slipway.xml");
    for (const char* port :
         {"\"6443\"", "\"2379-2380\"", "\"10250\"", "\"5000\"", "\"8080\"", "\"8472\""}) {
        EXPECT_THAT(control_plane, HasSubstr(port));
    }
    const std::string worker = site.file("w1", "/etc/ufw/applications.d/slipway");
    EXPECT_THAT(worker, HasSubstr("30000:32767/udp"));
    EXPECT_THAT(worker, Not(HasSubstr("6443")));
    EXPECT_THAT(worker, Not(HasSubstr("2379")));
    const auto asked = site.host("cp1").run({.argv = {"firewall-cmd", "--list-services"}}, {});
    EXPECT_THAT(asked.out, HasSubstr("slipway"));
    EXPECT_THAT(asked.out, HasSubstr("ssh"));
}

TEST(PrepareHosts, ASecondRunChangesNothing) {
    SimulatedSite site(sample_spec());
    site.apply();
    const json::object after = site.snapshot();
    for (const std::string name : {"cp1", "w1", "w2"}) {
        // Whoever tries to change anything now fails.
        for (const Call call : {Call::write, Call::unit, Call::kernel, Call::user}) {
            site.host(name).add_fault({.on = call, .times = "always", .error = FaultKind::fatal});
        }
        for (const char* command :
             {"hostnamectl *", "setenforce *", "timedatectl *", "systemctl *",
              "firewall-cmd --reload", "*--add-service*", "ufw allow*", "ufw app*"}) {
            site.host(name).add_fault({.on = Call::command,
                                       .match = command,
                                       .times = "always",
                                       .error = FaultKind::fatal});
        }
    }
    const engine::Outcome again = site.apply();
    EXPECT_EQ(again.result, engine::RunResult::succeeded);
    EXPECT_EQ(again.changed, 0u);
    EXPECT_THAT(differences(site.snapshot(), after), IsEmpty());
    EXPECT_EQ(site.host("w1").executed_scripts().size(), 2u) << "scripts run once";
}

// The link is lost while a script runs, and the way back to its result is barred.
TEST(PrepareHosts, AScriptIsRunAgainAfterAFailureWhateverAnEarlierTryLeft) {
    SimulatedSite site(sample_spec());
    site.host("w1").add_fault(
        {.on = Call::command, .match = "/bin/bash *pre-install*", .error = FaultKind::crash});
    site.host("w1").add_fault({.on = Call::write,
                               .match = "/var/lib/slipway-pre-install*",
                               .after = 1,
                               .error = FaultKind::fatal});
    EXPECT_EQ(site.apply().result, engine::RunResult::partial);
    EXPECT_EQ(site.host("w1").executed_scripts().size(), 1u);
    EXPECT_EQ(site.apply().result, engine::RunResult::succeeded);
    EXPECT_EQ(site.host("w1").executed_scripts().size(), 3u) << "the first one twice";
}

TEST(PrepareHosts, ResetReturnsEveryMachineToHowItWasFound) {
    SimulatedSite site(sample_spec());
    const json::object start = site.snapshot();
    site.apply();
    ASSERT_NE(site.snapshot(), start);
    const auto left = site.undo_plan().left;
    ASSERT_EQ(left.size(), 5u);  // three hosts greeted, two workers done
    EXPECT_EQ(left[0].second, "only its author knows what the script did");
    EXPECT_EQ(site.reset().result, engine::RunResult::succeeded);
    EXPECT_THAT(differences(site.snapshot(), start), IsEmpty());
}

TEST(PrepareHosts, EverythingStillHoldsAfterAReboot) {
    SimulatedSite site(sample_spec());
    site.apply();
    site.host("w2").reboot();
    EXPECT_EQ(site.host("w2").facts({}, {}).hostname, "w2");
    EXPECT_EQ(site.host("w2").sysctl("net.ipv4.ip_forward", {}), "1");
    EXPECT_TRUE(site.host("w2").module_loaded("nbd", {}));
    site.host("cp1").reboot();
    EXPECT_EQ(site.host("cp1").facts({}, {}).selinux, "permissive");
    const auto asked =
        site.host("cp1").run({.argv = {"firewall-cmd", "--query-service=slipway"}}, {});
    EXPECT_EQ(asked.exit_code, 0);
}

TEST(PrepareHosts, AFailingScriptStopsItsHostAloneAndShowsItsLastLines) {
    config::Spec spec = sample_spec();
    spec.hooks.pre_install[0].roles = {config::Role::worker};
    spec.hooks.pre_install[0].script = "echo no licence found\nexit 3\n";
    spec.hosts[2].roles = {config::Role::registry};
    SimulatedSite site(spec);
    const engine::Outcome outcome = site.apply();
    EXPECT_EQ(outcome.result, engine::RunResult::partial);
    EXPECT_THAT(outcome.set_aside, ::testing::ElementsAre("w1"));
    ASSERT_EQ(outcome.failures.size(), 1u);
    EXPECT_EQ(outcome.failures[0].error, "SCRIPT-FAILED");
    EXPECT_THAT(outcome.failures[0].cause, HasSubstr("no licence found"));
    EXPECT_EQ(site.host("w1").facts({}, {}).hostname, "debian")
        << "nothing of the host came before its script";
    EXPECT_EQ(site.host("w2").facts({}, {}).hostname, "w2");
}

TEST(PrepareHosts, AScriptGetsItsEnvironmentAndLeavesNoFileBehind) {
    auto fleet = remote::testing::make_test_fleet({"cp1", "w1", "w2"});
    StepRunner runner(*fleet);
    runner.apply_all(instantiate(prepare_hosts(), sample_spec(), {}));
    EXPECT_THAT(runner.log(), ::testing::Contains(HasSubstr("hello from slipway")));
    EXPECT_EQ(content_of(*fleet, "w1", "/var/lib/slipway-pre-install-script-greet"), "(absent)");
}

}  // namespace
}  // namespace slipway::cluster
