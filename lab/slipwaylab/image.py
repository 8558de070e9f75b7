"""The image all machines share: Debian 12 from debootstrap, made once, kept by the digest of its recipe."""

import hashlib
import os
import pathlib
import re
import shutil
import sys
import tempfile
import time

from . import mounts, state
from .command import LabError, run

RECIPE = pathlib.Path(__file__).resolve().parent.parent / "recipe"
VARIANTS = {"base": [], "python": ["python3"]}  # python: so that Ansible can be measured beside us
SUITE = "bookworm"


def cache():
    home = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(home).absolute() / "slipway/lab"


def packages(variant):
    lines = (RECIPE / "packages.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")] + VARIANTS[variant]


def folder(variant):
    recipe = "\n".join([SUITE, *packages(variant), (RECIPE / "setup.sh").read_text()])
    return cache() / f"{variant}-{hashlib.sha256(recipe.encode()).hexdigest()[:16]}"


def mirror():
    """Where this computer's own apt gets Debian from: the first archive that has the suite."""
    for file in [pathlib.Path("/etc/apt/sources.list"), *sorted(pathlib.Path("/etc/apt/sources.list.d").glob("*"))]:
        if not file.is_file():
            continue
        text = re.sub(r"(?m)^\s*#.*\n", "", file.read_text())
        if file.suffix == ".sources":
            for stanza in re.split(r"\n\s*\n", text):
                fields = dict(re.findall(r"(?m)^([\w-]+):\s*(.*)$", stanza))
                if SUITE in fields.get("Suites", "").split():
                    return fields["URIs"].split()[0]
        elif file.suffix == ".list":
            if found := re.search(rf"(?m)^deb\s+(?:\[[^]]*\]\s+)?(\S+)\s+{SUITE}\s", text):
                return found[1]
    raise LabError(f"the image is made from Debian {SUITE}, and no source in /etc/apt has it; add one")


def ensure(variant):
    """The image's folder, made when it is not there. A folder of that name is always whole."""
    wanted = folder(variant)
    if wanted.is_dir():
        return wanted
    cache().mkdir(parents=True, exist_ok=True)
    with state.lock("image", patience=1800):
        if not wanted.is_dir():
            build(variant, wanted)
    return wanted


def build(variant, wanted):
    for left in cache().glob("making-*"):  # of a build that was killed
        mounts.unmount_below(left)
        shutil.rmtree(left)
    started = time.monotonic()
    print(f"lab: making the {variant} image, once for this computer", file=sys.stderr, flush=True)
    making = pathlib.Path(tempfile.mkdtemp(prefix="making-", dir=cache()))
    making.chmod(0o755)
    root = making / "root"
    log_path = cache() / "build.log"
    with log_path.open("w") as log:
        try:
            run("debootstrap", "--variant=minbase", "--include=" + ",".join(packages(variant)), SUITE, root, mirror(), log=log)
            shutil.copy(RECIPE / "setup.sh", root / "setup.sh")
            run("chroot", root, "/setup.sh", log=log)
            (root / "setup.sh").unlink()
        except LabError as error:
            raise LabError(f"the image was not made: {error}; see {log_path}") from None
    mounts.unmount_below(making)
    run("sync", "--file-system", root)
    root.rename(wanted)
    making.rmdir()
    print(f"lab: image made in {time.monotonic() - started:.0f} s: {wanted}", file=sys.stderr)
