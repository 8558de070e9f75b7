#!/usr/bin/env python3
"""Every way into a machine, and every way in that is refused: at once, once, and with its reason."""

import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import machines  # noqa: E402

WHO = 'echo "uid $(id -u), from ${SSH_CONNECTION:-nowhere}, on $(hostname)"'
WRONG = "not-the-password-72"
LOGIN_OF_OPS = "(Accepted|Failed|failure).*ops"  # what sshd and PAM write of an attempt, good or bad


class Login(machines.Case):
    def works(self, *hosts, options=(), env=None, on="node1"):
        """Logs in, becomes root and runs a script there."""
        site = self.script_site(WHO, *hosts)
        site.options += options
        site.env.update(env or {})
        site.run("apply", "--yes").expect(0)
        said = self.output(site, hosts[-1]["name"])
        self.assertIn("uid 0,", said)
        self.assertIn(f"on {on}", said)
        return site

    def key_pair(self, name="own"):
        """A new key of this test, as the file of the private one."""
        path = self.folder / name
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path], check=True)
        return path

    def password_file(self, text, name="password"):
        path = self.folder / name
        path.write_text(text + "\n")
        path.chmod(0o600)
        return {"file": str(path)}


class Ways(Login):
    def test_root_by_key(self):
        self.works(self.host(login="root"))

    def test_user_by_key_with_sudo_that_asks_nothing(self):
        self.works(self.host(login="deploy"))

    def test_user_by_key_with_sudo_that_asks_for_a_password(self):
        self.works(self.host(login="ops"))

    def test_user_by_password_with_sudo_that_asks_for_it(self):
        self.works(self.host(login="ops-password"))

    def test_user_by_password_where_the_server_asks_in_its_own_words(self):
        with self.machine().sshd("PasswordAuthentication no", "KbdInteractiveAuthentication yes"):
            self.works(self.host(login="ops-password"))

    def test_password_and_sudo_password_from_the_environment(self):
        password = (self.lab.state / "ops-password").read_text().strip()
        self.works(self.host(login="ops-password", password={"env": "LOGIN"}, become={"password": {"env": "SUDO"}}),
                   env={"LOGIN": password, "SUDO": password})

    def test_host_behind_a_bastion(self):
        self.works(self.host("node1"), self.host("node3", roles=["worker"], bastion="node1"), on="node3")

    def test_host_behind_a_bastion_each_with_a_password_of_its_own(self):
        inner = "inner-password-41"
        with self.machine("node3").changed(f"echo ops:{inner} | chpasswd", "true"):
            site = self.works(
                self.host("node1", login="ops-password"),
                self.host("node3", login="ops-password", roles=["worker"], bastion="node1",
                          password=self.password_file(inner), become={"password": self.password_file(inner)}), on="node3")
            self.machine("node3").sh("chpasswd", stdin="ops:" + (self.lab.state / "ops-password").read_text())
        self.assertEqual(site.outcomes(), {f"{h}/pre-install-script-work": "changed" for h in ("node1", "node3")})

    def test_key_from_the_environment(self):
        key = (self.lab.state / "key").read_text()
        self.works(self.host(key={"env": "OWN_KEY"}), env={"OWN_KEY": key})

    def test_certificate_of_a_certificate_authority(self):
        authority, own = self.key_pair("authority"), self.key_pair("own")
        subprocess.run(["ssh-keygen", "-q", "-s", authority, "-I", "test", "-n", "root", f"{own}.pub"], check=True)
        site = self.site(self.host(key={"file": str(own)}), name="before")
        site.refused("node1", "HOST-LOGIN", "accepts neither the key")
        self.machine().put("/etc/ssh/authority.pub", pathlib.Path(f"{authority}.pub").read_text())
        with self.machine().sshd("TrustedUserCAKeys /etc/ssh/authority.pub"):
            self.works(self.host(key={"file": str(own)}))

    def test_key_in_an_ssh_agent(self):
        socket = self.folder / "agent"
        agent = subprocess.Popen(["ssh-agent", "-D", "-a", socket], stdout=subprocess.DEVNULL)
        self.addCleanup(agent.wait)
        self.addCleanup(agent.terminate)
        machines.wait_until(socket.exists, "the agent's socket")
        env = {"SSH_AUTH_SOCK": str(socket)}
        subprocess.run(["ssh-add", "-q", self.lab.state / "key"], env={**os.environ, **env}, check=True)
        self.works(self.host(key=None), env=env)

    def test_name_that_the_users_ssh_config_explains(self):
        config = self.folder / "ssh_config"
        config.write_text(f"Host front\n  HostName {self.machine().address}\n  RequestTTY force\n  RemoteCommand /bin/false\n")
        self.works(self.host(address="front", internalAddress=self.machine().address), options=["--ssh-config", config])

    def test_password_for_a_name_that_the_users_ssh_config_explains(self):
        config = self.folder / "ssh_config"
        config.write_text(f"Host front\n  HostName {self.machine().address}\n  ControlMaster auto\n  ControlPath {self.folder}/%C\n")
        self.works(self.host(login="ops-password", address="front", internalAddress=self.machine().address), options=["--ssh-config", config])
        self.assertEqual([p.name for p in self.folder.iterdir() if p.is_socket()], [], "one connection, and no shared one")

    def test_another_port(self):
        with self.machine().sshd("Port 22", "Port 2222"):
            machines.wait_until(lambda: self.machine().try_sh("ss -Hltn sport = 2222 | grep -q .").code == 0, "port 2222")
            site = self.works(self.host(port=2222))
        self.assertIn(f"[{self.machine().address}]:2222 ", site.known_hosts.read_text())

    def test_ipv6(self):
        self.works(self.host(address=self.machine().address6))


