#!/usr/bin/env python3
"""crane, oras and helm with the registry."""

import json
import pathlib
import sys
import tarfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import registry  # noqa: E402


class GoClients(registry.Case):
    def setUp(self):
        super().setUp()
        self.file = self.bundle()

    def plain(self, *arguments):
        server = self.registry(self.file, "--plain-http", "--store", self.folder / "store", *arguments)
        return server, server.address

    def secure(self):
        server = self.registry(self.file, "--store", self.folder / "store", "--login", self.logins())
        return server, server.address, {"SSL_CERT_FILE": str(server.ca)}

    def test_crane_over_tls_with_a_login(self):
        crane = registry.program("crane")
        server, at, env = self.secure()
        self.run_ok(crane, "auth", "login", at, "-u", "team", "--password-stdin", env=env, stdin=registry.PASSWORD)
        names = self.run_ok(crane, "catalog", at, env=env).split()
        self.assertIn("quay.io/team/server", names)
        self.assertEqual(self.run_ok(crane, "ls", f"{at}/quay.io/team/server", env=env).split(), ["1.0"])
        self.run_ok(crane, "validate", "--fast", "--remote", f"{at}/quay.io/team/server:1.0", env=env)
        whole = self.run_ok(crane, "digest", f"{at}/quay.io/team/server:1.0", env=env)
        self.run_ok(crane, "copy", f"{at}/quay.io/team/server:1.0", f"{at}/mine/server:copied", env=env)
        self.assertEqual(self.run_ok(crane, "digest", f"{at}/mine/server:copied", env=env), whole)
        self.assertNotIn("PATCH", [method for method, _, _ in server.requests()], "blobs were sent that could be mounted")
        self.run_ok(crane, "pull", "--platform", "linux/arm64", f"{at}/mine/server:copied", "pulled.tar", env=env)
        self.run_ok(crane, "push", "pulled.tar", f"{at}/mine/pushed:1", env=env)
        self.run_ok(crane, "validate", "--fast", "--remote", f"{at}/mine/pushed:1", env=env)
        self.run_ok(crane, "tag", f"{at}/mine/pushed:1", "two", env=env)
        self.assertEqual(self.run_ok(crane, "ls", f"{at}/mine/pushed", env=env).split(), ["1", "two"])
        self.run_ok(crane, "delete", f"{at}/mine/pushed:two", env=env)
        self.assertEqual(self.run_ok(crane, "ls", f"{at}/mine/pushed", env=env).split(), ["1"])

    def test_oras_keeps_artifacts_and_what_refers_to_them(self):
        oras = registry.program("oras")
        _, at = self.plain()
        (self.folder / "report.txt").write_text("all is well\n")
        (self.folder / "signature").write_text("signed\n")
        http = ["--plain-http"]
        self.run_ok(oras, "push", *http, "--artifact-type", "text/report", f"{at}/mine/report:1", "report.txt")
        self.run_ok(oras, "attach", *http, "--artifact-type", "text/signature", f"{at}/mine/report:1", "signature")
        self.run_ok(oras, "attach", *http, "--artifact-type", "text/other", f"{at}/mine/report:1", "signature")
        found = json.loads(self.run_ok(oras, "discover", *http, "--artifact-type", "text/signature", "--format", "json",
                                       f"{at}/mine/report:1"))
        self.assertEqual([one["artifactType"] for one in found.get("referrers", found.get("manifests"))],
                         ["text/signature"])
        self.run_ok(oras, "pull", *http, "-o", "got", f"{at}/mine/report:1")
        self.assertEqual((self.folder / "got" / "report.txt").read_text(), "all is well\n")
        self.run_ok(oras, "copy", "-r", "--from-plain-http", "--to-oci-layout", f"{at}/mine/report:1",
                    f"{self.folder}/layout:1")
        self.run_ok(oras, "copy", "-r", "--from-oci-layout", "--to-plain-http", f"{self.folder}/layout:1",
                    f"{at}/mine/again:1")
        again = json.loads(self.run_ok(oras, "discover", *http, "--format", "json", f"{at}/mine/again:1"))
        self.assertEqual(len(again.get("referrers", again.get("manifests"))), 2)
        self.run_ok(oras, "repo", "ls", *http, at)
        self.run_ok(oras, "manifest", "delete", *http, "--force", f"{at}/mine/report:1")

    def test_oras_reads_the_bundle_as_it_is(self):
        oras = registry.program("oras")
        tags = self.run_ok(oras, "repo", "tags", "--oci-layout", self.file).split()
        self.assertIn("registry.k8s.io/pause:3.10", tags)
        # A name with a colon in it cannot be written behind the colon of a path: by digest it is.
        with tarfile.open(self.file) as bundle:
            index = json.load(bundle.extractfile("index.json"))
        digest = next(one["digest"] for one in index["manifests"]
                      if one["annotations"]["org.opencontainers.image.ref.name"] == "registry.k8s.io/pause:3.10")
        self.run_ok(oras, "copy", "--from-oci-layout", "--to-oci-layout", f"{self.file}@{digest}",
                    f"{self.folder}/layout:pause")
        self.assertTrue((self.folder / "layout" / "index.json").exists())

    def test_helm_pulls_a_chart_and_pushes_one(self):
        helm = registry.program("helm")
        _, at = self.plain()
        self.run_ok(helm, "pull", "--plain-http", f"oci://{at}/slipway.local/charts/hello", "--version", "1.2.3")
        with tarfile.open(self.folder / "hello-1.2.3.tgz") as chart:
            self.assertIn("hello/Chart.yaml", chart.getnames())
        self.run_ok(helm, "push", "--plain-http", "hello-1.2.3.tgz", f"oci://{at}/mine/charts")
        shown = self.run_ok(helm, "show", "chart", "--plain-http", f"oci://{at}/mine/charts/hello", "--version", "1.2.3")
        self.assertIn("name: hello", shown)


if __name__ == "__main__":
    registry.main()
