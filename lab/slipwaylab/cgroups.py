"""The cgroups of the machines: one group a machine in every hierarchy, below the caller's own group.

systemd-nspawn roots a machine's cgroup namespace where the launching process is, in every v1
hierarchy and in the v2 tree. A machine that is left out of one of them shares it with the others,
and their kubelets then remove each other's pods. On a host whose PID 1 is systemd the groups
belong to systemd: nspawn asks it for a scope, and nothing is made here.

Groups are found by name in the whole tree: the caller of today may sit in another group than the
one who started the machine.
"""

import contextlib
import os
import pathlib
import signal
import time

from .command import LabError

V1_LIMIT, V2_LIMIT = "memory.limit_in_bytes", "memory.max"


def systemd_is_running():
    return pathlib.Path("/run/systemd/system").is_dir()


def is_unified():
    """Pure v2, as opposed to v1 with or without an empty v2 tree beside it."""
    return pathlib.Path("/sys/fs/cgroup/cgroup.controllers").exists()


def hierarchies():
    """(mount point, root of the mount, controllers) of each hierarchy; v2 has the controllers {""}."""
    found = {}
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        before, after = line.split(" - ", 1)
        kind, _, options = after.split(" ", 2)
        root, point = before.split(" ")[3:5]
        if kind == "cgroup2":
            found.setdefault("v2", (pathlib.Path(point), root, {""}))
        elif kind == "cgroup":
            names = {o for o in options.split(",") if o not in ("rw", "ro", "xattr", "clone_children")
                     and not o.startswith("release_agent=")}
            found.setdefault(frozenset(names), (pathlib.Path(point), root, names))
    return list(found.values())


def own_groups():
    """The folder of the caller's own group in each hierarchy."""
    paths = []
    own = {}
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        own[frozenset(names.split(","))] = path
    for point, root, names in hierarchies():
        path = own.get(frozenset(names), "/")
        if root != "/":
            path = path.removeprefix(root) if path.startswith(root) else "/"
        paths.append(point / path.strip("/"))
    return paths


def make(name, memory=""):
    """Makes the machine's groups; returns the files a process writes itself into."""
    if systemd_is_running():
        return []
    joins = []
    for parent in own_groups():
        _hand_down_controllers(parent)
        group = parent / name
        group.mkdir(exist_ok=True)
        for file in ("cpuset.cpus", "cpuset.mems"):  # v1 begins empty, and then takes no process
            if (parent / file).exists() and not (parent / "cgroup.controllers").exists():
                (group / file).write_text((parent / file).read_text())
        for file in (V1_LIMIT, V2_LIMIT):
            if memory and (group / file).exists():
                (group / file).write_text(memory)
        joins.append(group / "cgroup.procs")
    return joins


def _hand_down_controllers(parent):
    """Pure v2 only. Refused when the caller's group has processes and is not the top: then no limits."""
    if not is_unified():
        return
    with contextlib.suppress(OSError):
        for controller in (parent / "cgroup.controllers").read_text().split():
            with contextlib.suppress(OSError):
                (parent / "cgroup.subtree_control").write_text(f"+{controller}")


def find(prefix, exactly=False):
    """Groups of the lab in all hierarchies, outermost only; also the scopes systemd made for it."""
    found = []

    def walk(folder):
        try:
            children = [entry for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False)]
        except OSError:  # it went away meanwhile
            return
        for child in children:
            name = child.name.removesuffix(".scope")
            if name == prefix or (not exactly and name.startswith(prefix)):
                found.append(pathlib.Path(child.path))
            elif not child.name.startswith("slipway-lab-"):
                walk(child.path)

    for point, _, _ in hierarchies():
        walk(point)
    return found


def pids(groups):
    """Every process in the groups and below."""
    members = set()
    for group in groups:
        for folder, _, files in os.walk(group):
            if "cgroup.procs" in files:
                with contextlib.suppress(OSError):
                    members |= {int(p) for p in (pathlib.Path(folder) / "cgroup.procs").read_text().split()}
    return members - {0}  # 0: a process of another PID namespace


def remove(prefix, exactly=False, patience=15):
    """Kills what is in the groups and removes them, depth first, however long their processes take to die."""
    deadline = time.monotonic() + patience
    while groups := find(prefix, exactly):
        for pid in pids(groups):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for group in groups:
            for folder, _, _ in os.walk(group, topdown=False):
                with contextlib.suppress(OSError):
                    os.rmdir(folder)
        if not (groups := find(prefix, exactly)):
            return
        if time.monotonic() > deadline:
            raise LabError(f"cannot remove the cgroup {groups[0]}: its processes do not end")
        time.sleep(0.05)
