"""Machines whose wall clock goes wrong. The kernel has only one, so lab/clock/shift_clock.c corrects what programs
are told: those started after the shift, static ones too. File times and programs that run already stay true."""

import contextlib
import hashlib
import os
import pathlib
import re
import shutil
import signal
import subprocess

from . import image, machine as machines, state
from .command import LabError, run

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "clock/shift_clock.c"
UNITS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "": 1000}


def milliseconds(text):
    """"+90s", "-2m", "+1500ms", "0"."""
    found = re.fullmatch(r"([+-]?\d{1,9})(ms|s|m|h|)", text)
    if not found:
        raise LabError(f"{text!r} is no shift of a clock; say +90s, -2m, +1500ms, or 0 for the true time")
    return int(found[1]) * UNITS[found[2]]


def set_offset(lab, machine, offset):
    machine.clock_ms = offset
    lab.save()
    if machines.leader(lab, machine):
        apply(lab, machine)


def apply(lab, machine):
    """Makes the running machine's clock what it is meant to be."""
    for pid in tracers(lab, machine):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    if machine.clock_ms == 0:
        return
    tracer = subprocess.Popen([tool(), str(machine.clock_ms), str(machines.leader(lab, machine)),
                               f"--machine={machines.group(lab, machine)}"], stdin=subprocess.DEVNULL, cwd="/",
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    if tracer.stdout.readline() != "ready\n":
        raise LabError(f"the clock of {machine.name} cannot be shifted: {tracer.stderr.read().strip()}")


def tracers(lab, machine):
    return [pid for pid in machines.processes(lab, machine.name)
            if os.path.basename(os.readlink(f"/proc/{pid}/exe")).startswith("clock-")]


def tool():
    """The tracer, compiled once for its source."""
    program = image.cache() / f"clock-{hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:16]}"
    if not program.exists():
        compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "gcc-12", "clang-19"))), None)
        if not compiler:
            raise LabError("shifting a clock needs a C compiler; `make setup` installs one")
        program.parent.mkdir(parents=True, exist_ok=True)
        with state.lock("clock"):
            making = program.with_suffix(".making")
            run(compiler, "-O2", "-Wall", "-Wextra", "-o", making, SOURCE)
            making.rename(program)
    return program
