#!/usr/bin/env python3
"""`slipway images` with registries of others: Debian's docker-registry and distribution v3, plain and behind TLS with a login."""

import json
import os
import pathlib
import socket
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import registry  # noqa: E402


class Other:
    """A registry of others on a port of its own, with an empty store."""

    def __init__(self, case, program, **parts):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{probe.getsockname()[1]}"
        folder = case.folder / self.address.replace(":", "-")
        folder.mkdir()
        config = {"version": "0.1", "log": {"level": "error"},
                  "storage": {"filesystem": {"rootdirectory": str(folder / "data")}, "delete": {"enabled": True}},
                  "http": {"addr": self.address, **parts.pop("http", {})}, **parts}
        (folder / "config.yml").write_text(json.dumps(config))
        self.process = subprocess.Popen([program, "serve", folder / "config.yml"], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, env={**os.environ, "OTEL_TRACES_EXPORTER": "none"})
        case.addCleanup(self.end)
        self.wait()

    def wait(self):
        host, port = self.address.split(":")
        for _ in range(300):
            try:
                socket.create_connection((host, int(port))).close()
                return
            except OSError:
                time.sleep(0.1)
        raise AssertionError("the registry did not start")

    def end(self):
        self.process.terminate()
        self.process.wait(timeout=30)


class Push(registry.Case):
    def slipway(self, *words, code=0):
        done = subprocess.run([self.program.path, *map(str, words), "--state", str(self.folder / "state")], text=True,
                              capture_output=True, timeout=300)
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout

    def pushed(self, other, *words):
        out = json.loads(self.slipway("images", "push", self.file, other.address, *words, "-o", "json").splitlines()[-1])
        return {image["name"] if "name" in image else image["image"]: image for image in out["images"]}

    def digests(self):
        return {row["name"]: row["digest"] for row in
                json.loads(self.run_ok(self.program.path, "images", "list", self.file, "-o", "json"))["images"]}

    def there(self, at, name, **keywords):
        return self.run_ok(registry.program("crane"), "digest", f"{at}/{name}", **keywords).strip()

    def setUp(self):
        super().setUp()
        self.file = self.bundle()

    def all_images_arrive_as_they_are(self, program):
        other = Other(self, program)
        self.pushed(other, "--plain-http")
        wanted = self.digests()
        for name in ("team/server:1.0", "pause:3.10"):
            full = next(one for one in wanted if one.endswith("/" + name))
            self.assertEqual(self.there(other.address, name), wanted[full])
            self.run_ok(registry.program("crane"), "validate", "--fast", "--remote", f"{other.address}/{name}")
        again = self.pushed(other, "--plain-http")
        self.assertEqual({image["state"] for image in again.values()}, {"present"})

    def test_to_the_registry_of_debian(self):
        self.all_images_arrive_as_they_are("docker-registry")

    def test_to_distribution_v3(self):
        self.all_images_arrive_as_they_are(registry.program("distribution"))

    def test_over_tls_with_a_login_below_a_prefix(self):
        key, certificate = self.folder / "key.pem", self.folder / "crt.pem"
        self.run_ok("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days",
                    "2", "-subj", "/CN=registry", "-addext", "subjectAltName=IP:127.0.0.1")
        other = Other(self, registry.program("distribution"), http={"tls": {"certificate": str(certificate), "key": str(key)}},
                      auth={"htpasswd": {"realm": "r", "path": str(self.logins())}})
        password = self.folder / "password"
        password.touch(mode=0o600)
        password.write_text(registry.PASSWORD)
        login = ["--ca-file", certificate, "--login", "team", "--password-file", password]
        self.pushed(other, "--prefix", "project/mirror", *login)
        crane, env = registry.program("crane"), {"SSL_CERT_FILE": str(certificate)}
        self.run_ok(crane, "auth", "login", other.address, "-u", "team", "--password-stdin", env=env, stdin=registry.PASSWORD)
        self.there(other.address, "project/mirror/pause:3.10", env=env)
        password.write_text("wrong")
        self.slipway("images", "push", self.file, other.address, "--prefix", "other", *login, code=self.refused(login, other))

    def refused(self, login, other):
        """Whatever it is, it is not success."""
        done = subprocess.run([self.program.path, "images", "push", str(self.file), other.address, "--prefix", "x",
                               *map(str, login), "--state", str(self.folder / "other")], capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("REGISTRY-LOGIN", done.stdout + done.stderr)
        self.assertNotIn(registry.PASSWORD, done.stdout + done.stderr)
        return done.returncode


if __name__ == "__main__":
    registry.main()
