// What every kind of resource promises, asked of each in turn.
#include "base/error.hpp"
#include "cluster/resources/kinds.hpp"
#include "cluster/testing/step_runner.hpp"
#include "remote/testing/test_fleet.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

using remote::Call;
using remote::FaultKind;
using remote::FileState;
using remote::Model;
using remote::Section;
using testing::StepRunner;

struct Case {
    std::string name;
    std::function<ResourcePtr()> make;
    std::function<void(Model&)> initial = [](Model&) {};
    std::string os = "debian";
    std::string firewall = "none";
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

std::function<void(Model&)> with_file(std::string path, FileState state) {
    return [=](Model& m) { m.set({Section::file, path}, state); };
}

const std::string kOwn = "/etc/sysctl.d/90-slipway.conf";

std::vector<Case> cases() {
    const auto our_file = [] { return file(kOwn, {.content = "a = 1\n"}); };
    const auto entries = [] { return text_block("/etc/hosts", "10.0.0.1 cp\n10.0.0.2 w1\n"); };
    const auto reload = std::vector<std::string>{"systemctl", "daemon-reload"};
    const auto limits = [=] {
        return activated_file("/etc/systemd/system.conf.d/s.conf", "[Manager]\n",
                              {.command = reload, .undo_command = reload});
    };
    const auto servers = [] {
        return activated_block("/etc/chrony.conf", "server a iburst\n",
                               {.unit = "chronyd.service"});
    };
    const auto port = [] {
        return activated_file("/etc/ufw/applications.d/slipway", "[Slipway]\nports=1/tcp\n",
                              {.command = {"ufw", "app", "update", "Slipway"}});
    };
    return {
        {"NewFile", our_file},
        {"FileInMissingFolders", [] { return file("/etc/a/b/c.conf", {.content = "x"}); }},
        {"FileOverAnother", our_file, with_file(kOwn, {.content = "old\n", .mode = 0600})},
        {"FileOverBinary", our_file, with_file(kOwn, {.content = std::string("\xff\x00\x80", 3)})},
        {"FileOverLink", our_file,
         with_file(kOwn, {.content = "", .mode = 0777, .link_target = "/dev/null"})},
        {"FileWithOtherMode", our_file, with_file(kOwn, {.content = "a = 1\n", .mode = 0600})},
        {"Link",
         [] { return file("/etc/l", {.content = "", .mode = 0777, .link_target = "/dev/null"}); }},
        {"NewBlock", entries},
        {"BlockInFileWithoutFinalNewline", entries,
         with_file("/etc/hosts", {.content = "127.0.0.1 x"})},
        {"BlockInEmptyFile", entries, with_file("/etc/hosts", {.content = ""})},
        {"BlockInMissingFile", entries, [](Model& m) { m.remove({Section::file, "/etc/hosts"}); }},
        {"BlockThatIsThere", entries,
         with_file("/etc/hosts",
                   {.content = "a\n# BEGIN slipway\nold\n# END slipway\nb", .mode = 0640})},
        {"BlockAtTheEndWithoutNewline", entries,
         with_file("/etc/hosts", {.content = "a\n# BEGIN slipway\n# END slipway"})},
        {"ActivatedFile", limits},
        {"ActivatedFileOverAnother", limits,
         with_file("/etc/systemd/system.conf.d/s.conf", {.content = "[Manager]\nX=1\n"})},
        {"ActivatedBlock", servers, [](Model&) {}, "rocky"},
        {"NewFolder", [] { return folder("/opt/cni/bin", 0755); }},
        {"FolderWithOtherMode", [] { return folder("/var/lib/etcd", 0700); },
         with_file("/var/lib/etcd", {.content = "", .mode = 0755, .folder = true})},
        {"Hostname", [] { return hostname("cp1"); }},
        {"HostnameWithComment", [] { return hostname("cp1"); },
         with_file("/etc/hostname", {.content = "# mine\ndebian\n"})},
        {"HostnameWithoutFile", [] { return hostname("cp1"); },
         [](Model& m) { m.remove({Section::file, "/etc/hostname"}); }},
        {"KernelModule", [] { return kernel_module("overlay"); }},
        {"Sysctl", [] { return sysctl("net.ipv4.ip_forward", "1"); }},
        {"SysctlOfSeveralValues",
         [] { return sysctl("net.ipv4.ip_local_port_range", "10000 60000"); }},
        {"Swap", [] { return no_swap(); },
         [](Model& m) { m.set({Section::swap, "/swapfile"}, "on"); }},
        {"StoppedUnit", [] { return running_unit("cron.service"); },
         [](Model& m) {
             m.set({Section::unit, "cron.service"}, remote::UnitState{.exists = true});
         }},
        {"MaskedUnit", [] { return running_unit("cron.service"); },
         [](Model& m) {
             m.set({Section::unit, "cron.service"},
                   remote::UnitState{.exists = true, .masked = true});
         }},
        {"User", [] { return user("kube", {"/srv/kube", "/bin/bash", false}); }},
        {"SelinuxPermissive", [] { return selinux_mode("permissive"); }, [](Model&) {}, "rocky"},
        {"SelinuxDisabled", [] { return selinux_mode("disabled"); }, [](Model&) {}, "rocky"},
        {"Timezone", [] { return timezone("Europe/Berlin"); },
         with_file("/etc/timezone", {.content = "Etc/UTC\n"})},
        {"FirewalldService", [] { return firewalld_service("http"); }, [](Model&) {}, "rocky",
         "firewalld"},
        {"FirewalldServiceOnlyPermanent", [] { return firewalld_service("http"); },
         [](Model& m) { m.set({Section::firewall, "permanent public service http"}, "allow"); },
         "rocky", "firewalld"},
        {"UfwPortsFile", port, [](Model&) {}, "debian", "ufw"},
        {"UfwProfile", [] { return ufw_profile("Slipway"); },
         with_file("/etc/ufw/applications.d/slipway", {.content = "[Slipway]\nports=1/tcp\n"}),
         "debian", "ufw"},
    };
}

// One machine in the state the case begins with.
struct Machine {
    explicit Machine(const Case& c)
        : fleet(remote::testing::make_test_fleet(
              {"h"},
              fmt::format("defaults: {{facts: {{os: {}, firewall: {}}}}}\n", c.os, c.firewall))),
          host(fleet->simulated("h")),
          runner(*fleet) {
        host.tamper(c.initial);
    }
    std::string state() { return json::serialize(host.snapshot()); }

