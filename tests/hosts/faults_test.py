#!/usr/bin/env python3
"""Links, power and disks that fail at any moment: Slipway goes on, tries again, or says what is wrong; in
time, and with no side effect twice."""

import contextlib
import pathlib
import signal
import socket
import sys
import time
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import machines  # noqa: E402
from machines import wait_until  # noqa: E402
from proxy import Break, Proxy  # noqa: E402

# Bytes from the machine until the link breaks: before its banner, in it, in the exchange of keys, in the login, while
# the shell starts, in the hello of the agent, in its answers.
PHASES = {"connected": 0, "banner": 20, "key exchange": 900, "keys": 1500, "login": 2000, "shell": 2900, "hello": 3600,
          "facts": 4600, "probes": 6200}
LONGEST = 60
# Says how often it ran, and takes ten seconds about it.
COUNTED = "echo run >>/root/count; sync /root/count; for i in $(seq 40); do echo line $i; sleep 0.25; done; exit {code}"


class Faulty(machines.Case):
    def setUp(self):
        super().setUp()
        self.machine().sh("rm -f /root/count")

    def through(self, proxy, machine="node1", **fields):
        """The machine as a host that is reached through the proxy."""
        return self.host(machine, address="127.0.0.1", port=proxy.port, internalAddress=self.machine(machine).address, **fields)

    def proxy(self, machine="node1"):
        made = Proxy(self.machine(machine).address)
        self.addCleanup(made.__exit__)
        return made

    def runs_of_script(self):
        return self.machine().sh("cat /root/count").count("run")

    def lines(self, site):
        """What the script said in all sessions of the run, in order."""
        return [e["line"] for e in site.events("log.line") if e["step"] == "pre-install-script-work"]

    def wait_for_line(self, site, number, run):
        wait_until(lambda: run.poll() is not None or f"line {number}" in (self.lines(site) if site.journal.exists() else []),
                   f"line {number} of the script")
        self.assertIsNone(run.poll(), "the run must not have ended yet")

    def failure(self, site, code=1):
        """The error of the only failed step of the last run."""
        ends = [e for e in site.events("step.finished") if "error" in e]
        self.assertTrue(ends, "no step has failed")
        return ends[-1]["error"]


class Links(Faulty):
    def broken_once(self, how, phase, after, sent=1 << 60):
        """A preflight whose first connection breaks; how long it took."""
        with Proxy(self.machine().address) as proxy:
            proxy.next(Break(how, after, sent))
            site = self.site(self.through(proxy), name=f"{how}-{phase}".replace(" ", "-"))
            began = time.monotonic()
            site.run("preflight").expect(0)
            self.assertEqual([c.broken for c in proxy.connections][:1], [how], f"{phase}: the link did not break")
            self.assertGreater(len(proxy.connections), 1, f"{phase}: nothing was tried again")
            return time.monotonic() - began

    def all_at_once(self, cases):
        self.site(self.host(), name="agent-in-place").run("preflight").expect(0)
        with ThreadPoolExecutor(len(cases) if cases[0][0] == "stall" else 3) as pool:
            seconds = list(pool.map(lambda case: self.broken_once(*case), cases))
        self.assertLess(max(seconds), LONGEST, list(zip(cases, seconds)))

    def test_connection_that_is_cut_in_any_phase_is_made_again(self):
        self.all_at_once([(how, phase, after) for phase, after in PHASES.items() for how in ("reset", "close")])

    def test_connection_that_falls_silent_in_any_phase_is_made_again(self):
        self.all_at_once([("stall", phase, after) for phase, after in PHASES.items()])

    def test_agent_that_was_half_sent_is_sent_again_and_leaves_no_half(self):
        for how in ("reset", "close", "stall"):
            self.machine().sh("rm -rf /var/lib/slipway")
            self.assertLess(self.broken_once(how, "upload", 1 << 60, sent=1_000_000), LONGEST)
            self.assertEqual(self.machine().sh("cd /var/lib/slipway/agent/*; ls -A"), "slipway-agent\n")

    def test_host_that_always_falls_silent_is_named_in_time(self):
        proxy = self.proxy()
        proxy.always = Break("stall", PHASES["login"])
        with self.within(LONGEST):
            self.site(self.through(proxy)).refused("node1", "HOST-UNREACHABLE", "does not come to an end in time")

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
        proxy.always = Break("reset", 9000)
        self.assertEqual(site.run("apply", "--yes", "-o", "json").expect(0).json["failed"], 0)
        self.assertGreater(len(proxy.broken), 2, "too few links broke to prove anything")
        proxy.always = None
        self.assertEqual(site.run("apply", "--yes", "-o", "json").expect(0).json["changed"], 0)
        proxy.always = Break("reset", 9000)
        site.run("reset", "--yes").expect(0)
        self.assertFalse(self.machine().exists("/data"))
        self.assertEqual(self.machine().sh("find / /var/lib /run -xdev -name '.slipway*'"), "")

    def test_server_that_takes_no_more_logins_is_waited_for(self):
        with self.machine("node2").sshd("MaxStartups 1"), contextlib.ExitStack() as held:
            site = self.site(self.host("node2"))
            held.enter_context(socket.create_connection((self.machine("node2").address, 22)))  # and never logs in
            site.refused("node2", "HOST-UNREACHABLE", "SSH server")
            run = site.start("preflight")
            time.sleep(0.5)  # it is being refused
            held.close()
            run.communicate(timeout=LONGEST)
            self.assertEqual(run.returncode, 0)


