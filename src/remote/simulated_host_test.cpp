#include "remote/simulated_host.hpp"

#include "base/error.hpp"
#include "base/failpoint.hpp"
#include "remote/machine.hpp"
#include "remote/testing/manual_clock.hpp"
#include "remote/testing/test_fleet.hpp"

#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::remote {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::make_test_fleet;
using testing::ManualClock;

struct Caught {
    std::string id = "(none)";
    Recovery recovery = Recovery::fatal;
    std::string text = {};
};

template <class F>
Caught caught(F&& f) {
    try {
        f();
        return {};
    } catch (const Error& e) {
        EXPECT_FALSE(e.cause().empty() || e.remedy().empty()) << e.what();
        return {e.id(), e.recovery(), e.message()};
    }
}

class Simulated : public ::testing::Test {
  protected:
    Caught write(const std::string& path = "/etc/x", const std::string& content = "x") {
        return caught([&] { host().write_file(path, {.content = content}, {}); });
    }
    bool has(const std::string& path) { return host().read_file(path, {}).has_value(); }
    SimulatedHost& host() { return fleet->simulated("cp"); }

    ManualClock clock{ManualClock::Mode::jump};
    std::unique_ptr<SimulatedFleet> fleet = make_test_fleet({"cp"}, clock);
};

TEST_F(Simulated, EveryCallOfTheInterfaceWorksOnAFreshMachine) {
    Host& h = host();
    EXPECT_EQ(h.name(), "cp");
    h.write_file("/etc/a", {.content = "1", .mode = 0600}, {});
    EXPECT_EQ(h.read_file("/etc/a", {})->content, "1");
    h.remove_file("/etc/a", {});
    EXPECT_FALSE(h.read_file("/etc/a", {}));
    EXPECT_EQ(h.run({.argv = {"hostnamectl", "set-hostname", "cp"}}, {}).exit_code, 0);
    h.set_unit("ssh", {.enabled = true}, {});
    EXPECT_FALSE(h.unit("ssh", {}).active);
    h.restart_unit("ssh", {});
    EXPECT_TRUE(h.unit("ssh", {}).active);
    h.install_packages({"socat"}, {});
    EXPECT_TRUE(h.package_version("socat", {}));
    h.remove_packages({"socat"}, {});
    EXPECT_FALSE(h.package_version("socat", {}));
    h.load_module("br_netfilter", {});
    EXPECT_TRUE(h.module_loaded("br_netfilter", {}));
    h.set_sysctl("net.bridge.bridge-nf-call-iptables", "0", {});
    EXPECT_EQ(h.sysctl("net.bridge.bridge-nf-call-iptables", {}), "0");
    h.unload_module("br_netfilter", {});
    EXPECT_FALSE(h.sysctl("net.bridge.bridge-nf-call-iptables", {}));
    h.swap_off("/dev/vda2", {});
    EXPECT_TRUE(h.swaps({}).empty());
    h.swap_on("/dev/vda2", {});
    EXPECT_THAT(h.swaps({}), ElementsAre("/dev/vda2"));
    h.add_user("etcd", {"/var/lib/etcd", "/usr/sbin/nologin", true}, {});
    EXPECT_EQ(h.user("etcd", {})->home, "/var/lib/etcd");
    h.remove_user("etcd", {});
    EXPECT_FALSE(h.user("etcd", {}));
    EXPECT_EQ(h.mounts({}).at("/"), "/dev/vda1");
}

TEST_F(Simulated, FactsFollowTheMachine) {
    const Facts before = host().facts({}, {});
    EXPECT_EQ(before.hostname, "debian");
    EXPECT_EQ(before.arch, "amd64");
    EXPECT_THAT(before.addresses, ElementsAre("10.0.0.11"));
    EXPECT_EQ(before.time_service, "systemd-timesyncd");
    EXPECT_EQ(before.machine_id.size(), 32u);
    host().run({.argv = {"hostnamectl", "set-hostname", "cp"}}, {});
    host().swap_off("/dev/vda2", {});
    EXPECT_EQ(host().facts({}, {}).hostname, "cp");
    EXPECT_TRUE(host().facts({}, {}).swaps.empty());
}

