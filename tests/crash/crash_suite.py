#!/usr/bin/env python3
"""Kills the program at every failpoint it lists, on every step, and requires the same end as without.

For each place: the process must die of SIGKILL there (a kill that did not fire is a failure); `resume` then
ends in the same state of hosts and journal as an undisturbed run. The same again with a second kill during
the recovery, and for `reset`: the hosts must end as they were found.
"""

import json
import pathlib
import sys
import time
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
from slipway import Program, Site, scratch  # noqa: E402

HOSTS = ["cp1=10.0.0.11:control-plane,etcd", "w1=10.0.0.21:worker"]
EXTRA = """  hooks:
    preInstall:
      - {name: before, script: "echo before"}
    postInstall:
      - {name: after, roles: [worker], script: "echo after"}
"""
KILLED = -9
# Behind these nothing has been done yet, so the recovery passes them once more.
REACHED_AGAIN = {"engine.before-intent", "engine.after-intent", "host.before-change"}


def comparable(snapshot):
    """A script that was cut short is run again, by promise; how often is not part of the end state."""
    text = json.loads(json.dumps(snapshot))
    for host in text.get("hosts", {}).values():
        host.pop("scripts", None)
    text.pop("sha256", None)
    return text


class Suite:
    """The cases on simulated hosts; tests/hosts/crash_test.py runs them on a machine of the lab."""

    workers = 2

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.sites, self.kills = 0, 0
        places = program.run("debug", "failpoints", "-o", "json").expect(0).json["failpoints"]
        self.places = [p for p in places]

        reference = self.site("reference")
        self.found = self.fresh_hosts()
        reference.run("apply", "--yes").expect(0)
        self.hosts = comparable(reference.hosts())
        self.outcomes = reference.outcomes()
        reference.run("reset", "--yes").expect(0)
        self.expect_hosts(reference, self.found, "an undisturbed reset does not put everything back")
        self.undone = reference.outcomes()

    def site(self, name):
        self.sites += 1  # a folder is never used twice
        return Site(self.program, self.folder / f"{self.sites}-{name}", HOSTS, EXTRA)

    def fresh_hosts(self):
        site = self.site("fresh")
        self.kill(site, "engine.after-run", "apply", "--yes")  # the run is recorded, no step has begun
        return comparable(site.hosts())

    def kill(self, site, place, command, *arguments):
        result = site.run(command, *arguments, env={"SLIPWAY_FAILPOINT": f"{place}=kill"})
        assert result.code == KILLED, f"{place} did not fire in {command}: exit {result.code}\n{result.err[-800:]}"
        self.kills += 1

    def expect_hosts(self, site, wanted, what):
        assert comparable(site.hosts()) == wanted, what

    def check_applied(self, site, what):
        site.run("resume").expect(0)
        self.expect_hosts(site, self.hosts, f"{what}: the hosts differ from an undisturbed run")
        outcomes = site.outcomes()
        assert outcomes == self.outcomes, f"{what}: the journal differs: " + str(
            {k: (outcomes.get(k), v) for k, v in self.outcomes.items() if outcomes.get(k) != v})
        runs = site.run("runs", "-o", "json").expect(0).json["runs"]
        assert [r["result"] for r in runs] == ["succeeded"], f"{what}: {runs}"
        again = site.run("apply", "--yes", "-o", "json").expect(0).json
        assert again["changed"] == 0, f"{what}: a second apply changed {again['changed']} steps"

    def apply_case(self, place):
        site = self.site(f"apply-{place.replace('/', '_')}")
        self.kill(site, place, "apply", "--yes")
        self.resume_or_apply(site, place)

    def resume_or_apply(self, site, what):
        # Killed before the run was recorded, there is nothing to resume: apply again is the way.
        if not site.journal.exists() or not site.query("SELECT 1 FROM runs"):
            site.run("apply", "--yes").expect(0)
        self.check_applied_after(site, what)

    def check_applied_after(self, site, what):
        runs = site.run("runs", "-o", "json").expect(0).json["runs"]
        if runs[0]["result"] != "succeeded":
            self.check_applied(site, what)
            return
        # The kill came after the last word was on disk.
        self.expect_hosts(site, self.hosts, f"{what}: the hosts differ")
        assert site.outcomes() == self.outcomes, f"{what}: the journal differs"

    def twice_case(self, first, second):
        site = self.site(f"twice-{first}-{second}".replace("/", "_"))
        self.kill(site, first, "apply", "--yes")
        self.kill(site, second, "resume")
        self.check_applied(site, f"{first} then {second}")

    def reset_case(self, place):
        site = self.site(f"reset-{place.replace('/', '_')}")
        site.run("apply", "--yes").expect(0)
        self.kill(site, place, "reset", "--yes")
        site.run("resume").expect(0)
        self.expect_hosts(site, self.found, f"reset, {place}: the hosts are not as they were found")
        outcomes = site.outcomes()
        assert outcomes == self.undone, f"reset, {place}: the journal differs"

    def cases(self):
        nodes = sorted(n for n, outcome in self.outcomes.items() if outcome == "changed")
        undone = sorted(n for n, outcome in self.undone.items() if outcome == "undone")
        for p in self.places:
            name = p["name"]
            if p["where"] == "resume":
                yield self.twice_case, (f"engine.after-intent@{nodes[0]}", name)
            elif p["perStep"]:
                for node in nodes:
                    yield self.apply_case, (f"{name}@{node}",)
                    # The second kill, during the recovery: as soon as it has begun, and where the
                    # interrupted step is reached again, at the very same place.
                    yield self.twice_case, (f"{name}@{node}", "engine.after-resume")
                    if name in REACHED_AGAIN:
                        yield self.twice_case, (f"{name}@{node}", f"{name}@{node}")
                for node in undone:
                    yield self.reset_case, (f"{name}@{node}",)
            else:
                yield self.apply_case, (name,)

    def after_case(self):
        """Simulated hosts are each site's own: nothing to put back."""

    def run(self):
        started = time.monotonic()
        cases = list(self.cases())
        failures = []

        def one(case):
            function, arguments = case
            try:
                function(*arguments)
            except AssertionError as error:
                failures.append(f"{function.__name__} {arguments}: {error}")
            finally:
                self.after_case()

        with ThreadPoolExecutor(self.workers) as pool:
            list(pool.map(one, cases))
        fired = {p["name"] for p in self.places}
        print(f"{len(cases)} cases over {len(fired)} failpoints and {len(self.outcomes)} steps, "
              f"{self.kills} kills fired, {time.monotonic() - started:.0f} s")
        for failure in failures[:20]:
            print("FAILED", failure)
        return 1 if failures else 0


def main():
    with scratch() as folder:
        return Suite(Program(sys.argv[1]), folder).run()


if __name__ == "__main__":
    sys.exit(main())
