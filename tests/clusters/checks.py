"""What a usable cluster does, asked the way its users would: kubectl, pods, services, connections from outside.

    checks.healthy(cluster)     every node Ready, and all that every cluster runs has been rolled out
    checks.usable(cluster)      and what people do with one works, on every node
    checks.hardened(machine)    what the CIS benchmark wants of files and programs of a node
    checks.guarded(cluster, machine)    the API server writes down who does what, and etcd holds no secret in clear
"""

import base64
import json
import shlex
import time
import urllib.error
import urllib.request

IMAGE = "slipway.test/probe:1"
PORT = 8080
HOST_PORT = 18080
EVERYWHERE = [{"operator": "Exists"}]
# A service is programmed on a node about a second after its pods are ready.
PATIENCE_SECONDS = 60


def eventually(what, attempt, seconds=PATIENCE_SECONDS):
    """The first answer that is neither None nor an error; the last error when time is up."""
    deadline, seen = time.monotonic() + seconds, None
    while True:
        try:
            answer = attempt()
            if answer is not None:
                return answer
        except (AssertionError, OSError, urllib.error.URLError) as error:
            seen = error
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds} s for: {what}\n{seen or ''}")
        time.sleep(0.1)


def ready_nodes(cluster):
    return {node["metadata"]["name"] for node in cluster.objects("nodes")
            if any(c["type"] == "Ready" and c["status"] == "True" for c in node["status"]["conditions"])}


def healthy(cluster, seconds=PATIENCE_SECONDS):
    wanted = set(cluster.nodes)
    eventually(f"{sorted(wanted)} Ready", lambda: ready_nodes(cluster) == wanted or None, seconds)
    for namespace, what in (("kube-system", "daemonset/kube-proxy"), ("kube-flannel", "daemonset/kube-flannel-ds"),
                            ("kube-system", "deployment/coredns")):
        eventually(f"{what} rolled out", lambda: cluster.kubectl("-n", namespace, "rollout", "status", what, f"--timeout={seconds}s",
                                                                 timeout=seconds + 30), seconds)
    eventually("every pod of the cluster running", lambda: _all_pods_run(cluster))


def _all_pods_run(cluster):
    waiting = [pod["metadata"]["name"] for pod in cluster.objects("pods", "-A")
               if not all(c["ready"] for c in pod["status"].get("containerStatuses", [{"ready": False}]))]
    assert not waiting, f"not ready: {', '.join(waiting)}"
    return True


def usable(cluster):
    namespace = "slipway-checks"
    cluster.kubectl("create", "namespace", namespace)
    try:
        _use(Workload(cluster, namespace))
    finally:
        cluster.kubectl("delete", "namespace", namespace, "--timeout=100s", timeout=130)


class Workload:
    """One probe a node, control planes as well, and two more behind services."""

    def __init__(self, cluster, namespace):
        self.cluster, self.namespace = cluster, namespace
        objects = [pods("DaemonSet", "each", {}), pods("Deployment", "web", {"replicas": 2}),
                   _service("web", {}), _service("outside", {"type": "NodePort"})]
        cluster.kubectl("-n", namespace, "apply", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
        for what in ("daemonset/each", "deployment/web"):
            cluster.kubectl("-n", namespace, "rollout", "status", what, "--timeout=100s", timeout=130)
        self.each = {pod["spec"]["nodeName"]: pod for pod in self._of("pods", "-l", "app=each")}
        self.web = self._of("pods", "-l", "app=web")
        services = {service["metadata"]["name"]: service["spec"] for service in self._of("services")}
        self.service_address = services["web"]["clusterIP"]
        self.node_port = services["outside"]["ports"][0]["nodePort"]

    def _of(self, *what):
        return self.cluster.objects("-n", self.namespace, *what)

    def in_pod_of(self, node, *words):
        pod = self.each[node]["metadata"]["name"]
        return self.cluster.kubectl("-n", self.namespace, "exec", pod, "--", *words)

    def logs(self, pod):
        return self.cluster.kubectl("-n", self.namespace, "logs", pod["metadata"]["name"])


def pods(kind, name, more):
    ports = [{"containerPort": PORT, "hostPort": HOST_PORT}] if kind == "DaemonSet" else []
    container = {"name": "probe", "image": IMAGE, "args": ["serve", f":{PORT}"], "ports": ports,
                 "readinessProbe": {"httpGet": {"path": "/healthz", "port": PORT}, "periodSeconds": 1}}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name}, "spec": {
        **more, "selector": {"matchLabels": {"app": name}}, "template": {"metadata": {"labels": {"app": name}}, "spec": {
            "tolerations": EVERYWHERE if kind == "DaemonSet" else [], "terminationGracePeriodSeconds": 1, "containers": [container]}}}}


