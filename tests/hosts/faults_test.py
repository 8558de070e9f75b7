#!/usr/bin/env python3
"""Links, power and disks that fail: Slipway goes on, tries again, or says what is wrong; in time, and with no
side effect twice. The slower half is in faults_full_test.py."""

import pathlib
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import machines  # noqa: E402
from faulty import ALL_LINES, COUNTED, LONGEST, Faulty, seconds_between  # noqa: E402
from machines import wait_until  # noqa: E402
from proxy import Break, Proxy  # noqa: E402

# Bytes from the machine until the link breaks: before its banner, in it, in the exchange of keys, in the login, while
# the shell starts, in the hello of the agent, in its answers.
PHASES = {"connected": 0, "banner": 20, "key exchange": 900, "keys": 1500, "login": 2000, "shell": 2900, "hello": 3600,
          "facts": 4600, "probes": 6200}
UPLOAD = 1_000_000  # bytes to the machine: in the middle of the agent


class Links(Faulty):
    def broken_once(self, how, phase, machine="node1", after=1 << 60, sent=1 << 60):
        """A preflight whose first connection breaks. Returns how long it took."""
        with Proxy(self.machine(machine).address) as proxy:
            proxy.next(Break(how, after, sent))
            site = self.site(self.through(proxy, machine), name=f"{how}-{phase}".replace(" ", "-"))
            began = time.monotonic()
            site.run("preflight").expect(0)
            self.assertEqual(proxy.connections[0].broken, how, f"{phase}: the link did not break")
            self.assertGreater(len(proxy.connections), 1, f"{phase}: nothing was tried again")
            return time.monotonic() - began

    def silent_for_good(self):
        proxy = self.proxy()
        proxy.always = Break("stall", PHASES["login"])
        began = time.monotonic()
        self.site(self.through(proxy), name="silent").refused("node1", "HOST-UNREACHABLE", "does not come to an end in time")
        return time.monotonic() - began

    def half_sent(self, how):
        seconds = self.broken_once(how, "upload", "node2", sent=UPLOAD)
        # The server that was never told goes on waiting; the proxy has let go of it by now.
        wait_until(lambda: self.machine("node2").sh("cd /var/lib/slipway/agent/*; ls -A") == "slipway-agent\n", "the half to go")
        return seconds

    def test_connection_that_is_cut_in_any_phase_is_made_again(self):
        self.site(self.host(), name="agent-in-place").run("preflight").expect(0)
        cases = [(how, phase, "node1", after) for phase, after in PHASES.items() for how in ("reset", "close")]
        with ThreadPoolExecutor(3) as pool:
            seconds = list(pool.map(lambda case: self.broken_once(*case), cases))
        self.assertLess(max(seconds), LONGEST, list(zip(cases, seconds)))

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

    def test_agent_that_was_half_sent_is_sent_again_and_leaves_no_half(self):
        for how in ("reset", "close"):
            self.machine("node2").sh("rm -rf /var/lib/slipway")
            self.half_sent(how)


class Scripts(Faulty):
    def test_script_goes_on_while_its_link_is_cut_again_and_again(self):
        proxy = self.proxy()
        site = self.script_site(COUNTED % 7, self.through(proxy))
        run = site.start("apply", "--yes")
        for number, how in ((3, "reset"), (9, "close"), (15, "reset")):
            self.wait_for_line(site, number, run)
            self.assertGreater(proxy.break_all(how), 0)
        run.communicate(timeout=LONGEST)
        self.assertEqual(run.returncode, 1)
        self.assertEqual(self.lines(site), ALL_LINES)
        self.assertIn("ended with 7", site.events("step.finished")[-1]["message"])
        self.assertEqual(self.runs_of_script(), 1)

    def test_script_goes_on_while_slipway_is_killed_and_resumed(self):
        site = self.script_site(COUNTED % 0)
        run = site.start("apply", "--yes")
        self.wait_for_line(site, 4, run)
        run.send_signal(signal.SIGKILL)
        run.communicate()
        before = len(self.lines(site))
        site.run("resume").expect(0)
        self.assertEqual(self.lines(site)[before:], ALL_LINES, "the output is there from its beginning")
        self.assertEqual(self.runs_of_script(), 1)
        self.assertEqual(self.machine().sh("ls -A /var/lib/slipway/jobs 2>/dev/null || true"), "", "records are dropped in the end")

    def test_script_that_takes_too_long_is_ended_with_all_it_started(self):
        site = self.script_site("echo run >>/root/count; (sleep 300 & sleep 300); sleep 300", timeout=2)
        with self.within(30):
            site.run("apply", "--yes").expect(1)
        self.assertIn(self.failure(site), ("STEP-DEADLINE", "COMMAND-TIMEOUT"))
        wait_until(lambda: self.machine().try_sh("pgrep -x sleep").code != 0, "the script's processes to end")

    def test_slow_host_delays_only_itself(self):
        proxy = self.proxy("node2")
        site = self.script_site("echo begin; sleep 1; echo end", self.host("node1"), self.through(proxy, "node2", roles=["worker"]),
                                os={"sysctl": True, "swapOff": True})
        run = site.start("apply", "--yes")
        wait_until(lambda: site.journal.exists() and any(e["host"] == "node2" for e in site.events("log.line")), "the script on node2")
        self.assertGreater(proxy.break_all("stall"), 0)
        run.communicate(timeout=LONGEST)
        self.assertEqual(run.returncode, 0)
        begin = site.events("run.started")[0]["time"]
        last = {e["host"]: e["time"] for e in site.events("step.finished")}
        self.assertLess(seconds_between(begin, last["node1"]), 8)
        self.assertEqual([e["line"] for e in site.events("log.line") if e["host"] == "node2"], ["begin", "end"])
        self.assertGreater(seconds_between(begin, last["node2"]), 10, "node2 was not slow, so nothing was shown")


class PowerAndDisks(Faulty):
    def test_power_cut_in_a_script_is_told_and_nothing_runs_twice_by_itself(self):
        site = self.script_site(COUNTED % 0, timeout=120)
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


if __name__ == "__main__":
    machines.main(count=2)