    std::unique_ptr<remote::SimulatedFleet> fleet;
    remote::SimulatedHost& host;
    StepRunner runner;
};

engine::Step step_of_one(std::vector<ResourcePtr> resources) {
    engine::Step step = resources_step("one", resource_list(std::move(resources)));
    step.host = "h";
    return step;
}

class EveryResource : public ::testing::TestWithParam<Case> {
  protected:
    const engine::Step step_ = step_of_one({GetParam().make()});
    Machine machine_{GetParam()};
    const std::string start_ = machine_.state();
};

TEST_P(EveryResource, IsAppliedOnceAndThenLeftAlone) {
    const engine::Probe seen = machine_.runner.probe(step_);
    ASSERT_EQ(seen.changes.size(), 1u);
    EXPECT_FALSE(seen.changes[0].verb.empty());
    EXPECT_FALSE(seen.changes[0].detail.empty());
    EXPECT_EQ(machine_.state(), start_) << "a probe must not change anything";

    EXPECT_TRUE(machine_.runner.apply(step_));
    EXPECT_NE(machine_.state(), start_);
    EXPECT_FALSE(machine_.runner.apply(step_));
}

TEST_P(EveryResource, UndoPutsBackExactlyWhatWasThere) {
    machine_.runner.apply(step_);
    machine_.runner.undo(step_);
    EXPECT_EQ(machine_.state(), start_);
}

TEST_P(EveryResource, UndoWorksFromTheRecordAloneWhenTheSpecNoLongerAsksForIt) {
    machine_.runner.apply(step_);
    machine_.runner.undo(step_of_one({}));
    EXPECT_EQ(machine_.state(), start_);
}

// Calls `work` again when the connection was lost; true when it was.
bool lost_once(const std::function<void()>& work) {
    try {
        work();
        return false;
    } catch (const HostError&) {
        work();
        return true;
    }
}

TEST_P(EveryResource, ConvergesWhenTheConnectionIsLostDuringAnyCall) {
    machine_.runner.apply(step_);
    const std::string undisturbed = machine_.state();
    for (int k = 0;; ++k) {
        Machine machine(GetParam());
        machine.host.add_fault({.on = Call::change, .after = k, .error = FaultKind::crash});
        const bool lost = lost_once([&] { machine.runner.apply(step_); });
        EXPECT_EQ(machine.state(), undisturbed) << "lost at call " << k;
        if (!lost) {
            ASSERT_GT(k, 0);
            break;
        }
    }
    for (int k = 0;; ++k) {
        Machine machine(GetParam());
        machine.runner.apply(step_);
        machine.host.add_fault({.on = Call::change, .after = k, .error = FaultKind::crash});
        const bool lost = lost_once([&] { machine.runner.undo(step_); });
        EXPECT_EQ(machine.state(), start_) << "lost at call " << k << " of undo";
        if (!lost) {
            ASSERT_GT(k, 0);
            break;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryResource, ::testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace slipway::cluster
