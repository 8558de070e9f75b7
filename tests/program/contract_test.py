#!/usr/bin/env python3
"""Names and shapes that scripts may rely on."""

import itertools
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
import case  # noqa: E402
from slipway import CLEAN  # noqa: E402


class Contract(case.Case):
    def test_init_prints_a_spec_that_validates(self):
        made = self.program.run("init", "demo", "--host", "cp1=10.0.0.1:control-plane", "--host", "w1=10.0.0.2:worker").expect(0)
        self.assertIn("apiVersion: slipway.dev/v1", made.out)
        self.program.run("validate", "-c", "-", stdin=made.out).expect(0)

    def test_specs_may_come_in_parts_and_from_standard_input(self):
        site = self.site()
        part = "apiVersion: slipway.dev/v1\nkind: Cluster\nmetadata: {name: site}\nspec: {os: {swapOff: false}}\n"
        plan = self.program.run("plan", "-c", site.spec, "-c", "-", "--simulate", "-o", "json", stdin=part).expect(0).json
        self.assertNotIn("turn-off-swap", {s["step"] for s in plan["steps"]})

    def test_plan_is_one_object_with_hash_and_steps(self):
        plan = self.site().run("plan", "-o", "json").expect(0).json
        self.assertRegex(plan["hash"], "^[0-9a-f]{64}$")
        ids = {s["id"] for s in plan["steps"]}
        for step in plan["steps"]:
            self.assertLessEqual({"id", "host", "needs", "change"}, set(step))
            self.assertLessEqual(set(step["needs"]), ids)

    def test_plan_hash_does_not_depend_on_the_order_of_the_file(self):
        one = self.program.run("init", "site", *[a for h in case.THREE for a in ("--host", h)]).out
        other = self.program.run("init", "site", *[a for h in reversed(case.THREE) for a in ("--host", h)]).out
        self.assertNotEqual(one, other)
        plans = [self.program.run("plan", "-c", "-", "--simulate", "-o", "json", stdin=t).expect(0).json for t in (one, other)]
        self.assertEqual(plans[0]["hash"], plans[1]["hash"])

    def test_apply_ends_with_one_object(self):
        result = self.site().run("apply", "--yes", "-o", "json").expect(0).json
        self.assertLessEqual({"result", "changed", "skipped", "failed", "seconds"}, set(result))

    def test_second_apply_changes_nothing_and_says_so(self):
        site = self.site()
        site.run("apply", "--yes").expect(0)
        hosts = site.hosts()
        again = site.run("apply", "--yes").expect(0)
        self.assertIn("nothing to do", again.out + again.err)
        self.assertEqual(site.run("apply", "--yes", "-o", "json").expect(0).json["changed"], 0)
        self.assertEqual(site.hosts(), hosts)

    def test_events_are_json_lines_with_rising_numbers_and_known_types(self):
        site = self.site()
        site.run("apply", "--yes").expect(0)
        events = site.run("events", "-o", "json").expect(0).json_lines
        numbers = [e["seq"] for e in events]
        self.assertEqual(numbers, sorted(set(numbers)))
        self.assertEqual(events[-1]["type"], "run.finished")
        self.assertTrue({"run.started", "step.started", "step.finished", "progress"} <= {e["type"] for e in events})
        percent = [e["percent"] for e in events if e["type"] == "progress"]
        self.assertEqual(percent, sorted(percent))
        self.assertEqual(percent[-1], 100)

    def test_data_goes_to_stdout_and_everything_else_to_stderr(self):
        site = self.site()
        result = site.run("apply", "--yes", "-o", "json").expect(0)
        json.loads(result.out)
        self.assertNotEqual(result.err, "", "progress is told on stderr")
        self.assertNotIn("\x1b", result.out + result.err, "no colour and no cursor without a terminal")

    def test_a_reader_that_has_had_enough_is_no_failure(self):
        site = self.site()
        site.run("apply", "--yes").expect(0)
        for words in (["events", "-o", "json"], ["events"], ["runs"]):
            reader, writer = os.pipe()
            os.close(reader)
            try:
                done = self.into(writer, site, *words)
            finally:
                os.close(writer)
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)

    def test_output_that_cannot_be_written_is_a_failure_with_its_cause(self):
        site = self.site()
        site.run("apply", "--yes").expect(0)
        for words in (["events", "-o", "json"], ["events"], ["runs"], ["schema"]):
            with open("/dev/full", "w") as full:
                done = self.into(full, site, *words)
            self.assertEqual(done.returncode, 1, words)
            self.assertEqual(done.stderr, "error: cannot write to standard output: No space left on device\n", words)

    def into(self, output, site, *words):
        state = [] if words == ("schema",) else ["--state", site.state]
        return subprocess.run([self.program.path, *words, *state], stdout=output, stderr=subprocess.PIPE, text=True, timeout=60, env=CLEAN)

    def test_yaml_says_the_same_as_json(self):
        site = self.site()
        site.run("apply", "--yes").expect(0)
        self.assertIn("result: succeeded", site.run("runs", "-o", "yaml").expect(0).out)

    def test_state_folder_from_the_environment_is_private(self):
        site = self.site()
        state = self.folder / "elsewhere"
        self.program.run("apply", "-c", site.spec, "--simulate", "--yes", env={"SLIPWAY_STATE": str(state)}).expect(0)
        folder = state / "site"
        self.assertEqual(os.stat(folder).st_mode & 0o777, 0o700)
        for file in folder.iterdir():
            if file.is_file():
                self.assertEqual(os.stat(file).st_mode & 0o077, 0, f"{file.name} is readable by others")

    def test_changed_spec_shows_and_does_only_that_change(self):
        site = self.site()
        site.run("apply", "--yes").expect(0)
        site.spec.write_text(site.spec.read_text() + "  os:\n    extraSysctls: {vm.swappiness: '10'}\n")
        plan = site.run("plan", "-o", "json").expect(0).json
        changing = {s["step"]: s["reason"] for s in plan["steps"] if s["change"] != "none"}
        self.assertEqual(changing, {"set-sysctls": "inputs changed"})
        self.assertEqual(site.run("apply", "--yes", "-o", "json").expect(0).json["changed"], 3)

    def test_reset_puts_back_what_was_found(self):
        site = self.site()
        site.run("apply", "--yes").expect(0)
        dry = site.run("reset", "--dry-run", "-o", "json").expect(0)
        json.loads(dry.out)
        site.run("reset", "--yes").expect(0)
        plan = site.run("plan", "-o", "json").expect(0).json
        self.assertEqual({s["reason"] for s in plan["steps"] if s["change"] != "none"}, {"undone"})

    def fresh_hosts(self, site):
        killed = site.run("apply", "--yes", env={"SLIPWAY_FAILPOINT": "engine.after-run=kill"})
        self.assertEqual(killed.code, -9)
        return site.hosts()["hosts"]

    def test_reset_also_undoes_what_the_spec_asked_for_later(self):
        site = self.site()
        found = self.fresh_hosts(site)
        site.run("apply", "--yes").expect(0)
        text = site.spec.read_text()
        site.spec.write_text(text + "  os:\n    extraSysctls: {vm.swappiness: '10'}\n")
        site.run("apply", "--yes").expect(0)
        self.assertNotEqual(site.hosts()["hosts"], found)
        site.run("reset", "--yes").expect(0)
        self.assertEqual(site.hosts()["hosts"], found)

    def test_reset_also_undoes_what_the_spec_no_longer_asks_for(self):
        site = self.site()
        found = self.fresh_hosts(site)
        site.run("apply", "--yes").expect(0)
        site.spec.write_text(site.spec.read_text() + "  os: {kernelModules: false, sysctl: false, hostname: false}\n")
        site.run("apply", "--yes").expect(0)
        site.run("reset", "--yes").expect(0)
        self.assertEqual(site.hosts()["hosts"], found)

    def test_reset_also_undoes_hosts_that_have_left_the_spec(self):
        site = self.site()
        found = self.fresh_hosts(site)
        site.run("apply", "--yes").expect(0)
        site.spec.write_text("".join(l for l in site.spec.read_text().splitlines(True) if "name: w2" not in l))
        site.run("apply", "--yes").expect(0)
        site.run("reset", "--yes").expect(0)
        site.spec.write_text(self.program.run("init", "site", *[a for h in case.THREE for a in ("--host", h)]).out)
        killed = site.run("apply", "--yes", env={"SLIPWAY_FAILPOINT": "engine.after-run=kill"})
        self.assertEqual(killed.code, -9)
        self.assertEqual(site.hosts()["hosts"], found)

    def test_restore_is_refused_while_the_journal_is_whole(self):
        site = self.site()
        site.run("apply", "--yes").expect(0)
        self.assertIn("RESTORE-NOT-NEEDED", site.run("restore").err)
        self.assertEqual(len(site.run("runs", "-o", "json").expect(0).json["runs"]), 1)

    def test_lost_journal_is_named_and_can_be_restored(self):
        site = self.site()
        site.run("apply", "--yes").expect(0)
        for file in site.journal.parent.glob("journal.db*"):
            if file.suffix != ".last-good":
                file.unlink()
        self.assertIn("STATE-MISSING", site.run("status").err)
        site.run("restore").expect(0)
        self.assertEqual(site.run("apply", "--yes", "-o", "json").expect(0).json["changed"], 0)

    def test_retry_of_a_name_that_did_not_fail_is_refused(self):
        profile = self.profile("hosts:\n  w2:\n    faults: [{on: kernel, times: always, error: fatal}]\n")
        site = self.site(simulate=profile)
        site.run("apply", "--yes").expect(5)
        self.assertIn("RETRY-NOTHING", site.run("retry", "--host", "nosuch").err)

    def test_retry_of_one_host_leaves_the_other_failed(self):
        profile = self.profile("hosts:\n  w*:\n    faults: [{on: kernel, times: always, error: fatal}]\n")
        site = self.site(simulate=profile)
        site.run("apply", "--yes").expect(5)
        self.profile("")
        site.run("retry", "--host", "w1").expect(5)
        failed = {n for n, outcome in site.outcomes().items() if outcome == "failed"}
        self.assertTrue(failed and all(n.startswith("w2/") for n in failed), failed)
        site.run("retry").expect(0)

    def test_resume_with_another_spec_is_refused(self):
        site = self.site()
        self.fresh_hosts(site)
        other = self.folder / "other.yaml"
        other.write_text(site.spec.read_text() + "  os: {swapOff: false}\n")
        self.assertIn("RUN-OTHER-SPEC", site.run("resume", "-c", other).err)
        site.run("resume", "-c", site.spec).expect(0)

    def test_damaged_journal_can_be_put_back_from_the_copy_of_the_last_finished_run(self):
        site = self.site()
        site.run("apply", "--yes").expect(0)
        for file in site.journal.parent.glob("journal.db-*"):
            file.unlink()
        site.journal.write_bytes(b"not a journal")
        self.assertIn("slipway restore", site.run("apply", "--yes").expect(1).err)
        site.run("restore").expect(0)
        self.assertEqual(site.run("apply", "--yes", "-o", "json").expect(0).json["changed"], 0)

    def test_without_terminal_and_yes_apply_names_the_flag(self):
        self.assertIn("--yes", self.site().run("apply").expect(64).err)

    def test_real_hosts_that_cannot_be_reached_change_nothing(self):
        site = self.site()
        spec = pathlib.Path(site.spec)
        numbers = itertools.count(1)
        spec.write_text(re.sub(r"(address:\s*)10[.0-9]+", lambda m: f"{m[1]}nowhere{next(numbers)}.invalid", spec.read_text()))
        result = self.program.run("apply", "-c", site.spec, "--state", site.state, "--yes").expect(4)
        self.assertIn("its name has no address", result.err)
        self.assertIn("nothing was changed", result.err)

    def test_version_names_what_it_reads(self):
        version = self.program.run("version", "-o", "json").expect(0).json
        self.assertLessEqual({"version", "commit", "compiler"}, set(version))
        self.assertIn("slipway.dev/v1", json.dumps(version))

    def test_every_command_has_help_with_an_example(self):
        listed = self.program.run("--help").expect(0).out
        for command in ("init", "validate", "explain", "schema", "plan", "apply", "resume", "runs", "events", "logs",
                        "pause", "cancel", "retry", "skip", "steps", "reset", "status", "preflight", "version", "completion"):
            self.assertIn(command, listed)
            self.assertIn(f"slipway {command}", self.program.run(command, "--help").expect(0).out)

    def test_errors_carry_id_cause_and_remedy_and_can_be_explained(self):
        result = self.program.run("runs", "--state", self.folder / "nowhere", "nobody")
        self.assertNotEqual(result.code, 0)
        self.assertRegex(result.err, r"error\[[A-Z-]+\]")
        self.assertIn("remedy", result.err)
        self.program.run("explain", "STATE-LOCKED").expect(0)

    def test_thousand_hosts(self):
        hosts = "".join(f"    - {{name: n{i}, address: 10.1.{i // 250}.{i % 250 + 1}, roles: [{'control-plane' if i < 3 else 'worker'}]}}\n"
                        for i in range(1000))
        spec = self.folder / "big.yaml"
        networks = "  kubernetes: {networks: {pods: [10.240.0.0/12]}}\n"  # the usual /16 holds 256 nodes
        spec.write_text("apiVersion: slipway.dev/v1\nkind: Cluster\nmetadata: {name: big}\nspec:\n" + networks + "  hosts:\n" + hosts)
        state = self.folder / "state"
        result = self.program.run("apply", "-c", spec, "--state", state, "--simulate", "--yes", "-o", "json", timeout=300).expect(0).json
        self.assertEqual(result["failed"], 0)
        again = self.program.run("apply", "-c", spec, "--state", state, "--simulate", "--yes", "-o", "json", timeout=300).expect(0).json
        self.assertEqual(again["changed"], 0)


if __name__ == "__main__":
    case.main()