def _service(name, more):
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": {
        **more, "selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": PORT}]}}


def _use(workload):
    nodes = set(workload.cluster.nodes)
    assert set(workload.each) == nodes, f"pods run on {sorted(workload.each)}, not on {sorted(nodes)}"
    for node, machine in workload.cluster.nodes.items():
        _from_a_pod(workload, node)
        _from_the_machine(workload, machine)
        _from_outside(workload, machine)
    eventually("metrics of every node", lambda: _measured(workload.cluster) == nodes or None)
    for pod in workload.web:  # the kubelet of each node hands them out
        assert "serves at" in workload.logs(pod), f"the log of {pod['metadata']['name']} is not what it wrote"


def _measured(cluster):
    """An aggregated API: the API server asks metrics-server, which asks every kubelet."""
    return {line.split()[0] for line in cluster.kubectl("top", "nodes", "--no-headers").splitlines() if "unknown" not in line}


def _from_a_pod(workload, node):
    """The service by name, by DNS and by HTTP; every other node's pod by address."""
    name = f"web.{workload.namespace}.svc.cluster.local"
    found = eventually(f"{name} by DNS on {node}", lambda: workload.in_pod_of(node, "probe", "lookup", name).split())
    assert found == [workload.service_address], f"on {node} {name} is {found}, not {workload.service_address}"
    eventually(f"the service by its short name on {node}", lambda: workload.in_pod_of(node, "probe", "get", "http://web/"))
    others = [pod["status"]["podIP"] for pod in workload.each.values()]
    script = " && ".join(shlex.join(["probe", "get", f"http://{address}:{PORT}/healthz"]) for address in others)
    answers = eventually(f"pods of every node from {node}", lambda: workload.in_pod_of(node, "sh", "-c", script)).split()
    assert answers == ["ok"] * len(others), f"from the pod on {node}: {answers}"


def _from_the_machine(workload, machine):
    """Its own processes use services as well; bash is all the client a machine has."""
    script = f"exec 3<>/dev/tcp/{workload.service_address}/80; printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3; timeout 5 cat <&3"
    eventually(f"the service from {machine.name}", lambda: "hostname=web-" in machine.sh(f"timeout 10 bash -c {shlex.quote(script)}") or None)


def _from_outside(workload, machine):
    for what, port, pod in (("node port", workload.node_port, "web"), ("host port", HOST_PORT, "each")):
        def ask():
            with urllib.request.urlopen(f"http://{machine.address}:{port}/", timeout=5) as answer:
                return f"hostname={pod}-" in answer.read().decode() or None
        eventually(f"the {what} of {machine.name}", ask)


# Path, the most that its mode may be. Nothing below is world-readable but certificates and programs.
MODES = {"/etc/kubernetes/manifests/*.yaml": 0o600, "/etc/kubernetes/*.conf": 0o600, "/etc/kubernetes/pki/*.key": 0o600,
         "/etc/kubernetes/pki/etcd/*.key": 0o600, "/etc/kubernetes/pki/*.crt": 0o644, "/etc/kubernetes/slipway/*": 0o600,
         "/var/lib/kubelet/config.yaml": 0o644, "/var/lib/kubelet/pki/*.key": 0o600, "/etc/systemd/system/kubelet.service": 0o644,
         "/etc/cni/net.d/*": 0o644, "/var/lib/etcd": 0o700}
# Program, what its command line must hold.
ARGUMENTS = {"kube-apiserver": ["--profiling=false", "--kubelet-certificate-authority=", "--authorization-mode=Node,RBAC",
                                "--enable-admission-plugins=NodeRestriction", "--tls-min-version=VersionTLS12", "--client-ca-file=",
                                "--etcd-cafile=", "--service-account-key-file="],
             "kube-controller-manager": ["--profiling=false", "--use-service-account-credentials=true", "--root-ca-file=",
                                         "--bind-address=127.0.0.1"],
             "kube-scheduler": ["--profiling=false", "--bind-address=127.0.0.1"],
             "etcd": ["--client-cert-auth=true", "--peer-client-cert-auth=true"]}


