#!/usr/bin/env python3
"""A cluster by `slipway apply` beside kubeadm driven by hand (by_hand/), on fresh machines of the lab, from the same files.

    bench/clusters.py build/release/bin --write docs/benchmarks-clusters.md [--only 1+2]

Each runs until the network, kube-proxy and DNS answer on every node; a Ready node is not the end. CPU seconds are
those of the machines (their cgroups) and of the programs that worked on them from here. Exits 1 when a bound is missed.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LAB = ROOT / "lab/lab"
BY_HAND = ROOT / "bench/by_hand"
CASES = {"one machine": (1, 1, 0.75), "1+2": (1, 3, 0.5), "3+1": (3, 4, 0.5)}  # control planes, machines, bound of wall time
CPU_BOUND = 0.8
ENGINE_BOUND = 0.05
AGAIN_BOUND = 0.1
NAME_SERVER = "10.96.0.10"
PATIENCE_SECONDS = 300
BY_HAND_IMAGES = ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy", "etcd", "coredns/coredns", "pause", "flannel")
SLIPWAY_IMAGES = ("kube-vip",)  # of three control planes; by hand they have no address in common
NOT_BY_HAND = ["backup-etcd"]  # what the script does not do either; metrics-server is not in the bundle
BY_HAND_PROGRAMS = ("kubeadm", "kubelet", "kubectl", "crictl", "runc", "containerd.tar", "cni-plugins.tar")


def run(*words, expect=0, **keywords):
    done = subprocess.run([str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **keywords)
    if done.returncode != expect:
        sys.exit(f"bench: {' '.join(map(str, words))} ended with {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


class Files:
    """What both install, out of one bundle: extracted before any clock runs."""

    def __init__(self, slipway, folder):
        self.slipway, self.folder = slipway, folder
        self.whole = pathlib.Path(run(ROOT / "lab/bundle/build", "--slipway", slipway).strip())
        names = [one["name"] for one in json.loads(run(slipway, "bundle", "inspect", self.whole, "-o", "json"))["names"]]
        (folder / "programs").mkdir()
        for program in BY_HAND_PROGRAMS:
            target = folder / "programs" / program
            self.extract(next(n for n in names if f"/{program}:" in n), target)
            target.chmod(0o755)
        self.kubectl = folder / "programs/kubectl"
        self.packages(next(n for n in names if "/packages/" in n))
        self.images([next(n for n in names if f"/{image}:" in n) for image in BY_HAND_IMAGES])
        self.pack(names)

    def extract(self, name, target):
        run(self.slipway, "bundle", "extract", self.whole, name, "-o", target)

    def pack(self, names):
        """A bundle of these very files, and of the programs only Slipway needs: nobody carries more than the other."""
        for image in SLIPWAY_IMAGES:
            self.extract(next(n for n in names if f"/{image}:" in n), self.folder / image)
        version = {name.split("/")[-1].rsplit(":", 1)[0]: name.rsplit(":", 1)[1] for name in names}
        recipe = {"apiVersion": "slipway.dev/v1", "kind": "Recipe", "metadata": {"name": "bench", "version": version["kubeadm"]}, "spec": {
            "images": [{"oci-archive": "images.tar"}, *[{"oci-layout": image} for image in SLIPWAY_IMAGES]],
            "binaries": [{"file": f"programs/{program}", "version": version[program], "arch": "amd64"} for program in BY_HAND_PROGRAMS],
            "packages": [{"os": "debian-12", "arch": "amd64", "files": ["packages"]}]}}
        (self.folder / "recipe.yaml").write_text(json.dumps(recipe))
        self.bundle, self.key = self.folder / "bench.bundle", self.folder / "bench.pub"
        run(self.slipway, "bundle", "build", "-f", self.folder / "recipe.yaml", "-o", self.bundle)
        run(self.slipway, "bundle", "keygen", self.folder / "bench")
        run(self.slipway, "bundle", "sign", self.bundle, "--key", self.folder / "bench.key")

    def packages(self, name):
        self.extract(name, self.folder / "packages")
        (self.folder / "debs").mkdir()
        for deb in (self.folder / "packages").glob("*.deb"):
            shutil.copy(deb, self.folder / "debs")

    def images(self, names):
        """One OCI archive of them, as `ctr images import` takes it."""
        merged = self.folder / "merged"
        (merged / "blobs/sha256").mkdir(parents=True)
        (merged / "oci-layout").write_text('{"imageLayoutVersion":"1.0.0"}')
        manifests = []
        for number, name in enumerate(names):
            layout = self.folder / f"image-{number}"
            self.extract(name, layout)
            for blob in (layout / "blobs/sha256").iterdir():
                shutil.move(blob, merged / "blobs/sha256" / blob.name)
            entry = json.loads((layout / "index.json").read_text())["manifests"][0]
            manifests.append({**entry, "annotations": {"io.containerd.image.name": name}})
        (merged / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": manifests}))
        run("tar", "-C", merged, "-cf", self.folder / "images.tar", "oci-layout", "index.json", "blobs")
        shutil.rmtree(merged)


class Site:
    """Fresh machines."""

    def __init__(self, count):
        self.name = "bench"
        self.env = {**os.environ, "SLIPWAY_LAB": self.name}
        run(LAB, "down", env=self.env)
        run(LAB, "up", count, env=self.env)
        status = json.loads(run(LAB, "status", "-o", "json", env=self.env))
        self.machines, self.key = status["machines"], pathlib.Path(status["state"]) / "key"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        run(LAB, "down", env=self.env)

    def cpu_seconds(self):
        """Of all machines: cgroup v1 counts in nanoseconds, v2 in microseconds."""
        total = 0.0
        for machine in self.machines:
            group = f"slipway-lab-{self.name}-{machine['name']}"
            old = [*pathlib.Path("/sys/fs/cgroup/cpuacct").glob(f"{group}/cpuacct.usage"),
                   *pathlib.Path("/sys/fs/cgroup/cpu,cpuacct").glob(f"{group}/cpuacct.usage")]
            new = [*pathlib.Path("/sys/fs/cgroup").glob(f"**/{group}/cpu.stat")] if not old else []
            if old:
                total += int(old[0].read_text()) / 1e9
            elif new:
                total += int(re.search(r"usage_usec (\d+)", new[0].read_text())[1]) / 1e6
            else:
                sys.exit(f"bench: no cgroup counts the CPU time of {machine['name']}")
        return total


def busy_seconds():
    """CPU time the whole computer has spent working, for whomever."""
    fields = [int(x) for x in open("/proc/stat").readline().split()[1:]]
    return (sum(fields[:8]) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


class Took:
    """Wall seconds of a block, and CPU seconds of its children here and of the machines; `others` had the rest."""

    def __init__(self, site):
        self.site = site

    def _used(self):
        mine = os.times()
        return self.site.cpu_seconds() + mine.children_user + mine.children_system

    def __enter__(self):
        self.before, self.busy, self.began = self._used(), busy_seconds(), time.monotonic()
        return self

    def __exit__(self, *_):
        self.wall = time.monotonic() - self.began
        self.cpu = self._used() - self.before
        self.others = busy_seconds() - self.busy - self.cpu


# A question for an address record; the answer is one when its first bytes say so. Runs in a machine's network.
ASK = f"""
import socket, sys
question = b"\\x12\\x34\\x01\\x00\\x00\\x01" + bytes(6) + b"".join(bytes([len(p)]) + p for p in b"kubernetes.default.svc.cluster.local".split(b".")) + b"\\0\\0\\1\\0\\1"
asking = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
asking.settimeout(2)
asking.sendto(question, ("{NAME_SERVER}", 53))
sys.exit(0 if asking.recv(512)[:2] == b"\\x12\\x34" else 1)
"""


def wait_until_usable(site, files, kubeconfig):
    """The same for both: what every node runs is rolled out everywhere, and the service of DNS answers to each machine."""
    kubectl = [files.kubectl, "--kubeconfig", kubeconfig]
    deadline = time.monotonic() + PATIENCE_SECONDS
    while run(*kubectl, "get", "nodes", "-o", "name").count("node/") < len(site.machines):
        _pause(deadline, "all nodes")
    run(*kubectl, "wait", "--for=condition=Ready", "nodes", "--all", f"--timeout={PATIENCE_SECONDS}s")
    for namespace, what in (("kube-flannel", "ds/kube-flannel-ds"), ("kube-system", "ds/kube-proxy"), ("kube-system", "deploy/coredns")):
        run(*kubectl, "-n", namespace, "rollout", "status", what, f"--timeout={PATIENCE_SECONDS}s")
    for machine in site.machines:
        ask = ["nsenter", "--target", str(machine["pid"]), "--net", sys.executable, "-S", "-c", ASK]
        while subprocess.run(ask, capture_output=True).returncode:
            _pause(deadline, f"DNS from {machine['name']}")


def _pause(deadline, what):
    if time.monotonic() > deadline:
        sys.exit(f"bench: waited {PATIENCE_SECONDS} s for {what}")
    time.sleep(0.2)


def by_hand(files, control_planes, count, folder):
    with Site(count) as site:
        kubeconfig = folder / "admin.conf"
        with Took(site) as took:
            kubeconfig.write_text(run(BY_HAND / "install.sh", files.folder, site.key, control_planes, *[m["address"] for m in site.machines]))
            took.installed = time.monotonic() - took.began
            wait_until_usable(site, files, kubeconfig)
    return took


def by_slipway(files, control_planes, count, folder, picture):
    with Site(count) as site:
        roles = lambda i: ["control-plane"] + (["worker"] if count == 1 else []) if i < control_planes else ["worker"]  # noqa: E731
        hosts = [{"name": m["name"], "address": m["address"], "user": "root", "key": {"file": str(site.key)}, "roles": roles(i)}
                 for i, m in enumerate(site.machines)]
        parts = {"hosts": hosts, "bundles": [str(files.bundle)], "steps": {"skip": NOT_BY_HAND}}
        if control_planes > 1:  # by hand, nodes go on with the first control plane's address: cheaper, and lost with it
            parts["kubernetes"] = {"endpoint": {"kind": "kube-vip", "address": site.machines[0]["address"].rsplit(".", 1)[0] + ".100"}}
        spec = folder / "cluster.yaml"
        spec.write_text(json.dumps({"apiVersion": "slipway.dev/v1", "kind": "Cluster", "metadata": {"name": "bench"}, "spec": parts}))
        state = folder / "state"
        shutil.rmtree(state, ignore_errors=True)
        apply = [files.slipway, "apply", "-c", spec, "--state", state, "--yes", "--accept-new", "--key", files.key, "--progress", "none"]
        with Took(site) as took:
            run(*apply)
            took.installed = time.monotonic() - took.began
            wait_until_usable(site, files, state / "bench/kubeconfig")
        shown = json.loads(run(files.slipway, "runs", "show", "-o", "json", "--state", state))
        took.engine = 1 - sum(step["seconds"] for step in shown["steps"] if step["critical"]) / shown["seconds"]
        if picture:
            picture.write_text(run(files.slipway, "runs", "show", "--gantt", "--state", state))
        began = time.monotonic()
        run(*apply)
        took.again = time.monotonic() - began
    return took


def bound(rows, what, seen, limit):
    rows.append(f"| {what} | {seen:.2f} | ≤ {limit} | {'held' if seen <= limit else '**missed**'} |")
    return seen <= limit


def report(results):
    cores = os.cpu_count()
    rows, table, good = [], [], True
    for case, (hand, ours) in results.items():
        good &= bound(rows, f"{case}: wall time of Slipway ÷ by hand", ours.wall / hand.wall, CASES[case][2])
        good &= bound(rows, f"{case}: CPU seconds of Slipway ÷ by hand", ours.cpu / hand.cpu, CPU_BOUND)
        good &= bound(rows, f"{case}: time in which the longest chain of steps waited for the engine ÷ the run", ours.engine, ENGINE_BOUND)
        good &= bound(rows, f"{case}: a second apply, which changes nothing ÷ the first", ours.again / ours.installed, AGAIN_BOUND)
        for name, took in ((f"{case}, kubeadm by hand", hand), (f"{case}, `slipway apply`", ours)):
            table.append(f"| {name} | {took.wall:.1f} | {took.installed:.1f} | {took.cpu:.1f} | {took.cpu / took.wall / cores:.0%} | {took.others:.1f} |")
    pictures = "\n".join(f"![{case}]({_picture_name(case)})" for case in results)
    newline = "\n"
    return good, f"""# Benchmarks: whole clusters

