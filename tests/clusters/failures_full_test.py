#!/usr/bin/env python3
"""What goes wrong while a cluster is made: a worker that fails is set aside and taken up again, machines lose their
power, hooks fail, steps are left out or done by others. Nothing asks for a new beginning."""

import pathlib
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import checks  # noqa: E402
import clusters  # noqa: E402
import machines  # noqa: E402


class Failures(clusters.Case):
    def nodes(self, cluster):
        return {one["metadata"]["name"] for one in cluster.objects("nodes")}

    def test_a_worker_that_fails_is_set_aside_and_retry_finishes_it(self):
        cluster = self.cluster(self.control_plane("node1"), self.worker("node2"), self.worker("node3"),
                               hooks={"preInstall": [{"name": "disk", "roles": ["worker"], "script": "test ! -e /root/broken"}]})
        self.machine("node3").sh("touch /root/broken")
        first = cluster.apply()
        self.assertEqual(first.code, 5, first.err)
        self.assertEqual(first.json["result"], "partial")
        self.assertIn("node3", first.err + first.out)
        self.assertEqual(self.nodes(cluster), {"node1", "node2"})
        self.machine("node3").sh("rm /root/broken")
        cluster.timed("retry", "--host", "node3").expect(0)
        self.assertEqual(self.nodes(cluster), {"node1", "node2", "node3"})
        checks.healthy(cluster)
        self.assert_nothing_changes(cluster)
        cluster.reset().expect(0)

    def test_a_worker_without_power_in_mid_run_is_set_aside_and_retry_finishes_it(self):
        cluster = self.cluster(self.control_plane("node1"), self.worker("node2"))
        run = cluster.start("apply", "--yes", "--key", cluster.key)
        self.until_begun(cluster, "node2", "install-container-runtime")
        self.machine("node2").power("cut")
        out, err = run.communicate(timeout=clusters.CREATE_SECONDS)
        self.assertEqual(run.returncode, 5, out + err)
        self.machine("node2").power("on")
        machines.wait_until(lambda: self.machine("node2").try_sh("true").code == 0, "the machine is back")
        cluster.timed("retry", "--host", "node2").expect(0)
        checks.healthy(cluster)
        cluster.reset().expect(0)

    def test_a_control_plane_without_power_in_mid_run_goes_on_where_it_was(self):
        cluster = self.cluster(self.control_plane("node1"), self.worker("node2"))
        run = cluster.start("apply", "--yes", "--key", cluster.key)
        self.until_begun(cluster, "node1", "start-kubelet")
        self.machine("node1").power("cut")
        run.communicate(timeout=clusters.CREATE_SECONDS)
        self.assertNotEqual(run.returncode, 0)
        self.machine("node1").power("on")
        machines.wait_until(lambda: self.machine("node1").try_sh("true").code == 0, "the machine is back")
        cluster.apply().expect(0)
        checks.healthy(cluster)
        cluster.reset().expect(0)

    def until_begun(self, cluster, host, step):
        machines.wait_until(lambda: cluster.journal.exists() and cluster.query(f"SELECT 1 FROM nodes WHERE node = '{host}/{step}'"),
                            f"{step} of {host}", 120)

    def test_a_hook_that_fails_ends_the_run_and_once_mended_it_goes_on(self):
        mended = self.folder / "mended"
        cluster = self.cluster(self.host("node2"), hooks={
            "operatorPostClusterReady": [{"name": "register", "command": ["test", "-e", str(mended)]}]})
        first = cluster.apply()
        self.assertEqual(first.code, 1, first.out)
        self.assertIn("register", first.err + first.out)
        mended.touch()
        cluster.timed("resume").expect(0)
        checks.healthy(cluster)
        cluster.reset().expect(0)

    def test_steps_are_left_out_and_done_by_others(self):
        cluster = self.cluster(self.host("node3"), steps={"skip": ["install-metrics-server"], "delegate": ["install-dns"]})
        done = []

        def outside():
            """An operator of its own: claims the step when it is offered, and puts something else in its place."""
            def offered():
                listed = cluster.run("delegate", "list", "-o", "json")
                return [one["id"] for one in listed.json["delegated"]] if listed.code == 0 else []

            machines.wait_until(offered, "the step is offered", 120)
            node = offered()[0]
            cluster.run("delegate", "claim", node, "--holder", "outside").expect(0)
            cluster.kubectl("create", "configmap", "dns-by-others", "-n", "kube-system")
            cluster.run("delegate", "report", node, "--holder", "outside", "--result", "succeeded").expect(0)
            done.append(node)

        thread = threading.Thread(target=outside)
        thread.start()
        cluster.apply().expect(0)
        thread.join(60)
        self.assertEqual(len(done), 1)
        deployments = {one["metadata"]["name"] for one in cluster.objects("deployments", "-n", "kube-system")}
        self.assertEqual(deployments & {"coredns", "metrics-server"}, set())
        self.assertTrue(cluster.kubectl("get", "configmap", "dns-by-others", "-n", "kube-system"))
        cluster.reset().expect(0)


if __name__ == "__main__":
    clusters.main(count=3)
