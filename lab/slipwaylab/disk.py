"""The disk of a machine: an ext4 file system in a sparse file, the upper layer of its root.

    DISK/upper, DISK/work   what the machine changed in the image (overlay)
    DISK/var-lib            its /var/lib, in no overlay: containerd cannot put an overlay on one
    DISK/ballast            there while the disk is full
    DISK/spare              1 MiB that an overlay needs to be mounted again on a full disk

A light machine, or a computer without loop devices, keeps it in memory (tmpfs).
"""

import contextlib
import fcntl
import os
import struct

from . import mounts
from .command import run

EXT4_IOC_SHUTDOWN = 0x8004587D
NO_LOG_FLUSH = 2


def paths(lab, machine):
    folder = lab.run_folder(machine)
    return folder / "disk", folder / "root"


def in_memory(machine):
    return machine.disk.startswith("tmpfs:")


def mount(lab, machine, image):
    """Mounts disk and root, making the disk first when it is not there; returns (disk, root)."""
    disk, root = paths(lab, machine)
    for folder in (disk, root, lab.disk_folder(machine)):
        folder.mkdir(parents=True, exist_ok=True)
    if not mounts.is_mounted(disk):
        if in_memory(machine):
            run("mount", "-t", "tmpfs", "-o", f"mode=0755,size={machine.disk.removeprefix('tmpfs:')}",
                f"slipway-lab-{lab.name}", disk)
        else:
            _mount_file(_disk_file(lab, machine), disk)
    for name in ("upper", "work"):
        (disk / name).mkdir(exist_ok=True)
    if not mounts.is_mounted(root):
        (disk / "spare").unlink(missing_ok=True)
        run("mount", "-t", "overlay", f"slipway-lab-{lab.name}", "-o",
            f"lowerdir={image},upperdir={disk}/upper,workdir={disk}/work", root)
        _take(disk / "spare", 1 << 20)
    return disk, root


def _mount_file(file, disk):
    """Through a loop device of its own: `mount -o loop` would take the one of before a power cut, with its dead file
    system, when some other mount namespace of this computer has not let go of it."""
    device = run("losetup", "--find", "--show", file).stdout.strip()
    try:
        run("mount", "-o", "noinit_itable", device, disk)
    finally:
        run("losetup", "--detach", device)  # once it is unmounted


def _disk_file(lab, machine):
    file = lab.disk_folder(machine) / "disk.img"
    if not file.exists():
        making = file.with_suffix(".making")
        making.unlink(missing_ok=True)
        # No blocks kept back for root: a full disk is full for everybody.
        run("mke2fs", "-q", "-t", "ext4", "-m", "0", "-J", "size=16", "-E", "lazy_itable_init=1,nodiscard",
            making, machine.disk)
        making.rename(file)
    return file


def unmount(lab, machine):
    """As when the power is off; what is in memory only must stay mounted to be kept."""
    disk, root = paths(lab, machine)
    mounts.unmount_below(root)
    if not in_memory(machine):
        mounts.unmount_below(disk)


def lose_power(lab, machine):
    """Nothing that was not synced reaches the disk any more: ext4 stops at once and drops its buffers."""
    disk, _ = paths(lab, machine)
    if in_memory(machine) or not mounts.is_mounted(disk):
        return
    with contextlib.suppress(OSError):  # an older kernel: what was written stays, as if it had been synced
        fd = os.open(disk, os.O_RDONLY)
        try:
            fcntl.ioctl(fd, EXT4_IOC_SHUTDOWN, struct.pack("I", NO_LOG_FLUSH))
        finally:
            os.close(fd)


def fill(lab, machine):
    """Takes every free block, as a file the machine cannot see."""
    disk, root = paths(lab, machine)
    run("sync", "--file-system", root)
    if in_memory(machine):
        used = os.statvfs(disk)
        run("mount", "-o", f"remount,size={(used.f_blocks - used.f_bfree) * used.f_frsize}", disk)
        return
    space = os.statvfs(disk)
    _take(disk / "ballast", space.f_bfree * space.f_frsize)
    run("sync", "--file-system", disk)


def _take(path, size):
    """Makes the file that much longer, or takes all there is when that is less."""
    with open(path, "ab") as file:
        step, end = size, file.seek(0, os.SEEK_END) + size
        while step >= 4096 and (at := file.seek(0, os.SEEK_END)) < end:
            try:
                os.posix_fallocate(file.fileno(), at, min(step, end - at))
            except OSError:
                step //= 2  # the file's own extents need blocks as well


def empty(lab, machine):
    disk, _ = paths(lab, machine)
    if in_memory(machine):
        run("mount", "-o", f"remount,size={machine.disk.removeprefix('tmpfs:')}", disk)
    else:
        (disk / "ballast").unlink(missing_ok=True)


def is_full(lab, machine):
    disk, _ = paths(lab, machine)
    return mounts.is_mounted(disk) and os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize < 1 << 20
