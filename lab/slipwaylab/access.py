"""Ways into the machines: the ssh command line, and the spec that tells Slipway the same."""

import json

from . import network
from .command import LabError

LOGINS = ("root", "ops", "ops-password", "deploy")


def ssh(lab, machine, user="root"):
    """An ssh that trusts this lab's host keys and offers this lab's key, whatever the caller has configured."""
    argv = ["ssh", "-F", "none", "-i", str(lab.key), "-o", "IdentitiesOnly=yes", "-o", "BatchMode=yes",
            "-o", f"UserKnownHostsFile={lab.known_hosts}", "-o", "GlobalKnownHostsFile=none",
            "-o", "StrictHostKeyChecking=yes", "-o", "ConnectTimeout=10", "-l", user]
    if machine.behind:
        through = ssh(lab, lab.machines[machine.behind])
        argv += ["-o", "ProxyCommand=" + " ".join(f"'{a}'" for a in through[:-1]) + f" -W %h:%p {through[-1]}"]
    return argv + [network.address(lab, machine)]


def spec(lab, login="root", control_planes=1):
    """A Slipway spec of the lab's machines. JSON scalars are YAML, which saves quoting rules."""
    if not lab.machines:
        raise LabError(f"lab {lab.name!r} has no machines; `lab up 3` makes some")
    if not 0 < control_planes <= len(lab.machines):
        raise LabError(f"--control-planes must be 1 to {len(lab.machines)}")
    lines = ["apiVersion: slipway.dev/v1", "kind: Cluster", "metadata:", f"  name: {lab.name}", "spec:", "  hosts:"]
    for number, machine in enumerate(lab.machines.values()):
        fields = {"name": machine.name, "address": network.address(lab, machine), **_credentials(lab, login)}
        if machine.behind:
            fields["bastion"] = machine.behind
        fields["roles"] = ["control-plane" if number < control_planes else "worker"]
        if control_planes == len(lab.machines) == 1:
            fields["roles"].append("worker")
        first = True
        for key, value in fields.items():
            lines.append(f"  {'-' if first else ' '} {key}: {json.dumps(value)}")
            first = False
    if control_planes > 1:
        lines += ["  kubernetes:", f"    endpoint: {{kind: external, domain: api.{lab.name}.local, "
                  f"address: {network.address(lab, next(iter(lab.machines.values())))}}}"]
    return "\n".join(lines) + "\n"


def _credentials(lab, login):
    key, password = {"file": str(lab.key)}, {"file": str(lab.password)}
    return {"root": {"user": "root", "key": key},
            "deploy": {"user": "deploy", "key": key},
            "ops": {"user": "ops", "key": key, "become": {"password": password}},
            "ops-password": {"user": "ops", "password": password, "become": {"password": password}}}[login]
