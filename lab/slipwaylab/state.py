"""What a lab is meant to be: its folders, its lock and the list of its machines.

Two places hold everything of a lab, so that `down` finds it whatever has been forgotten:
  /run/slipway-lab/NAME    mounts and network namespaces, gone with the next boot of this computer
  the state folder         keys, password, known_hosts, disks
"""

import contextlib
import dataclasses
import fcntl
import json
import os
import pathlib
import re
import shutil
import time

from . import command, mounts
from .command import LabError

RUN = pathlib.Path("/run/slipway-lab")


@dataclasses.dataclass
class Machine:
    name: str
    index: int               # its place in the subnet; never used twice in a lab
    machine_id: str
    light: bool = False      # sshd alone instead of a booted system
    bastion: bool = False    # has a second interface, on the network behind it
    behind: str = ""         # the bastion it is reached through
    memory: str = ""         # limit, as the kernel reads it: 2G
    disk: str = ""           # size of its disk; "tmpfs:SIZE" keeps it in memory
    link: str = "up"         # up, down or slow: kept over a power cut, as a pulled cable is
    clock_ms: int = 0        # how far its wall clock is off
    on: bool = True          # what its power button was last told


class Lab:
    """One lab: paths, and the machines it is meant to have."""

    def __init__(self, name, damaged_is_empty=False):
        if not re.fullmatch(r"[a-z][a-z0-9]{0,8}", name):
            raise LabError(f"{name!r} is no name of a lab: 1 to 9 small letters and digits, a letter first")
        self.name = name
        self.prefix = f"slipway-lab-{name}-"     # cgroups and nspawn machines
        self.run = RUN / name
        self.state = self._state_folder()
        self.subnet = 0
        self.variant = "base"
        self.machines = {}
        self._read(damaged_is_empty)

    def _state_folder(self):
        """Of the lab that is up, wherever this caller would have put it."""
        link = self.run / "state"
        if link.is_symlink():
            return pathlib.Path(os.readlink(link))
        home = os.environ.get("XDG_STATE_HOME") or pathlib.Path.home() / ".local/state"
        return pathlib.Path(home).absolute() / "slipway-lab" / self.name

    key = property(lambda self: self.state / "key")
    password = property(lambda self: self.state / "ops-password")
    known_hosts = property(lambda self: self.state / "known_hosts")

    def disk_folder(self, machine):
        return self.state / "machines" / machine.name

    def run_folder(self, machine):
        return self.run / "machines" / machine.name

    def netns(self, name):
        """The network namespace of a machine, or of the switch."""
        return self.run / "switch" if name == "switch" else self.run / "machines" / name / "net"

    @property
    def exists(self):
        return self.subnet != 0

    def machine(self, name):
        if name not in self.machines:
            known = ", ".join(self.machines) or "none"
            raise LabError(f"lab {self.name!r} has no machine {name!r}; it has: {known}")
        return self.machines[name]

    def _read(self, damaged_is_empty):
        try:
            stored = json.loads((self.state / "lab.json").read_text())
        except FileNotFoundError:
            return
        except ValueError:
            if damaged_is_empty:
                return
            raise LabError(f"{self.state}/lab.json cannot be read; `lab --lab {self.name} down` clears it away") from None
        self.subnet, self.variant = stored["subnet"], stored["variant"]
        self.machines = {m["name"]: Machine(**m) for m in stored["machines"]}

    def save(self):
        self.state.mkdir(parents=True, exist_ok=True)
        self.state.chmod(0o700)
        text = json.dumps({"version": 1, "name": self.name, "subnet": self.subnet, "variant": self.variant,
                           "machines": [dataclasses.asdict(m) for m in self.machines.values()]}, indent=2)
        write_whole(self.state / "lab.json", text + "\n")
        self.run.mkdir(parents=True, exist_ok=True)
        if not mounts.is_mounted(self.run):  # a mount, so that launch.sh can leave out the whole lab
            command.run("mount", "-t", "tmpfs", "-o", "mode=0700,size=16m", f"slipway-lab-{self.name}", self.run)
        link = self.run / "state"
        if not link.is_symlink():
            link.symlink_to(self.state)

    def forget(self):
        """Removes both folders and all that is mounted there; /run last, since it says where the other is."""
        shutil.rmtree(self.state, ignore_errors=True)
        mounts.unmount_below(self.run)
        shutil.rmtree(self.run, ignore_errors=True)
        for folder in (self.state, self.run):
            if folder.exists():
                raise LabError(f"{folder} cannot be removed; something still uses it")

    @property
    def half_down(self):
        return not self.exists and (self.run / "state").is_symlink()


def write_whole(path, text, mode=0o600):
    """A file that is there with all of its content, or not at all."""
    temporary = path.with_name(f".{path.name}.new")
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


@contextlib.contextmanager
def lock(name, patience=600):
    """One command at a time. Also waits for the tools of a lab that was killed (see command.py)."""
    folder = pathlib.Path("/run/lock")
    folder.mkdir(parents=True, exist_ok=True)
    fd = os.open(folder / f"slipway-lab-{name}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    deadline = time.monotonic() + patience
    try:
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise LabError(f"another command has held lab {name!r} for {patience} s") from None
                time.sleep(0.05)
        command.keep_open(fd)
        yield
    finally:
        command.let_go(fd)
        os.close(fd)


def names():
    """Every lab that has something in /run."""
    return sorted(p.name for p in RUN.iterdir() if (p / "state").is_symlink()) if RUN.is_dir() else []
