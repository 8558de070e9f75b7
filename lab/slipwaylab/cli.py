"""The command line of the lab: what can be asked, and how the answer is shown."""

import argparse
import json
import os
import sys
import time

from . import access, clock, doctor, faults, image, lifecycle, machine as machines, state
from .command import LabError

ABOUT = "A small data centre on one computer: machines with systemd and sshd that can be cut, filled and slowed."


def parser():
    top = argparse.ArgumentParser(prog="lab", description=ABOUT, epilog="More: docs/lab.md")
    top.add_argument("--lab", default=os.environ.get("SLIPWAY_LAB", "lab"), metavar="NAME",
                     help="which lab; several live side by side (default: $SLIPWAY_LAB, or lab)")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name, function, help, **keywords):
        added = commands.add_parser(name, help=help, description=help, **keywords)
        added.set_defaults(run=function)
        return added

    up = command("up", do_up, "make N machines be there and answer; continues what was interrupted")
    up.add_argument("count", type=_count, metavar="N")
    up.add_argument("--name", default="node", metavar="PREFIX", help="machines are PREFIX1 … PREFIXN (default: node)")
    up.add_argument("--behind-bastion", type=int, default=0, metavar="K",
                    help="the last K machines can be reached only through the first")
    up.add_argument("--light", action="store_true", help="sshd alone instead of a booted system: for 100 machines")
    up.add_argument("--memory", default="", metavar="SIZE", help="limit of each machine, such as 2G (default: none)")
    up.add_argument("--disk", default="", metavar="SIZE", help="disk of each machine (default: 20G, takes what is used); tmpfs:2G keeps it in memory")
    up.add_argument("--variant", choices=image.VARIANTS, default="base", help="image: bare, or with python3")

    status = command("status", do_status, "what is there now")
    status.add_argument("-o", "--output", choices=("table", "json"), default="table")

    ssh = command("ssh", do_ssh, "log in to a machine, or run a command there", usage="lab ssh NAME [-- COMMAND …]")
    ssh.add_argument("--user", default="root", choices=("root", "ops", "deploy"))
    ssh.add_argument("name")
    ssh.add_argument("arguments", nargs="*", metavar="COMMAND")

    spec = command("spec", do_spec, "print a Slipway spec of the machines")
    spec.add_argument("--login", choices=access.LOGINS, default="root",
                      help="root and deploy log in by key; ops by key or password, and gives sudo its password")
    spec.add_argument("--control-planes", type=int, default=1, metavar="N")

    power = {"power-off": "shut a machine down in order", "power-on": "start it again, with a new boot id",
             "power-cut": "pull its plug: what it had not synced to disk is lost"}
    for name, help in power.items():
        command(name, do_power, help).add_argument("name")

    link = command("link", do_link, "what the cable of a machine does")
    link.add_argument("name")
    link.add_argument("state", choices=("up", "down", "slow", "reset"),
                      help="down: packets vanish and nobody is told; slow: delay, loss and 1 Mbit/s as far as the kernel "
                           "has them; reset: every TCP connection ends with an RST")

    full = command("disk-full", do_disk_full, "take every free block of a machine's disk")
    full.add_argument("name")
    full.add_argument("--off", action="store_true", help="give them back")

    shift = command("clock", do_clock, "put the wall clock of a machine wrong: for all programs it starts from then on, also "
                    "static ones, and over power cuts; not for those that run already, nor for file times")
    shift.add_argument("name")
    shift.add_argument("offset", nargs=argparse.REMAINDER, help="+90s, -2m, +1500ms; 0 is the true time")

    command("down", do_down, "remove the lab and everything of it")
    build = command("image", do_image, "make the image the machines share, and print where it is")
    build.add_argument("--variant", choices=image.VARIANTS, default="base")

    command("doctor", do_doctor, "say what keeps this computer from holding a lab, and what a lab here cannot do")

    settle = commands.add_parser("settle")  # for launch.sh: a machine has ended
    settle.set_defaults(run=do_settle)
    settle.add_argument("--machine", required=True)
    settle.add_argument("--code", type=int, required=True)
    return top


