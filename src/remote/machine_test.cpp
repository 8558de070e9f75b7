#include "remote/machine.hpp"

#include "base/error.hpp"
#include "remote/fresh_machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::remote {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

template <class F>
std::string error_id(F&& f) {
    try {
        f();
        return "(none)";
    } catch (const Error& e) {
        EXPECT_FALSE(e.cause().empty() || e.remedy().empty()) << e.what();
        return e.id();
    }
}

class Machine : public ::testing::Test {
  protected:
    Model model{fresh_machine({})};
};

TEST_F(Machine, WriteMakesMissingParentFolders) {
    machine::write_file(model, "/opt/a/b/c.conf", {.content = "x", .mode = 0600});
    EXPECT_TRUE(model.file("/opt/a")->folder);
    EXPECT_EQ(model.file("/opt/a/b")->mode, 0755u);
    EXPECT_EQ(model.file("/opt/a/b/c.conf")->content, "x");
}

TEST_F(Machine, FilesStandInNobodysWay) {
    machine::write_file(model, "/opt/a", {.content = "file"});
    EXPECT_EQ(error_id([&] { machine::write_file(model, "/opt/a/b", {.content = ""}); }),
              "HOST-FILE");
    EXPECT_EQ(error_id([&] { machine::write_file(model, "/etc", {.content = ""}); }), "HOST-FILE");
    for (const char* bad :
         {"", "/", "etc/x", "/etc/", "/etc//x", "/etc/../x", "/etc/.", "/a\x1b[m"}) {
        EXPECT_EQ(error_id([&] { machine::write_file(model, bad, {.content = ""}); }), "HOST-FILE")
            << bad;
    }
    EXPECT_EQ(
        error_id([&] { machine::write_file(model, "/x", {.content = "", .owner = "ghost"}); }),
        "HOST-NO-USER");
}

TEST_F(Machine, OnlyEmptyFoldersAreRemoved) {
    machine::write_file(model, "/opt/a/b", {.content = ""});
    EXPECT_EQ(error_id([&] { machine::remove_file(model, "/opt/a"); }), "HOST-FOLDER-NOT-EMPTY");
    machine::remove_file(model, "/opt/a/b");
    machine::remove_file(model, "/opt/a");
    machine::remove_file(model, "/opt/a");  // absent is fine
    EXPECT_EQ(model.file("/opt/a"), nullptr);
}

TEST_F(Machine, UnitExistsByItsFile) {
    EXPECT_FALSE(machine::unit(model, "mine").exists);
    EXPECT_EQ(error_id([&] { machine::set_unit(model, "mine", {.active = true}); }),
              "HOST-NO-UNIT");
    machine::write_file(model, "/etc/systemd/system/mine.service", {.content = "[Service]\n"});
    machine::set_unit(model, "mine", {.enabled = true, .active = true});
    EXPECT_EQ(machine::unit(model, "mine.service"), (UnitState{true, true, true, false}));
    machine::set_unit(model, "mine", {});
    machine::remove_file(model, "/etc/systemd/system/mine.service");
    EXPECT_EQ(machine::unit(model, "mine"), UnitState{});
}

TEST_F(Machine, MaskedUnitDoesNotStart) {
    machine::set_unit(model, "ssh", {.masked = true});
    EXPECT_EQ(error_id([&] { machine::restart_unit(model, "ssh"); }), "HOST-UNIT-MASKED");
}

TEST_F(Machine, PackagesBringAndTakeTheirUnits) {
    machine::install_packages(model, {"chrony", "socat"});
    EXPECT_TRUE(machine::unit(model, "chrony").active);
    EXPECT_EQ(machine::time_service(model), "chrony");
    EXPECT_FALSE(machine::unit(model, "systemd-timesyncd").exists);
    machine::remove_packages(model, {"chrony", "never-there"});
    EXPECT_EQ(machine::time_service(model), "");
    EXPECT_EQ(error_id([&] { machine::install_packages(model, {"socat", "no-such"}); }),
              "HOST-NO-PACKAGE");
}

TEST_F(Machine, StartingATimeServiceSetsTheClock) {
    model.set({Section::setting, "clock-offset-ms"}, "94000");
    machine::restart_unit(model, "systemd-timesyncd");
    EXPECT_EQ(*model.text(Section::setting, "clock-offset-ms"), "0");
}

TEST_F(Machine, BridgeSysctlsComeAndGoWithTheirModule) {
    const std::string key = "net.bridge.bridge-nf-call-iptables";
    EXPECT_EQ(error_id([&] { machine::set_sysctl(model, key, "1"); }), "HOST-NO-SYSCTL");
    machine::load_module(model, "br-netfilter");
    EXPECT_TRUE(machine::module_loaded(model, "br_netfilter"));
    machine::set_sysctl(model, key, "0");
    machine::load_module(model, "br_netfilter");  // again: keeps what was set
    EXPECT_EQ(*model.text(Section::sysctl, key), "0");
    machine::unload_module(model, "br_netfilter");
    EXPECT_EQ(model.text(Section::sysctl, key), nullptr);
}