TEST_F(Simulated, FailedChangeLeavesTheMachineAsItWas) {
    const std::string before = host().fingerprint();
    EXPECT_EQ(caught([&] { host().install_packages({"socat", "none"}, {}); }).id,
              "HOST-NO-PACKAGE");
    EXPECT_EQ(
        caught([&] { host().write_file("/etc/x/y", {.content = "", .owner = "ghost"}, {}); }).id,
        "HOST-NO-USER");
    EXPECT_EQ(host().fingerprint(), before);
}

TEST_F(Simulated, LinesComeOneByOneWithTheirStream) {
    std::vector<std::string> lines;
    Command command{.argv = {"echo", "one\ntwo"}};
    command.on_line = [&](std::string_view stream, std::string_view line) {
        lines.push_back(std::string(stream) + ":" + std::string(line));
    };
    host().run(command, {});
    EXPECT_THAT(lines, ElementsAre("stdout:one", "stdout:two"));
}

// ---- faults
// ----------------------------------------------------------------------------------------

TEST_F(Simulated, TransientFaultFiresAsOftenAsItSaysAndThenNoMore) {
    host().add_fault({.on = Call::write, .match = "/etc/x", .times = "2", .message = "no space"});
    EXPECT_EQ(write("/etc/other").id, "(none)");
    const Caught first = write();
    EXPECT_EQ(first.id, "SIMULATED-FAULT");
    EXPECT_EQ(first.recovery, Recovery::transient);
    EXPECT_THAT(first.text, HasSubstr("no space"));
    EXPECT_EQ(write().id, "SIMULATED-FAULT");
    EXPECT_EQ(write().id, "(none)");
}

TEST_F(Simulated, TwoFaultsThatReadAlikeBothFire) {
    host().add_fault({.on = Call::write});
    host().add_fault({.on = Call::write});
    EXPECT_EQ(write().id, "SIMULATED-FAULT");
    EXPECT_EQ(write().id, "SIMULATED-FAULT");
    EXPECT_EQ(write().id, "(none)");
}

TEST_F(Simulated, FatalAndNeedsUserKeepTheirClass) {
    host().add_fault({.error = FaultKind::fatal});
    host().add_fault({.error = FaultKind::needs_user});
    EXPECT_EQ(write().recovery, Recovery::fatal);
    EXPECT_EQ(write().recovery, Recovery::needs_user);
    EXPECT_FALSE(has("/etc/x"));
}

TEST_F(Simulated, AfterLetsCallsPassFirst) {
    host().add_fault({.on = Call::write, .after = 2});
    EXPECT_EQ(write().id, "(none)");
    EXPECT_EQ(write().id, "(none)");
    EXPECT_EQ(write().id, "SIMULATED-FAULT");
}

TEST_F(Simulated, StepLimitsAFaultToItsCalls) {
    host().add_fault({.on = Call::change, .step = "set-hostname", .times = "always"});
    EXPECT_EQ(write().id, "(none)");
    const FailpointScope scope("cp/set-hostname");
    EXPECT_EQ(write().id, "SIMULATED-FAULT");
    EXPECT_EQ(caught([&] { host().facts({}, {}); }).id, "(none)");
}

TEST_F(Simulated, ChanceFailsSomeCallsAndNotOthers) {
    host().add_fault({.on = Call::write, .times = "always", .chance = 0.3});
    int failures = 0;
    for (int i = 0; i < 1000; ++i) failures += write().id == "(none)" ? 0 : 1;
    EXPECT_GT(failures, 200);
    EXPECT_LT(failures, 400);
}