class Scripts(Faulty):
    def test_script_goes_on_while_its_link_is_cut_again_and_again(self):
        proxy = self.proxy()
        site = self.script_site(COUNTED.format(code=7), self.through(proxy))
        run = site.start("apply", "--yes")
        for number, how in ((4, "reset"), (12, "close"), (20, "reset"), (28, "stall")):
            self.wait_for_line(site, number, run)
            self.assertGreater(proxy.break_all(how), 0)
        run.communicate(timeout=LONGEST)
        self.assertEqual(run.returncode, 1)
        self.assertEqual(self.lines(site), [f"line {i}" for i in range(1, 41)])
        self.assertIn("ended with 7", site.events("step.finished")[-1]["message"])
        self.assertEqual(self.runs_of_script(), 1)

    def test_script_goes_on_while_the_cable_is_out(self):
        site = self.script_site(COUNTED.format(code=0), self.host("node1"))
        run = site.start("apply", "--yes")
        self.wait_for_line(site, 4, run)
        self.lab.run("link", "node1", "down").expect(0)
        try:
            time.sleep(8)  # the script ends meanwhile, or nearly so
        finally:
            self.lab.run("link", "node1", "up").expect(0)
        run.communicate(timeout=LONGEST)
        self.assertEqual(run.returncode, 0)
        self.assertEqual(self.lines(site), [f"line {i}" for i in range(1, 41)])
        self.assertEqual(self.runs_of_script(), 1)

    def test_script_goes_on_while_slipway_is_killed_and_resumed(self):
        site = self.script_site(COUNTED.format(code=0))
        run = site.start("apply", "--yes")
        self.wait_for_line(site, 4, run)
        run.send_signal(signal.SIGKILL)
        run.communicate()
        before = len(self.lines(site))
        site.run("resume").expect(0)
        self.assertEqual(self.lines(site)[before:], [f"line {i}" for i in range(1, 41)], "the output is there from its beginning")
        self.assertEqual(self.runs_of_script(), 1)
        self.assertEqual(self.machine().sh("ls -A /var/lib/slipway/jobs 2>/dev/null || true"), "", "records are dropped in the end")

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
        site = self.script_site(COUNTED.format(code=0))
        run = site.start("apply", "--yes")
        self.wait_for_line(site, 4, run)
        self.machine().sh("pkill -9 -f 'slipway-agent [s]erve'")
        run.communicate(timeout=LONGEST)
        self.assertEqual(run.returncode, 0)
        self.assertEqual(self.lines(site), [f"line {i}" for i in range(1, 41)])
        self.assertEqual(self.runs_of_script(), 1)

    def test_script_that_takes_too_long_is_ended_with_all_it_started(self):
        site = self.script_site("echo run >>/root/count; (sleep 300 & sleep 300); sleep 300", timeout=2)
        with self.within(30):
            site.run("apply", "--yes").expect(1)
        self.assertIn(self.failure(site), ("STEP-DEADLINE", "COMMAND-TIMEOUT"))
        wait_until(lambda: self.machine().try_sh("pgrep -x sleep").code != 0, "the script's processes to end")

    def test_interrupted_run_ends_soon_and_resumes_the_same_script(self):
        site = self.script_site(COUNTED.format(code=0))
        run = site.start("apply", "--yes")
        self.wait_for_line(site, 2, run)
        with self.within(10):
            run.send_signal(signal.SIGINT)
            run.communicate(timeout=LONGEST)
        self.assertEqual(run.returncode, 130)
        site.run("resume").expect(0)
        self.assertIn("line 40", self.lines(site))

    def test_slow_host_delays_only_itself(self):
        proxy = self.proxy("node2")
        site = self.script_site("echo begin; sleep 1", self.host("node1"), self.through(proxy, "node2", roles=["worker"]),
                                os={"sysctl": True, "swapOff": True})
        run = site.start("apply", "--yes")
        wait_until(lambda: site.journal.exists() and any(e["host"] == "node2" for e in site.events("log.line")), "the script on node2")
        self.assertGreater(proxy.break_all("stall"), 0)
        run.communicate(timeout=LONGEST)
        self.assertEqual(run.returncode, 0)
        begin = site.events("run.started")[0]["time"]
        last = {e["host"]: e["time"] for e in site.events("step.finished")}
        self.assertLess(seconds_between(begin, last["node1"]), 8)
        self.assertGreater(seconds_between(begin, last["node2"]), 10, "node2 was not slow, so nothing was shown")