def _count(text):
    number = int(text)
    if not 1 <= number <= 240:
        raise argparse.ArgumentTypeError("must be 1 to 240")
    return number


def do_up(lab, arguments):
    started = time.monotonic()
    if not lab.exists and (obstacles := doctor.obstacles()):
        raise LabError("; ".join(obstacles))
    if not lab.exists and not arguments.disk and not arguments.light and "loop" in doctor.trials():
        arguments.disk = "tmpfs:4G"
        print("lab: no loop device can be mounted: the disks are in memory, 4 GiB each at most", file=sys.stderr)
    lifecycle.up(lab, arguments.count, prefix=arguments.name, behind=arguments.behind_bastion, light=arguments.light,
                 memory=arguments.memory, disk_size=arguments.disk, variant=arguments.variant)
    print(f"lab: {arguments.count} machines up in {time.monotonic() - started:.1f} s", file=sys.stderr)


def do_status(lab, arguments):
    rows = lifecycle.status(lab)
    if arguments.output == "json":
        print(json.dumps({"lab": lab.name, "state": str(lab.state), "machines": rows}, indent=2))
        return
    table = [("NAME", "STATE", "ADDRESS", "ADDRESS6", "THROUGH", "LINK", "DISK")]
    table += [(r["name"], r["state"], r["address"], r["address6"], r["bastion"] or "-", r["link"], r["disk"]) for r in rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    for row in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def do_ssh(lab, arguments):
    argv = access.ssh(lab, lab.machine(arguments.name), arguments.user) + arguments.arguments
    os.execvp(argv[0], argv)


def do_spec(lab, arguments):
    print(access.spec(lab, arguments.login, arguments.control_planes), end="")


def do_power(lab, arguments):
    machine = lab.machine(arguments.name)
    machine.on = arguments.command == "power-on"
    lab.save()
    {"power-on": lifecycle.start, "power-off": machines.power_off, "power-cut": machines.power_cut}[arguments.command](lab, machine)


def do_link(lab, arguments):
    machine = lab.machine(arguments.name)
    if arguments.state == "reset":
        print(f"lab: {faults.reset_connections(lab, machine)} connections reset", file=sys.stderr)
    else:
        faults.link(lab, machine, arguments.state)


def do_disk_full(lab, arguments):
    faults.disk_full(lab, lab.machine(arguments.name), not arguments.off)


def do_clock(lab, arguments):
    clock.set_offset(lab, lab.machine(arguments.name), clock.milliseconds(" ".join(arguments.offset)))


def do_down(lab, arguments):
    lifecycle.down(lab)


def do_image(lab, arguments):
    print(image.ensure(arguments.variant))


def do_doctor(lab, arguments):
    obstacles = doctor.obstacles()
    for sentence in obstacles:
        print(f"cannot: {sentence}")
    if obstacles:
        return 1
    for sentence in doctor.limits():
        print(f"limit: {sentence}")
    for sentence in doctor.leftovers():
        print(f"note: {sentence}")
    print("this computer can hold a lab")


def do_settle(lab, arguments):
    name = arguments.machine.removeprefix(lab.prefix)
    if name in lab.machines and machines.leader(lab, lab.machines[name]) is None:
        machine = lab.machines[name]
        if arguments.code == 133 and machine.on:
            lifecycle.start(lab, machine)
        else:
            machines.clear(lab, machine)


LOCKED = {do_up, do_down, do_power, do_link, do_disk_full, do_clock, do_settle}  # ssh, status and spec only look


def main(argv):
    arguments = parser().parse_args(argv)
    try:
        if os.geteuid() != 0:
            raise LabError(doctor.obstacles()[0])
        if arguments.run not in LOCKED:
            return arguments.run(state.Lab(arguments.lab), arguments) or 0
        with state.lock(state.Lab(arguments.lab, damaged_is_empty=True).name):
            arguments.run(state.Lab(arguments.lab, damaged_is_empty=arguments.run is do_down), arguments)
        return 0
    except LabError as error:
        print(f"lab: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("lab: interrupted; `lab up` goes on, `lab down` clears away", file=sys.stderr)
        return 130
