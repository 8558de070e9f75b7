"""What goes wrong in a data centre, on demand: cables, connections, disks. (Power: machine.py; clocks: clock.py.)"""

import sys

from . import disk, machine as machines, network
from .command import LabError

DELAY, LOSS, RATE = "100ms", "1%", "1mbit"


def link(lab, machine, state):
    """up, down (packets vanish, nobody is told) or slow; kept when the machine is off."""
    on = machines.leader(lab, machine) is not None
    machine.link = state
    lab.save()
    if not on:
        return
    network.set_cut(lab, machine, state == "down")
    network.shape(lab, machine, None)
    if state == "slow":
        slow(lab, machine)


def slow(lab, machine):
    """Delay, loss and a narrow line; a kernel without netem can only do the narrow line."""
    if network.shape(lab, machine, ["netem", "delay", DELAY, "loss", LOSS, "rate", RATE]):
        return
    if not network.shape(lab, machine, ["tbf", "rate", RATE, "burst", "16kb", "latency", "500ms"]):
        network.shape(lab, machine, None)
        raise LabError("the kernel has neither netem nor tbf, so no link can be made slow")
    print(f"lab: the kernel has no netem: {machine.name} is held to {RATE}/s, without delay or loss", file=sys.stderr)


def reset_connections(lab, machine):
    """Ends every TCP connection of the machine with an RST to the other side; the link stays as it is."""
    if machines.leader(lab, machine) is None:
        raise LabError(f"{machine.name} is off")
    killed = network.kill_connections(lab, machine)
    if killed is None:
        raise LabError("the kernel cannot end connections from outside (it lacks INET_DIAG_DESTROY)")
    return killed


def disk_full(lab, machine, full):
    if machines.leader(lab, machine) is None:
        raise LabError(f"{machine.name} is off; its disk can only be filled or freed while it is on")
    (disk.fill if full else disk.empty)(lab, machine)
