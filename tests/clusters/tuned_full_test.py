#!/usr/bin/env python3
"""Three control planes and a worker that reaches them through its own proxy, with arguments, patches and pieces of
configuration of the user's: all of it arrives, a change of one does only that, each control plane may lose its power."""

import contextlib
import copy
import json
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import checks  # noqa: E402
import clusters  # noqa: E402

CONTROL_PLANES = ("node1", "node2", "node3")
WORKER = "node4"
RETURN_SECONDS = 180


class Tuned(clusters.Case):
    def test_local_proxies_and_settings_of_the_user(self):
        cluster = self.cluster(*map(self.control_plane, CONTROL_PLANES), self.worker(WORKER), **self.parts())
        before = self.pictures(*cluster.nodes)
        made = cluster.apply().expect(0)
        self.say(f"apply {made.seconds:.1f} s")
        checks.healthy(cluster, seconds=30)
        checks.usable(cluster)
        self.through_its_own_proxy(cluster)
        self.settings_arrived(cluster)
        self.assert_nothing_changes(cluster)
        self.one_change(cluster)
        self.refused_by_the_program(cluster)
        self.refused_by_the_kubelet(cluster)
        self.refused_by_etcd(cluster)
        for name in CONTROL_PLANES:
            self.survives(cluster, cluster.nodes[name])
        checks.usable(cluster)
        cluster.reset().expect(0)
        self.assert_as_before(before)

    def parts(self):
        pod = self.file("pod.yaml", 'metadata: {annotations: {example.org/seen: "yes"}}')
        kubelet = self.file("kubelet.json", json.dumps([{"op": "replace", "path": "/maxPods", "value": 77}]))
        daemons = self.file("proxy.yaml", "spec: {template: {metadata: {labels: {example.org/patched: here}}}}")
        piece = self.file("containerd.toml", '[plugins."io.containerd.cri.v1.images"]\nmax_concurrent_downloads = 4\n')
        return {
            "kubernetes": {
                "endpoint": {"kind": "local-haproxy"},
                "tuning": {
                    "apiServer": {"args": {"max-requests-inflight": "444"}, "patches": [pod]},
                    "controllerManager": {"args": {"controllers": "*,-bootstrap-signer-controller"}},
                    "kubelet": {"args": {"v": "1", "event-qps": "17"}, "patches": [kubelet]},
                    "kubeProxy": {"args": {"kube-api-burst": "33"}, "patches": [daemons]},
                }},
            "runtime": {"patches": [piece]},
            "etcd": {"patches": [pod]},
        }

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text + "\n")
        return str(path)

    def through_its_own_proxy(self, cluster):
        worker = cluster.nodes[WORKER]
        self.assertIn("server: https://127.0.0.1:6443", worker.sh("cat /etc/kubernetes/kubelet.conf").replace('"', ""))
        listening = [line.split()[3] for line in worker.sh("ss -Hltn 'sport = :6443'").splitlines()]
        self.assertEqual(listening, ["127.0.0.1:6443"])
        self.assertNotIn("haproxy", cluster.nodes["node1"].sh("ps -eo comm"))
        self.assertIn("server: https://127.0.0.1:6443", cluster.kubectl("-n", "kube-system", "get", "configmap", "kube-proxy", "-o", "yaml"))

    def settings_arrived(self, cluster):
        for name in CONTROL_PLANES:
            self.assertIn("--max-requests-inflight=444", self.arguments(cluster.nodes[name], "kube-apiserver"))
            self.assertIn("--controllers=*,-bootstrap-signer-controller", self.arguments(cluster.nodes[name], "kube-controller"))
            for component in ("kube-apiserver", "etcd"):
                pod = json.loads(cluster.kubectl("-n", "kube-system", "get", "pod", f"{component}-{name}", "-o", "json"))
                self.assertEqual(pod["metadata"]["annotations"]["example.org/seen"], "yes", component)
        for name, machine in cluster.nodes.items():
            told = json.loads(cluster.kubectl("get", "--raw", f"/api/v1/nodes/{name}/proxy/configz"))["kubeletconfig"]
            self.assertEqual((told["maxPods"], told["eventRecordQPS"]), (77, 17))
            self.assertIn("max_concurrent_downloads = 4\n", machine.sh("containerd config dump"))
        self.assertIn("burst: 33", cluster.kubectl("-n", "kube-system", "get", "configmap", "kube-proxy", "-o", "yaml"))
        self.assertEqual(len(cluster.objects("-n", "kube-system", "pods", "-l", "example.org/patched=here")), len(cluster.nodes))

    @staticmethod
    def arguments(machine, program):
        return machine.sh(f"tr '\\0' '\\n' </proc/$(pgrep -o {program})/cmdline").splitlines()

    def one_change(self, cluster):
        """It is what the plan says, and every control plane has it. Whoever leads by way of an API server that ends begins anew."""
        cluster.parts["kubernetes"]["tuning"]["apiServer"]["args"]["max-requests-inflight"] = "555"
        cluster.write(cluster.spec_hosts, cluster.parts)
        steps = {"configure-kubeadm", "start-control-plane", "upload-cluster-config"}
        before = {name: self.started(cluster.nodes[name]) for name in CONTROL_PLANES}
        plan = cluster.run("plan", "-o", "json", "--key", cluster.key, timeout=120).json
        self.assertEqual({step["step"] for step in self.changing(plan)}, steps)
        changed = cluster.apply().expect(0)
        self.say(f"one argument of {len(CONTROL_PLANES)} API servers: {changed.seconds:.1f} s")
        done = [json.loads(line) for line in cluster.run("events", "-o", "json", "--type", "step.finished", "--run", str(changed.json["run"])).expect(0).out.splitlines()]
        self.assertEqual({one["step"] for one in done if one["outcome"] == "changed"} - {"wait-for-cluster"}, steps)
        for name in CONTROL_PLANES:
            self.assertIn("--max-requests-inflight=555", self.arguments(cluster.nodes[name], "kube-apiserver"))
            now = self.started(cluster.nodes[name])
            self.assertNotEqual(now["kube-apiserver"], before[name]["kube-apiserver"])
            self.assertEqual(now["etcd"], before[name]["etcd"])
        checks.healthy(cluster, seconds=60)

    @staticmethod
    def changing(plan):
        return [step for step in plan["steps"] if step.get("changes")]

    @staticmethod
    def started(machine):
        lines = machine.sh("ps -eo comm:30,lstart --no-headers").splitlines()
        return {line.split()[0]: line.split(None, 1)[1] for line in lines if line.startswith(("kube-apiserver", "etcd"))}

    def refused_by_the_program(self, cluster):
        """An argument that no API server takes: one of them notices, and gets its old ones back."""
        with self.refused(cluster, "CONTROL-PLANE-CHANGE") as parts:
            parts["kubernetes"]["tuning"]["apiServer"]["args"]["no-such-argument"] = "1"
        for name in CONTROL_PLANES:
            self.assertNotIn("--no-such-argument=1", self.arguments(cluster.nodes[name], "kube-apiserver"))
        self.goes_on(cluster)

    def refused_by_the_kubelet(self, cluster):
        """One node tries it and gets its old arguments back; no other one is touched, and none is lost."""
        with self.refused(cluster, "NODE-CHANGE") as parts:
            parts["kubernetes"]["tuning"]["kubelet"]["args"]["no-such-argument"] = "1"
        for machine in cluster.nodes.values():
            self.assertNotIn("no-such", machine.sh("cat /var/lib/kubelet/kubeadm-flags.env"))
        self.goes_on(cluster)

    def refused_by_etcd(self, cluster):
        """One member notices and gets its old options back: the others are a majority all the while."""
        with self.refused(cluster, "ETCD-CHANGE") as parts:
            parts["etcd"]["args"] = {"no-such-option": "1"}
        for name in CONTROL_PLANES:
            self.assertNotIn("no-such", cluster.nodes[name].sh("cat /etc/kubernetes/manifests/etcd.yaml"))
        self.goes_on(cluster)

    @contextlib.contextmanager
    def refused(self, cluster, error):
        """The parts of the spec, to be spoilt: they are applied in vain, and the cluster is healthy with the old ones."""
        right = copy.deepcopy(cluster.parts)
        yield cluster.parts
        cluster.write(cluster.spec_hosts, cluster.parts)
        failed = cluster.apply()
        self.assertNotEqual(failed.code, 0)
        self.assertIn(error, failed.out + failed.err)
        cluster.parts = right
        cluster.write(cluster.spec_hosts, right)
        checks.healthy(cluster, seconds=RETURN_SECONDS)

    def goes_on(self, cluster):
        cluster.apply().expect(0)
        self.assert_nothing_changes(cluster)

    def survives(self, cluster, machine):
        other = next(name for name in CONTROL_PLANES if name != machine.name)
        began = time.monotonic()
        checks.heard_of_without(cluster, machine, WORKER, cluster.nodes[other])
        self.say(f"without {machine.name} the worker was heard of after {time.monotonic() - began:.1f} s")
        checks.returns(cluster, machine, RETURN_SECONDS)


if __name__ == "__main__":
    clusters.main(count=4)