def hardened(machine):
    wrong = []
    # One login for all of it: each takes half a second.
    scripts = [f"stat -Lc '%a %U %n' {pattern} 2>/dev/null || true" for pattern in MODES]
    scripts += [f"pid=$(pgrep -x {program[:15]} | head -n 1); test -z $pid || tr '\\0' '\\n' </proc/$pid/cmdline" for program in ARGUMENTS]
    said = iter(machine.sh("set -e; " + "; printf '\\0'; ".join(scripts)).split("\0"))
    for most in MODES.values():
        for line in next(said).splitlines():
            mode, owner, path = line.split(" ", 2)
            if int(mode, 8) & ~most or owner != "root":
                wrong.append(f"{path} is {mode}, {owner}'s")
    for program, wanted in ARGUMENTS.items():
        words = next(said).splitlines()
        wrong += [f"{program} lacks {one}" for one in wanted if words and not any(word.startswith(one) for word in words)]
    kubelet = machine.sh("cat /var/lib/kubelet/config.yaml")
    for one in ("readOnlyPort: 0", "tlsMinVersion: VersionTLS12", "mode: Webhook", "rotateCertificates: true"):
        if one not in kubelet:
            wrong.append(f"the kubelet lacks {one}")
    if machine.try_sh("ss -Hltn 'sport = :10255' | grep -q .").code == 0:
        wrong.append("the kubelet's read-only port is open")
    assert not wrong, "\n  ".join(["not as the CIS benchmark wants it:", *wrong])


ETCDCTL = ("etcdctl --endpoints=https://127.0.0.1:2379 --cacert=/etc/kubernetes/pki/etcd/ca.crt "
           "--cert=/etc/kubernetes/pki/etcd/healthcheck-client.crt --key=/etc/kubernetes/pki/etcd/healthcheck-client.key")


def guarded(cluster, machine):
    word = "not-to-be-read-in-etcd"
    cluster.kubectl("create", "secret", "generic", "hidden", f"--from-literal=word={word}")
    stored = machine.sh(f"crictl exec $(crictl ps -q --name '^etcd$') {ETCDCTL} get --print-value-only /registry/secrets/default/hidden | head -c 4096 | base64 -w0")
    stored = base64.b64decode(stored)
    assert stored.startswith(b"k8s:enc:"), f"a secret is stored as {stored[:40]!r}"
    assert word.encode() not in stored, "a secret is stored in clear"
    audited = [json.loads(line) for line in machine.sh("cat /var/log/kubernetes/audit/audit.log").splitlines()]
    mine = [one for one in audited if one["verb"] == "create" and one["objectRef"].get("name") == "hidden"]
    assert [one["level"] for one in mine] == ["Metadata"], f"the audit log says of a secret: {mine}"
    assert word not in json.dumps(audited), "the audit log holds a secret"
    cluster.kubectl("delete", "secret", "hidden")


def writes(cluster):
    """True when a change is taken, else None: it needs the endpoint, an API server, and a majority of etcd."""
    done = cluster.try_kubectl("--request-timeout=5s", "annotate", "--overwrite", "namespace", "default", f"slipway.dev/seen={time.monotonic()}")
    return done.code == 0 or None


def heard_of_without(cluster, machine, node, server):
    """The power of a control plane is cut: what a node says of itself goes on arriving at the servers that are left."""
    machine.power("cut")
    first = None

    def renewed():
        nonlocal first
        seen = cluster.try_kubectl(f"--server=https://{server.address}:6443", "--request-timeout=5s", "-n", "kube-node-lease", "get", "lease",
                                   node, "-o", "jsonpath={.spec.renewTime}")
        if seen.code != 0:
            return None
        first = first or seen.out
        return seen.out != first or None
    # A server that is gone is noticed within two checks; a kubelet says every 10 s that it lives.
    eventually(f"{node} heard of without {machine.name}", renewed, 60)


def returns(cluster, machine, seconds):
    """Powered on again a control plane comes back by itself. Its node may still be called Ready from before: what counts is that its own
    API server and etcd say so."""
    machine.power("on")
    eventually(f"the API server of {machine.name}", lambda: cluster.try_kubectl(
        f"--server=https://{machine.address}:6443", "--request-timeout=5s", "get", "--raw", "/readyz").code == 0 or None, seconds)
    healthy(cluster, seconds=seconds)
