"""The network of a lab: a switch in a network namespace of its own, one cable to this computer.

    this computer  slab-NAME ──── uplink ┐
                                  front ─┤ bridge   10.77.N.0/24, fd77:51ab:N::/64
    machine  eth0 ──────────────── f-11 ─┘
    bastion  eth1 ──────────────── b-11 ─┐ bridge   10.78.N.0/24, fd78:51ab:N::/64
    machine behind it  eth0 ────── b-12 ─┘          no way to this computer

The bridges are not this computer's, so its firewall does not see what passes between machines, and
removing the namespaces removes every cable.
"""

import contextlib
import ctypes
import os
import socket
import time

from . import mounts
from .command import LabError, run

FIRST_INDEX, LAST_INDEX = 11, 250
CLONE_NEWNET = 0x40000000

# What `link down` and a power cut are: packets vanish and nobody is told. Neighbours still find
# each other, so that the other side waits as it would with a router in between, and hears no
# "no route to host".
FILTER = """
table bridge lab {
    set cut { type ifname; }
    chain vanish {
        ether type arp accept
        icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept
        drop
    }
    chain forward {
        type filter hook forward priority 0; policy accept;
        iifname @cut jump vanish
        oifname @cut jump vanish
    }
}
"""


def address(lab, machine):
    """How others reach it: on the front network, or behind its bastion."""
    return f"10.{78 if machine.behind else 77}.{lab.subnet}.{machine.index}"


def address6(lab, machine):
    return f"fd{78 if machine.behind else 77}:51ab:{lab.subnet:x}::{machine.index:x}"


def port(machine):
    return f"{'b' if machine.behind else 'f'}-{machine.index}"


def uplink(lab):
    return f"slab-{lab.name}"


def free_subnet(taken):
    """A number whose front network nobody here has a route into."""
    routes = run("ip", "-4", "route", "show", "table", "all").stdout
    for number in range(1, 255):
        if number not in taken and f"10.77.{number}." not in routes and f"10.78.{number}." not in routes:
            return number
    raise LabError("all 254 subnets of labs are taken; take a lab down")


def _in(lab, name, *argv, check=True, stdin=""):
    return run("nsenter", f"--net={lab.netns(name)}", "--", *argv, check=check, stdin=stdin)


def _make_namespace(lab, name):
    path = lab.netns(name)
    if mounts.is_mounted(path):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    run("unshare", f"--net={path}", "--", "ip", "link", "set", "lo", "up")


def make_switch(lab):
    """The bridges and the cable to this computer; does nothing when they are there."""
    _make_namespace(lab, "switch")
    for bridge in ("front", "back"):
        if _in(lab, "switch", "ip", "link", "show", bridge, check=False).returncode != 0:
            _in(lab, "switch", "ip", "link", "add", bridge, "type", "bridge", "mcast_snooping", "0")
        _in(lab, "switch", "ip", "link", "set", bridge, "up")
    if _in(lab, "switch", "nft", "list", "table", "bridge", "lab", check=False).returncode != 0:
        _in(lab, "switch", "nft", "--file", "-", stdin=FILTER)
    name = uplink(lab)
    if _in(lab, "switch", "ip", "link", "show", "uplink", check=False).returncode != 0:
        run("ip", "link", "del", name, check=False)
        run("ip", "link", "add", name, "type", "veth", "peer", "name", "uplink", "netns", lab.netns("switch"))
    _in(lab, "switch", "ip", "link", "set", "uplink", "master", "front", "up")
    run("ip", "address", "replace", f"10.77.{lab.subnet}.1/24", "dev", name)
    run("ip", "address", "replace", f"fd77:51ab:{lab.subnet:x}::1/64", "dev", name, "nodad")
    run("ip", "link", "set", name, "up")


def plug_in(lab, machine):
    """A fresh namespace for the machine, as a boot finds it, with its interfaces and addresses."""
    unplug(lab, machine)
    _make_namespace(lab, machine.name)
    _cable(lab, machine, "eth0", behind=bool(machine.behind))
    if machine.bastion:
        _cable(lab, machine, "eth1", behind=True)
    gateway = 1 if not machine.behind else lab.machines[machine.behind].index
    net, net6 = ("78", "fd78") if machine.behind else ("77", "fd77")
    _in(lab, machine.name, "ip", "route", "add", "default", "via", f"10.{net}.{lab.subnet}.{gateway}")
    _in(lab, machine.name, "ip", "-6", "route", "add", "default", "via", f"{net6}:51ab:{lab.subnet:x}::{gateway:x}")
    set_cut(lab, machine, machine.link == "down")


