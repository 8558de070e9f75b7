#!/usr/bin/env python3
"""etcd as services on machines of its own, and beside the control planes. A member loses its power, backups
bring back what was lost, certificates are renewed, and a reset leaves nothing but the backups."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import checks  # noqa: E402
import clusters  # noqa: E402

BACKUPS = "/var/backups/etcd"
DOCS = clusters.ROOT / "docs/etcd.md"
SILENCE_SECONDS = 30
RETURN_SECONDS = 120
ETCDCTL = f"/usr/local/bin/{checks.ETCDCTL}"


def commands_of_docs():
    """The shell blocks of the section on going back: the steps of the restore, and the restart of API servers."""
    section = DOCS.read_text().split("## Going back to a backup")[1]
    steps, restart = re.findall(r"```sh\n(.*?)```", section, re.S)
    return steps.strip().splitlines(), restart.strip()


class Etcd(clusters.Case):
    def restrict_nodes(self, cluster, *names):
        cluster.nodes = {name: self.machine(name) for name in names}
        return cluster

    # ---- backups

    def backups(self, machine):
        return machine.sh(f"ls -1 {BACKUPS}").split()

    def back_up(self, machine):
        machine.sh("systemctl start slipway-backup-etcd.service")
        newest = max(self.backups(machine))
        self.assertRegex(newest, r"^etcd-\d{8}T\d{6}Z\.db$")
        self.assertEqual(machine.sh(f"stat -c '%a %U' {BACKUPS} {BACKUPS}/{newest}").split("\n")[:2], ["700 root", "600 root"])
        return f"{BACKUPS}/{newest}"

    def backups_are_turned_over(self, machine, keep):
        for _ in range(keep + 1):
            self.back_up(machine)
            self.pause(1.1)  # names have seconds
        self.assertEqual(len(self.backups(machine)), keep)

    def goes_back(self, cluster, members, control_planes_restart):
        """With the very commands of docs/etcd.md."""
        steps, restart = commands_of_docs()
        cluster.kubectl("create", "configmap", "kept", "--from-literal=a=b")
        backup = self.back_up(members[0])
        content = members[0].sh(f"base64 -w0 {backup}")
        for machine in members:
            machine.sh("base64 -d >/root/backup.db", stdin=content)
        cluster.kubectl("delete", "configmap", "kept")
        cluster.kubectl("create", "configmap", "lost", "--from-literal=a=b")
        for step in steps:
            for machine in members:
                machine.sh(step)
        for machine in control_planes_restart:
            machine.sh(restart)
        checks.eventually("what was deleted is back",
                          lambda: cluster.try_kubectl("--request-timeout=5s", "get", "configmap", "kept").code == 0 or None, RETURN_SECONDS)
        self.assertNotEqual(cluster.try_kubectl("get", "configmap", "lost").code, 0)
        for machine in members:
            machine.sh("rm /root/backup.db; rm -r /var/lib/etcd/member-before-*")
        checks.healthy(cluster, seconds=RETURN_SECONDS)
        self.say("restored")

    def keeps_its_backups(self, machines):
        for machine in machines:
            self.assertTrue(self.backups(machine), "a reset took backups away")
            machine.sh(f"rm -r {BACKUPS}")

    # ---- managed

    def managed(self):
        members = [self.host(name, roles=["etcd"]) for name in ("node1", "node2", "node3")]
        etcd = {"mode": "managed", "dataFolder": "/var/lib/etcd", "args": {"quota-backend-bytes": "4294967296"}, "backup": {"keep": 2}}
        cluster = self.cluster(*members, self.host("node4"), etcd=etcd, kubernetes={"certificates": {"leafDays": 40}})
        return self.restrict_nodes(cluster, "node4")

    def survives_the_loss_of(self, cluster, machine):
        machine.power("cut")
        checks.eventually("the API without a member", lambda: checks.writes(cluster), SILENCE_SECONDS)
        machine.power("on")
        checks.eventually(f"the member of {machine.name} again",
                          lambda: machine.try_sh(f"{ETCDCTL} endpoint health").code == 0 or None, RETURN_SECONDS)
        self.say("a member lost and back")

    def renews(self, cluster, machine, files):
        """With 40 days to live everything ends soon."""
        before = {file: machine.sh(f"cat /etc/kubernetes/pki/{file}") for file in files}
        machine.sh("systemctl start slipway-renew-certificates.service")
        for file, old in before.items():
            self.assertNotEqual(machine.sh(f"cat /etc/kubernetes/pki/{file}"), old, f"{file} of {machine.name} is not renewed")
        checks.eventually("the API with renewed certificates", lambda: checks.writes(cluster), RETURN_SECONDS)

    def test_managed_on_three_machines(self):
        before = self.pictures("node1", "node2", "node3", "node4")
        members = [self.machine(name) for name in ("node1", "node2", "node3")]
        cluster = self.managed()
        made = cluster.apply().expect(0)
        self.say(f"apply {made.seconds:.1f} s")
        checks.healthy(cluster, seconds=30)
        checks.usable(cluster)
        self.assertEqual(members[0].sh(f"{ETCDCTL} member list").count("started"), 3)
        self.assertIn("quota-backend-bytes=4294967296", members[2].sh("tr '\\0' ' ' </proc/$(pidof etcd)/cmdline"))
        self.assertNotIn("etcd-", cluster.kubectl("get", "pods", "-A", "-o", "name"))
        self.survives_the_loss_of(cluster, members[1])
        self.backups_are_turned_over(members[2], keep=2)
        self.goes_back(cluster, members, [self.machine("node4")])
        self.renews(cluster, members[0], ["etcd/server.crt", "etcd/peer.crt", "etcd/healthcheck-client.crt"])
        self.renews(cluster, self.machine("node4"), ["apiserver-etcd-client.crt", "apiserver.crt"])
        checks.healthy(cluster, seconds=RETURN_SECONDS)
        self.assert_nothing_changes(cluster)
        self.refuses_to_move(cluster)
        cluster.reset().expect(0)
        self.keeps_its_backups([members[0], members[2]])
        self.assert_as_before(before)

    def refuses_to_move(self, cluster):
        kept = cluster.parts
        cluster.write(cluster.spec_hosts, {**kept, "etcd": {**kept["etcd"], "dataFolder": "/var/lib/elsewhere"}})
        refused = cluster.apply()
        self.assertNotEqual(refused.code, 0)
        self.assertIn("ETCD-MOVED", refused.out + refused.err)
        cluster.write(cluster.spec_hosts, kept)

    # ---- stacked

    def test_stacked_goes_back_to_a_backup(self):
        before = self.pictures("node4")
        cluster = self.cluster(self.host("node4"), etcd={"dataFolder": "/var/lib/etcd", "backup": {"schedule": "hourly"}})
        cluster.apply().expect(0)
        checks.healthy(cluster, seconds=30)
        self.assertIn("slipway-backup-etcd.timer", self.machine("node4").sh("systemctl list-timers --all"))
        self.goes_back(cluster, [self.machine("node4")], [])
        self.assert_nothing_changes(cluster)
        cluster.reset().expect(0)
        self.keeps_its_backups([self.machine("node4")])
        self.assert_as_before(before)


if __name__ == "__main__":
    clusters.main(count=4)