TEST_F(Simulated, UnreachableIsTransientAndChangesNothing) {
    host().add_fault({.error = FaultKind::unreachable});
    const Caught c = write();
    EXPECT_EQ(c.id, "HOST-UNREACHABLE");
    EXPECT_EQ(c.recovery, Recovery::transient);
    EXPECT_FALSE(has("/etc/x"));
}

TEST_F(Simulated, ExitCodeOfACommandWithoutItsChange) {
    host().add_fault({.on = Call::command, .error = FaultKind::exit_code, .exit_code = 42});
    EXPECT_EQ(host().run({.argv = {"modprobe", "overlay"}}, {}).exit_code, 42);
    EXPECT_FALSE(host().module_loaded("overlay", {}));
}

TEST_F(Simulated, CrashDoesHalfOfAChangeAndLosesTheCall) {
    host().add_fault({.on = Call::write, .error = FaultKind::crash});
    const Caught c = write("/opt/a/b/file");  // three folders and files to be made
    EXPECT_EQ(c.id, "HOST-CALL-LOST");
    EXPECT_EQ(c.recovery, Recovery::transient);
    EXPECT_TRUE(has("/opt/a"));
    EXPECT_FALSE(has("/opt/a/b/file"));
    EXPECT_EQ(write("/opt/a/b/file").id, "(none)");
}

TEST_F(Simulated, CrashOfAnAtomicChangeLosesOnlyTheAnswer) {
    host().add_fault({.on = Call::write, .error = FaultKind::crash});
    EXPECT_EQ(write("/etc/x").id, "HOST-CALL-LOST");
    EXPECT_TRUE(has("/etc/x"));
}

TEST_F(Simulated, PowerCutForGood) {
    host().add_fault({.on = Call::write, .error = FaultKind::power_cut});
    EXPECT_EQ(write().id, "HOST-UNREACHABLE");
    clock.advance(std::chrono::hours(1000));
    EXPECT_EQ(caught([&] { host().facts({}, {}); }).id, "HOST-UNREACHABLE");
    host().reboot();
    EXPECT_TRUE(has("/etc/x"));
}

TEST_F(Simulated, PowerCutComesBackRebooted) {
    fleet = make_test_fleet(
        {"cp"}, "time-scale: 1\ndefaults: {latency: {connect: 0s, kernel: 0s, read: 0s}}", clock);
    host().add_fault({.on = Call::kernel, .error = FaultKind::power_cut, .latency = "10s"});
    EXPECT_EQ(caught([&] { host().swap_off("/dev/vda2", {}); }).id, "HOST-UNREACHABLE");
    EXPECT_EQ(caught([&] { host().swaps({}); }).id, "HOST-UNREACHABLE");
    clock.advance(std::chrono::seconds(10));
    EXPECT_THAT(host().swaps({}), ElementsAre("/dev/vda2"));  // fstab switched it on again
}

TEST_F(Simulated, ConnectFaultHitsTheFirstCallWhateverItIs) {
    host().add_fault({.on = Call::connect, .error = FaultKind::unreachable});
    EXPECT_EQ(caught([&] { host().facts({}, {}); }).id, "HOST-UNREACHABLE");
    EXPECT_EQ(caught([&] { host().facts({}, {}); }).id, "(none)");
}

// ---- time
// ------------------------------------------------------------------------------------------

TEST_F(Simulated, LatenciesAddUpAndScale) {
    fleet = make_test_fleet({"cp"}, R"(
time-scale: 0.5
defaults:
  latency: {connect: 1s, write: 100ms, read: 10ms, command: 200ms, commands: {"modprobe *": 2s}}
)",
                            clock);
    write();
    EXPECT_EQ(clock.elapsed(), Millis(550));
    host().read_file("/etc/x", {});
    EXPECT_EQ(clock.elapsed(), Millis(555));
    host().run({.argv = {"true"}}, {});
    EXPECT_EQ(clock.elapsed(), Millis(655));
    host().run({.argv = {"modprobe", "overlay"}}, {});
    EXPECT_EQ(clock.elapsed(), Millis(1655));
    host().run({.argv = {"sleep", "3"}}, {});
    EXPECT_EQ(clock.elapsed(), Millis(3255));
    host().add_fault({.on = Call::write, .error = FaultKind::slow, .latency = "4s"});
    write();
    EXPECT_EQ(clock.elapsed(), Millis(5305));
}