class ThisComputer(Login):
    """`address: local`, tried inside a machine: the computer of the tests is not theirs to change."""

    def test_local_host_needs_no_ssh(self):
        machine = self.machine("node2")
        machine.put("/root/slipway", pathlib.Path(self.program.path).read_bytes(), mode="0755")
        spec = self.script_site(WHO, self.host("node2", address="local", user=None, key=None)).spec
        machine.put("/root/site/cluster.yaml", spec.read_text())
        run = "cd /root/site && /root/slipway {} -c cluster.yaml --state state 2>&1"
        # ssh must have no part in it
        with machine.changed("systemctl stop ssh.socket 2>/dev/null; mv /usr/bin/ssh /usr/bin/ssh.away",
                             "mv /usr/bin/ssh.away /usr/bin/ssh"):
            machine.sh(run.format("apply --yes"))
            said = machine.sh("cd /root/site && /root/slipway logs node2/pre-install-script-work --state state")
            self.assertIn("uid 0, from nowhere", said)
            # As another user, who becomes root through sudo as over SSH.
            machine.sh("mkdir -p /home/deploy/site && cp /root/slipway /root/site/cluster.yaml /home/deploy/site && chown -R deploy: /home/deploy")
            machine.sh("sudo -u deploy sh -c 'cd ~/site && ./slipway apply --yes -c cluster.yaml --state state' 2>&1")
            facts = json.loads(machine.sh("cd /home/deploy/site && ./slipway hosts facts -o json --state state"))["hosts"][0]["facts"]
            self.assertEqual((facts["loginUser"], facts["rootBy"]), ("deploy", "sudo"))


