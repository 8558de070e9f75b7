"""A lab as a whole: up, down, and what it looks like now."""

import concurrent.futures
import contextlib
import os
import signal
import time
import uuid

from . import cgroups, clock, disk, faults, identity, image, machine as machines, mounts, network, settings, state
from .command import LabError
from .state import Machine

AT_ONCE = 8  # booting more on a few cores only makes each of them slower


def up(lab, count, prefix="node", behind=0, light=False, memory="", disk_size="", variant="base"):
    """Makes PREFIX1 … PREFIXcount be there and answer. Machines that are there already stay as they are."""
    if behind and behind >= count:
        raise LabError("a bastion needs a machine in front: fewer machines behind it than machines in all")
    if lab.machines and lab.variant != variant:
        raise LabError(f"lab {lab.name!r} uses the {lab.variant} image; take it down before changing to {variant}")
    if lab.half_down:
        down(lab)
    image.ensure(variant)
    lab.variant = variant
    lab.state.mkdir(parents=True, exist_ok=True)
    if not lab.exists:
        with state.lock("subnets"):
            lab.subnet = network.free_subnet({state.Lab(name).subnet for name in state.names()})
            lab.save()
            network.make_switch(lab)  # from here on the subnet is seen to be taken
    wanted = _plan(lab, count, prefix, behind, Machine(
        name="", index=0, machine_id="", light=light, memory=memory,
        disk=disk_size or ("tmpfs:512M" if light else "20G")))
    lab.save()
    settings.save()
    identity.make_credentials(lab)
    network.make_switch(lab)
    identity.write_known_hosts(lab)
    front = [m for m in wanted if not m.behind]
    _all_at_once(lambda m: start(lab, m), front)
    for machine in front:
        if machine.bastion:
            network.make_bastion(lab, machine)
    _all_at_once(lambda m: start(lab, m), [m for m in wanted if m.behind])


def start(lab, machine):
    """Boots a machine, with whatever it was told to suffer from."""
    machines.boot(lab, machine)
    if machine.link == "slow":
        faults.slow(lab, machine)
    if machine.clock_ms:
        clock.apply(lab, machine)


def _plan(lab, count, prefix, behind, like):
    """The machines asked for, adding those the lab does not have yet."""
    wanted = []
    bastion = f"{prefix}1"
    for number in range(1, count + 1):
        name = f"{prefix}{number}"
        if name not in lab.machines:
            index = max([m.index for m in lab.machines.values()], default=network.FIRST_INDEX - 1) + 1
            if index > network.LAST_INDEX:
                raise LabError(f"a lab has room for {network.LAST_INDEX - network.FIRST_INDEX + 1} machines")
            lab.machines[name] = Machine(**{**vars(like), "name": name, "index": index,
                                            "machine_id": uuid.uuid4().hex,
                                            "behind": bastion if number > count - behind else ""})
        lab.machines[name].on = True
        wanted.append(lab.machines[name])
    if behind:
        lab.machines[bastion].bastion = True
    return wanted


def _all_at_once(work, items):
    """Does the work for all items; every one gets its chance before the first error is told."""
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        futures = [pool.submit(work, item) for item in items]
        concurrent.futures.wait(futures)
    errors = [str(future.exception()) for future in futures if future.exception()]
    if errors:
        raise LabError("; ".join(errors))


def down(lab):
    """Removes everything of the lab, found by name and place; works without the state folder too."""
    deadline = time.monotonic() + 15
    while (left := machines.processes(lab)) or cgroups.find(lab.prefix):
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        cgroups.remove(lab.prefix)
        if time.monotonic() > deadline:
            raise LabError(f"processes of lab {lab.name!r} do not end: {sorted(left)}")
    mounts.unmount_below(lab.run / "machines")
    mounts.detach_loops(lab.state)
    network.remove(lab)
    lab.forget()
    settings.restore()


def status(lab):
    """One row a machine, of what is there now."""
    rows = []
    for machine in lab.machines.values():
        running = machines.leader(lab, machine)
        answers = bool(running) and network.ssh_banner(lab, machine)
        rows.append({"name": machine.name, "state": "up" if answers else "starting" if running else "off",
                     "address": network.address(lab, machine), "address6": network.address6(lab, machine),
                     "bastion": machine.behind or None, "link": machine.link, "clock_ms": machine.clock_ms,
                     "disk": "full" if disk.is_full(lab, machine) else "ok", "light": machine.light, "pid": running})
    return rows