TEST_F(Simulated, CommandBeyondItsDeadlineIsEndedWithoutItsChange) {
    fleet = make_test_fleet(
        {"cp"}, "time-scale: 1\ndefaults: {latency: {connect: 0s, command: 9s, read: 0s}}", clock);
    const Caught c = caught(
        [&] { host().run({.argv = {"modprobe", "overlay"}, .deadline = Millis(5000)}, {}); });
    EXPECT_EQ(c.id, "HOST-COMMAND-TIMEOUT");
    EXPECT_EQ(c.recovery, Recovery::transient);
    EXPECT_EQ(clock.elapsed(), Millis(5000));
    EXPECT_FALSE(host().module_loaded("overlay", {}));
}

TEST_F(Simulated, HangingCommandEndsAtItsDeadline) {
    host().add_fault({.on = Call::command, .error = FaultKind::hang});
    EXPECT_EQ(caught([&] { host().run({.argv = {"true"}, .deadline = Millis(700)}, {}); }).id,
              "HOST-COMMAND-TIMEOUT");
    EXPECT_EQ(clock.elapsed(), Millis(700));
}

// A call that waits (latency or hang) returns when it is cancelled, and has changed nothing.
TEST(SimulatedTime, CancelledCallEndsAtOnce) {
    for (const bool hang : {false, true}) {
        ManualClock clock;
        auto fleet = make_test_fleet(
            {"cp"}, "time-scale: 1\ndefaults: {latency: {connect: 0s, write: 60s}}", clock);
        if (hang) {
            fleet = make_test_fleet({"cp"}, clock);
            fleet->simulated("cp").add_fault({.on = Call::write, .error = FaultKind::hang});
        }
        std::stop_source stop;
        std::atomic<bool> was_cancelled = false;
        {
            const std::jthread caller([&] {
                try {
                    fleet->host("cp").write_file("/etc/x", {.content = ""},
                                                 {.stop = stop.get_token()});
                } catch (const Cancelled&) {
                    was_cancelled = true;
                }
            });
            clock.wait_for_sleepers(1);
            stop.request_stop();
        }
        EXPECT_TRUE(was_cancelled);
        EXPECT_EQ(clock.elapsed().count(), 0);
        EXPECT_FALSE(fleet->simulated("cp").snapshot().at("files").as_object().contains("/etc/x"));
        EXPECT_THROW(fleet->host("cp").facts({}, {.stop = stop.get_token()}), Cancelled);
    }
}

TEST(SimulatedTime, AWaitingCallDoesNotHoldUpOthersOnTheSameHost) {
    ManualClock clock;
    auto fleet = make_test_fleet({"cp"}, clock);
    fleet->simulated("cp").add_fault(
        {.on = Call::write, .match = "/etc/slow", .error = FaultKind::hang});
    std::stop_source stop;
    std::jthread waiter([&] {
        EXPECT_THROW(
            fleet->host("cp").write_file("/etc/slow", {.content = ""}, {.stop = stop.get_token()}),
            Cancelled);
    });
    clock.wait_for_sleepers(1);
    fleet->host("cp").write_file("/etc/fast", {.content = "done"}, {});
    EXPECT_EQ(testing::content_of(*fleet, "cp", "/etc/fast"), "done");
    stop.request_stop();
}

// ---- sudo, failpoints, scripts
// ---------------------------------------------------------------------