class Refusals(Login):
    def attempts(self, machine, since, words):
        return len(re.findall(words, machine.journal(since)))

    @contextlib.contextmanager
    def passwords_kept(self, machine):
        """The machine writes down every password that reaches its SSH server; yields how to read them."""
        machine.put("/root/keep", "#!/bin/sh\ntr -d '\\0' >>/run/passwords; echo >>/run/passwords\n", mode="0755")
        rule = "auth optional pam_exec.so expose_authtok quiet /root/keep"
        with machine.changed(f"cp -p /etc/pam.d/sshd /root/pam; sed -i '1i {rule}' /etc/pam.d/sshd; : >/run/passwords",
                             "mv /root/pam /etc/pam.d/sshd; rm /run/passwords /root/keep"):
            yield lambda: machine.sh("cat /run/passwords").split()

    def test_wrong_password_is_tried_once(self):
        machine, since = self.machine(), self.machine().now()
        site = self.site(self.host(login="ops-password", password=self.password_file(WRONG)))
        with self.within(15):
            site.refused("node1", "HOST-LOGIN", "accepts neither the key nor the password")
        self.assertEqual(self.attempts(machine, since, "Failed password for ops"), 1)
        since = machine.now()
        with self.within(15):
            self.assertIn("HOST-LOGIN", site.run("apply", "--yes").expect(4).err)
        self.assertEqual(self.attempts(machine, since, "Failed password for ops"), 1, "retries are not for refusals")

    def test_wrong_password_is_tried_once_where_the_server_asks_in_two_ways(self):
        machine = self.machine()
        with machine.sshd("PasswordAuthentication yes", "KbdInteractiveAuthentication yes"), \
                self.passwords_kept(machine) as passwords:
            self.site(self.host(login="ops-password", password=self.password_file(WRONG))).refused("node1", "HOST-LOGIN", "")
            self.assertEqual(passwords(), [WRONG])

    def test_wrong_sudo_password_is_tried_once(self):
        machine, since = self.machine(), self.machine().now()
        site = self.site(self.host(login="ops", become={"password": self.password_file(WRONG)}))
        with self.within(20):
            refused = site.refused("node1", "HOST-ROOT", "sudo does not take the password")
        self.assertIn("become.password", refused["remedy"])
        self.assertEqual(self.attempts(machine, since, r"pam_unix.sudo:auth.: authentication failure"), 1)

    def test_sudo_that_asks_and_no_password_given(self):
        machine, since = self.machine(), self.machine().now()
        self.site(self.host(login="ops", become=None)).refused("node1", "HOST-ROOT", "sudo asks for a password")
        self.assertEqual(self.attempts(machine, since, r"pam_unix.sudo:auth.: authentication failure"), 0)

    def test_user_who_is_not_in_sudoers(self):
        machine = self.machine()
        with machine.changed("gpasswd -d ops sudo", "gpasswd -a ops sudo"):
            self.site(self.host(login="ops")).refused("node1", "HOST-ROOT", "sudo refuses")

    def test_machine_without_sudo(self):
        with self.machine().changed("mv /usr/bin/sudo /usr/bin/sudo.away", "mv /usr/bin/sudo.away /usr/bin/sudo"):
            self.site(self.host(login="deploy")).refused("node1", "HOST-ROOT", "there is no sudo")

    def test_sudo_that_insists_on_a_terminal(self):
        for login in ("deploy", "ops"):
            with self.machine().changed("echo 'Defaults requiretty' >/etc/sudoers.d/tty", "rm /etc/sudoers.d/tty"):
                refused = self.site(self.host(login=login), name=login).refused("node1", "HOST-REQUIRETTY", "terminal")
            self.assertIn("!requiretty", refused["remedy"])

    def test_user_without_a_shell(self):
        for shell in ("/usr/sbin/nologin", "/bin/false"):
            with self.machine().changed(f"usermod -s {shell} deploy", "usermod -s /bin/bash deploy"):
                self.site(self.host(login="deploy"), name=pathlib.Path(shell).name).refused(
                    "node1", "HOST-LOGIN", "the login ends before a command runs")

    def test_key_that_is_not_accepted(self):
        self.site(self.host(key={"file": str(self.key_pair())})).refused("node1", "HOST-LOGIN", "accepts neither the key")

    def test_key_file_that_others_may_read(self):
        key = self.copy_key("open", mode=0o644)
        result = self.site(self.host(key={"file": str(key)})).run("preflight", "-o", "json")
        self.assertIn(result.code, (3, 4))
        self.assertIn("chmod 600", result.out + result.err)

    def test_key_file_that_is_no_key(self):
        key = self.folder / "nonsense"
        key.write_text("nonsense\n")
        key.chmod(0o600)
        self.site(self.host(key={"file": str(key)})).refused("node1", "HOST-LOGIN", "the private key cannot be used")

    def test_nobody_listens(self):
        with self.within(60):
            self.site(self.host(port=2)).refused("node1", "HOST-UNREACHABLE", "nothing listens")


