#include "remote/commands.hpp"

#include "base/digest.hpp"
#include "base/text.hpp"
#include "remote/fresh_machine.hpp"
#include "remote/machine.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::remote {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

HostProfile with(std::string os, std::string firewall = "", std::string selinux = "") {
    HostProfile profile;
    profile.facts.os = std::move(os);
    profile.facts.firewall = std::move(firewall);
    profile.facts.selinux = std::move(selinux);
    return profile;
}

class Commands : public ::testing::Test {
  protected:
    void use(const HostProfile& profile) { model = Model(fresh_machine(profile)); }

    // Words are split at blanks.
    CommandResult run(const std::string& line, std::map<std::string, std::string> env = {}) {
        pause = Millis(0);
        CommandResult result =
            run_command(model, {.argv = split(line, ' '), .env = std::move(env)}, pause);
        changed = model.touched();
        model.commit();
        return result;
    }
    int exit_of(const std::string& line) { return run(line).exit_code; }
    std::string out_of(const std::string& line) { return run(line).out; }

    Model model{fresh_machine({})};
    Millis pause{0};
    bool changed = false;
};

TEST_F(Commands, UnknownProgramIs127) {
    EXPECT_EQ(exit_of("kubectl get nodes"), 127);
    EXPECT_EQ(exit_of("/opt/bin/true"), 127);
    Command nothing;
    EXPECT_EQ(run_command(model, nothing, pause).exit_code, 127);
}

TEST_F(Commands, ProgramsOfMissingPackagesAre127) {
    for (const char* line :
         {"ufw status", "firewall-cmd --state", "chronyc tracking", "getenforce"}) {
        EXPECT_EQ(exit_of(line), 127) << line;
    }
}

TEST_F(Commands, UnknownOptionsAreRefusedWithoutChange) {
    const std::string before = model.fingerprint();
    for (const std::string& program : known_programs()) {
        if (program == "true" || program == "echo" || program == "lsmod") continue;
        EXPECT_NE(exit_of(program + " --no-such-option"), 0) << program;
    }
    EXPECT_EQ(model.fingerprint(), before);
}

TEST_F(Commands, Hostnamectl) {
    EXPECT_EQ(out_of("hostnamectl hostname"), "debian\n");
    EXPECT_FALSE(changed);
    EXPECT_EQ(exit_of("hostnamectl set-hostname cp1"), 0);
    EXPECT_TRUE(changed);
    EXPECT_EQ(out_of("hostname"), "cp1\n");
    EXPECT_EQ(model.file("/etc/hostname")->content, "cp1\n");
    EXPECT_EQ(exit_of("hostnamectl set-hostname -x"), 1);
}

TEST_F(Commands, SysctlSystemAppliesDropInsAndNamesWhatItCannotSet) {
    machine::write_file(
        model, "/etc/sysctl.d/90-x.conf",
        {.content = "# c\nnet/ipv4/ip_forward = 1\nnet.bridge.bridge-nf-call-iptables=1\n"
                    "vm.swappiness=0\n"});
    model.commit();
    const CommandResult result = run("sysctl --system");
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, HasSubstr("net/bridge/bridge-nf-call-iptables"));
    EXPECT_THAT(result.out, HasSubstr("* Applying /etc/sysctl.d/90-x.conf ..."));
    EXPECT_EQ(out_of("sysctl -n net.ipv4.ip_forward"), "1\n");
    EXPECT_EQ(out_of("sysctl vm.swappiness"), "vm.swappiness = 0\n");
    EXPECT_EQ(exit_of("modprobe br_netfilter"), 0);
    EXPECT_EQ(exit_of("sysctl --system"), 0);
}

TEST_F(Commands, SysctlFileAndWrite) {
    EXPECT_EQ(exit_of("sysctl -p /etc/sysctl.d/none.conf"), 1);
    machine::write_file(model, "/etc/sysctl.d/a.conf", {.content = "kernel.panic=10\n"});
    EXPECT_EQ(out_of("sysctl -p /etc/sysctl.d/a.conf"), "kernel.panic = 10\n");
    EXPECT_EQ(out_of("sysctl -w kernel.panic=11"), "kernel.panic = 11\n");
    EXPECT_EQ(out_of("sysctl -n kernel.panic"), "11\n");
    EXPECT_EQ(exit_of("sysctl -n no.such"), 1);
}

TEST_F(Commands, ModprobeAndLsmod) {
    EXPECT_EQ(exit_of("modprobe -a overlay br_netfilter"), 0);
    EXPECT_THAT(out_of("lsmod"), HasSubstr("br_netfilter"));
    EXPECT_EQ(exit_of("/sbin/modprobe -r overlay"), 0);
    EXPECT_FALSE(machine::module_loaded(model, "overlay"));
    const CommandResult missing = run("modprobe nothing");
    EXPECT_EQ(missing.exit_code, 1);
    EXPECT_THAT(missing.err, HasSubstr("Module nothing not found"));
}