TEST(SimulatedSudo, NeedsTheRightPasswordAndNeverShowsIt) {
    const auto try_with = [](std::string_view password) {
        SimulatedFleetOptions options;
        if (!password.empty()) options.sudo_passwords.emplace("cp", Secret(password));
        SimulatedFleet fleet(
            parse_profile("p", "time-scale: 0\ndefaults: {sudo-password: open-sesame}"), {{"cp"}},
            std::move(options), system_clock());
        return caught([&] { fleet.host("cp").facts({}, {}); });
    };
    const Caught wrong = try_with("guess-1");
    EXPECT_EQ(wrong.id, "HOST-SUDO");
    EXPECT_EQ(wrong.recovery, Recovery::needs_user);
    EXPECT_THAT(wrong.text,
                ::testing::Not(::testing::AnyOf(HasSubstr("guess-1"), HasSubstr("sesame"))));
    EXPECT_EQ(try_with("").id, "HOST-SUDO");
    EXPECT_EQ(try_with("open-sesame").id, "(none)");
}

TEST_F(Simulated, FailpointsStandBeforeAndAfterEachChangeAndNoQuestion) {
    for (const auto& [place, happened] :
         {std::pair{"host.before-change", false}, {"host.after-change", true}}) {
        const std::string path = std::string("/etc/") + place;
        Failpoint::arm(std::string(place) + "=error");
        host().facts({}, {});
        host().run({.argv = {"getent", "passwd", "root"}}, {});
        EXPECT_FALSE(Failpoint::fired());
        EXPECT_EQ(write(path).id, "FAILPOINT-FIRED");
        Failpoint::arm("");
        EXPECT_EQ(has(path), happened);
        // Commands that change, and changes that find things as they want them, are changes too.
        for (const char* verb : {"restart", "start"}) {
            Failpoint::arm(std::string(place) + "=error");
            EXPECT_EQ(caught([&] { host().run({.argv = {"systemctl", verb, "ssh"}}, {}); }).id,
                      "FAILPOINT-FIRED");
            Failpoint::arm("");
        }
    }
}

TEST_F(Simulated, ScriptsThatRanAreListedInOrder) {
    host().write_file("/tmp/a b.sh", {.content = "exit 3\n"}, {});
    host().run({.argv = {"/bin/bash", "/tmp/a b.sh"}}, {});
    host().write_file("/tmp/c.sh", {.content = "echo hi\n"}, {});
    host().run({.argv = {"bash", "/tmp/c.sh"}}, {});
    const std::vector<ExecutedScript> ran = host().executed_scripts();
    ASSERT_EQ(ran.size(), 2u);
    EXPECT_EQ(ran[0].path, "/tmp/a b.sh");
    EXPECT_EQ(ran[0].exit_code, 3);
    EXPECT_EQ(ran[1].sha256.size(), 64u);
}

// Run under ThreadSanitizer: many steps on one host at once, and every one of them counts.
TEST(SimulatedThreads, ConcurrentCallersLoseNothing) {
    auto fleet = make_test_fleet({"a", "b"});
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 8; ++t) {
            threads.emplace_back([&fleet, t] {
                Host& host = fleet->host(t % 2 == 0 ? "a" : "b");
                for (int i = 0; i < 50; ++i) {
                    host.write_file("/opt/" + std::to_string(t) + "/" + std::to_string(i),
                                    {.content = ""}, {});
                    host.run({.argv = {"sysctl", "-w", "vm.t" + std::to_string(t) + "=1"}}, {});
                    host.facts({}, {});
                    if (i % 10 == 0) fleet->fingerprint();
                }
            });
        }
    }
    const json::object files = fleet->simulated("a").snapshot().at("files").as_object();
    for (int t = 0; t < 8; t += 2) {
        for (int i = 0; i < 50; ++i) {
            EXPECT_TRUE(files.contains("/opt/" + std::to_string(t) + "/" + std::to_string(i)));
        }
    }
}

}  // namespace
}  // namespace slipway::remote
