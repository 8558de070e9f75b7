#!/usr/bin/env python3
"""A cluster from the bundle alone: it is usable, a second apply changes nothing, a reset leaves no trace, and then
the machines take another."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import checks  # noqa: E402
import clusters  # noqa: E402
import leftovers  # noqa: E402


class Create(clusters.Case):
    def made(self, cluster):
        """Fresh machines become a cluster; returns what they were."""
        before = self.pictures(*cluster.nodes)
        first = cluster.apply().expect(0)
        self.assertEqual(first.json["result"], "succeeded")
        checks.healthy(cluster, seconds=10)  # apply returns when it is, not some time before
        checks.usable(cluster)
        for machine in cluster.nodes.values():
            checks.hardened(machine)
        self.says_how_it_is(cluster)
        self.assertTrue(all(leftovers.chains(machine) for machine in cluster.nodes.values()), "chains are looked for in the wrong place")
        again = self.assert_nothing_changes(cluster)
        self.say(f"first apply {first.seconds:.1f} s, second {again.seconds:.1f} s: {again.seconds / first.seconds:.0%}")
        self.assertLess(again.seconds, first.seconds / 2)
        return before

    def says_how_it_is(self, cluster):
        seen = cluster.run("status", "-o", "json").expect(0).json["kubernetes"]
        self.assertTrue(seen["answers"] and seen["ready"], seen)
        self.assertEqual({node["name"] for node in seen["nodes"] if node["ready"]}, set(cluster.nodes))
        self.assertEqual([one for one in seen["components"] if one["ready"] != one["wanted"]], [])
        self.assertLessEqual({"kube-apiserver", "etcd", "coredns", "kube-proxy"}, {one["name"] for one in seen["components"]})
        certificates = {(one["what"], one["node"]): one.get("daysLeft", 0) for one in seen["certificates"]}
        self.assertGreater(certificates["API server", next(iter(cluster.nodes))], 300)
        self.assertEqual({node for what, node in certificates if what == "kubelet"}, set(cluster.nodes))
        merged = cluster.folder / "merged"
        cluster.run("kubeconfig", "--merge", "--out", merged).expect(0)
        self.assertEqual(cluster.kubectl_program.run("--kubeconfig", merged, "--context", cluster.name, "get", "--raw", "/readyz").expect(0).out,
                         "ok")

    def undone(self, cluster, before):
        took = cluster.reset().expect(0).seconds
        self.say(f"reset {took:.1f} s")
        self.assert_as_before(before)

    def test_one_machine_that_keeps_its_secrets(self):
        cluster = self.cluster(self.host("node4"), kubernetes={"audit": {"enabled": True}, "encryption": {"enabled": True}})
        before = self.made(cluster)
        machine = self.machine("node4")
        checks.guarded(cluster, machine)
        machine.sh("/usr/local/bin/kubeadm config validate --config /etc/kubernetes/slipway/kubeadm.yaml")
        cluster.reset().expect(0)
        machine.sh("rm -r /var/log/kubernetes")  # a log stays
        self.assert_as_before(before)

    def test_a_control_plane_and_two_workers_and_once_more_on_the_same_machines(self):
        cluster = self.cluster(self.control_plane("node1"), self.worker("node2"), self.worker("node3"))
        self.undone(cluster, self.made(cluster))
        cluster.apply().expect(0)
        checks.healthy(cluster, seconds=10)


if __name__ == "__main__":
    clusters.main(count=4)
