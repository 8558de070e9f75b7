"""A lab for a test: of a name and state folder of its own, and gone without a trace when the test ends.

    lab = Site.make(self, self.folder)
    lab.run("up", "2").expect(0)
    lab.sh("node1", "hostname").expect(0)
"""

import os
import pathlib
import secrets
import socket
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "harness")]
import traces  # noqa: E402
from slipway import CLEAN, Program  # noqa: E402

LAB = Program(HERE.parent.parent / "lab/lab")


class Site:
    def __init__(self, folder):
        self.name = "t" + secrets.token_hex(3)
        self.state = pathlib.Path(folder) / "slipway-lab" / self.name
        self.known_hosts = self.state / "known_hosts"
        self.env = {"SLIPWAY_LAB": self.name, "XDG_STATE_HOME": str(folder),
                    "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", "")}
        self.before = traces.snapshot()

    @classmethod
    def make(cls, case, folder):
        site = cls(folder)
        case.addCleanup(site.down)
        return site

    def run(self, *arguments, **keywords):
        return LAB.run(*arguments, env=self.env, timeout=300, **keywords)

    def down(self):
        self.run("down").expect(0)
        left, deadline = set(traces.left(self.before, self.name)), time.monotonic() + 2
        while left and time.monotonic() < deadline:  # commands of another lab come and go; what is left behind stays
            time.sleep(0.1)
            left &= set(traces.left(self.before, self.name))
        if left:
            raise AssertionError("down left behind:\n" + "\n".join(left))

    def killed(self, moment, *arguments):
        """Runs the lab and kills it at that moment, in seconds; True when it had not ended by itself."""
        process = LAB.start(*arguments, env=self.env)
        try:
            process.wait(timeout=moment)
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate(timeout=60)
        return process.returncode == -9

    def machines(self):
        return {row["name"]: row for row in self.run("status", "-o", "json").expect(0).json["machines"]}

    def sh(self, name, script, user="root", stdin=""):
        return self.run("ssh", "--user", user, name, "--", script, stdin=stdin)

    def session(self, name, script):
        """A command on a machine that goes on while the test does other things."""
        return subprocess.Popen([LAB.path, "ssh", name, "--", script], env={**CLEAN, **self.env}, text=True,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def boot_id(self, name):
        return self.sh(name, "cat /proc/sys/kernel/random/boot_id").expect(0).out

    def answer(self, name, seconds=1.0):
        """What port 22 says to this computer: "ssh", "refused", or "silence"."""
        try:
            with socket.create_connection((self.machines()[name]["address"], 22), timeout=seconds) as connection:
                return "ssh" if connection.recv(256).startswith(b"SSH-") else "silence"
        except TimeoutError:
            return "silence"
        except OSError:
            return "refused"


def wait_until(condition, what, seconds=30):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds} s for: {what}")
        time.sleep(0.1)