class HostKeys(Login):
    def fingerprint(self, machine, kind="ed25519"):
        return machine.sh(f"ssh-keygen -lf /etc/ssh/ssh_host_{kind}_key.pub").split()[1]

    def strict_site(self, *hosts, **keywords):
        site = self.site(*hosts, **keywords)
        site.options = []
        return site

    def test_unknown_key_is_refused_before_any_login(self):
        machine, since = self.machine(), self.machine().now()
        site = self.strict_site(self.host(login="ops-password"))
        refused = site.refused("node1", "HOST-KEY", "its key is not trusted yet")
        self.assertIn("hosts trust", refused["remedy"])
        self.assertNotRegex(machine.journal(since, "-u", "ssh"), LOGIN_OF_OPS)

    def test_trust_shows_the_machines_own_fingerprints_and_logs_in_nowhere(self):
        since = self.machine("node2").now()
        site = self.strict_site(self.host("node1", login="ops-password"), self.host("node2", login="ops-password", roles=["worker"]),
                                self.host("node3", login="ops-password", roles=["worker"], bastion="node1"))
        keys = {k["host"]: k for k in site.run("hosts trust", "--yes", "-o", "json").expect(0).json["hosts"]}
        for name in ("node1", "node2", "node3"):
            self.assertEqual(keys[name]["fingerprint"], self.fingerprint(self.machine(name)))
            self.assertEqual((keys[name]["type"], keys[name]["state"]), ("ED25519", "trusted"))
        again = site.run("hosts trust", "--yes", "-o", "json").expect(0).json["hosts"]
        self.assertEqual({k["state"] for k in again}, {"trusted"})
        self.assertNotRegex(self.machine("node2").journal(since, "-u", "ssh"), LOGIN_OF_OPS)
        self.assertEqual(site.known_hosts.stat().st_mode & 0o777, 0o600)
        site.ignoring("NET-REACH-NETWORK-PLUGIN").run("preflight").expect(0)  # node3 is reached through node1 alone

    def test_trust_asks_and_without_a_terminal_refuses_to_guess(self):
        site = self.strict_site(self.host())
        self.assertNotEqual(site.run("hosts trust").code, 0)
        self.assertFalse(site.known_hosts.exists())

    def test_changed_key_is_refused_until_it_is_replaced_by_name(self):
        machine = self.machine("node2")
        site = self.strict_site(self.host("node2", login="ops-password"))
        site.run("hosts trust", "--yes").expect(0)
        site.run("preflight").expect(0)
        machine.sh("mkdir -p /etc/ssh/kept && cp -p /etc/ssh/ssh_host_* /etc/ssh/kept && rm /etc/ssh/ssh_host_* && "
                   "ssh-keygen -q -t ed25519 -N '' -f /etc/ssh/ssh_host_ed25519_key && systemctl restart ssh")
        new = None
        try:
            # Over the network the lab's own ssh would refuse it as well: the answers are read below, with the old keys back.
            refused = site.refused("node2", "HOST-KEY", "another key")
            self.assertIn("--replace", refused["remedy"])
            site.options = ["--accept-new"]
            site.refused("node2", "HOST-KEY", "another key")
            site.options = []
            kept = site.run("hosts trust", "--yes", "-o", "json").expect(1).json["hosts"][0]
            self.assertEqual(kept["state"], "changed")
            new = kept["fingerprint"]
            site.refused("node2", "HOST-KEY", "another key")
            site.run("hosts trust", "--yes", "--replace", "node2").expect(0)
            site.run("preflight").expect(0)
        finally:
            self.with_key_of(machine, "cp -p /etc/ssh/ssh_host_ed25519_key.pub /root/new.pub; "
                             "mv /etc/ssh/kept/* /etc/ssh/ && rmdir /etc/ssh/kept && systemctl restart ssh")
        self.assertEqual(machine.sh("ssh-keygen -lf /root/new.pub").split()[1], new)

    def with_key_of(self, machine, script):
        """A login that does not care about host keys, to put them back."""
        subprocess.run(["ssh", "-F", "none", "-i", self.lab.state / "key", "-o", "StrictHostKeyChecking=no", "-o", "LogLevel=ERROR",
                        "-o", "UserKnownHostsFile=/dev/null", f"root@{machine.address}", script], check=True, timeout=30)

    def test_revoked_key_is_refused(self):
        site = self.strict_site(self.host("node2", login="ops-password"))
        site.run("hosts trust", "--yes").expect(0)
        lines = site.known_hosts.read_text()
        site.known_hosts.write_text("".join(f"@revoked * {line.split(' ', 1)[1]}\n" for line in lines.splitlines()) + lines)
        since = self.machine("node2").now()
        site.refused("node2", "HOST-KEY", "revoked")
        self.assertNotRegex(self.machine("node2").journal(since, "-u", "ssh"), LOGIN_OF_OPS)
        site.options = ["--accept-new"]
        site.refused("node2", "HOST-KEY", "revoked")
        kept = site.run("hosts trust", "--yes", "--replace", "node2", "-o", "json").expect(1).json["hosts"][0]
        self.assertEqual(kept["state"], "revoked")


if __name__ == "__main__":
    machines.main(count=3, behind=1)
