#!/usr/bin/env python3
"""A cluster of both families: nodes, pods and services have an address of each, and each of them is reached."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import checks  # noqa: E402
import clusters  # noqa: E402

NETWORKS = {"pods": ["10.244.0.0/16", "fd00:10:244::/56"], "services": ["10.96.0.0/16", "fd00:10:96::/112"]}


class DualStack(clusters.Case):
    def test_nodes_pods_and_services_have_both_addresses_and_answer_at_each(self):
        cluster = self.cluster(self.control_plane("node1"), self.worker("node2"), self.worker("node3"), kubernetes={"networks": NETWORKS})
        cluster.apply().expect(0)
        checks.healthy(cluster)
        checks.usable(cluster)
        for node in cluster.objects("nodes"):
            addresses = [a["address"] for a in node["status"]["addresses"] if a["type"] == "InternalIP"]
            self.assertEqual([":" in a for a in addresses], [False, True], node["metadata"]["name"])
            self.assertEqual(len(node["spec"]["podCIDRs"]), 2)
        self.answers_at_both(cluster)
        self.assert_nothing_changes(cluster)
        cluster.reset().expect(0)

    def answers_at_both(self, cluster):
        service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "both"},
                   "spec": {"selector": {"app": "both"}, "ipFamilyPolicy": "RequireDualStack", "ports": [{"port": checks.PORT}]}}
        cluster.kubectl("apply", "-f", "-", stdin=json.dumps(
            {"apiVersion": "v1", "kind": "List", "items": [checks.pods("DaemonSet", "both", {}), service]}))
        cluster.kubectl("rollout", "status", "daemonset/both", "--timeout=60s", timeout=90)
        pods = [[ip["ip"] for ip in one["status"]["podIPs"]] for one in cluster.objects("pods", "-l", "app=both")]
        self.assertEqual([len(one) for one in pods], [2, 2, 2])
        service = json.loads(cluster.kubectl("get", "service", "both", "-o", "json"))["spec"]["clusterIPs"]
        self.assertEqual([":" in ip for ip in service], [False, True])
        for machine in cluster.nodes.values():
            for ip in [ip for one in [*pods, service] for ip in one]:
                url = f"http://[{ip}]:{checks.PORT}/" if ":" in ip else f"http://{ip}:{checks.PORT}/"
                ask = ("curl", "-gsS", "-m", "2", "-o", "/dev/null", url)
                checks.eventually(f"{url} answers on {machine.name}", lambda m=machine, a=ask: m.in_network(*a).returncode == 0 or None, 30)


if __name__ == "__main__":
    clusters.main(count=3)
