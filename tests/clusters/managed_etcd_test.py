#!/usr/bin/env python3
"""Three machines run etcd as a service; two of them are control planes, which the third reaches through a proxy of its own. A control plane
loses its power, with it a member of etcd: the rest goes on, and it returns by itself."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import checks  # noqa: E402
import clusters  # noqa: E402

RETURN_SECONDS = 180


class ManagedEtcd(clusters.Case):
    def test_a_control_plane_and_member_loses_its_power(self):
        cluster = self.cluster(*[self.host(name, roles=["control-plane", "etcd"]) for name in ("node1", "node2")],
                               self.host("node3", roles=["worker", "etcd"]), etcd={"mode": "managed"},
                               kubernetes={"endpoint": {"kind": "local-haproxy"}})
        before = self.pictures(*cluster.nodes)
        made = cluster.apply().expect(0)
        self.say(f"apply {made.seconds:.1f} s")
        checks.healthy(cluster, seconds=30)
        checks.usable(cluster)
        for machine in cluster.nodes.values():
            self.assertEqual(machine.sh("systemctl is-active etcd.service").strip(), "active")
        self.assertIn("server: https://127.0.0.1:6443", cluster.nodes["node3"].sh("cat /etc/kubernetes/kubelet.conf").replace('"', ""))
        checks.heard_of_without(cluster, cluster.nodes["node1"], "node3", cluster.nodes["node2"])
        checks.returns(cluster, cluster.nodes["node1"], RETURN_SECONDS)
        self.assert_nothing_changes(cluster)
        cluster.reset().expect(0)
        for machine in cluster.nodes.values():
            machine.sh("rm -rf /var/backups/etcd")
        self.assert_as_before(before)


if __name__ == "__main__":
    clusters.main(count=3)
