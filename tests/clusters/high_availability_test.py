#!/usr/bin/env python3
"""Three control planes behind an address that moves, and two workers: a control plane loses its power, the API does
not; powered on again it returns by itself."""

import ipaddress
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import checks  # noqa: E402
import clusters  # noqa: E402

# The lease of the address is taken over after 15 s at the latest, etcd elects within 2 s.
SILENCE_SECONDS = 60
RETURN_SECONDS = 180


class HighAvailability(clusters.Case):
    def test_a_control_plane_loses_its_power(self):
        address = str(ipaddress.ip_address(self.machine("node1").address) + 100)
        cluster = self.cluster(*map(self.control_plane, ("node1", "node2", "node3")), *map(self.worker, ("node4", "node5")),
                               kubernetes={"endpoint": {"kind": "kube-vip", "address": address}})
        made = cluster.apply().expect(0)
        self.say(f"apply {made.seconds:.1f} s")
        self.assertIn(address, cluster.kubeconfig.read_text())
        checks.healthy(cluster, seconds=30)
        checks.usable(cluster)
        self.survives(cluster, self.holder(cluster, address))
        self.assert_nothing_changes(cluster)

    def holder(self, cluster, address):
        """The worst to lose: who answers for the address now."""
        return next(m for m in cluster.nodes.values() if f"{address}/" in m.sh("ip -o -4 address"))

    def survives(self, cluster, machine):
        machine.power("cut")
        self.say(f"power of {machine.name} cut")
        began = time.monotonic()
        checks.eventually("the API without it", lambda: checks.writes(cluster), SILENCE_SECONDS)
        self.say(f"the API takes changes after {time.monotonic() - began:.1f} s")
        if clusters.FULL:  # that takes 40 s
            checks.eventually("the node seen as lost", lambda: machine.name not in checks.ready_nodes(cluster) or None, RETURN_SECONDS)
        began = time.monotonic()
        checks.returns(cluster, machine, RETURN_SECONDS)
        self.say(f"all as before {time.monotonic() - began:.1f} s after its boot")
        if clusters.FULL:
            checks.usable(cluster)


if __name__ == "__main__":
    clusters.main(count=5)
