#!/usr/bin/env python3
"""Every documented exit code (docs/exit-codes.md), seen from outside."""

import pathlib
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
import case  # noqa: E402


class ExitCodes(case.Case):
    def wait_for_step(self, site):
        """Until the run of another process has begun a step."""
        until = time.monotonic() + 30
        while time.monotonic() < until:
            if site.journal.exists():
                events = site.run("events", "-o", "json", "--type", "step.started")
                if events.code == 0 and events.out:
                    return
            time.sleep(0.05)
        self.fail("no step began within 30 s")

    def test_0_ok(self):
        site = self.site()
        result = site.run("apply", "--yes", "-o", "json").expect(0).json
        self.assertEqual(result["result"], "succeeded")
        self.assertGreater(result["changed"], 20)

    def test_1_failed_when_the_control_planes_lose_their_quorum(self):
        profile = self.profile("hosts:\n  cp*:\n    faults: [{on: change, times: always, error: fatal, message: broken}]\n")
        result = self.site(simulate=profile).run("apply", "--yes", "-o", "json").expect(1).json
        self.assertEqual(result["result"], "failed")
        self.assertGreater(result["failed"], 0)

    def test_1_for_damaged_state_which_is_named_and_kept(self):
        site = self.site()
        site.run("apply", "--yes").expect(0)
        site.journal.write_bytes(site.journal.read_bytes()[:5000])
        for other in site.journal.parent.glob("journal.db-*"):
            other.unlink()
        result = site.run("apply", "--yes").expect(1)
        self.assertIn("STATE-DAMAGED", result.err)
        self.assertEqual(site.journal.stat().st_size, 5000, "never a silent fresh start")

    def test_1_for_an_empty_journal(self):
        site = self.site()
        site.run("apply", "--yes").expect(0)
        for file in site.journal.parent.glob("journal.db-*"):
            file.unlink()
        site.journal.write_bytes(b"")
        self.assertIn("STATE-DAMAGED", site.run("apply", "--yes").expect(1).err)

    def test_2_changes_present(self):
        site = self.site()
        site.run("plan").expect(0)
        site.run("plan", "--detailed-exitcode").expect(2)
        self.assertFalse(site.state.exists(), "a plan makes no state")
        site.run("apply", "--yes").expect(0)
        site.run("plan", "--detailed-exitcode").expect(0)

    def test_3_spec_invalid_with_every_problem_at_once(self):
        site = self.site()
        site.spec.write_text(site.spec.read_text().replace("roles:", "rolez:").replace("kind: Cluster", "kind: Clutser"))
        result = site.run("apply", "--yes").expect(3)
        self.assertIn("roles", result.err)
        self.assertIn("Clutser", result.err)
        self.assertFalse(site.state.exists())

    def test_4_preflight_failed_and_nothing_changed(self):
        site = self.site(simulate=self.profile("hosts:\n  cp1:\n    facts: {memory-mib: 512}\n"))
        self.assertIn("HOST-MEMORY", site.run("apply", "--yes").expect(4).err)
        site.run("preflight").expect(4)
        site.run("apply", "--yes", "--ignore-checks", "HOST-MEMORY").expect(0)

    def test_5_partial_when_a_worker_fails_and_a_retry_after_repair(self):
        profile = self.profile("hosts:\n  w2:\n    faults: [{on: kernel, times: always, error: fatal, message: broken}]\n")
        site = self.site(simulate=profile)
        result = site.run("apply", "--yes", "-o", "json").expect(5).json
        self.assertEqual(result["result"], "partial")
        self.assertEqual({h["name"]: h["state"] for h in result["hosts"]}["w2"], "set-aside")
        self.assertEqual({h["name"]: h["state"] for h in result["hosts"]}["w1"], "done")
        self.profile("")  # repaired
        site.run("retry", "--host", "w2").expect(0)

    def test_6_locked_names_the_holder(self):
        site = self.site(simulate=self.slow_profile())
        first = site.start("apply", "--yes")
        try:
            self.wait_for_step(site)
            result = site.run("apply", "--yes").expect(6)
            self.assertIn("STATE-LOCKED", result.err)
            self.assertIn(str(first.pid), result.err)
        finally:
            first.send_signal(signal.SIGINT)
            first.communicate(timeout=20)

    def test_8_saved_plan_whose_world_has_moved_on(self):
        site = self.site()
        saved = self.folder / "saved.plan"
        site.run("plan", "--out", saved).expect(0)
        site.run("apply", "--yes").expect(0)
        result = self.program.run("apply", "--plan", saved, "-c", site.spec, "--state", site.state, "--simulate", "--yes").expect(8)
        self.assertIn("set-hostname", result.err)

    def test_saved_plan_that_still_fits_is_applied(self):
        site = self.site()
        saved = self.folder / "saved.plan"
        site.run("plan", "--out", saved).expect(0)
        site.run("apply", "--yes", "--plan", saved).expect(0)

    def test_64_usage(self):
        self.program.run("aply").expect(64)
        self.assertIn("apply", self.program.run("aply").err)
        self.program.run("plan", "--nonsense").expect(64)
        self.program.run().expect(64)

    def test_130_interrupted_within_five_seconds_and_resumed(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            site = self.site(simulate=self.slow_profile(), name=f"site{int(number)}")
            run = site.start("apply", "--yes")
            self.wait_for_step(site)
            sent = time.monotonic()
            run.send_signal(number)
            run.communicate(timeout=20)
            self.assertEqual(run.returncode, 130)
            self.assertLess(time.monotonic() - sent, 5)
            self.assertEqual(site.query("SELECT result FROM runs"), [("cancelled",)])
            self.assertEqual([o for o in site.outcomes().values() if o == ""], [], "an intent without its end")
            site.run("resume", site.name).expect(0)
            self.assertEqual(site.query("SELECT result, sessions FROM runs"), [("succeeded", 2)])


if __name__ == "__main__":
    case.main()
