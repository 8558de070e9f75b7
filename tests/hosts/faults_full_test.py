#!/usr/bin/env python3
"""More of faults_test.py: the slower cases, and those that differ little from the ones there."""

import contextlib
import pathlib
import signal
import socket
import sys
import time
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import machines  # noqa: E402
from faulty import ALL_LINES, COUNTED, LONGEST, PHASES, BrokenLinks, Faulty  # noqa: E402
from machines import wait_until  # noqa: E402
from proxy import Break  # noqa: E402


class Links(BrokenLinks):
    def silent_for_good(self):
        proxy = self.proxy()
        proxy.always = Break("stall", PHASES["login"])
        began = time.monotonic()
        self.site(self.through(proxy), name="silent").refused("node1", "HOST-UNREACHABLE", "does not come to an end in time")
        return time.monotonic() - began

    def test_connection_that_falls_silent_in_any_phase_is_made_again_or_named(self):
        self.site(self.host(), name="agent-in-place").run("preflight").expect(0)
        self.machine("node2").sh("rm -rf /var/lib/slipway")
        with ThreadPoolExecutor(16) as pool:
            waits = {phase: pool.submit(self.broken_once, "stall", phase, "node1", after) for phase, after in PHASES.items()}
            waits["upload"] = pool.submit(self.half_sent, "stall")
            waits["always"] = pool.submit(self.silent_for_good)
        seconds = {phase: round(wait.result(), 1) for phase, wait in waits.items()}
        self.assertLess(max(seconds.values()), LONGEST, seconds)
        self.assertGreater(min(seconds.values()), 5, f"nobody waited, so nothing was silent: {seconds}")

    def test_host_that_swallows_packets_is_named_in_time(self):
        self.lab.run("link", "node2", "down").expect(0)
        self.addCleanup(lambda: self.lab.run("link", "node2", "up").expect(0))
        with self.within(LONGEST):
            self.site(self.host("node2")).refused("node2", "HOST-UNREACHABLE", "does not answer")

    def test_every_connection_lives_short_and_the_machine_is_prepared_all_the_same(self):
        proxy = self.proxy()
        site = self.site(self.through(proxy), os={"extraUsers": [{"name": "extra"}], "extraFolders": [{"path": "/data"}]},
                         limits={"retries": 20})
        site.run("preflight").expect(0)
        proxy.always = Break("reset", 8000)
        self.assertEqual(site.run("apply", "--yes", "-o", "json").expect(0).json["failed"], 0)
        self.assertGreater(len(proxy.broken), 2, "too few links broke to prove anything")
        proxy.always = None
        self.assertEqual(site.run("apply", "--yes", "-o", "json").expect(0).json["changed"], 0)
        proxy.always = Break("reset", 8000)
        site.run("reset", "--yes").expect(0)
        self.assertFalse(self.machine().exists("/data"))
        self.assertEqual(self.machine().sh("find / /var/lib /run -xdev -name '.slipway*'"), "")

    def test_login_that_swallows_all_input_is_named_in_time(self):
        bashrc = "/home/deploy/.bashrc"
        with self.machine().changed(f"cp -p {bashrc} {bashrc}.kept; echo 'cat >/dev/null' >{bashrc}", f"mv {bashrc}.kept {bashrc}"), \
                self.within(LONGEST):
            self.site(self.host(login="deploy")).refused("node1", "HOST-UNREACHABLE", "does not come to an end in time")

    def test_server_that_takes_no_more_logins_is_waited_for(self):
        with self.machine("node2").sshd("MaxStartups 1"), contextlib.ExitStack() as held:
            site = self.site(self.host("node2"))
            held.enter_context(socket.create_connection((self.machine("node2").address, 22)))  # and never logs in
            site.refused("node2", "HOST-UNREACHABLE", "SSH server")
            run = site.start("preflight")
            self.pause(0.5)  # it is being refused
            held.close()
            run.communicate(timeout=LONGEST)
            self.assertEqual(run.returncode, 0)


