"""Can this computer hold a lab? Every obstacle as one sentence that says what is missing and what would help.

Kernel features are tried, in namespaces that are thrown away, and not looked up: what a kernel was built with
and what this process may do with it are two things.
"""

import contextlib
import os
import shutil
import tempfile

from . import cgroups, image, mounts, state
from .command import LabError, run

TOOLS = {"systemd-nspawn": "systemd-container", "debootstrap": "debootstrap", "ip": "iproute2", "tc": "iproute2",
         "ss": "iproute2", "nft": "nftables", "mke2fs": "e2fsprogs", "losetup": "mount", "mount": "mount",
         "nsenter": "util-linux", "unshare": "util-linux", "ssh": "openssh-client", "ssh-keygen": "openssh-client",
         "openssl": "openssl"}
SPACE_GIB = 4

# name of the trial → (what it runs in fresh mount and network namespaces, what its failure means)
TRIALS = {
    "veth": ("ip link add cable0 type veth peer name cable1",
             "the kernel makes no veth cables, so machines cannot have a network"),
    "bridge": ("ip link add switch0 type bridge", "the kernel makes no bridges, so machines cannot have a network"),
    "filter": ("nft add table bridge t", "the kernel has no nftables for bridges, so links cannot be cut silently"),
    "overlay": ("mkdir l u w r && mount -t overlay o -o lowerdir=l,upperdir=u,workdir=w r",
                "the kernel has no overlay file system here, so machines cannot share an image"),
    "loop": ("mke2fs -q -t ext4 f 8M && mkdir m && mount -o loop f m && umount m",
             "no loop device can be mounted, so disks would have to be in memory: use --disk tmpfs:2G"),
    "netem": ("ip link add cable2 type veth peer name cable3 && tc qdisc add dev cable2 root netem delay 1ms",
              "the kernel has no netem: `link slow` makes a link narrow, but adds no delay and no loss"),
}
LESSER = {"loop", "netem"}


def obstacles():
    """Sentences, each a reason why no lab can be here."""
    if os.geteuid() != 0:
        return ["needs root: it mounts, and makes namespaces and cgroups; run it with sudo"]
    found = [f"{tool} is missing; `make setup` installs it (Debian package {package})"
             for tool, package in TOOLS.items() if not shutil.which(tool)]
    if not found:
        found += [TRIALS[name][1] for name in trials() if name not in LESSER]
    return found + _cgroup_obstacles() + _image_obstacles()


def limits():
    """Sentences, each something that a lab here cannot do, though the rest works."""
    found = [TRIALS[name][1] for name in trials() if name in LESSER]
    if not cgroups.systemd_is_running() and cgroups.is_unified() and not _memory_is_handed_down():
        found.append("cgroup v2 hands no controllers down to groups beside the caller's processes: --memory has no effect")
    return found


def trials():
    """Names of the trials that fail."""
    with tempfile.TemporaryDirectory(prefix="slipway-lab-") as folder:
        mounted = f"mount -t tmpfs -o size=64m t {folder} && cd {folder} || exit 1\n"
        script = mounted + "".join(f"mkdir {name} && cd {name} && {{ ({command}) >log 2>&1 || echo {name}; }}; cd ..\n"
                                   for name, (command, _) in TRIALS.items())
        done = run("unshare", "--mount", "--net", "--propagation", "private", "--", "sh", "-c", script, check=False)
    if done.returncode != 0 and not done.stdout:
        raise LabError(f"this process may not make namespaces ({done.stderr.strip()}); a lab needs a root with all its capabilities")
    return done.stdout.split()


def _cgroup_obstacles():
    if cgroups.systemd_is_running():
        return []
    groups = cgroups.own_groups()
    if not groups:
        return ["no cgroups are mounted; mount them below /sys/fs/cgroup"]
    return [f"the cgroup {group} cannot be written to, so machines cannot have one of their own"
            for group in groups if not os.access(group, os.W_OK) or os.statvfs(group).f_flag & os.ST_RDONLY]


def _image_obstacles():
    if image.folder("base").is_dir():
        return []
    found = []
    place = next(p for p in [image.cache(), *image.cache().parents] if p.is_dir())
    if shutil.disk_usage(place).free < SPACE_GIB << 30:
        found.append(f"less than {SPACE_GIB} GiB are free below {place}, where the image is kept")
    try:
        image.mirror()
    except LabError as error:
        found.append(str(error))
    return found


def _memory_is_handed_down():
    with contextlib.suppress(OSError):
        return "memory" in (cgroups.own_groups()[0] / "cgroup.subtree_control").read_text().split()
    return False


def leftovers():
    """Labs whose state folder is gone or that were not taken down: what is where."""
    return [f"lab {name!r} is up, its state in {state.Lab(name, damaged_is_empty=True).state}" for name in state.names()
            if mounts.is_mounted(state.RUN / name)]