def _cable(lab, machine, interface, behind):
    letter, bridge, net = ("b", "back", "78") if behind else ("f", "front", "77")
    name = f"{letter}-{machine.index}"
    mac = f"02:5a:{net}:{lab.subnet:02x}:00:{machine.index:02x}"  # the same at every boot
    _in(lab, "switch", "ip", "link", "add", name, "type", "veth", "peer", "name", interface, "address", mac,
        "netns", lab.netns(machine.name))
    _in(lab, "switch", "ip", "link", "set", name, "master", bridge, "up")
    batch = (f"address add 10.{net}.{lab.subnet}.{machine.index}/24 dev {interface}\n"
             f"address add fd{net}:51ab:{lab.subnet:x}::{machine.index:x}/64 dev {interface} nodad\n"
             f"link set {interface} up\n")
    _in(lab, machine.name, "ip", "-batch", "-", stdin=batch)


def make_bastion(lab, machine):
    """Gives a machine that is already running its second interface."""
    if _in(lab, machine.name, "ip", "link", "show", "eth1", check=False).returncode != 0:
        _cable(lab, machine, "eth1", behind=True)


def unplug(lab, machine):
    """Removes the machine's namespace; its cables go with it, once its processes are gone."""
    mounts.unmount_below(lab.netns(machine.name))
    lab.netns(machine.name).unlink(missing_ok=True)
    for name in (f"f-{machine.index}", f"b-{machine.index}"):
        _in(lab, "switch", "ip", "link", "del", name, check=False)


def set_cut(lab, machine, cut):
    """Silence on all cables of the machine, or the end of it."""
    for name in (f"f-{machine.index}", f"b-{machine.index}"):
        verb = "add" if cut else "delete"
        _in(lab, "switch", "nft", verb, "element", "bridge", "lab", "cut", f"{{ {name} }}", check=False)


def shape(lab, machine, discipline):
    """Sets the queueing discipline of the machine's cable, both ways; None for the kernel's own.
    False when the kernel does not have it."""
    for where, name in (("switch", port(machine)), (machine.name, "eth0")):
        _in(lab, where, "tc", "qdisc", "del", "dev", name, "root", check=False)
        if discipline:
            done = _in(lab, where, "tc", "qdisc", "add", "dev", name, "root", *discipline, check=False)
            if done.returncode != 0:
                return False
    return True


def kill_connections(lab, machine):
    """How many TCP connections were ended; None when the kernel cannot."""
    before = _in(lab, machine.name, "ss", "-Htn", "state", "connected").stdout.splitlines()
    _in(lab, machine.name, "ss", "-HtnK", "state", "connected", check=False)
    after = _in(lab, machine.name, "ss", "-Htn", "state", "connected").stdout.splitlines()
    return None if before and before == after else len(before)


def remove(lab):
    run("ip", "link", "del", uplink(lab), check=False)
    mounts.unmount_below(lab.netns("switch"))


@contextlib.contextmanager
def _inside(path):
    """This thread, and no other, in that network namespace."""
    libc = ctypes.CDLL(None, use_errno=True)
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    there = os.open(path, os.O_RDONLY)
    try:
        if libc.setns(there, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), f"cannot enter {path}")
        yield
    finally:
        if libc.setns(home, CLONE_NEWNET) != 0:
            os._exit(70)  # everything this process would still do would happen in the wrong place
        os.close(there)
        os.close(home)


def ssh_banner(lab, machine, timeout=2.0):
    """Does its sshd answer, seen from where the machine is reached: this computer, or its bastion?"""
    where = contextlib.nullcontext()
    if machine.link == "down" or (machine.behind and not mounts.is_mounted(lab.netns(machine.behind))):
        where = _inside(lab.netns(machine.name))  # nobody can see it but itself
    elif machine.behind:
        where = _inside(lab.netns(machine.behind))
    try:
        with where, socket.create_connection((address(lab, machine), 22), timeout=timeout) as connection:
            connection.settimeout(timeout)
            return connection.recv(256).startswith(b"SSH-")  # the whole line, or it ends in a reset
    except OSError:
        return False


def wait_for_ssh(lab, machine, alive, patience):
    deadline = time.monotonic() + patience
    while not ssh_banner(lab, machine):
        if not alive():
            raise LabError(f"{machine.name} stopped while it was starting; see {lab.disk_folder(machine)}/console.log")
        if time.monotonic() > deadline:
            raise LabError(f"{machine.name} does not answer on port 22 within {patience} s; "
                           f"see {lab.disk_folder(machine)}/console.log")
        time.sleep(0.05)

