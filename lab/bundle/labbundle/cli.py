"""`lab/bundle/build`: the path of the bundle on stdout, all else on stderr."""

import argparse
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import yaml

import go_program
from slipwaylab import image
from slipwaylab.command import LabError

from . import debian, inputs, programs
from .slipway import Slipway

KEPT = 2  # bundles: one of before a change, so that going back to it costs nothing


def main(argv):
    parser = argparse.ArgumentParser(prog="lab/bundle/build", description=__doc__)
    parser.add_argument("--slipway", type=pathlib.Path, metavar="FILE", help="the program that builds and signs",
                        default=inputs.ROOT / "build/release/bin/slipway")
    parser.add_argument("--path", action="store_true", help="only say where it would be")
    options = parser.parse_args(argv)
    folder = go_program.cache() / "lab"
    wanted = folder / f"bundle-{inputs.digest()}.bundle"
    try:
        if not options.path:
            ensure(wanted, options.slipway)
    except (LabError, OSError, subprocess.CalledProcessError) as error:
        say(error)
        return 1
    except KeyboardInterrupt:
        return 130
    print(wanted)
    return 0


def ensure(wanted, slipway):
    """A bundle of that name is always whole, and its public key is beside it."""
    if not wanted.exists():
        with go_program.Locked(wanted.parent / "bundle.lock"):
            if not wanted.exists():
                make(wanted, Slipway(slipway))
            forget_old(wanted)
    with contextlib.suppress(OSError):
        os.utime(wanted)  # in use: not the one that goes when there are too many


def make(wanted, slipway):
    started = time.monotonic()
    say("making the bundle, once for what goes into it")
    for left in wanted.parent.glob("bundle-making-*"):  # of a build that was killed
        shutil.rmtree(left)
    with tempfile.TemporaryDirectory(prefix="bundle-making-", dir=wanted.parent) as made:
        work = pathlib.Path(made)
        programs.collect(work / "programs")
        archives(work)
        roots(slipway, work)
        bundle = work / "lab.bundle"
        say("putting it together")
        recipe = complete_recipe()
        slipway.build(work / "recipe.yaml", recipe["spec"], bundle, **recipe["metadata"])
        public = slipway.sign(bundle, wanted.parent)
        shutil.copy(public, wanted.with_suffix(".pub"))
        with bundle.open("rb") as file:
            os.fsync(file.fileno())
        bundle.rename(wanted)
    say(f"made in {time.monotonic() - started:.0f} s, {wanted.stat().st_size / 1e6:.0f} MB")


def archives(work):
    (work / "archives").mkdir()
    for name, members in load("archives.yaml").items():
        programs.pack(work / "programs", work / "archives" / name, members)


def roots(slipway, work):
    wanted = load("debian.yaml")
    say("fetching Debian packages for the images")
    tree = debian.fetch(slipway, wanted["packages"], work)
    debian.make_base(tree, work / "roots/base")
    for name, root in wanted["roots"].items():
        debian.make_root(tree, root, work / "roots" / name)


def complete_recipe():
    """The recipe with what differs between computers."""
    recipe = load("recipe.yaml")
    status = image.ensure("base") / "var/lib/dpkg/status"
    for packages in recipe["spec"]["packages"]:
        packages.update(base=str(status), repositories=debian.repositories())
    return recipe


def forget_old(wanted):
    bundles = sorted(wanted.parent.glob("bundle-*.bundle"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in [path for path in bundles if path != wanted][KEPT - 1:]:
        path.unlink()
        path.with_suffix(".pub").unlink(missing_ok=True)


def load(name):
    return yaml.safe_load((inputs.HERE / name).read_text())


def say(text):
    print(f"lab bundle: {text}", file=sys.stderr, flush=True)
