"""Machines of the lab, and Slipway at work on them: what every test of hosts starts from.

    class Logins(machines.Case):
        def test_…(self):
            site = self.site(self.host("node1"))
            site.run("apply", "--yes").expect(0)

    machines.main(count=2)

One lab serves a whole test file. It goes when the file ends, however it ends: a process of its own
waits for that.
"""

import base64
import contextlib
import json
import os
import pathlib
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "lab"), str(HERE.parent / "harness")]
import case  # noqa: E402
from site_of_machines import LAB, Site as Lab, wait_until  # noqa: E402, F401
from slipway import CLEAN, Program  # noqa: E402


FULL = os.environ.get("SLIPWAY_FULL") == "1"  # every case of a matrix, instead of a sample of them


class Machine:
    """One machine as root sees it, over a path that Slipway has no part in."""

    def __init__(self, lab, row):
        self.lab, self.name, self.address, self.address6 = lab, row["name"], row["address"], row["address6"]
        self.bastion = row["bastion"]

    def sh(self, script, **keywords):
        return self.lab.sh(self.name, script, **keywords).expect(0).out

    def try_sh(self, script, **keywords):
        return self.lab.sh(self.name, script, **keywords)

    def in_network(self, *words):
        """A program of this computer in the machine's network, for what the machine has no program for."""
        pid = self.lab.machines()[self.name]["pid"]
        return subprocess.run(["nsenter", "--target", str(pid), "--net", *words], capture_output=True, text=True)

    def exists(self, path):
        return self.try_sh(f"test -e {shlex.quote(path)}").code == 0

    def put(self, path, content, mode="0644", owner="root:root"):
        quoted, data = shlex.quote(path), content if isinstance(content, bytes) else content.encode()
        self.sh(f"mkdir -p $(dirname {quoted}) && base64 -d >{quoted} && chmod {mode} {quoted} && chown {owner} {quoted}",
                stdin=base64.b64encode(data).decode())

    @contextlib.contextmanager
    def sshd(self, *lines):
        """Its SSH server with these settings before all others; new connections only."""
        file = "/etc/ssh/sshd_config.d/00-test.conf"
        self.put(file, "\n".join(lines) + "\n")
        self._reload_sshd()
        try:
            yield
        finally:
            self.sh(f"rm {file}")
            self._reload_sshd()

    def _reload_sshd(self):
        """It begins anew, and for a moment does not listen."""
        self.sh("pid=$(systemctl show -P MainPID ssh); before=$(stat -Lc %i /proc/$pid/fd/3 2>/dev/null); systemctl reload ssh; "
                "for i in $(seq 100); do now=$(stat -Lc %i /proc/$pid/fd/3 2>/dev/null); "
                'test -n "$now" && test "$now" != "$before" && exit 0; sleep 0.05; done; exit 1')

    @contextlib.contextmanager
    def changed(self, do, undo):
        """Both are scripts; the second runs however the block ends."""
        self.sh(do)
        try:
            yield
        finally:
            self.sh(undo)

    def power(self, what):
        self.lab.run(f"power-{what}", self.name).expect(0)

    def now(self):
        """A place in the machine's journal, for `journal(since=…)`."""
        return self.sh("journalctl --sync; journalctl -n 0 --show-cursor").split("-- cursor: ")[1].strip()

    def journal(self, since, *more):
        """What the journal has got since then."""
        return self.sh(shlex.join(["journalctl", "-q", "-o", "cat", "--after-cursor", since, *more]))


class Site:
    """A spec of machines, with a state folder of its own."""

    def __init__(self, program, folder, hosts, parts, name):
        self.program, self.folder, self.name = program, pathlib.Path(folder), name
        self.folder.mkdir(parents=True)
        self.spec, self.state = self.folder / "cluster.yaml", self.folder / "state"
        self.env = {}
        self.options = ["--accept-new"]
        self.ignored = []
        self.started = []
        self.write(hosts, parts)

    def write(self, hosts, parts):
        """A JSON document is a YAML document."""
        self.spec_hosts, self.parts = hosts, parts
        self.spec.write_text(json.dumps({"apiVersion": "slipway.dev/v1", "kind": "Cluster", "metadata": {"name": self.name},
                                         "spec": {"hosts": hosts, **parts}}, ensure_ascii=False, indent=1))

    def arguments(self, command, *arguments):
        words = [*command.split(), *map(str, arguments), "--state", str(self.state)]
        if command in ("plan", "apply", "preflight", "hosts trust", "hosts clean"):
            words += ["-c", str(self.spec), *(self.options if command != "hosts trust" else [])]
        if command in ("apply", "preflight"):
            words += [word for check in self.ignored for word in ("--ignore", check)]
        return words

    def ignoring(self, *checks):
        self.ignored += checks
        return self

    def run(self, command, *arguments, env=None, timeout=180, **keywords):
        return self.program.run(*self.arguments(command, *arguments), env={**self.env, **(env or {})}, timeout=timeout,
                                **keywords)

    def start(self, command, *arguments, env=None):
        self.started.append(self.program.start(*self.arguments(command, *arguments), env={**self.env, **(env or {})}))
        return self.started[-1]

    def end_all(self):
        """A run that a failed test has left behind must not meet the next test."""
        for process in self.started:
            if process.poll() is None:
                process.kill()
                process.communicate()

    @property
    def journal(self):
        return self.state / self.name / "journal.db"

    @property
    def known_hosts(self):
        return self.state / self.name / "known_hosts"

    def query(self, sql):
        with contextlib.closing(sqlite3.connect(f"file:{self.journal}?mode=ro", uri=True)) as db:
            return db.execute(sql).fetchall()

    def outcomes(self):
        return dict(self.query("SELECT node, outcome FROM nodes"))

    def events(self, *types):
        result = self.run("events", "-o", "json", *[a for t in types for a in ("--type", t)])
        return result.json_lines if result.code == 0 else []

    def checks(self, result):
        """Failed checks of a `preflight -o json`, as {(host, id): check}."""
        return {(c["host"], c["id"]): c for c in result.json["checks"] if c["result"] == "failed"}

    def refused(self, host, check, says):
        """A preflight that ends with 4 because of this check of this host; the error's own words."""
        failed = self.checks(self.run("preflight", "-o", "json").expect(4))
        if (host, check) not in failed or says not in failed[host, check]["seen"]:
            raise AssertionError(f"{check} of {host} with {says!r} is not among: {list(failed.values())}")
        return failed[host, check]


