#!/usr/bin/env python3
"""The lab keeps its promises: machines come up, fail as they are told, and leave nothing behind."""

import base64
import os
import pathlib
import secrets
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "harness")]
import case  # noqa: E402
import traces  # noqa: E402
from site_of_machines import LAB, Site, wait_until  # noqa: E402
from slipway import CLEAN  # noqa: E402


class Machines(case.Case):
    """One lab of three machines, the last behind the first, for all that can be asked of machines."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="slipway-test-")
        cls.addClassCleanup(folder.cleanup)
        cls.lab = Site(folder.name)
        cls.addClassCleanup(cls.lab.down)
        started = time.monotonic()
        cls.lab.run("up", "3", "--behind-bastion", "1").expect(0)
        cls.seconds = time.monotonic() - started

    def sh(self, name, script, **keywords):
        return self.lab.sh(name, script, **keywords)

    def test_machines_come_up_within_five_seconds_each(self):
        self.assertEqual([m["state"] for m in self.lab.machines().values()], ["up"] * 3)
        self.assertLess(self.seconds, 15)

    def test_up_again_changes_nothing(self):
        before = self.lab.boot_id("node1")
        self.lab.run("up", "3", "--behind-bastion", "1").expect(0)
        self.assertEqual(self.lab.boot_id("node1"), before)

    def test_machines_are_whole_systems_and_no_two_alike(self):
        told = set()
        for name in ("node1", "node2", "node3"):
            out = self.sh(name, "systemctl is-system-running --wait; hostname; cat /etc/machine-id "
                                "/sys/class/net/eth0/address /proc/sys/kernel/random/boot_id").expect(0).out.split()
            self.assertEqual(out[:2], ["running", name])
            told |= set(out[2:])
        self.assertEqual(len(told), 9)

    def test_machines_hold_nothing_an_installer_must_bring(self):
        programs = "containerd runc conntrack socat chronyd python3 curl crictl kubeadm"
        out = self.sh("node1", f"for p in {programs}; do command -v $p; done; "
                               "ls -d /var/lib/etcd /var/lib/kubelet /var/lib/containerd /etc/kubernetes; true").expect(0).out
        self.assertEqual(out, "")

    def test_every_login_by_key_works_and_gains_root_as_it_should(self):
        self.assertIn("uid=0", self.sh("node2", "id").expect(0).out)
        self.assertIn("uid=0", self.sh("node2", "sudo -n id", user="deploy").expect(0).out)
        self.assertNotEqual(self.sh("node2", "sudo -n id", user="ops").code, 0, "ops must give a password")
        password = (self.lab.state / "ops-password").read_text()
        self.assertIn("uid=0", self.sh("node2", "sudo -S -p '' id", user="ops", stdin=password).expect(0).out)

    def test_ops_logs_in_by_password_alone(self):
        askpass = self.folder / "askpass"
        askpass.write_text(f"#!/bin/sh\ncat {self.lab.state}/ops-password\n")
        askpass.chmod(0o700)
        done = subprocess.run(
            ["ssh", "-F", "none", "-o", "PubkeyAuthentication=no", "-o", f"UserKnownHostsFile={self.lab.known_hosts}",
             "-o", "StrictHostKeyChecking=yes", f"ops@{self.lab.machines()['node2']['address']}", "id -un"],
            env={**CLEAN, "SSH_ASKPASS": str(askpass), "SSH_ASKPASS_REQUIRE": "force"},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30)
        self.assertEqual(done.stdout, "ops\n", done.stderr)

    def test_machine_behind_the_bastion_is_reached_only_through_it(self):
        self.assertEqual(self.sh("node3", "hostname").expect(0).out, "node3\n")
        self.assertNotEqual(self.lab.answer("node3"), "ssh")
        target = self.lab.machines()["node3"]["address"]
        self.sh("node1", f"ping -c1 -W2 {target}").expect(0)
        self.assertNotEqual(self.sh("node2", f"ping -c1 -W1 {target}").code, 0)

    def test_machines_reach_each_other_over_both_protocols(self):
        other = self.lab.machines()["node2"]
        self.sh("node1", f"ping -c1 -W2 {other['address']} && ping -c1 -W2 {other['address6']}").expect(0)

    def test_spec_of_every_login_validates_and_names_the_bastion(self):
        for login in ("root", "ops", "ops-password", "deploy"):
            spec = self.lab.run("spec", "--login", login).expect(0).out
            self.program.run("validate", "-c", "-", stdin=spec).expect(0)
            self.assertIn('bastion: "node1"', spec)
            self.assertNotIn((self.lab.state / "ops-password").read_text().strip(), spec)

    def test_secrets_are_private(self):
        self.assertEqual(self.lab.state.stat().st_mode & 0o777, 0o700)
        for name in ("key", "ops-password"):
            self.assertEqual((self.lab.state / name).stat().st_mode & 0o777, 0o600)

    def test_power_cut_is_silent_and_keeps_only_what_was_synced(self):
        before = self.lab.boot_id("node2")
        self.sh("node2", "echo kept >/root/kept; sync /root/kept; "
                         "echo kept >/var/lib/kept; sync /var/lib/kept; echo lost >/var/lib/lost").expect(0)
        self.lab.run("power-cut", "node2").expect(0)
        self.assertEqual(self.lab.machines()["node2"]["state"], "off")
        self.assertEqual(self.lab.answer("node2"), "silence")
        self.lab.run("power-on", "node2").expect(0)
        self.assertNotEqual(self.lab.boot_id("node2"), before)
        self.assertEqual(self.sh("node2", "cat /root/kept /var/lib/kept").expect(0).out, "kept\nkept\n")
        self.assertNotEqual(self.sh("node2", "grep lost /var/lib/lost").code, 0)

    def test_power_off_is_orderly(self):
        self.sh("node2", "echo written >/root/written").expect(0)
        self.lab.run("power-off", "node2").expect(0)
        self.assertEqual(self.lab.machines()["node2"]["state"], "off")
        self.lab.run("power-on", "node2").expect(0)
        self.assertEqual(self.sh("node2", "cat /root/written").expect(0).out, "written\n")

    def test_machine_may_reboot_itself(self):
        before = self.lab.boot_id("node2")
        self.sh("node2", "systemctl reboot")
        wait_until(lambda: (told := self.sh("node2", "cat /proc/sys/kernel/random/boot_id")).code == 0 and told.out != before,
                   "node2 to come back")

    def test_link_down_is_silence_and_up_brings_the_same_connection_back(self):
        with self.lab.session("node2", "read line; echo got $line") as session:
            wait_until(lambda: self.sh("node2", "pgrep -f '[r]ead line'").code == 0, "the session to begin")
            self.lab.run("link", "node2", "down").expect(0)
            self.assertEqual(self.lab.answer("node2"), "silence")
            self.lab.run("link", "node2", "up").expect(0)
            self.assertEqual(session.communicate("through\n", timeout=30)[0], "got through\n")

    def test_reset_ends_connections_at_once(self):
        with self.lab.session("node2", "cat") as session:
            wait_until(lambda: self.sh("node2", "pgrep -x cat").code == 0, "the session to begin")
            self.lab.run("link", "node2", "reset").expect(0)
            self.assertEqual(session.wait(timeout=10), 255)
        self.sh("node2", "true").expect(0)

    def test_slow_link_is_slow_until_it_is_up_again(self):
        def seconds():
            started = time.monotonic()
            self.assertEqual(len(self.sh("node2", "head -c 300000 /dev/zero").expect(0).out), 300000)
            return time.monotonic() - started
        self.lab.run("link", "node2", "slow").expect(0)
        self.assertGreater(seconds(), 2)
        self.lab.run("link", "node2", "up").expect(0)
        self.assertLess(seconds(), 2)

    def test_full_disk_is_full_for_root_too_and_stays_so_over_a_power_cut(self):
        write = "head -c 65536 /dev/zero >/root/more"
        self.lab.run("disk-full", "node2").expect(0)
        self.assertIn("No space left", self.sh("node2", write).err)
        self.assertIn("100%", self.sh("node2", "df /").expect(0).out)
        self.lab.run("power-cut", "node2").expect(0)
        self.lab.run("power-on", "node2").expect(0)
        self.assertIn("No space left", self.sh("node2", write).err)
        self.lab.run("disk-full", "node2", "--off").expect(0)
        self.sh("node2", write).expect(0)

    def test_clock_is_wrong_for_every_program_started_from_then_on(self):
        source = self.folder / "now.c"
        source.write_text("#include <stdio.h>\n#include <time.h>\nint main(void) { printf(\"%ld\\n\", (long)time(0)); }\n")
        subprocess.run(["gcc-12", "-static", "-o", self.folder / "now", source], check=True)
        self.sh("node2", "base64 -d >/root/now && chmod +x /root/now",
                stdin=base64.b64encode((self.folder / "now").read_bytes()).decode()).expect(0)
        ways = ("date +%s", "/root/now", "sudo -u ops date +%s", "systemd-run --wait --pipe --quiet date +%s")

        for setting, shift in (("+90s", 90), ("-2m", -120), ("0", 0)):
            self.lab.run("clock", "node2", setting).expect(0)
            before = int(time.time())
            told = [int(second) for second in self.sh("node2", "; ".join(ways)).expect(0).out.split()]
            after = int(time.time())
            self.assertEqual(len(told), len(ways))
            for way, second in zip(ways, told):
                self.assertTrue(before <= second - shift <= after, f"{setting}: {way} says {second}, it is {before}")
        self.assertNotEqual(self.sh("node2", "date -s 12:00").code, 0, "no machine may set this computer's clock")

    def test_machines_have_cgroups_of_their_own(self):
        for name in ("node1", "node2"):
            self.sh(name, f"for c in /sys/fs/cgroup/*/; do mkdir $c/of-{name} || exit 1; done").expect(0)
        seen = self.sh("node1", "find /sys/fs/cgroup -name 'of-*'").expect(0).out
        self.assertIn("of-node1", seen)
        self.assertNotIn("of-node2", seen)

    def test_containers_can_put_an_overlay_on_var_lib(self):
        self.sh("node1", "cd $(mktemp -d -p /var/lib) && mkdir l u w m && "
                         "mount -t overlay o -o lowerdir=l,upperdir=u,workdir=w m && umount m").expect(0)

    def test_unknown_machine_is_named(self):
        self.assertIn("no machine 'nosuch'", self.lab.run("power-cut", "nosuch").err)


class Leftovers(case.Case):
    def setUp(self):
        super().setUp()
        self.lab = Site.make(self, self.folder)

    def test_traces_of_a_lab_that_is_up_are_seen(self):
        self.lab.run("up", "1").expect(0)
        seen = {trace.split(":")[0] for trace in traces.left(self.lab.before, self.lab.name)}
        self.assertEqual(seen, {"mount", "cgroup", "loop device", "link", "process"})

    def test_down_clears_away_whatever_a_killed_up_has_made(self):
        kills = 0
        for tenths in range(1, 16):
            kills += self.lab.killed(tenths / 10 + secrets.randbelow(100) / 1000, "up", "2")
            self.lab.down()
        self.assertGreater(kills, 4, "the kills must meet the lab at work")

    def test_up_goes_on_where_a_killed_up_was(self):
        for tenths in (3, 5, 7):
            self.lab.killed(tenths / 10, "up", "2")
            self.lab.run("up", "2").expect(0)
            for name in ("node1", "node2"):
                self.assertEqual(self.lab.sh(name, "systemctl is-system-running --wait").expect(0).out, "running\n")
            self.lab.down()

    def test_down_goes_on_where_a_killed_down_was(self):
        for hundredths in (12, 18, 24, 30):
            self.lab.run("up", "2").expect(0)
            self.lab.killed(hundredths / 100, "down")
            self.lab.down()

    def test_down_works_with_a_damaged_state_folder(self):
        self.lab.run("up", "1").expect(0)
        (self.lab.state / "lab.json").write_text("{ damaged")
        self.assertNotEqual(self.lab.run("status").code, 0)

    def test_down_clears_away_a_machine_whose_nspawn_was_killed(self):
        self.lab.run("up", "1").expect(0)
        nspawns = [p for p in traces.processes_naming(f"--machine=slipway-lab-{self.lab.name}-node1") if " systemd-nspawn\0" in p]
        self.assertEqual(len(nspawns), 1)
        os.kill(int(nspawns[0].split()[0]), 9)

    def test_light_machines_have_the_same_logins_and_go_as_cleanly(self):
        self.lab.run("up", "5", "--light").expect(0)
        self.assertIn("uid=0", self.lab.sh("node5", "sudo -n id", user="deploy").expect(0).out)
        password = (self.lab.state / "ops-password").read_text()
        self.assertIn("uid=0", self.lab.sh("node4", "sudo -S -p '' id", user="ops", stdin=password).expect(0).out)
        self.lab.run("power-cut", "node1").expect(0)
        self.assertEqual(self.lab.answer("node1"), "silence")
        self.lab.run("power-on", "node1").expect(0)

    def test_disks_in_memory_fill_up_and_keep_what_they_hold_without_power(self):
        self.lab.run("up", "1", "--disk", "tmpfs:300M").expect(0)
        self.lab.sh("node1", "echo kept >/root/kept").expect(0)
        self.lab.run("disk-full", "node1").expect(0)
        self.assertIn("No space left", self.lab.sh("node1", "head -c 65536 /dev/zero >/root/more").err)
        self.lab.run("power-cut", "node1").expect(0)
        self.lab.run("power-on", "node1").expect(0)
        self.lab.run("disk-full", "node1", "--off").expect(0)
        self.assertEqual(self.lab.sh("node1", "echo >>/root/more && cat /root/kept").expect(0).out, "kept\n")

    def test_memory_limit_ends_what_exceeds_it(self):
        self.lab.run("up", "1", "--memory", "300M").expect(0)
        hog = self.lab.sh("node1", "head -c 600M /dev/zero | tail -c 500M | wc -c")
        self.assertNotEqual(hog.out.strip(), str(500 << 20))
        self.lab.sh("node1", "true").expect(0)

    def test_commands_at_the_same_time_wait_for_each_other(self):
        ups = [LAB.start("up", count, env=self.lab.env) for count in ("1", "2", "3")]
        for up in ups:
            _, told = up.communicate(timeout=120)
            self.assertEqual(up.returncode, 0, told)
        self.assertEqual([m["state"] for m in self.lab.machines().values()], ["up"] * 3)

    def test_two_labs_live_side_by_side(self):
        self.lab.run("up", "1").expect(0)
        other = Site.make(self, self.folder)
        other.run("up", "1").expect(0)
        self.assertNotEqual(other.machines()["node1"]["address"], self.lab.machines()["node1"]["address"])
        other.down()
        self.assertEqual(self.lab.sh("node1", "hostname").expect(0).out, "node1\n")

    def test_settings_of_the_shared_kernel_are_put_back_by_the_last_lab(self):
        setting = pathlib.Path("/proc/sys/vm/swappiness")
        self.lab.run("up", "1").expect(0)
        saved = pathlib.Path("/run/slipway-lab/settings.json").read_text()
        self.assertIn('"/proc/sys/vm/swappiness"', saved)
        before = setting.read_text()
        self.lab.sh("node1", f"echo {'11' if before.strip() != '11' else '12'} >/proc/sys/vm/swappiness").expect(0)
        self.assertNotEqual(setting.read_text(), before)
        self.lab.down()
        if any(pathlib.Path("/run/slipway-lab").glob("*/state")):  # others are still up: theirs to put back
            setting.write_text(before)
        self.assertEqual(setting.read_text(), before)


def main():
    if os.environ.get("SLIPWAY_NO_LAB") == "1":
        print("SLIPWAY_NO_LAB=1: the lab is not tested")
        sys.exit(77)
    able = LAB.run("doctor")
    if able.code != 0:
        sys.exit(f"this computer cannot hold a lab (SLIPWAY_NO_LAB=1 leaves these tests out):\n{able.out}{able.err}")
    LAB.run("image", timeout=1800).expect(0)
    case.main()


if __name__ == "__main__":
    main()
