#!/usr/bin/env python3
"""Links, power and disks that fail: Slipway goes on, tries again, or says what is wrong; in time, and with no
side effect twice. The slower half is in faults_full_test.py."""

import pathlib
import signal
import sys
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import machines  # noqa: E402
from faulty import ALL_LINES, COUNTED, LONGEST, PHASES, BrokenLinks, Faulty, seconds_between  # noqa: E402
from machines import wait_until  # noqa: E402

class Links(BrokenLinks):
    def test_connection_that_is_cut_in_any_phase_is_made_again(self):
        self.site(self.host(), name="agent-in-place").run("preflight").expect(0)
        cases = [(how, phase, "node1", after) for phase, after in PHASES.items() for how in ("reset", "close")]
        with ThreadPoolExecutor(3) as pool:
            list(pool.map(lambda case: self.broken_once(*case), cases))

    def test_connection_that_falls_silent_is_made_again(self):
        """In two phases here, and in all of them and against the clock in faults_full_test.py."""
        self.site(self.host(), name="agent-in-place").run("preflight").expect(0)
        with ThreadPoolExecutor(2) as pool:
            waits = [pool.submit(self.broken_once, "stall", phase, "node1", PHASES[phase]) for phase in ("login", "facts")]
        self.assertGreater(min(wait.result() for wait in waits), 5, "nobody waited, so nothing was silent")

    def test_agent_that_was_half_sent_is_sent_again_and_leaves_no_half(self):
        for how in ("reset", "close"):
            self.machine("node2").sh("rm -rf /var/lib/slipway")
            self.half_sent(how)


class Scripts(Faulty):
    def test_script_goes_on_while_its_link_is_cut_again_and_again(self):
        proxy = self.proxy()
        site = self.script_site(COUNTED % 7, self.through(proxy))
        run = site.start("apply", "--yes")
        self.wait_for_line(site, 4, run)
        for how in ("reset", "close", "reset"):
            wait_until(lambda: any(not c.broken and c.received > PHASES["hello"] for c in proxy.connections), "the next link")
            self.assertGreater(proxy.break_all(how), 0)
        self.go()
        run.communicate(timeout=180)
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
        self.go()
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
        run.communicate(timeout=180)
        self.assertEqual(run.returncode, 0)
        last = {e["host"]: e["time"] for e in site.events("step.finished")}
        self.assertEqual([e["line"] for e in site.events("log.line") if e["host"] == "node2"], ["begin", "end"])
        self.assertGreater(seconds_between(last["node1"], last["node2"]), 10, "node1 had to wait, or node2 was not slow")


class PowerAndDisks(Faulty):
    def test_power_cut_in_a_script_is_told_and_nothing_runs_twice_by_itself(self):
        site = self.script_site(COUNTED % 0, timeout=120)
        run = site.start("apply", "--yes")
        self.wait_for_line(site, 4, run)
        with self.within(2 * LONGEST):
            self.machine().power("cut")
            self.machine().power("on")
            run.communicate(timeout=180)
        self.assertNotEqual(run.returncode, 0)
        self.assertEqual(self.failure(site), "HOST-RESTARTED")
        self.assertEqual(self.runs_of_script(), 1)
        self.go()
        site.run("resume").expect(0)  # somebody has looked, and wants it again
        self.assertEqual(self.runs_of_script(), 2)

    def test_full_disk_is_named_before_the_agent_is_there_and_after(self):
        site = self.site(self.host())
        site.run("hosts clean").expect(0)
        self.lab.run("disk-full", "node1").expect(0)
        try:
            with self.within(2 * LONGEST):
                failed = site.checks(site.run("preflight", "-o", "json").expect(4))
            self.assertRegex(str(failed), "agent cannot be written|no folder the agent can be put into")
        finally:
            self.lab.run("disk-full", "node1", "--off").expect(0)

        site.run("preflight").expect(0)
        self.lab.run("disk-full", "node1").expect(0)
        try:
            with self.within(2 * LONGEST):
                site.run("apply", "--yes", "--ignore-checks", "HOST-DISK,HOST-DISK-PRESSURE").expect(1)
            self.assertEqual(self.failure(site), "HOST-DISK-FULL")
        finally:
            self.lab.run("disk-full", "node1", "--off").expect(0)
        site.run("resume").expect(0)
        self.assertEqual(self.machine().sh("find / /var/lib -xdev -name '.slipway-*'"), "")
        site.run("reset", "--yes").expect(0)


if __name__ == "__main__":
    machines.main(count=2)
