#!/usr/bin/env python3
"""skopeo and buildah with the registry: over TLS with its own CA, with a login, reading bundles, writing the store."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import registry  # noqa: E402


class Skopeo(registry.Case):
    def setUp(self):
        super().setUp()
        self.file = self.bundle()
        self.server = self.registry(self.file, "--store", self.folder / "store", "--login", self.logins())
        certs = self.folder / "certs"
        certs.mkdir()
        (certs / "ca.crt").write_bytes(self.server.ca.read_bytes())
        self.auth = self.folder / "auth.json"
        self.run_ok("skopeo", "login", "--authfile", self.auth, "--cert-dir", certs, "-u", "team", "--password-stdin",
                    self.server.address, stdin=registry.PASSWORD)
        self.tls = ["--authfile", self.auth, "--cert-dir", certs]
        self.copy_tls = ["--authfile", self.auth, "--src-cert-dir", certs, "--dest-cert-dir", certs]

    def name(self, image):
        return f"docker://{self.server.address}/{image}"

    def skopeo(self, *argv):
        return self.run_ok("skopeo", *argv)

    def digest(self, image):
        return json.loads(self.skopeo("inspect", *self.tls, "--no-tags", self.name(image)))["Digest"]

    def test_an_image_of_a_bundle_is_copied_out_as_it_is(self):
        self.skopeo("copy", "--all", "--preserve-digests", *self.copy_tls, self.name("quay.io/team/server:1.0"),
                    f"oci:{self.folder}/out:x")
        index = json.loads((self.folder / "out" / "index.json").read_text())
        self.assertEqual(index["manifests"][0]["digest"], self.digest("quay.io/team/server:1.0"))
        tags = json.loads(self.skopeo("list-tags", *self.tls, self.name("registry.k8s.io/pause")))
        self.assertEqual(tags["Tags"], ["3.10"])

    def test_a_copy_inside_the_registry_mounts_and_a_deleted_one_is_gone(self):
        self.skopeo("copy", "--all", "--preserve-digests", *self.copy_tls, self.name("quay.io/team/server:1.0"),
                    self.name("mine/server:2"))
        self.assertEqual(self.digest("mine/server:2"), self.digest("quay.io/team/server:1.0"))
        self.skopeo("delete", *self.tls, self.name("mine/server:2"))
        self.assertIn("manifest unknown", self.run_bad("skopeo", "inspect", *self.tls, self.name("mine/server:2")))
        self.digest("quay.io/team/server:1.0")

    def test_an_archive_goes_in_and_comes_out(self):
        self.skopeo("copy", *self.copy_tls, self.name("registry.k8s.io/pause:3.10"),
                    f"docker-archive:{self.folder}/p.tar:pause:x")
        self.skopeo("copy", *self.copy_tls, f"docker-archive:{self.folder}/p.tar", self.name("mine/pause:zipped"))
        self.skopeo("copy", *self.copy_tls, self.name("mine/pause:zipped"), f"oci:{self.folder}/back:x")

    def test_without_the_login_or_the_certificate_there_is_nothing(self):
        name = self.name("registry.k8s.io/pause:3.10")
        self.assertIn("authentication required",
                      self.run_bad("skopeo", "inspect", "--cert-dir", self.folder / "certs", name).lower()
                      .replace("unauthorized", "authentication required"))
        self.assertIn("certificate", self.run_bad("skopeo", "inspect", "--authfile", self.auth, name))

    def test_buildah_pulls_and_pushes(self):
        tls = [*self.tls]
        storage = ["--root", self.folder / "images", "--runroot", self.folder / "run", "--storage-driver", "vfs"]
        self.run_ok("buildah", *storage, "pull", *tls, f"{self.server.address}/registry.k8s.io/pause:3.10")
        self.run_ok("buildah", *storage, "push", *tls, f"{self.server.address}/registry.k8s.io/pause:3.10",
                    self.name("mine/by-buildah:1"))
        self.digest("mine/by-buildah:1")

    def test_everything_is_there_after_a_restart_and_garbage_goes(self):
        self.skopeo("copy", *self.copy_tls, self.name("registry.k8s.io/pause:3.10"), self.name("mine/a:1"))
        self.skopeo("copy", *self.copy_tls, "--dest-compress-format", "gzip", f"oci:{self.make_layout()}",
                    self.name("mine/b:1"))
        kept = self.digest("mine/b:1")
        self.skopeo("delete", *self.tls, self.name("mine/a:1"))
        self.assertEqual(self.server.close(), (0, ""))
        gone = json.loads(self.run_ok(self.program.path, "registry", "gc", "--store", self.folder / "store",
                                      "--older-than", "0", "--output", "json"))
        self.assertGreater(gone["removed"], 0)
        self.server = self.registry(self.file, "--store", self.folder / "store", "--login", self.folder / "logins",
                                    listen=self.server.address)
        self.assertEqual(self.digest("mine/b:1"), kept)
        self.skopeo("copy", *self.copy_tls, self.name("mine/b:1"), f"oci:{self.folder}/whole:x")

    def make_layout(self):
        self.skopeo("copy", *self.copy_tls, self.name("quay.io/team/server:1.0"), f"oci:{self.folder}/layout:x")
        return f"{self.folder}/layout:x"


if __name__ == "__main__":
    registry.main()
