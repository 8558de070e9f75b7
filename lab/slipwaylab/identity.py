"""What makes a machine this machine and no other, and who may log in to it.

Keys, password and known_hosts lie in the lab's state folder; a machine gets its part once, when
its disk is new, and whatever is changed in it later stays changed.
"""

import os
import pathlib
import secrets
import shutil

from . import network, state
from .command import run

USERS = ("root", "ops", "deploy")
KEY_TYPES = ("ed25519", "ecdsa")  # rsa takes seconds to make


def make_credentials(lab):
    """The key all logins accept, and the password of ops."""
    if not lab.key.exists():
        _make_key(lab.key, "ed25519", f"slipway-lab-{lab.name}")
    if not lab.password.exists():
        state.write_whole(lab.password, secrets.token_urlsafe(15) + "\n")


def _make_key(path, kind, comment):
    making = path.with_name(path.name + "-making")
    for file in (making, making.with_name(making.name + ".pub")):
        file.unlink(missing_ok=True)
    run("ssh-keygen", "-q", "-t", kind, "-N", "", "-C", comment, "-f", making)
    making.with_name(making.name + ".pub").rename(path.with_name(path.name + ".pub"))
    making.rename(path)  # last: who finds the key finds both


def host_keys(lab, machine):
    """The machine's host keys, made when they are not there."""
    folder = lab.disk_folder(machine)
    folder.mkdir(parents=True, exist_ok=True)
    keys = [folder / f"ssh_host_{kind}_key" for kind in KEY_TYPES]
    for key, kind in zip(keys, KEY_TYPES):
        if not key.exists():
            _make_key(key, kind, f"root@{machine.name}")
    return keys


def write_known_hosts(lab):
    lines = []
    for machine in lab.machines.values():
        who = ",".join((machine.name, network.address(lab, machine), network.address6(lab, machine)))
        for key in host_keys(lab, machine):
            lines.append(f"{who} {' '.join(key.with_name(key.name + '.pub').read_text().split()[:2])}\n")
    state.write_whole(lab.known_hosts, "".join(lines))


def seed(lab, machine, image, disk, root):
    """Writes the identity into a new disk. Synced, since a power cut may follow at once."""
    done = disk / "seeded"
    if done.exists():
        return
    if not machine.light and not (disk / "var-lib").exists():
        making = disk / "var-lib-making"
        shutil.rmtree(making, ignore_errors=True)
        run("cp", "--archive", image / "var/lib", making)
        making.rename(disk / "var-lib")
    etc = root / "etc"
    (etc / "hostname").write_text(f"{machine.name}\n")
    (etc / "hosts").write_text("127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n"
                               f"{network.address(lab, machine)}\t{machine.name}\n"
                               f"{network.address6(lab, machine)}\t{machine.name}\n")
    (etc / "machine-id").write_text(f"{machine.machine_id}\n")
    (etc / "resolv.conf").unlink(missing_ok=True)
    (etc / "resolv.conf").write_text("")
    for key in host_keys(lab, machine):
        _install(key, etc / "ssh" / key.name, 0o600)
        _install(key.with_name(key.name + ".pub"), etc / "ssh" / f"{key.name}.pub", 0o644)
    _set_password(etc / "shadow", "ops", lab.password.read_text())
    _authorize(lab, root)
    run("sync", "--file-system", disk)
    done.touch()
    run("sync", "--file-system", disk)


def _install(source, target, mode):
    shutil.copyfile(source, target)
    target.chmod(mode)


def _set_password(shadow, user, password):
    digest = run("openssl", "passwd", "-6", "-stdin", stdin=password).stdout.strip()
    lines = shadow.read_text().splitlines()
    for number, line in enumerate(lines):
        fields = line.split(":")
        if fields[0] == user:
            lines[number] = ":".join([user, digest, *fields[2:]])
    shadow.write_text("\n".join(lines) + "\n")


def _authorize(lab, root):
    accounts = [line.split(":") for line in (root / "etc/passwd").read_text().splitlines()]
    public = lab.key.with_name(lab.key.name + ".pub").read_text()
    for name, _, uid, gid, _, home, _ in accounts:
        if name not in USERS:
            continue
        folder = pathlib.Path(f"{root}{home}/.ssh")
        folder.mkdir(mode=0o700, exist_ok=True)
        (folder / "authorized_keys").write_text(public)
        (folder / "authorized_keys").chmod(0o600)
        for path in (folder, folder / "authorized_keys"):
            os.chown(path, int(uid), int(gid))
