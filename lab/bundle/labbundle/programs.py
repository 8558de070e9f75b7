"""The programs of the bundle in one folder, by name: those of Go modules, pause and the probe."""

import os
import shutil
import tarfile

import go_program
from slipwaylab.command import LabError, run

from . import inputs


def collect(folder):
    folder.mkdir()
    go = go_program.find_go()
    for module in inputs.MODULES:
        for program in go_program.build(module, go):
            place(program, folder / program.name)
    build_probe(go, folder / "probe")
    build_pause(folder / "pause")


def place(program, target):
    """A hard link where that can be: a bundle's programs are 1 GB."""
    if target.exists():
        raise LabError(f"two modules of tools/go make a program called {target.name}")
    try:
        os.link(program, target)
    except OSError:
        shutil.copy2(program, target)


def build_probe(go, target):
    go_program.compile_packages(inputs.HERE / "probe", go, {}, target, ["."])


def build_pause(target):
    compiler = next(filter(None, map(shutil.which, ("gcc-12", "gcc", "cc"))), None)
    if not compiler:
        raise LabError("pause is written in C and there is no compiler; `make setup` installs one")
    run(compiler, "-static", "-O2", "-Wall", "-Wextra", "-Werror", "-s", "-Wl,--build-id=none", "-o", target,
        inputs.HERE / "pause.c")


def pack(programs, target, members):
    """A plain tar that is the same for the same programs."""
    with tarfile.open(target, "w", format=tarfile.USTAR_FORMAT) as tar:
        for place_in_tar, program in sorted(members.items()):
            entry = tarfile.TarInfo(place_in_tar)
            entry.mode = 0o755
            entry.size = (programs / program).stat().st_size
            with (programs / program).open("rb") as content:
                tar.addfile(entry, content)