class Case(case.Case):
    maxDiff = None
    lab = None

    machines = {}

    def machine(self, name="node1"):
        return self.machines[name]

    def host(self, machine="node1", login="root", roles=("control-plane", "worker"), **fields):
        """The machine as a host of a spec; `fields` add to it or take its place, None takes away."""
        made = {"name": machine, "address": self.machine(machine).address, **self.credentials(login), "roles": list(roles), **fields}
        return {key: value for key, value in made.items() if value is not None}

    def credentials(self, login):
        key, password = {"file": str(self.lab.state / "key")}, {"file": str(self.lab.state / "ops-password")}
        return {"root": {"user": "root", "key": key},
                "deploy": {"user": "deploy", "key": key},
                "ops": {"user": "ops", "key": key, "become": {"password": password}},
                "ops-password": {"user": "ops", "password": password, "become": {"password": password}}}[login]

    def site(self, *hosts, name="site", **parts):
        made = Site(self.program, self.folder / name, list(hosts), parts, name)
        self.addCleanup(made.end_all)
        return made

    def script_site(self, text, *hosts, name="site", when="preInstall", timeout=600, **parts):
        """A site whose only work is a script; OS preparation is switched off, to have it alone."""
        parts.setdefault("os", {key: False for key in ("hostname", "hostsEntries", "kernelModules", "sysctl", "swapOff", "limits",
                                                       "usersAndFolders", "firewall")}
                         | {"timeSync": {"enabled": False}, "selinux": {"enabled": False}})
        hooks = {when: [{"name": "work", "script": text, "timeoutSeconds": timeout}]}
        return self.site(*(hosts or [self.host()]), name=name, hooks=hooks, **parts)

    def output(self, site, host="node1"):
        """What the script of a script_site wrote there."""
        return site.run("logs", f"{host}/pre-install-script-work").expect(0).out

    def copy_key(self, name, mode=0o600):
        """The lab's private key in a file of this test's own."""
        path = self.folder / name
        shutil.copyfile(self.lab.state / "key", path)
        path.chmod(mode)
        return path

    @staticmethod
    def pause(seconds):
        """For a fault that must last: nothing tells from outside that it has."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            time.sleep(0.1)

    @contextlib.contextmanager
    def within(self, seconds, what="this"):
        began = time.monotonic()
        yield
        self.assertLess(time.monotonic() - began, seconds, f"{what} took longer than it may")


def _down_when_this_process_ends(lab):
    """Reads a pipe whose other end only this process has: it ends with us, also by SIGKILL. Forked off, so that
    whoever kills us with our children does not find it."""
    reading, writing = os.pipe()
    subprocess.run(["setsid", "--fork", "sh", "-c", 'read line; exec "$@" >/dev/null 2>&1', "down", LAB.path, "down"],
                   stdin=reading, env={**CLEAN, **lab.env}, check=True)
    os.close(reading)
    return writing


def main(count=1, behind=0, before=None):
    """`before(folder, program)` makes what the tests of the file share; without a count they start machines themselves."""
    if os.environ.get("SLIPWAY_NO_LAB") == "1":
        print("SLIPWAY_NO_LAB=1: hosts are not tested")
        sys.exit(77)
    able = LAB.run("doctor")
    if able.code != 0:
        sys.exit(f"this computer cannot hold a lab (SLIPWAY_NO_LAB=1 leaves these tests out):\n{able.out}{able.err}")
    LAB.run("image", timeout=1800).expect(0)
    folder = tempfile.mkdtemp(prefix="slipway-test-")
    lab = Lab(folder)
    guard = _down_when_this_process_ends(lab)
    try:
        if before:
            before(folder, Program(sys.argv[1]))
        Case.lab = lab
        if count:
            more = ("--behind-bastion", behind) if behind else ()
            lab.run("up", count, *more).expect(0)
            Case.machines = {name: Machine(lab, row) for name, row in lab.machines().items()}
        case.main()
    finally:
        lab.down()
        os.close(guard)
        shutil.rmtree(folder, ignore_errors=True)
