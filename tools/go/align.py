#!/usr/bin/env python3
"""Gives the modules below tools/go the same versions of what they have in common: Go then compiles each package once.

    tools/go/align.py            # writes go.mod and go.sum
    tools/go/align.py --check    # says what differs

Kubernetes is the largest: where it uses a module, its go.mod says the version for all. What it does not use has the
newest version that any of them asks for. The programs themselves, and what is developed with them, stay as they are.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent
FIRST = "kubernetes"
ALONE = {"cni-flannel", "cni-plugins", "runc"}  # they share next to nothing with the others
# What is developed with a program: that program says the version.
LEADS = {"github.com/containerd/": "containerd", "github.com/coredns/": "coredns", "go.etcd.io/etcd/": "etcd"}
# What one of them cannot have in the common version, or should not have in an older one.
OWN = {"distribution": ["cloud.google.com/", "github.com/googleapis/", "github.com/prometheus/", "go.opentelemetry.io/",
                       "google.golang.org/api", "google.golang.org/genproto", "google.golang.org/grpc"],
       "containerd": ["k8s.io/cri-api"],
       "coredns": ["github.com/google/gnostic-models", "k8s.io/api", "k8s.io/client-go", "k8s.io/kube-openapi"],
       "helm": ["github.com/cyphar/filepath-securejoin"]}
ENV = dict(os.environ, GOFLAGS="-mod=mod", GOSUMDB="off", GOTOOLCHAIN="local", GOWORK="off")


def go(name, *args):
    return subprocess.run(["go", *args], cwd=ROOT / name, env=ENV, check=True, stdout=subprocess.PIPE, text=True).stdout


def order(version):
    """Sorts versions: a release after its candidates."""
    main, _, before = version.split("+")[0].partition("-")
    parts = [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"[.-]", before) if part]
    return [int(part) for part in main[1:].split(".")], not before, parts


class Module:
    def __init__(self, name):
        self.name = name
        mod = json.loads(go(name, "mod", "edit", "-json"))
        self.wanted = {entry["Path"]: entry["Version"] for entry in mod["Require"]}
        replaced = {entry["Old"]["Path"]: entry["New"]["Version"] for entry in mod["Replace"] or []}
        self.used = {path: replaced.get(path, version) for path, version in self.wanted.items()}
        self.excluded = {(entry["Path"], entry["Version"]) for entry in mod["Exclude"] or []}
        tools = [entry["Path"] for entry in mod["Tool"]]
        self.programs = {path for path in self.wanted if any(f"{tool}/".startswith(f"{path}/") for tool in tools)}

    def keeps(self, path):
        return path in self.programs or any(path.startswith(own) for own in OWN.get(self.name, []))


def common(modules):
    versions = {}
    for module in modules:
        for path, version in module.used.items():
            if not module.keeps(path):
                versions.setdefault(path, {})[module.name] = version
    return {path: found.get(leader(path)) or found.get(FIRST) or max(found.values(), key=order)
            for path, found in versions.items()}


def leader(path):
    return next((name for start, name in LEADS.items() if path.startswith(start)), FIRST)


def edits_of(module, versions):
    """What to change. Not by `replace`: Go compiles a package again where the version it stands for is another one."""
    edits, asked = [], None
    for path, version in module.wanted.items():
        if module.keeps(path) or version == versions[path]:
            continue
        print(f"{module.name}: {path} {version}, common is {versions[path]}")
        edits.append(f"-require={path}@{versions[path]}")
        if order(version) > order(versions[path]):
            asked = asked or {tuple(word.split("@")) for line in go(module.name, "mod", "graph").splitlines()
                              for word in line.split() if "@" in word}
            edits += [f"-exclude={path}@{other}" for name, other in sorted(asked | {(path, version)})
                      if name == path and order(other) > order(versions[path])]
    return edits + [f"-dropexclude={path}@{version}" for path, version in sorted(module.excluded)
                    if path not in module.wanted or module.keeps(path) or order(version) <= order(versions[path])]


def main():
    names = sorted(path.parent.name for path in ROOT.glob("*/go.mod") if path.parent.name not in ALONE)
    for _ in range(9):
        modules = [Module(name) for name in names]
        versions = common(modules)
        differ = False
        for module in modules:
            edits = edits_of(module, versions)
            differ = differ or bool(edits)
            if edits and "--check" not in sys.argv:
                go(module.name, "mod", "edit", *edits)
                go(module.name, "mod", "tidy")
        if not differ:
            return
        if "--check" in sys.argv:
            sys.exit(1)
    sys.exit("the versions do not settle")


if __name__ == "__main__":
    main()
