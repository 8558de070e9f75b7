#!/usr/bin/env python3
"""A cluster whose data is in an etcd of somebody else's."""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import checks  # noqa: E402
import clusters  # noqa: E402


class External(clusters.Case):
    def openssl(self, *words):
        subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=self.folder / "pki")

    def issue(self, name, extensions):
        (self.folder / "pki" / f"{name}.ext").write_text(extensions)
        self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}.key", "-subj", f"/CN={name}",
                     "-out", f"{name}.csr")
        self.openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "30", "-extfile",
                     f"{name}.ext", "-out", f"{name}.crt")
        (self.folder / "pki" / f"{name}.key").chmod(0o600)

    def make_pki(self, address):
        (self.folder / "pki").mkdir()
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "ca.key", "-subj", "/CN=theirs",
                     "-days", "30", "-addext", "basicConstraints=critical,CA:TRUE", "-out", "ca.crt")
        self.issue("server", f"subjectAltName=IP:{address},IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n")
        self.issue("client", "extendedKeyUsage=clientAuth\n")

    def start_their_etcd(self, machine):
        """An etcd that Slipway knows nothing of, with certificates of its own."""
        names = [one["name"] for one in self.program.run("bundle", "inspect", clusters.Cluster.bundle, "-o", "json").expect(0).json["names"]]
        program = self.folder / "etcd"
        self.program.run("bundle", "extract", clusters.Cluster.bundle, next(n for n in names if "/etcd:" in n and "binaries" in n), "-o",
                         program).expect(0)
        machine.put("/opt/theirs/etcd", program.read_bytes(), mode="0755")
        for file in ("ca.crt", "server.crt", "server.key"):
            machine.put(f"/opt/theirs/{file}", (self.folder / "pki" / file).read_bytes(), mode="0600")
        url = f"https://{machine.address}:2379"
        machine.sh("systemd-run --unit theirs -p Restart=always /opt/theirs/etcd --data-dir=/opt/theirs/data --cert-file=/opt/theirs/server.crt "
                   "--key-file=/opt/theirs/server.key --trusted-ca-file=/opt/theirs/ca.crt --client-cert-auth=true "
                   f"--listen-client-urls={url} --advertise-client-urls={url}")
        return url

    def test_external(self):
        theirs = self.machine("node1")
        self.make_pki(theirs.address)
        url = f"https://{theirs.address}:2379"
        pki = self.folder / "pki"
        etcd = {"mode": "external", "endpoints": [url], "caFile": str(pki / "ca.crt"), "certFile": str(pki / "client.crt"),
                "key": {"file": str(pki / "client.key")}}
        cluster = self.cluster(self.host("node2"), etcd=etcd)
        before = self.pictures("node2")
        cluster.refused("node2", "NET-REACH-OUTSIDE-ETCD", "2379")
        self.assertEqual(self.start_their_etcd(theirs), url)
        cluster.apply().expect(0)
        checks.healthy(cluster, seconds=30)
        checks.usable(cluster)
        self.assertNotIn("etcd-", cluster.kubectl("get", "pods", "-A", "-o", "name"))
        self.assertEqual(self.machine("node2").sh("stat -c %a /etc/kubernetes/pki/apiserver-etcd-client.key").strip(), "600")
        self.nowhere_in_clear(cluster, (pki / "client.key").read_text())
        self.assert_nothing_changes(cluster)
        self.refuses_bad_files(cluster, pki)
        cluster.reset().expect(0)
        self.assert_as_before(before)
        theirs.sh("systemctl stop theirs; rm -r /opt/theirs")

    def nowhere_in_clear(self, cluster, key):
        body = "".join(key.splitlines()[1:-1]).encode()[:48]
        for file in cluster.state.rglob("*"):
            if file.is_file():
                self.assertNotIn(body, file.read_bytes().replace(b"\n", b""), f"the key is in {file}")

    def refuses_bad_files(self, cluster, pki):
        kept = cluster.parts
        cluster.write(cluster.spec_hosts, {**kept, "etcd": {**kept["etcd"], "certFile": str(pki / "server.crt"), "caFile": str(pki / "none")}})
        problems = self.program.run("validate", "-c", cluster.spec, "-o", "json").expect(3).json["problems"]
        self.assertEqual({p["path"] for p in problems if p["severity"] == "error"}, {"etcd.caFile", "etcd.key"})
        cluster.write(cluster.spec_hosts, kept)


if __name__ == "__main__":
    clusters.main(count=2)
