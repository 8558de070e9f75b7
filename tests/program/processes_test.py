#!/usr/bin/env python3
"""Several processes and one run: killed at any time, paused, watched, raced for, delegated."""

import collections
import concurrent.futures
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
import case  # noqa: E402


class Processes(case.Case):
    def until(self, what, condition, seconds=30):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = condition()
            if value:
                return value
            time.sleep(0.05)
        self.fail(f"{what}: not within {seconds} s")

    def events(self, site, *types):
        if not site.journal.exists():
            return []
        result = site.run("events", "-o", "json", *[a for t in types for a in ("--type", t)])
        return result.json_lines if result.code == 0 else []

    def test_killed_at_random_times_it_ends_as_if_undisturbed(self):
        profile = self.profile("defaults:\n  latency: {command: 20ms, write: 15ms, kernel: 10ms}\n")
        reference = self.site(simulate=profile)
        began = time.monotonic()
        reference.run("apply", "--yes").expect(0)
        length = time.monotonic() - began
        hosts, outcomes = reference.hosts(), reference.outcomes()
        chance = random.Random(20261115)
        sites = [self.site(simulate=profile, name=f"kill{number}") for number in range(12)]
        moments = [chance.uniform(0, 1.1 * length) for _ in sites]
        with concurrent.futures.ThreadPoolExecutor(3) as pool:  # they wait for most of their time
            died = collections.Counter(pool.map(self.killed_and_ended, sites, moments))
        for site in sites:
            self.assertEqual(site.run("debug", "snapshot", site.name, "-o", "json").json["hosts"], hosts["hosts"])
            self.assertEqual(site.outcomes(), outcomes)
        self.assertGreater(died["within"], 2, f"too few kills hit the run to prove anything: {died}")

    def killed_and_ended(self, site, moment):
        """An apply killed at that second, and brought to its end; says when it died."""
        run = site.start("apply", "--yes")
        died = "after"
        try:
            run.wait(timeout=moment)
        except subprocess.TimeoutExpired:
            run.send_signal(signal.SIGKILL)
            died = "within" if self.has_begun(site) else "before"
        run.communicate()
        if not self.has_begun(site):
            site.run("apply", "--yes").expect(0)
        elif site.query("SELECT result FROM runs") != [("succeeded",)]:
            site.run("resume", site.name).expect(0)
        return died

    def has_begun(self, site):
        return site.journal.exists() and bool(site.query("SELECT 1 FROM runs"))

    def test_lock_of_a_killed_process_is_free(self):
        site = self.site(simulate=self.slow_profile())
        run = site.start("apply", "--yes")
        self.until("a step", lambda: self.events(site, "step.started"))
        run.send_signal(signal.SIGKILL)
        run.communicate()
        self.assertIn("interrupted", site.run("status").expect(0).out)
        site.run("resume").expect(0)

    def test_pause_and_resume_from_another_process(self):
        site = self.site(simulate=self.slow_profile())
        run = site.start("apply", "--yes")
        self.until("a step", lambda: self.events(site, "step.started"))
        site.run("pause").expect(0)
        self.until("quiet", lambda: len(self.events(site, "step.started")) ==
                   len([e for e in self.events(site, "step.finished") if e["outcome"] == "changed"]))
        begun = len(self.events(site, "step.started"))
        self.assertIsNone(run.poll(), "a paused run stays")
        self.assertEqual(site.run("status", "-o", "json").expect(0).json["result"], "paused")
        self.assertEqual(len(self.events(site, "step.started")), begun)
        site.run("resume").expect(0)
        run.communicate(timeout=60)
        self.assertEqual(run.returncode, 0)

    def test_cancel_from_another_process(self):
        site = self.site(simulate=self.slow_profile())
        run = site.start("apply", "--yes")
        self.until("a step", lambda: self.events(site, "step.started"))
        asked = time.monotonic()
        site.run("cancel").expect(0)
        run.communicate(timeout=20)
        self.assertLess(time.monotonic() - asked, 5)
        self.assertEqual(run.returncode, 130)

    def test_follower_sees_every_event_and_ends_with_the_run(self):
        site = self.site(simulate=self.slow_profile())
        run = site.start("apply", "--yes")
        self.until("a run", lambda: self.events(site, "run.started"))
        follower = site.run("events", "--follow", "-o", "json", timeout=120).expect(0)
        run.communicate(timeout=60)
        self.assertEqual(follower.json_lines[-1]["type"], "run.finished")
        self.assertEqual([e["seq"] for e in follower.json_lines], [e["seq"] for e in self.events(site)])

    def test_of_two_engines_started_at_once_one_proceeds(self):
        for number in range(5):
            site = self.site(simulate=self.slow_profile(), name=f"race{number}")
            both = [site.start("apply", "--yes") for _ in range(2)]
            first = self.until("the loser", lambda: [r for r in both if r.poll() is not None])
            self.assertEqual(first[0].returncode, 6)
            for r in both:
                if r.poll() is None:
                    r.send_signal(signal.SIGKILL)
                r.communicate()

    def test_detached_run_outlives_its_terminal(self):
        site = self.site(simulate=self.slow_profile())
        site.run("apply", "--yes", "--detach").expect(0)
        follower = site.run("events", "--follow", "-o", "json", timeout=120).expect(0)
        self.assertEqual(follower.json_lines[-1]["result"], "succeeded")

    def test_a_killed_run_and_a_reset_go_on_in_the_background(self):
        site = self.site(simulate=self.slow_profile())
        run = site.start("apply", "--yes")
        self.until("a step", lambda: self.events(site, "step.started"))
        run.send_signal(signal.SIGKILL)
        run.communicate()
        begun = site.run("resume", "--detach", "-o", "json").expect(0).json
        self.assertEqual((begun["cluster"], begun["run"], begun["result"]), ("site", 1, "detached"))
        site.run("events", "--follow", timeout=120).expect(0)
        self.until("its end", lambda: site.run("status", "-o", "json").json["result"] == "succeeded")
        self.assertEqual(site.run("reset", "--yes", "--detach", "-o", "json").expect(0).json["run"], 2)
        site.run("events", "--follow", timeout=120).expect(0)
        self.until("its end", lambda: site.run("status", "-o", "json").json["result"] == "succeeded")

    def test_errors_for_programs_are_one_json_line(self):
        said = self.program.run("status", "nothing", "--state", self.folder, env={"SLIPWAY_ERRORS": "json"}).expect(1)
        error = json.loads(said.err.splitlines()[-1])["error"]
        self.assertEqual((error["id"], error["class"]), ("CLUSTER-UNKNOWN", "user"))

    def test_delegated_step_waits_for_its_report(self):
        site = self.site(hosts=["cp1=10.0.0.1:control-plane"], extra="  steps: {delegate: [raise-limits]}\n")
        run = site.start("apply", "--yes")
        self.until("an offer", lambda: self.events(site, "step.waiting"))
        node = site.run("delegate", "list", "-o", "json").expect(0).json["delegated"][0]
        self.assertEqual(node["id"], "cp1/raise-limits")
        site.run("delegate", "claim", "cp1/raise-limits", "--holder", "outside").expect(0)
        self.assertNotEqual(site.run("delegate", "claim", "cp1/raise-limits", "--holder", "other").code, 0)
        site.run("delegate", "report", "cp1/raise-limits", "--holder", "outside", "--result", "succeeded").expect(0)
        run.communicate(timeout=30)
        self.assertEqual(run.returncode, 0)
        self.assertEqual(site.outcomes()["cp1/raise-limits"], "changed")

    def test_logs_hold_the_output_of_a_script(self):
        site = self.site(extra='  hooks:\n    preInstall: [{name: hello, script: "echo hello from the script"}]\n')
        site.run("apply", "--yes").expect(0)
        self.assertIn("hello from the script", site.run("logs", "w1/pre-install-script-hello").expect(0).out)

    def test_lost_terminal_changes_nothing(self):
        site = self.site(simulate=self.slow_profile())
        run = site.start("apply", "--yes")
        self.until("a step", lambda: self.events(site, "step.started"))
        run.send_signal(signal.SIGHUP)
        run.stdout.close()
        run.stderr.close()
        run.wait(timeout=60)  # its last words had nobody to hear them
        self.assertEqual(site.query("SELECT result FROM runs"), [("succeeded",)])

    def test_secret_appears_nowhere(self):
        canary = "c4n4ry-9f81-sudo"
        site = self.site(hosts=["cp1=ops@10.0.0.1:control-plane"], simulate=self.profile(
            f"hosts:\n  cp1: {{sudo-password: {canary}}}\n" "defaults:\n  latency: {command: 300ms}\n"))
        text = site.spec.read_text()
        self.assertIn("{name: cp1", text)
        site.spec.write_text(text.replace("{name: cp1", "{become: {password: {env: CANARY}}, name: cp1"))
        run = site.start("apply", "--yes", "-v", env={"CANARY": canary})
        argv = set()
        while run.poll() is None:
            try:
                argv.add(pathlib.Path(f"/proc/{run.pid}/cmdline").read_bytes())
            except OSError:
                pass
            time.sleep(0.05)
        out, err = run.communicate()
        self.assertEqual(run.returncode, 0, err)
        for what, data in {"argv": b"".join(argv), "stdout": out.encode(), "stderr": err.encode()}.items():
            self.assertNotIn(canary.encode(), data, what)
        for file in site.state.rglob("*"):
            # The simulated machine's own disk is not ours.
            if file.is_file() and "simulated" not in file.parts:
                self.assertNotIn(canary.encode(), file.read_bytes(), file.name)
        self.assertNotIn(canary, site.run("events", "-o", "json").out)
        self.assertEqual(os.stat(site.state).st_mode & 0o077, 0)


if __name__ == "__main__":
    case.main()
