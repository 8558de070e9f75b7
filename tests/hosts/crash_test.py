#!/usr/bin/env python3
"""The crash suite (tests/crash) on a real machine: killed at every failpoint and resumed, it ends as if undisturbed,
and no script has run twice. A sample of the places, or with SLIPWAY_FULL=1 all of them."""

import itertools
import pathlib
import re
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parent.parent / "crash")]
import crash_suite  # noqa: E402
import machines  # noqa: E402
import picture  # noqa: E402

PARTS = {
    "os": {"extraUsers": [{"name": "extra", "system": False}], "extraFolders": [{"path": "/data/deep", "owner": "extra", "group": "extra"}],
           "timeSync": {"enabled": True, "timezone": "Asia/Tokyo"}},
    "hooks": {"preInstall": [{"name": "before", "script": "echo before >>/root/ran"}],
              "postInstall": [{"name": "after", "script": "echo after >>/root/ran"}]},
}
# The agent and its records come and go with connections.
OURS = re.compile(r"/(var/lib|run)/slipway(/.*)?|/root/ran")
SETTINGS = "net.ipv4.ip_forward vm.max_map_count kernel.panic net.core.somaxconn"


class RealSite(machines.Site):
    machine = None

    def hosts(self):
        seen = picture.take_files(self.machine, "/etc", "/var/lib", "/home", "$(ls -d /data 2>/dev/null)")
        for section in ("files", "contents"):
            seen[section] = {path: state for path, state in seen[section].items() if not OURS.fullmatch(path)}
        more = self.machine.sh(f"hostname; date +%Z; systemctl is-enabled swap.target; sysctl {SETTINGS}; getent passwd; getent group; true")
        return {**seen, "more": {line: "there" for line in more.splitlines()}}


class RealSuite(crash_suite.Suite):
    workers = 1  # one machine

    def __init__(self, program, folder, host):
        self.host, self.current = host, None
        self.ran = set()
        super().__init__(program, folder)

    def site(self, name):
        self.sites += 1
        self.current = RealSite(self.program, self.folder / f"{self.sites}-{name}"[:100], [self.host], PARTS, "site")
        RealSite.machine.sh("rm -f /root/ran")
        return self.current

    def expect_hosts(self, site, wanted, what):
        seen = picture.differences(wanted, site.hosts())
        assert seen == [], "\n  ".join([what, *seen[:20]])

    def check_applied(self, site, what):
        super().check_applied(site, what)
        ran = RealSite.machine.sh("cat /root/ran").split()
        assert ran == ["before", "after"], f"{what}: the scripts ran {ran}"

    def after_case(self):
        if self.current.journal.exists() and self.current.query("SELECT 1 FROM runs"):
            self.current.run("reset", "--yes").expect(0)
        self.expect_hosts(self.current, self.found, "the machine is not as it was found; the next case would prove nothing")

    def cases(self):
        """All, or one of each way of dying at each place, on another step each time."""
        everything = [case for case in super().cases()]
        if machines.FULL:
            return everything
        places = {}
        for function, arguments in everything:
            places.setdefault((function.__name__, arguments[0].split("@")[0]), []).append((function, arguments))
        steps = itertools.count()
        sample = [cases[next(steps) % len(cases)] for cases in places.values()]
        plain = [c for c in sample if c[0] == self.apply_case and "@" not in c[1][0]]
        return [c for c in sample if c[0] == self.apply_case and c not in plain] + plain[:2] + [
            c for c in sample if c[0] == self.twice_case][:2] + [c for c in sample if c[0] == self.reset_case][::3]


class Crash(machines.Case):
    def test_killed_anywhere_it_ends_as_if_undisturbed(self):
        RealSite.machine = self.machine()
        suite = RealSuite(self.program, self.folder / "suite", self.host(name="renamed"))
        self.assertEqual(suite.run(), 0, "see above")
        self.assertGreater(suite.kills, 10)


if __name__ == "__main__":
    machines.main(count=1)
