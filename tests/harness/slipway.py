"""Runs the slipway program for whole-program tests. Standard library only.

    program = Program(sys.argv[1])
    with scratch() as folder:
        site = Site(program, folder, hosts=["cp1=10.0.0.11:control-plane"])
        site.run("apply", "--yes").expect(0)
"""

import contextlib
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import tempfile

# Nothing of the caller's settings may change what a test sees.
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(("SLIPWAY_", "XDG_")) and k != "NO_COLOR"}


class Result:
    def __init__(self, argv, code, out, err):
        self.argv, self.code, self.out, self.err = argv, code, out, err

    def expect(self, code):
        if self.code != code:
            raise AssertionError(f"{' '.join(self.argv)}\nended with {self.code}, wanted {code}\n"
                                 f"--- stdout\n{self.out[-3000:]}\n--- stderr\n{self.err[-3000:]}")
        return self

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def json_lines(self):
        return [json.loads(line) for line in self.out.splitlines()]


class Program:
    def __init__(self, path):
        self.path = str(pathlib.Path(path).resolve())

    def run(self, *arguments, env=None, cwd=None, stdin="", timeout=60):
        argv = [self.path, *map(str, arguments)]
        done = subprocess.run(argv, input=stdin, capture_output=True, text=True, timeout=timeout,
                              env={**CLEAN, **(env or {})}, cwd=cwd)
        return Result(argv, done.returncode, done.stdout, done.stderr)

    def start(self, *arguments, env=None, cwd=None):
        return subprocess.Popen([self.path, *map(str, arguments)], env={**CLEAN, **(env or {})}, cwd=cwd,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@contextlib.contextmanager
def scratch():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="slipway-test-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Site:
    """A spec, a state folder and a simulation profile in a folder of their own."""

    def __init__(self, program, folder, hosts, extra="", simulate="healthy", name="site"):
        self.program, self.folder, self.name, self.simulate = program, pathlib.Path(folder), name, simulate
        self.folder.mkdir(parents=True, exist_ok=True)
        self.spec = self.folder / "cluster.yaml"
        self.state = self.folder / "state"
        made = program.run("init", name, *[a for h in hosts for a in ("--host", h)]).expect(0)
        self.spec.write_text(made.out + extra)

    def run(self, command, *arguments, **keywords):
        """A command with the spec, the state folder and the simulated hosts it needs."""
        where = ["--state", str(self.state)]
        if command in ("plan", "apply", "preflight"):
            where += ["-c", str(self.spec), f"--simulate={self.simulate}"]
        return self.program.run(command, *arguments, *where, **keywords)

    def start(self, command, *arguments, **keywords):
        return self.program.start(command, *arguments, "--state", self.state, "-c", self.spec,
                                  f"--simulate={self.simulate}", **keywords)

    @property
    def journal(self):
        return self.state / self.name / "journal.db"

    def query(self, sql):
        with contextlib.closing(sqlite3.connect(f"file:{self.journal}?mode=ro", uri=True)) as db:
            return db.execute(sql).fetchall()

    def outcomes(self):
        """What the journal says of every step: the last word."""
        return dict(self.query("SELECT node, outcome FROM nodes"))

    def hosts(self):
        """The simulated machines as they are now."""
        return self.run("debug", "snapshot", "-o", "json").expect(0).json
