#!/usr/bin/env python3
"""What a cluster has beside itself: names from elsewhere and a cache of them on every node, components by chart and by
manifest, volumes on the nodes. A change of the spec is that change; a reset leaves nothing."""

import json
import pathlib
import shlex
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import checks  # noqa: E402
import clusters  # noqa: E402
import name_server  # noqa: E402

CACHE = "169.254.25.10"
CHART = {"Chart.yaml": "apiVersion: v2\nname: greeter\nversion: 1.2.3\n",
         "values.yaml": "greeting: of the chart\n",
         "templates/greeting.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: greeting}\n"
                                    "data: {text: {{ .Values.greeting | quote }}}\n"}


class Addons(clusters.Case):
    def test_names_components_and_volumes(self):
        with name_server.serving(self.machine("node1").address, {"git.corp.test": "10.1.2.3"}) as server:
            cluster = self.made_with(server)
            checks.healthy(cluster, seconds=30)
            checks.usable(cluster)
            self.names(cluster, server)
            self.components(cluster)
            self.volumes(cluster)
            self.assertEqual(self.apply(cluster).json["changed"], 0)
            self.changes(cluster)
            self.undone(cluster)

    def made_with(self, server):
        self.key, bundle = self.own_bundle()
        dns = {"hosts": {"10.9.8.7": ["fixed.corp.test", "printer.test"]}, "zones": {"corp.test": [server.address]},
               "upstreams": ["none"], "nodeLocal": True}
        components = [{"name": "site", "manifests": [self.manifests("web", "page")], "needs": ["greeter"]},
                      {"name": "greeter", "chart": "greeter", "valuesFile": self.written("values.yaml", "greeting: hello\n")}]
        cluster = self.cluster(self.control_plane("node1"), self.worker("node2"), bundles=[str(clusters.Cluster.bundle), bundle],
                               kubernetes={"dns": dns}, components=components, storage={"local": {"enabled": True}})
        self.before = self.pictures(*cluster.nodes)
        self.say(f"apply {self.apply(cluster).seconds:.1f} s")
        return cluster

    def apply(self, cluster):
        return cluster.apply("--key", self.key).expect(0)

    def written(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return str(path)

    def own_bundle(self):
        """A chart in a bundle of its own, signed by somebody else."""
        for name, text in CHART.items():
            self.written(f"greeter/{name}", text)
        recipe = {"apiVersion": "slipway.dev/v1", "kind": "Recipe", "metadata": {"name": "platform"},
                  "spec": {"charts": [{"chart": "greeter"}]}}
        bundle, key = self.folder / "platform.bundle", self.folder / "own"
        self.program.run("bundle", "build", "-f", self.written("recipe.yaml", json.dumps(recipe)), "-o", bundle).expect(0)
        self.program.run("bundle", "keygen", key).expect(0)
        self.program.run("bundle", "sign", bundle, "--key", f"{key}.key").expect(0)
        return f"{key}.pub", str(bundle)

    def manifests(self, *names):
        """`web` as a Deployment with a volume of its own, all others as config maps."""
        documents = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "site"}}]
        documents += [self.web() if name == "web" else {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "site"}}
                      for name in names]
        return self.written("site.yaml", "\n---\n".join(map(json.dumps, documents)))

    @staticmethod
    def web():
        container = {"name": "probe", "image": checks.IMAGE, "args": ["serve", ":8080"]}
        return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "site"}, "spec": {
            "selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}}}}

    def in_web(self, cluster, *words):
        return cluster.kubectl("-n", "site", "exec", "deployment/web", "--", *words)

    def names(self, cluster, server):
        self.assertIn(f"nameserver {CACHE}\nnameserver 10.96.0.10\n", self.in_web(cluster, "cat", "/etc/resolv.conf"))
        for name, address in {"git.corp.test": "10.1.2.3", "fixed.corp.test": "10.9.8.7", "printer.test": "10.9.8.7"}.items():
            self.assertEqual(self.in_web(cluster, "probe", "lookup", name).split(), [address], name)
        self.assertIn("git.corp.test", server.asked)
        self.assertNotIn("fixed.corp.test", server.asked)
        # The cache alone answers, on every node, and keeps what it was told.
        for machine in cluster.nodes.values():
            self.assertIn(CACHE, machine.sh("ip -4 address show dev lo"))
            ask = f"exec 3<>/dev/tcp/{CACHE}/9254; printf 'GET /health HTTP/1.0\\r\\n\\r\\n' >&3; timeout 5 cat <&3"
            self.assertIn(" 200 OK", machine.sh(f"bash -c {shlex.quote(ask)}"))
        self.in_web(cluster, "nslookup", "git.corp.test", CACHE)
        # Without it, pods ask CoreDNS.
        cluster.kubectl("-n", "kube-system", "patch", "daemonset", "node-local-dns", "--type=merge", "-p",
                        json.dumps({"spec": {"template": {"spec": {"nodeSelector": {"nowhere": "true"}}}}}))
        checks.eventually("no cache any more", lambda: not cluster.objects("-n", "kube-system", "pods", "-l", "k8s-app=node-local-dns") or None)
        self.assertEqual(self.in_web(cluster, "probe", "lookup", "printer.test").split(), ["10.9.8.7"])
        cluster.kubectl("-n", "kube-system", "patch", "daemonset", "node-local-dns", "--type=json", "-p",
                        json.dumps([{"op": "remove", "path": "/spec/template/spec/nodeSelector/nowhere"}]))
        cluster.kubectl("-n", "kube-system", "rollout", "status", "daemonset/node-local-dns", "--timeout=60s", timeout=90)

    def components(self, cluster):
        self.assertEqual(cluster.kubectl("-n", "greeter", "get", "configmap", "greeting", "-o", "jsonpath={.data.text}"), "hello")
        labelled = cluster.kubectl("-n", "site", "get", "deployment,configmap", "-l", "slipway.dev/component=site", "-o", "name").split()
        self.assertEqual(labelled, ["deployment.apps/web", "configmap/page"])

    def volumes(self, cluster):
        claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"}, "spec": {
            "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Mi"}}}}
        container = {"name": "probe", "image": checks.IMAGE, "command": ["sh", "-c", "echo kept >/data/file; exec probe sleep"],
                     "volumeMounts": [{"name": "data", "mountPath": "/data"}]}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "writer"}, "spec": {
            "terminationGracePeriodSeconds": 1, "containers": [container],
            "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]}}
        cluster.kubectl("apply", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": [claim, pod]}))
        cluster.kubectl("wait", "--for=condition=Ready", "pod/writer", "--timeout=90s", timeout=120)
        node = cluster.kubectl("get", "pod", "writer", "-o", "jsonpath={.spec.nodeName}")
        find = "cat /var/lib/slipway-volumes/*/file 2>/dev/null || true"
        checks.eventually("the file on the node", lambda: cluster.nodes[node].sh(find) == "kept\n" or None)
        cluster.kubectl("delete", "pod/writer", "pvc/data", "--timeout=60s", timeout=90)
        checks.eventually("the folder gone with its claim", lambda: cluster.nodes[node].sh(find) == "" or None)

    def changes(self, cluster):
        """Each change is one step; what has left the spec leaves the cluster."""
        self.manifests("web", "other")
        self.assertEqual(self.apply(cluster).json["changed"], 1)
        found = cluster.kubectl("-n", "site", "get", "configmap", "-l", "slipway.dev/component=site", "-o", "name").split()
        self.assertEqual(found, ["configmap/other"])
        parts = {**cluster.parts, "components": [c for c in cluster.parts["components"] if c["name"] == "site"]}
        parts["components"][0].pop("needs")
        parts["kubernetes"]["dns"]["hosts"]["10.9.8.6"] = ["late.test"]
        cluster.write(cluster.spec_hosts, parts)
        self.assertIn(self.apply(cluster).json["changed"], (2, 3))  # the chart goes, CoreDNS has a new file and may be waited for
        self.assertEqual(cluster.try_kubectl("-n", "greeter", "get", "configmap", "greeting").code, 1)
        checks.eventually("the new name", lambda: self.in_web(cluster, "probe", "lookup", "late.test").split() == ["10.9.8.6"] or None)
        self.assertEqual(self.apply(cluster).json["changed"], 0)

    def undone(self, cluster):
        self.say(f"reset {cluster.reset().expect(0).seconds:.1f} s")
        self.assert_as_before(self.before)


if __name__ == "__main__":
    clusters.main(count=2)