TEST_F(Commands, Systemctl) {
    EXPECT_EQ(exit_of("systemctl daemon-reload"), 0);
    EXPECT_TRUE(changed);
    EXPECT_EQ(out_of("systemctl is-active ssh"), "active\n");
    EXPECT_FALSE(changed);
    EXPECT_EQ(exit_of("systemctl disable --now ssh"), 0);
    EXPECT_EQ(exit_of("systemctl is-active ssh"), 3);
    EXPECT_EQ(out_of("systemctl is-enabled ssh"), "disabled\n");
    EXPECT_EQ(exit_of("systemctl enable ssh"), 0);
    EXPECT_EQ(exit_of("systemctl try-restart ssh"), 0);
    EXPECT_EQ(exit_of("systemctl is-active ssh"), 3);
    EXPECT_EQ(exit_of("systemctl restart ssh"), 0);
    EXPECT_EQ(exit_of("systemctl mask --now ssh"), 0);
    EXPECT_EQ(out_of("systemctl is-enabled ssh"), "masked\n");
    EXPECT_EQ(exit_of("systemctl start ssh"), 1);
    EXPECT_EQ(exit_of("systemctl unmask ssh"), 0);
    EXPECT_EQ(exit_of("systemctl start ssh"), 0);
    EXPECT_EQ(exit_of("systemctl start none"), 1);
    EXPECT_EQ(exit_of("systemctl is-enabled none"), 1);
}

TEST_F(Commands, Swap) {
    EXPECT_EQ(out_of("swapon --show"), "/dev/vda2\n");
    EXPECT_EQ(exit_of("swapoff -a"), 0);
    EXPECT_THAT(machine::swaps(model), IsEmpty());
    EXPECT_NE(exit_of("swapoff /dev/vda2"), 0);
    EXPECT_EQ(exit_of("swapon -a"), 0);
    EXPECT_THAT(machine::swaps(model), Contains("/dev/vda2"));
    EXPECT_EQ(exit_of("swapoff /dev/vda2"), 0);
    EXPECT_EQ(exit_of("swapon /dev/none"), 255);
}

TEST_F(Commands, Timedatectl) {
    EXPECT_EQ(out_of("timedatectl show --property=Timezone --value"), "Etc/UTC\n");
    EXPECT_EQ(exit_of("timedatectl set-timezone Europe/Berlin"), 0);
    EXPECT_THAT(out_of("timedatectl show"), HasSubstr("Timezone=Europe/Berlin\nNTP=yes\n"));
    EXPECT_EQ(exit_of("timedatectl set-timezone Mars/Base"), 1);
    EXPECT_EQ(exit_of("timedatectl set-ntp false"), 0);
    EXPECT_EQ(out_of("timedatectl show --property=NTP"), "NTP=no\n");
}

TEST_F(Commands, Chronyc) {
    HostProfile rocky = with("rocky");
    rocky.facts.clock_offset_ms = 5000;
    use(rocky);
    EXPECT_EQ(exit_of("chronyc -n sources"), 0);
    EXPECT_EQ(exit_of("chronyc makestep"), 0);
    EXPECT_EQ(*model.text(Section::setting, "clock-offset-ms"), "0");
    EXPECT_EQ(exit_of("systemctl stop chronyd"), 0);
    EXPECT_EQ(run("chronyc tracking").err, "506 Cannot talk to daemon\n");
}

TEST_F(Commands, Selinux) {
    use(with("rocky"));
    EXPECT_EQ(out_of("getenforce"), "Enforcing\n");
    EXPECT_EQ(exit_of("setenforce 0"), 0);
    EXPECT_EQ(out_of("getenforce"), "Permissive\n");
    EXPECT_EQ(exit_of("setenforce 1"), 0);
    EXPECT_EQ(exit_of("setenforce 2"), 1);
    use(with("rocky", "", "disabled"));
    EXPECT_EQ(out_of("getenforce"), "Disabled\n");
    EXPECT_EQ(exit_of("setenforce 0"), 1);
}

TEST_F(Commands, FirewalldServicesNeedADefinitionAndAReload) {
    use(with("rocky"));
    EXPECT_EQ(out_of("firewall-cmd --state"), "running\n");
    EXPECT_EQ(exit_of("firewall-cmd --permanent --add-service=slipway"), 101);
    machine::write_file(model, "/etc/firewalld/services/slipway.xml", {.content = "<service/>"});
    EXPECT_EQ(exit_of("firewall-cmd --permanent --add-service=slipway"), 0);
    EXPECT_EQ(out_of("firewall-cmd --permanent --query-service=slipway"), "yes\n");
    EXPECT_EQ(run("firewall-cmd --query-service=slipway").exit_code, 1);
    EXPECT_FALSE(changed);
    EXPECT_EQ(out_of("firewall-cmd --reload"), "success\n");
    EXPECT_EQ(exit_of("firewall-cmd --query-service=slipway"), 0);
    EXPECT_THAT(run("firewall-cmd --permanent --add-service=slipway").err,
                HasSubstr("ALREADY_ENABLED"));
    EXPECT_EQ(exit_of("firewall-cmd --permanent --remove-service=slipway"), 0);
    EXPECT_EQ(exit_of("firewall-cmd --query-service=slipway"), 0);
    EXPECT_EQ(exit_of("firewall-cmd --reload"), 0);
    EXPECT_EQ(out_of("firewall-cmd --query-service=slipway"), "no\n");
    EXPECT_EQ(out_of("firewall-cmd --list-services"), "dhcpv6-client ssh\n");
    EXPECT_THAT(out_of("firewall-cmd --get-services"), HasSubstr("slipway"));
}