Written by `make bench`; one run of each on {cores} cores, on fresh machines of the [lab](lab.md) that all share them. By hand is a plain
serial script, [bench/by_hand](../bench/by_hand/install.sh): scp, `dpkg -i`, `ctr images import`, `kubeadm init`, flannel, `kubeadm join`. Both
install the same files: Slipway's bundle holds what the script copies, and kube-vip for three control planes. Both make the same cluster: Slipway leaves out
metrics-server and backups, which the script does not have. Of the OS packages the script installs all it is given, Slipway those a node needs.
The clock stops when the nodes are Ready, kube-proxy, flannel and CoreDNS are rolled out, and DNS
answers at its service address on every machine.

| what | seen | bound | |
|---|---|---|---|
{newline.join(rows)}

| | s until usable | s until the command returned | CPU s | of the computer's CPU | CPU s of others |
|---|---|---|---|---|---|
{newline.join(table)}

The share of the CPU says how far a run is from the limit of this computer: at 100 % only less work would make it faster.
The last column is what everything else used meanwhile, the kernel's own threads among it: the figures of a run are worth
something when it is small.

{pictures}
"""


def _picture_name(case):
    return f"cluster-{case.replace(' ', '-').replace('+', '-and-')}.svg"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--only", choices=list(CASES))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="slipway-bench-") as scratch:
        folder = pathlib.Path(scratch)
        files = Files(options.programs.resolve() / "slipway", folder)
        results = {}
        for case, (control_planes, count, _) in CASES.items():
            if options.only in (None, case):
                picture = options.write.resolve().parent / _picture_name(case) if options.write else None
                hand = by_hand(files, control_planes, count, folder)
                print(f"{case}: by hand {hand.wall:.1f} s, {hand.cpu:.1f} CPU s", file=sys.stderr, flush=True)
                ours = by_slipway(files, control_planes, count, folder, picture)
                print(f"{case}: slipway {ours.wall:.1f} s, {ours.cpu:.1f} CPU s", file=sys.stderr, flush=True)
                results[case] = (hand, ours)
        good, text = report(results)
    print(text)
    if options.write:
        options.write.write_text(text)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