TEST_F(Machine, ModulesTheKernelLacksOrHoldsFast) {
    EXPECT_EQ(error_id([&] { machine::load_module(model, "no_such"); }), "HOST-NO-MODULE");
    EXPECT_EQ(error_id([&] { machine::unload_module(model, "ipv6"); }), "HOST-NO-MODULE");
    EXPECT_TRUE(machine::module_loaded(model, "ipv6"));
    EXPECT_EQ(error_id([&] { machine::set_sysctl(model, "nonsense", "1"); }), "HOST-NO-SYSCTL");
}

TEST_F(Machine, SwapGoesOffAndOn) {
    machine::swap_off(model, "/dev/vda2");
    EXPECT_THAT(machine::swaps(model), IsEmpty());
    machine::swap_on(model, "/dev/vda2");
    EXPECT_THAT(machine::swaps(model), ElementsAre("/dev/vda2"));
    EXPECT_EQ(error_id([&] { machine::swap_on(model, "/dev/none"); }), "HOST-NO-SWAP");
}

TEST_F(Machine, AccountsComeWithoutAHome) {
    machine::add_user(model, "ops", {"/home/ops", "/bin/bash", false});
    machine::add_user(model, "etcd", {"/var/lib/etcd", "/usr/sbin/nologin", true});
    EXPECT_EQ(model.file("/home/ops"), nullptr);
    EXPECT_EQ(model.file("/var/lib/etcd"), nullptr);
    machine::remove_user(model, "etcd");
    EXPECT_EQ(model.user("etcd"), nullptr);
    EXPECT_EQ(error_id([&] { machine::add_user(model, "-x", {}); }), "HOST-NO-USER");
}

TEST_F(Machine, SysctlFilesAreReadByNameAndEtcHidesUsrLib) {
    machine::write_file(model, "/usr/lib/sysctl.d/50-a.conf", {.content = "vm.swappiness=1"});
    machine::write_file(model, "/etc/sysctl.d/50-a.conf", {.content = ""});
    machine::write_file(model, "/etc/sysctl.d/90-b.conf", {.content = ""});
    machine::write_file(model, "/etc/sysctl.d/10-c.conf", {.content = ""});
    machine::write_file(model, "/etc/sysctl.d/README", {.content = ""});
    machine::write_file(model, "/etc/sysctl.conf", {.content = ""});
    EXPECT_THAT(machine::sysctl_files(model),
                ElementsAre("/etc/sysctl.d/10-c.conf", "/etc/sysctl.d/50-a.conf",
                            "/etc/sysctl.d/90-b.conf", "/etc/sysctl.conf"));
}

TEST_F(Machine, RebootKeepsOnlyWhatIsOnDisk) {
    machine::load_module(model, "br_netfilter");
    machine::load_module(model, "overlay");
    machine::write_file(model, "/etc/modules-load.d/x.conf", {.content = "# ours\noverlay\n"});
    machine::set_sysctl(model, "net.ipv4.ip_forward", "1");
    machine::set_sysctl(model, "vm.swappiness", "0");
    machine::set_sysctl(model, "vm.of_the_day", "7");
    machine::write_file(model, "/etc/sysctl.d/x.conf",
                        {.content = "vm.swappiness = 0\nnet.bridge.bridge-nf-call-iptables = 1\n"});
    machine::swap_off(model, "/dev/vda2");
    machine::set_unit(model, "ssh", {.enabled = false, .active = true});
    machine::write_file(model, "/etc/hostname", {.content = "later\n"});

    machine::reboot(model);

    EXPECT_FALSE(machine::module_loaded(model, "br_netfilter"));
    EXPECT_TRUE(machine::module_loaded(model, "overlay"));
    EXPECT_EQ(*model.text(Section::sysctl, "net.ipv4.ip_forward"), "0");
    EXPECT_EQ(*model.text(Section::sysctl, "vm.swappiness"), "0");
    EXPECT_EQ(model.text(Section::sysctl, "vm.of_the_day"), nullptr);
    EXPECT_THAT(machine::swaps(model), ElementsAre("/dev/vda2"));
    EXPECT_FALSE(machine::unit(model, "ssh").active);
    EXPECT_EQ(machine::hostname(model), "later");
}

TEST_F(Machine, RebootOfAnUntouchedMachineChangesNothing) {
    const std::string before = model.fingerprint();
    machine::reboot(model);
    EXPECT_EQ(model.fingerprint(), before);
    HostProfile rocky;
    rocky.facts.os = "rocky";
    Model other(fresh_machine(rocky));
    const std::string other_before = other.fingerprint();
    machine::reboot(other);
    EXPECT_EQ(other.fingerprint(), other_before);
}

}  // namespace
}  // namespace slipway::remote