TEST_F(Commands, FirewalldPortsAndStoppedDaemon) {
    use(with("rocky"));
    EXPECT_EQ(exit_of("firewall-cmd --add-port=30000-32767/udp"), 0);
    EXPECT_EQ(out_of("firewall-cmd --zone=public --list-ports"), "30000-32767/udp\n");
    EXPECT_EQ(exit_of("firewall-cmd --add-port=x"), 102);
    EXPECT_EQ(exit_of("systemctl stop firewalld"), 0);
    EXPECT_EQ(exit_of("firewall-cmd --state"), 252);
    EXPECT_EQ(exit_of("firewall-cmd --reload"), 252);
}

TEST_F(Commands, UfwApplicationsComeFromTheirFiles) {
    use(with("ubuntu", "ufw"));
    EXPECT_THAT(out_of("ufw status"), HasSubstr("OpenSSH"));
    EXPECT_EQ(exit_of("ufw allow Slipway"), 1);
    EXPECT_EQ(exit_of("ufw app update Slipway"), 1);
    machine::write_file(model, "/etc/ufw/applications.d/slipway",
                        {.content = "[Slipway]\ntitle=x\nports=6443/tcp\n"});
    EXPECT_EQ(exit_of("ufw app update Slipway"), 0);
    EXPECT_THAT(out_of("ufw app list"), HasSubstr("Slipway"));
    EXPECT_EQ(out_of("ufw allow Slipway"), "Rule added\n");
    EXPECT_EQ(out_of("ufw allow Slipway"), "Skipping adding existing rule\n");
    EXPECT_THAT(out_of("ufw status"), HasSubstr("Slipway"));
    EXPECT_EQ(out_of("ufw delete allow Slipway"), "Rule deleted\n");
    EXPECT_EQ(out_of("ufw delete allow Slipway"), "Could not delete non-existent rule\n");
    EXPECT_EQ(out_of("ufw allow 6443/tcp"), "Rule added\n");
    EXPECT_EQ(exit_of("ufw --force disable"), 0);
    EXPECT_EQ(out_of("ufw status"), "Status: inactive\n");
    EXPECT_EQ(machine::firewall(model), "");
}

TEST_F(Commands, GetentAndId) {
    EXPECT_THAT(out_of("getent passwd root"), HasSubstr(":/root:/bin/bash"));
    EXPECT_EQ(exit_of("getent passwd ghost"), 2);
    EXPECT_EQ(exit_of("getent group nobody"), 0);
    EXPECT_EQ(out_of("getent hosts debian"), "127.0.1.1 debian\n");
    EXPECT_EQ(exit_of("getent hosts elsewhere"), 2);
    EXPECT_THAT(out_of("id"), HasSubstr("uid=0(root)"));
    EXPECT_EQ(exit_of("id ghost"), 1);
}

TEST_F(Commands, ScriptIsRecordedAndSteers) {
    const std::string text =
        "#!/bin/bash\nset -eu\necho \"hello ${ROLE}\"\ntouch /var/lib/marker\n"
        "sleep 3\nexit 7\necho never\n";
    machine::write_file(model, "/tmp/hook.sh", {.content = text, .mode = 0700});
    const CommandResult result = run("/bin/bash /tmp/hook.sh", {{"ROLE", "worker"}});
    EXPECT_EQ(result.exit_code, 7);
    EXPECT_EQ(result.out, "hello worker\n");
    EXPECT_EQ(pause, Millis(3000));
    EXPECT_NE(model.file("/var/lib/marker"), nullptr);
    EXPECT_EQ(*model.text(Section::script, "000001"), "/tmp/hook.sh " + sha256_hex(text) + " 7");
    run("bash /tmp/hook.sh");
    EXPECT_EQ(model.names(Section::script).size(), 2u);
    EXPECT_EQ(exit_of("bash /tmp/none.sh"), 127);
    EXPECT_EQ(exit_of("bash -c true"), 2);
}

TEST_F(Commands, Trifles) {
    EXPECT_EQ(exit_of("true"), 0);
    EXPECT_EQ(exit_of("false"), 1);
    EXPECT_EQ(out_of("echo a b"), "a b\n");
    EXPECT_EQ(exit_of("sleep 1.5"), 0);
    EXPECT_EQ(pause, Millis(1500));
    EXPECT_EQ(exit_of("sleep forever"), 1);
    EXPECT_FALSE(changed);
}

}  // namespace
}  // namespace slipway::remote
