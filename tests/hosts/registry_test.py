#!/usr/bin/env python3
"""The registry as a service on a machine, and containerd on another that pulls through certs.d, in both forms."""

import base64
import json
import os
import pathlib
import re
import shutil
import ssl
import subprocess
import sys
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import machines  # noqa: E402

UNIT = "/etc/systemd/system/slipway-registry.service"
CERTS = "/etc/containerd/certs.d"


class Registry(machines.Case):
    @classmethod
    def setUpClass(cls):
        """The program and a bundle on node1; containerd, which is Debian's, on node2."""
        cls.serving, cls.pulling = cls.machines["node1"], cls.machines["node2"]
        cls.serving.put("/usr/local/bin/slipway", pathlib.Path(cls.program.path).read_bytes(), mode="0755")
        for name in ("containerd", "ctr"):
            cls.pulling.put(f"/usr/bin/{name}", pathlib.Path(shutil.which(name)).read_bytes(), mode="0755")
        cls.pulling.put("/etc/containerd/config.toml", 'version = 2\ndisabled_plugins = ["io.containerd.grpc.v1.cri"]\n')
        cls.pulling.sh("systemd-run --unit=containerd --property=Delegate=yes /usr/bin/containerd; "
                       "for i in $(seq 100); do ctr version >/dev/null 2>&1 && exit 0; sleep 0.1; done; exit 1")

    def setUp(self):
        super().setUp()
        self.bundle()
        self.pulling.sh(f"rm -rf {CERTS}; ctr images ls -q | xargs -r ctr images rm")

    def bundle(self):
        folder = self.folder / "recipe"
        folder.mkdir()
        images = []
        for host in ("registry.k8s.io", "quay.io"):  # the same path on two hosts: only host and path together name one
            (folder / host).write_bytes(host.encode() + os.urandom(2_000_000))
            images.append({"name": f"{host}/team/server:1.0", "image-from-files": {"entrypoint": ["/server"], "files": [
                {"file": host, "to": "/server", "mode": "0755"}]}})
        (folder / "recipe.yaml").write_text(json.dumps({"apiVersion": "slipway.dev/v1", "kind": "Recipe",
                                                        "metadata": {"name": "demo"}, "spec": {"images": images}}))
        self.program.run("bundle", "build", "-f", folder / "recipe.yaml", "-o", folder / "demo.bundle").expect(0)
        self.digests = dict(self.names(folder / "demo.bundle"))
        self.serving.put("/srv/demo.bundle", (folder / "demo.bundle").read_bytes())

    @staticmethod
    def names(bundle):
        text = subprocess.run(["tar", "-xOf", bundle, "index.json"], check=True, capture_output=True).stdout
        for one in json.loads(text)["manifests"]:
            yield one["annotations"]["org.opencontainers.image.ref.name"], one["digest"]

    def serve(self, *arguments):
        at = self.serving
        at.sh(f"slipway registry unit /srv/demo.bundle --listen :5000 --access-log - {' '.join(arguments)} >{UNIT} && "
              "systemctl daemon-reload && systemctl restart slipway-registry")  # returns when it says it is ready
        self.addCleanup(lambda: at.sh(f"systemctl stop slipway-registry; rm -f {UNIT}; systemctl daemon-reload"))
        self.pulling.put("/etc/registry-ca.crt", at.sh("cat /var/lib/private/slipway-registry/tls/ca.crt"))

    def mirror(self, host, lines):
        self.pulling.put(f"{CERTS}/{host}/hosts.toml", lines.format(at=self.serving.address, host=host))

    def pull(self, name):
        """Returns the digest containerd has for it."""
        self.pulling.sh(f"ctr images pull --snapshotter native --hosts-dir {CERTS} {name}")
        row = next(r for r in self.pulling.sh("ctr images ls").splitlines() if r.startswith(name + " "))
        return re.search(r"sha256:[0-9a-f]{64}", row).group(0)

    def both_are_pulled(self):
        for name, digest in self.digests.items():
            if name.endswith("/team/server:1.0"):
                self.assertEqual(self.pull(name), digest)

    def test_containerd_names_the_upstream_by_ns(self):
        self.serve()
        for host in ("registry.k8s.io", "quay.io"):
            self.mirror(host, 'server = "https://{at}:5000"\n\n[host."https://{at}:5000"]\n'
                              '  capabilities = ["pull", "resolve"]\n  ca = "/etc/registry-ca.crt"\n')
        self.both_are_pulled()
        self.assertIn("ns=quay.io", self.serving.sh("journalctl -o cat -u slipway-registry"))

    def test_containerd_names_the_upstream_by_a_prefix(self):
        self.serve("--store", "/var/lib/slipway-registry/store")
        for host in ("registry.k8s.io", "quay.io"):
            self.mirror(host, 'server = "https://{at}:5000/v2/{host}"\n\n[host."https://{at}:5000/v2/{host}"]\n'
                              '  capabilities = ["pull", "resolve"]\n  override_path = true\n  ca = "/etc/registry-ca.crt"\n')
        self.both_are_pulled()

    def test_a_file_of_logins_that_only_root_may_read_is_used(self):
        logins = self.folder / "logins"
        self.program.run("registry", "passwd", logins, "team", stdin="correct horse\n").expect(0)
        self.serving.put("/etc/registry-logins", logins.read_bytes(), mode="0600")
        self.serve("--login", "/etc/registry-logins")
        ca = ssl.create_default_context(cadata=self.pulling.sh("cat /etc/registry-ca.crt"))

        def ask(password):
            request = urllib.request.Request(f"https://{self.serving.address}:5000/v2/")
            request.add_header("Authorization", "Basic " + base64.b64encode(f"team:{password}".encode()).decode())
            try:
                with urllib.request.urlopen(request, context=ca, timeout=20) as answer:
                    return answer.status
            except urllib.error.HTTPError as refused:
                return refused.code

        self.assertEqual((ask("correct horse"), ask("another horse")), (200, 401))

    def test_the_service_is_hardened_and_ends_in_order(self):
        self.serve("--store", "/var/lib/slipway-registry/store")
        pid = self.serving.sh("systemctl show -P MainPID slipway-registry").strip()
        status = self.serving.sh(f"cat /proc/{pid}/status")
        self.assertNotRegex(status, r"Uid:\s+0\s")
        self.assertRegex(status, r"CapEff:\s+0+\n")
        self.assertRegex(status, r"NoNewPrivs:\s+1")
        rating = self.serving.try_sh("systemd-analyze security slipway-registry | tail -1").out
        self.assertRegex(rating, r"OK|SAFE|GOOD")
        self.serving.sh("systemctl stop slipway-registry")
        self.assertEqual(self.serving.sh("systemctl show -P Result slipway-registry").strip(), "success")


if __name__ == "__main__":
    machines.main(count=2)