class PowerAndDisks(Faulty):
    def test_power_cut_in_a_script_is_told_and_nothing_runs_twice_by_itself(self):
        site = self.script_site(COUNTED.format(code=0), timeout=120)
        run = site.start("apply", "--yes")
        self.wait_for_line(site, 4, run)
        with self.within(LONGEST):
            self.machine().power("cut")
            self.machine().power("on")
            run.communicate(timeout=LONGEST)
        self.assertNotEqual(run.returncode, 0)
        self.assertEqual(self.failure(site), "HOST-RESTARTED")
        self.assertEqual(self.runs_of_script(), 1)
        site.run("resume").expect(0)  # somebody has looked, and wants it again
        self.assertEqual(self.runs_of_script(), 2)

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
        self.assertFalse(self.machine().exists("/data"))

    def test_full_disk_is_named_before_the_agent_is_there_and_after(self):
        site = self.site(self.host())
        site.run("hosts clean").expect(0)
        self.lab.run("disk-full", "node1").expect(0)
        try:
            with self.within(LONGEST):
                failed = site.checks(site.run("preflight", "-o", "json").expect(4))
            self.assertRegex(str(failed), "agent cannot be written|no folder the agent can be put into")
        finally:
            self.lab.run("disk-full", "node1", "--off").expect(0)

        site.run("preflight").expect(0)
        self.lab.run("disk-full", "node1").expect(0)
        try:
            with self.within(LONGEST):
                site.run("apply", "--yes", "--ignore-checks", "HOST-DISK,HOST-DISK-PRESSURE").expect(1)
            self.assertEqual(self.failure(site), "HOST-DISK-FULL")
        finally:
            self.lab.run("disk-full", "node1", "--off").expect(0)
        site.run("resume").expect(0)
        self.assertEqual(self.machine().sh("find / /var/lib -xdev -name '.slipway-*'"), "")
        site.run("reset", "--yes").expect(0)


def seconds_between(first, second):
    from datetime import datetime
    return (datetime.fromisoformat(second) - datetime.fromisoformat(first)).total_seconds()


if __name__ == "__main__":
    machines.main(count=2)