class Scripts(Faulty):
    def test_script_goes_on_while_the_cable_is_out(self):
        site = self.script_site(COUNTED % 0, self.host("node1"))
        run = site.start("apply", "--yes")
        self.wait_for_line(site, 4, run)
        self.go()
        self.lab.run("link", "node1", "down").expect(0)
        try:
            self.pause(8)  # the script ends meanwhile
        finally:
            self.lab.run("link", "node1", "up").expect(0)
        run.communicate(timeout=LONGEST)
        self.assertEqual(run.returncode, 0)
        self.assertEqual(self.lines(site), ALL_LINES)
        self.assertEqual(self.runs_of_script(), 1)

    def test_script_that_ended_while_slipway_was_dead_is_not_run_again(self):
        site = self.script_site("echo run >>/root/count; sleep 1; echo done")
        run = site.start("apply", "--yes")
        wait_until(lambda: self.machine().exists("/root/count"), "the script")
        run.send_signal(signal.SIGKILL)
        run.communicate()
        wait_until(lambda: self.machine().try_sh("pgrep -f '[j]ob /var/lib/slipway'").code != 0, "the script's end")
        site.run("resume").expect(0)
        self.assertEqual(self.lines(site)[-1], "done")
        self.assertEqual(self.runs_of_script(), 1)

    def test_agent_that_is_killed_is_started_again_and_the_script_goes_on(self):
        site = self.script_site(COUNTED % 0)
        run = site.start("apply", "--yes")
        self.wait_for_line(site, 4, run)
        self.machine().sh("pkill -9 -f 'slipway-agent [s]erve'")
        self.go()
        run.communicate(timeout=LONGEST)
        self.assertEqual(run.returncode, 0)
        self.assertEqual(self.lines(site), ALL_LINES)
        self.assertEqual(self.runs_of_script(), 1)

    def test_interrupted_run_ends_soon_and_resumes_the_same_script(self):
        site = self.script_site(COUNTED % 0)
        run = site.start("apply", "--yes")
        self.wait_for_line(site, 2, run)
        with self.within(10):
            run.send_signal(signal.SIGINT)
            run.communicate(timeout=LONGEST)
        self.assertEqual(run.returncode, 130)
        self.go()
        site.run("resume").expect(0)
        self.assertIn(ALL_LINES[-1], self.lines(site))


class PowerAndDisks(Faulty):
    def test_reboot_in_a_script_is_told_or_survived(self):
        before = self.lab.boot_id("node1")
        site = self.script_site("echo run >>/root/count; sync; systemctl reboot; sleep 60", timeout=120)
        with self.within(LONGEST + 30):
            result = site.run("apply", "--yes")
        self.assertNotEqual(result.code, 0)
        self.assertIn(self.failure(site), ("HOST-RESTARTED", "SCRIPT-FAILED"))
        wait_until(lambda: self.lab.answer("node1") == "ssh" and self.lab.boot_id("node1") != before, "the reboot", 60)
        self.assertEqual(self.runs_of_script(), 1)

    def test_power_cut_between_changes_leaves_a_machine_that_resume_completes(self):
        folders = [{"path": f"/data/{i}"} for i in range(200)]
        site = self.site(self.host(), os={"extraFolders": folders})
        run = site.start("apply", "--yes")
        wait_until(lambda: self.machine().exists("/data/5"), "the first folders")
        self.machine().power("cut")
        self.machine().power("on")
        run.communicate(timeout=120)
        if run.returncode != 0:
            site.run("resume").expect(0)
        self.assertEqual(self.machine().sh("ls /data | wc -l").strip(), "200")
        self.assertEqual(site.run("apply", "--yes", "-o", "json").expect(0).json["changed"], 0)
        site.run("reset", "--yes").expect(0)
        self.assertEqual(self.machine().sh("ls -Ad /data /data/* 2>/dev/null || true"), "")


if __name__ == "__main__":
    machines.main(count=2)
