#!/usr/bin/env python3
"""The lab's bundle: found at once when it is there, and whole."""

import os
import pathlib
import re
import subprocess
import sys
import tarfile
import time

import yaml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / "lab/bundle/build"
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE.parent / "harness"), str(ROOT / "lab/bundle"), str(ROOT / "lab"), str(ROOT / "scripts")]
import case  # noqa: E402
from labbundle import cli, debian, inputs  # noqa: E402

RELEASE = "v1.34.11"


def build(program, **env):
    """Runs the builder; returns the path it prints."""
    done = subprocess.run([BUILD, "--slipway", program], stdout=subprocess.PIPE, text=True, check=True,
                          env={**os.environ, **env})
    return pathlib.Path(done.stdout.strip())


class Bundle(case.Case):
    @classmethod
    def setUpClass(cls):
        cls.bundle = build(cls.program.path)
        cls.names = [each["name"] for each in
                     cls.program.run("bundle", "inspect", cls.bundle, "-o", "json").expect(0).json["names"]]

    def extract(self, name):
        target = self.folder / name.split("/")[-1].split(":")[0]
        self.program.run("bundle", "extract", self.bundle, name, "-o", target).expect(0)
        return target

    def test_what_is_there_is_found_at_once_and_without_a_compiler(self):
        for name in ("go", "gcc", "gcc-12", "cc", "apt-get"):
            (self.folder / name).write_text(f"#!/bin/sh\ntouch {self.folder}/started\nexit 1\n")
            (self.folder / name).chmod(0o755)
        started = time.monotonic()
        found = build("/nonexistent/slipway", PATH=f"{self.folder}:{os.environ['PATH']}")
        self.assertLess(time.monotonic() - started, 5)
        self.assertEqual(found, self.bundle)
        self.assertFalse((self.folder / "started").exists())

    def test_every_byte_is_right_and_the_lab_has_signed_it(self):
        self.program.run("bundle", "verify", self.bundle, "--key", self.bundle.with_suffix(".pub"), timeout=300).expect(0)

    def test_it_has_every_image_kubeadm_asks_for(self):
        kubeadm = self.extract(f"slipway.local/binaries/kubeadm:{RELEASE}")
        kubeadm.chmod(0o755)
        asked = subprocess.run([kubeadm, "config", "images", "list", "--kubernetes-version", RELEASE], check=True,
                               stdout=subprocess.PIPE, text=True).stdout.split()
        self.assertGreaterEqual(len(asked), 7)
        self.assertEqual([name for name in asked if name not in self.names], [])

    def test_archives_hold_programs_in_their_places(self):
        for name, members in cli.load("archives.yaml").items():
            whole = next(n for n in self.names if n.startswith(f"slipway.local/binaries/{name}:"))
            with tarfile.open(self.extract(whole), "r:") as tar:
                self.assertEqual(tar.getnames(), sorted(members))
                self.assertEqual({(m.mode, m.uid, m.gid, m.mtime) for m in tar}, {(0o755, 0, 0, 0)})

    def test_packages_are_those_the_machines_lack(self):
        folder = self.extract("slipway.local/packages/debian-12:amd64")
        packages = re.findall(r"(?m)^Package: (.*)$", (folder / "Packages").read_text())
        wanted = cli.load("recipe.yaml")["spec"]["packages"][0]["deb"]
        self.assertEqual([name for name in wanted if name not in packages], [])
        for there in ("libc6", "systemd", "iproute2"):
            self.assertNotIn(there, packages)


class Recipe(case.Case):
    def test_names_the_versions_that_are_built(self):
        """A version in recipe.yaml is that of the module: a bundle must not say what it does not hold."""
        recipe = cli.load("recipe.yaml")["spec"]
        said = {re.split(r"[/:]", image["name"])[-2]: image["name"].rsplit(":", 1)[1] for image in recipe["images"]}
        said |= {pathlib.Path(b["file"]).name: b["version"] for b in recipe["binaries"]}
        modules = {"kubernetes": ("k8s.io/kubernetes", ["kube-apiserver", "kube-controller-manager", "kube-scheduler",
                                                        "kube-proxy", "kubeadm", "kubelet", "kubectl"]),
                   "etcd": ("go.etcd.io/etcd/server/v3", ["etcd", "etcdctl", "etcdutl"]),
                   "coredns": ("github.com/coredns/coredns", ["coredns"]),
                   "flannel": ("github.com/flannel-io/flannel", ["flannel"]),
                   "kube-vip": ("github.com/kube-vip/kube-vip", ["kube-vip"]),
                   "metrics-server": ("sigs.k8s.io/metrics-server", ["metrics-server"]),
                   "containerd": ("github.com/containerd/containerd/v2", ["containerd.tar"]),
                   "cni-plugins": ("github.com/containernetworking/plugins", ["cni-plugins.tar"]),
                   "runc": ("github.com/opencontainers/runc", ["runc"]),
                   "cri-tools": ("sigs.k8s.io/cri-tools", ["crictl"]),
                   "helm": ("helm.sh/helm/v3", ["helm"]),
                   "local-path-provisioner": ("github.com/rancher/local-path-provisioner", ["local-path-provisioner"])}
        for module, (path, programs) in modules.items():
            built = re.search(rf"(?m)^\s*(?:require )?{re.escape(path)} (v\S+)",
                              (ROOT / "tools/go" / module / "go.mod").read_text())[1]
            for program in programs:
                self.assertEqual(said[program], built, program)

    def test_another_input_is_another_bundle(self):
        names = {str(path.relative_to(ROOT)) for path in inputs.own_files() + inputs.module_files()}
        for name in ("lab/bundle/recipe.yaml", "lab/bundle/pause.c", "lab/bundle/probe/main.go",
                     "lab/bundle/labbundle/cli.py", "tools/go/kubernetes/go.sum", "tools/go/runc/build.json"):
            self.assertIn(name, names)
        self.assertNotIn("lab/bundle/README.md", names)

    def test_two_bundles_are_kept(self):
        for age, name in enumerate("dcba"):
            for end in ("bundle", "pub"):
                (self.folder / f"bundle-{name}.{end}").write_text("")
                os.utime(self.folder / f"bundle-{name}.{end}", (1000 + age, 1000 + age))
        cli.forget_old(self.folder / "bundle-c.bundle")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()),
                         ["bundle-a.bundle", "bundle-a.pub", "bundle-c.bundle", "bundle-c.pub"])

    def test_links_of_packages_lead_to_files_of_the_packages(self):
        (self.folder / "lib").mkdir()
        (self.folder / "lib/libx.so.1.2").write_text("x")
        (self.folder / "lib/libx.so.1").symlink_to("libx.so.1.2")
        (self.folder / "ld.so").symlink_to("/lib/libx.so.1")
        self.assertEqual(debian.resolve(self.folder, self.folder / "ld.so"), self.folder / "lib/libx.so.1.2")
        (self.folder / "round").symlink_to("round")
        with self.assertRaises(cli.LabError):
            debian.resolve(self.folder, self.folder / "round")


def main():
    if os.environ.get("SLIPWAY_NO_LAB") == "1":
        print("SLIPWAY_NO_LAB=1: the lab's bundle is not tested")
        sys.exit(77)
    case.main()


if __name__ == "__main__":
    main()
