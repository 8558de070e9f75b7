#!/usr/bin/env python3
"""Twenty secrets through runs that fail, at the highest verbosity: none of them is seen in an argv or environment of
any process here or on the machines, nor written anywhere by anybody, in whatever form."""

import base64
import contextlib
import os
import pathlib
import shlex
import subprocess
import sys
import threading
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import machines  # noqa: E402

LOOK_EVERY = 0.05


def canary(number):
    return f"cAn4ry {number:02d} \"x'/+$%é"  # its forms in a shell, in JSON, in a URL all differ


def forms(secret):
    """The ways a secret may have been written down, as bytes."""
    raw = secret.encode()
    found = {raw, urllib.parse.quote(secret).encode(), urllib.parse.quote_plus(secret).encode(), raw.hex().encode(),
             shlex.quote(secret).encode(), secret.replace("\\", "\\\\").replace('"', '\\"').encode()}
    for shift in range(3):  # base64 of a text it is part of
        found.add(base64.b64encode(b"\0" * shift + raw)[4 if shift else 0:-4])
    return {form for form in found if len(form) > 8}


class Lookout(threading.Thread):
    """Looks at the arguments and environments of all processes, those of the machines among them, all the time."""

    def __init__(self, secrets, program):
        super().__init__(daemon=True)
        self.needles = {form: secret for secret in secrets for form in forms(secret)}
        self.seen, self.looks, self.processes, self.inside = set(), 0, 0, 0
        self.program = program  # started by us, it may have in its environment what we gave it there
        self.ending = threading.Event()
        self.own_namespace = os.readlink("/proc/self/ns/pid")

    def run(self):
        while not self.ending.wait(LOOK_EVERY):
            self.looks += 1
            for name in os.listdir("/proc"):
                if name.isdigit():
                    self.look_at(int(name))

    def look_at(self, pid):
        with contextlib.suppress(OSError):
            folder = pathlib.Path(f"/proc/{pid}")
            for file in ("cmdline", "environ"):
                self.processes += 1
                if not self.has_one(folder / file):
                    continue
                # Between fork and exec a child still shows its parent's: who it is now, and a second look.
                was_given_them = os.readlink(folder / "exe") == self.program and b"\0apply\0" in (folder / "cmdline").read_bytes()
                if self.has_one(folder / file) and not (file == "environ" and was_given_them):
                    self.seen.add((file, (folder / "comm").read_text().strip()))
            self.inside += os.readlink(folder / "ns/pid") != self.own_namespace

    def has_one(self, file):
        data = file.read_bytes()
        return any(needle in data for needle in self.needles)

    def end(self):
        self.ending.set()
        self.join()


class Secrets(machines.Case):
    def setUp(self):
        super().setUp()
        self.secrets, self.said = [], []
        self.machine().sh("getent group wheelers >/dev/null || groupadd wheelers; echo '%wheelers ALL=(ALL:ALL) ALL' >/etc/sudoers.d/wheelers")

    def secret(self):
        self.secrets.append(canary(len(self.secrets)))
        return self.secrets[-1]

    def user(self, name, password):
        self.machine().sh(f"useradd -m -s /bin/bash -G wheelers {name} && chpasswd", stdin=f"{name}:{password}\n")
        return name

    def key_pair(self):
        """A key in the environment; its secret part is a secret as any other."""
        path = self.folder / f"key{len(self.secrets)}"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", path], check=True)
        text = path.read_text()
        self.secrets.append(text.splitlines()[4])
        self.machine().sh("cat >>/root/.ssh/authorized_keys", stdin=path.with_suffix(".pub").read_text())
        path.unlink()
        return text

    def fails(self, host, env, code, commands=("apply",)):
        """Runs that end badly, with all they say kept."""
        site = self.script_site("echo working; exit 3", host, name=f"site{len(self.said)}")
        for command in commands:
            process = self.program.start(*site.arguments(command, *(["--yes"] if command == "apply" else []), "-v", "-o", "json"), env=env)
            out, err = process.communicate(timeout=120)
            self.assertEqual(process.returncode, code, err)
            self.said.append(out + err)
        for command in (("events", "-o", "json"), ("events", "-v"), ("status", "-v"), ("runs", "-o", "json"), ("logs", "pre-install-script-work")):
            told = site.run(*command)
            self.said.append(told.out + told.err)
        return site

    def files_with(self, secrets, folder):
        found = []
        needles = {form for secret in secrets for form in forms(secret)}
        for file in pathlib.Path(folder).rglob("*"):
            if file.is_file():
                data = file.read_bytes()
                found += [str(file) for needle in needles if needle in data]
        return found

    def test_no_secret_is_seen_or_written_anywhere(self):
        plans = []
        for number in range(5):  # right password, for login and sudo alike
            password = self.secret()
            name = self.user(f"right{number}", password)
            by = {"env": "LOGIN"} if number % 2 else {"file": str(self.secret_file(password))}
            plans.append(({"user": name, "key": None, "password": by, "become": {"password": by}},
                          {"LOGIN": password} if number % 2 else {}, 1))
        for number in range(5):  # wrong password for the login, and for sudo
            by = {"env": "LOGIN"} if number % 2 else {"file": str(self.secret_file(self.secret()))}
            env = {"LOGIN": self.secret()} if number % 2 else {}
            plans.append(({"user": "ops", "key": None, "password": by}, env, 4))
            plans.append(({"user": "ops", "become": {"password": {"env": "SUDO"}}}, {"SUDO": self.secret()}, 4))
        for _ in range(5):
            plans.append(({"key": {"env": "KEY"}}, {"KEY": self.key_pair()}, 1))
        self.assertGreaterEqual(len(self.secrets), 20)

        self.machine().sh("journalctl --rotate -q; journalctl --vacuum-time=1s -q; rm -rf /var/lib/slipway")
        lookout = Lookout(self.secrets, self.program.path)
        lookout.start()
        try:
            sites = [self.fails(self.host(**fields), env, code) for fields, env, code in plans]
        finally:
            lookout.end()
        self.assertGreater(lookout.looks, 50)
        self.assertGreater(lookout.inside, 100, "processes of the machines were not looked at")
        self.assertEqual(lookout.seen, set())

        needles = {form for secret in self.secrets for form in forms(secret)}
        for text in self.said:
            self.assertEqual([n for n in needles if n in text.encode()], [])
        for site in sites:
            self.assertEqual(self.files_with(self.secrets, site.state), [])
        self.assertEqual(self.on_machine(needles), "")

    def secret_file(self, text):
        path = self.folder / f"secret{len(list(self.folder.iterdir()))}"
        path.write_text(text + "\n")
        path.chmod(0o600)
        return path

    def on_machine(self, needles):
        """Files of the machine with one of them; grep reads the needles from a file that is not among those it looks at."""
        machine = self.machine()
        machine.put("/dev/shm/needles", b"\n".join(needles) + b"\n")
        machine.sh("journalctl --sync; journalctl -o export --no-pager >/dev/shm/journal; mkdir -p /dev/shm/found; "
                   "head -n 1 /dev/shm/needles >/dev/shm/found/proof")
        found = machine.sh("grep -rlaFf /dev/shm/needles /dev/shm/journal /dev/shm/found /var/log /tmp /var/tmp /run /var/lib /home /root /etc /srv /opt || true")
        machine.sh("rm -r /dev/shm/needles /dev/shm/journal /dev/shm/found")
        self.assertIn("/dev/shm/found/proof", found, "grep does not find what is there")
        return found.replace("/dev/shm/found/proof\n", "")


if __name__ == "__main__":
    machines.main(count=1)
