"""One machine: how it is started, found, stopped, and cut off from its power.

Every function may be called again after the lab was killed in the middle of it: it looks at what
there is (processes by cgroup and argument, mounts by place) and not at what was remembered.
"""

import contextlib
import os
import pathlib
import signal
import subprocess
import time
import uuid

from . import cgroups, disk, identity, image, network
from .command import LabError, run

PROGRAM = pathlib.Path(__file__).resolve().parent.parent / "lab"
LAUNCH = pathlib.Path(__file__).resolve().parent / "launch.sh"
INSIDE = "/mnt"
START_SECONDS = 120
STOP_SECONDS = 45

# A later container runtime and kubelet need more than nspawn gives by itself. Not the clock: there is only
# one, and a time service in a machine would set that of this computer.
PRIVILEGES = ["--capability=all", "--drop-capability=CAP_SYS_TIME", "--system-call-filter=@keyring bpf", "--bind=/dev/kmsg"]
LIGHT_INIT = "mkdir -p /run/sshd && exec /usr/sbin/sshd -D -e"


def group(lab, machine):
    return f"{lab.prefix}{machine.name}"


def nspawn(lab, machine):
    """The command of the machine; launch.sh shows it its folder as INSIDE."""
    argv = ["systemd-nspawn", "--quiet", f"--machine={group(lab, machine)}", f"--hostname={machine.name}",
            f"--directory={INSIDE}/root", f"--network-namespace-path={INSIDE}/net", "--register=no",
            "--settings=no", "--link-journal=no", "--resolv-conf=off", "--timezone=off", "--console=pipe"]
    if cgroups.systemd_is_running():
        argv += [f"--property=MemoryMax={machine.memory}"] if machine.memory else []
    else:
        argv += ["--keep-unit"]
    if machine.light:
        return argv + ["--as-pid2", "/bin/sh", "-c", LIGHT_INIT]
    return argv + [*PRIVILEGES, f"--bind={INSIDE}/disk/var-lib:/var/lib", "--boot"]


def processes(lab, name=""):
    """Launchers and nspawns of the lab, or of one machine of it: their arguments say whose they are."""
    wanted = f"--machine={lab.prefix}{name}"
    found = set()
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                arguments = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
                if any(a == wanted or (not name and a.startswith(wanted)) for a in arguments):
                    found.add(int(entry.name))
    return found


def leader(lab, machine):
    """The machine's PID 1, as this computer numbers it; None when the machine is off."""
    best = None
    for pid in cgroups.pids(cgroups.find(group(lab, machine), exactly=True)):
        with contextlib.suppress(OSError, IndexError):
            status = pathlib.Path(f"/proc/{pid}/status").read_text()
            numbers = status.split("NSpid:", 1)[1].split("\n", 1)[0].split()
            if "\nState:\tZ" not in status and len(numbers) > 1 and numbers[-1] == "1":
                best = min(best or (99, 0), (len(numbers), pid))  # containers in it are deeper
    return best[1] if best else None


def boot(lab, machine):
    """Brings the machine up from whatever state it is in; returns when its sshd answers."""
    alive = lambda: leader(lab, machine)  # noqa: E731
    if leader(lab, machine) is None:
        clear(lab, machine)
        joins = cgroups.make(group(lab, machine), machine.memory)
        lower = image.ensure(lab.variant)
        mounted, root = disk.mount(lab, machine, lower)
        identity.seed(lab, machine, lower, mounted, root)
        network.plug_in(lab, machine)
        launcher = launch(lab, machine, joins)
        alive = lambda: runs(launcher)  # noqa: E731
    network.wait_for_ssh(lab, machine, alive, START_SECONDS)
    if not machine.light:
        finish_boot(machine, leader(lab, machine))


def launch(lab, machine, joins):
    console = lab.disk_folder(machine) / "console.log"
    with console.open("wb") as log:
        return subprocess.Popen(
            ["sh", LAUNCH, PROGRAM, lab.name, f"--machine={group(lab, machine)}", lab.run_folder(machine), *joins, "--",
             *nspawn(lab, machine)], stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/",
            start_new_session=True, env={**os.environ, "SYSTEMD_NSPAWN_API_VFS_WRITABLE": "yes"})


def runs(launcher):
    """Not once launch.sh has become `lab settle`, which waits for the lock its starter holds."""
    if launcher.poll() is not None:
        return False
    return b"settle" not in pathlib.Path(f"/proc/{launcher.pid}/cmdline").read_bytes().split(b"\0")


def finish_boot(machine, pid):
    """What nspawn cannot be told. v1 cgroups come read-only, and containers in the machine need to make
    groups of their own; the serial number of the hardware is that of this computer."""
    script = "" if cgroups.is_unified() else (
        "mount -o remount,rw /sys/fs/cgroup\n"
        "for d in /sys/fs/cgroup/*/; do mountpoint -q $d && mount -o remount,bind,rw $d; done\n")
    script += ("uuid=/sys/class/dmi/id/product_uuid\n"
               "if [ -e $uuid ] && ! mountpoint -q $(readlink -f $uuid); then\n"
               f"  echo {uuid.UUID(machine.machine_id)} >/run/product_uuid && mount --bind /run/product_uuid $uuid\n"
               "fi\n")
    if pid:
        run("nsenter", "--target", pid, "--mount", "--", "/bin/sh", "-c", script)


def clear(lab, machine):
    """Removes what a life of the machine left behind, and ends it if it has not ended; the disk stays."""
    for pid in processes(lab, machine.name):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    cgroups.remove(group(lab, machine), exactly=True)
    disk.unmount(lab, machine)
    network.unplug(lab, machine)


def power_off(lab, machine):
    """As its button does: the machine shuts down in order."""
    pid = leader(lab, machine)
    if pid and not machine.light:
        os.kill(pid, signal.SIGRTMIN + 4)  # systemd: start poweroff.target
        deadline = time.monotonic() + STOP_SECONDS
        while leader(lab, machine):
            if time.monotonic() > deadline:
                raise LabError(f"{machine.name} did not shut down within {STOP_SECONDS} s; power-cut ends it at once")
            time.sleep(0.1)
    clear(lab, machine)


def power_cut(lab, machine):
    """As when the plug is pulled: not one packet more, not one block more, then everything is gone."""
    network.set_cut(lab, machine, True)
    disk.lose_power(lab, machine)
    if pid := leader(lab, machine):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    clear(lab, machine)
