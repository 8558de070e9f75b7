"""Mounts and loop devices, found by where they are and not by what somebody remembers."""

import json
import pathlib
import re
import time

from .command import LabError, run


def below(folder):
    """Mount points at and below a folder, innermost first."""
    root = str(folder)
    found = []
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        point = re.sub(r"\\([0-7]{3})", lambda m: chr(int(m[1], 8)), line.split(" ")[4])
        if point == root or point.startswith(root + "/"):
            found.append(point)
    return found[::-1]  # the kernel lists them in the order of mounting


def is_mounted(point):
    return str(point) in below(point)


def unmount_below(folder, patience=10):
    """Unmounts everything there; waits for what the kernel has not yet let go of."""
    deadline = time.monotonic() + patience
    while left := below(folder):
        failed = [done.stderr.strip() for point in left
                  if (done := run("umount", "--no-canonicalize", point, check=False)).returncode]
        if not failed:
            continue
        if time.monotonic() > deadline:
            raise LabError(f"cannot unmount: {'; '.join(failed)}")
        time.sleep(0.05)


def detach_loops(folder):
    """Frees loop devices whose file lies below the folder (mount does so itself, unless it was killed)."""
    listed = run("losetup", "--list", "--json", "--output", "NAME,BACK-FILE").stdout
    for device in json.loads(listed or "{}").get("loopdevices", []):
        if (device["back-file"] or "").startswith(f"{folder}/"):
            run("losetup", "--detach", device["name"], check=False)
