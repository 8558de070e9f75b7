"""A running registry, a bundle to serve, and the programs of others that are tried with it."""

import json
import os
import pathlib
import re
import select
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "harness"))
import case  # noqa: E402

PASSWORD = "correct horse battery"
_built = {}


def program(name):
    """The path of a program that is built from tools/go."""
    if name not in _built:
        made = subprocess.run([ROOT / "scripts" / "go_program.py", name], check=True, text=True, stdout=subprocess.PIPE)
        _built[name] = made.stdout.strip()
    return _built[name]


class Registry:
    """`slipway registry serve`, ready; ended by close()."""

    def __init__(self, slipway, folder, *arguments, listen="127.0.0.1:0"):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.process = subprocess.Popen(
            [slipway, "registry", "serve", "--listen", listen, "--tls-dir", folder / "tls", "--access-log",
             folder / "access.log", *map(str, arguments)],
            stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
        readable, _, _ = select.select([self.process.stderr], [], [], 30)
        self.line = self.process.stderr.readline() if readable else ""
        found = re.search(r"ready: (https?)://(\S+)", self.line)
        if not found:
            self.process.kill()
            raise AssertionError("the registry did not start: " + self.line + self.process.communicate()[1])
        self.scheme, self.address = found.groups()
        self.ca = folder / "tls" / "ca.crt"

    @property
    def port(self):
        return int(self.address.rsplit(":", 1)[1])

    def requests(self):
        """[(method, target, status)] of the access log so far."""
        lines = (self.folder / "access.log").read_text().splitlines()
        return [(w[2], w[3], int(w[4])) for w in map(str.split, lines)]

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=60)
        rest = self.process.stderr.read()
        self.process.stderr.close()
        return code, rest


class Case(case.Case):
    def registry(self, *arguments, name="registry", **keywords):
        out = Registry(self.program.path, self.folder / name, *arguments, **keywords)
        self.addCleanup(lambda: out.process.poll() is None and out.close())
        return out

    def run_ok(self, *argv, env=None, cwd=None, stdin=None):
        done = subprocess.run([str(a) for a in argv], text=True, capture_output=True, cwd=cwd or self.folder,
                              env=dict(os.environ, HOME=str(self.folder), TMPDIR=str(self.folder), **(env or {})),
                              input=stdin, timeout=300)
        if done.returncode != 0:
            raise AssertionError(f"{argv} ended with {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-3000:]}")
        return done.stdout

    def run_bad(self, *argv, **keywords):
        try:
            out = self.run_ok(*argv, **keywords)
        except AssertionError as failure:
            return str(failure)
        raise AssertionError(f"{argv} should have failed\n{out}")

    def bundle(self):
        """A bundle with two images, one of them for two platforms, a binary and a chart."""
        folder = self.folder / "recipe"
        chart = folder / "chart" / "templates"
        chart.mkdir(parents=True)
        for arch in ("amd64", "arm64"):
            (folder / f"server-{arch}").write_bytes(os.urandom(300_000))
        (folder / "pause").write_bytes(b"#!/bin/sh\nexec sleep infinity\n")
        (folder / "tool").write_bytes(os.urandom(100_000))
        (folder / "chart" / "Chart.yaml").write_text("apiVersion: v2\nname: hello\nversion: 1.2.3\n")
        (chart / "config.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: hello}\n")
        images = [self.image("registry.k8s.io/pause:3.10", "pause", "amd64")]
        images += [self.image("quay.io/team/server:1.0", f"server-{arch}", arch) for arch in ("amd64", "arm64")]
        recipe = {"apiVersion": "slipway.dev/v1", "kind": "Recipe", "metadata": {"name": "demo", "version": "1.0"},
                  "spec": {"images": images, "binaries": [{"file": "tool", "version": "v1"}],
                           "charts": [{"chart": "chart"}]}}
        (folder / "recipe.yaml").write_text(json.dumps(recipe))
        out = self.folder / "demo.bundle"
        self.run_ok(self.program.path, "bundle", "build", "-f", folder / "recipe.yaml", "-o", out)
        return out

    @staticmethod
    def image(name, file, arch):
        return {"name": name, "image-from-files": {"arch": arch, "entrypoint": ["/bin/program"],
                                                   "files": [{"file": file, "to": "/bin/program", "mode": "0755"}]}}

    def logins(self, user="team"):
        file = self.folder / "logins"
        self.run_ok(self.program.path, "registry", "passwd", file, user, stdin=PASSWORD + "\n")
        return file


main = case.main
