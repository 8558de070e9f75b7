"""What this computer holds that a lab could leave behind, read from the kernel and not from the lab."""

import contextlib
import json
import os
import pathlib
import subprocess


def _read(path):
    with contextlib.suppress(OSError):
        return pathlib.Path(path).read_bytes().decode(errors="replace")
    return ""


def _is_dead(entry):
    """A zombie is this computer's init's to clear away, and holds nothing."""
    return "\nState:\tZ" in _read(entry / "status")


def mounts():
    return {line.split(" ")[4] for line in _read("/proc/self/mountinfo").splitlines()}


def cgroups():
    """Ours, and what the machines made below them; others come and go as they like."""
    return {folder for folder, _, _ in os.walk("/sys/fs/cgroup") if "/slipway-lab-" in folder}


def loop_files():
    listed = subprocess.run(["losetup", "--list", "--json", "--output", "NAME,BACK-FILE"], capture_output=True, text=True, check=True)
    return {f"{d['name']} {d['back-file']}" for d in json.loads(listed.stdout or "{}").get("loopdevices", [])}


def links():
    return {p.name for p in pathlib.Path("/sys/class/net").iterdir()}


def contained_processes():
    """Processes in PID or network namespaces other than this one's, with all that tells whose they are."""
    own = [os.readlink(f"/proc/self/ns/{kind}") for kind in ("pid", "net")]
    found = set()
    for entry in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and not _is_dead(entry) and [os.readlink(entry / "ns" / kind) for kind in ("pid", "net")] != own:
                found.add(f"{entry.name} {_read(entry / 'cmdline')} {_read(entry / 'cgroup')}")
    return found


def processes_naming(text):
    found = set()
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid() and not _is_dead(entry):
            told = _read(entry / "cmdline") + _read(entry / "cgroup")
            if text in told:
                found.add(f"{entry.name} {told}")
    return found


def snapshot():
    return {"mount": mounts(), "cgroup": cgroups(), "loop device": loop_files(), "link": links(),
            "process": contained_processes()}


def left(before, lab):
    """What is there now and was not before, unless it belongs to another lab."""
    found = [f"{kind}: {thing}" for kind, things in snapshot().items() for thing in things - before[kind]
             if not _of_another(thing, lab)]
    found += [f"process: {p}" for p in processes_naming(f"slipway-lab-{lab}-")]
    return found


def _of_another(thing, lab):
    marks = ("slipway-lab", "slab-")
    return any(mark in thing for mark in marks) and not any(
        f"{mark}{end}" in thing for mark in ("slipway-lab-", "slipway-lab/", "slab-") for end in (f"{lab}-", f"{lab}/", lab))
