#!/usr/bin/env python3
"""Requests schemathesis makes out of /api/v1/openapi.json, to every route, good and bad: no 5xx, answers as the document says, nobody without a token."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import venv

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "tests/harness"), str(ROOT / "tests/server"), str(ROOT / "scripts")]
import case  # noqa: E402
from api import Server  # noqa: E402
from build_cache import Locked, cache  # noqa: E402
from slipway import CLEAN  # noqa: E402

SCHEMATHESIS = "schemathesis==4.32.5"
PASSWORD = "correct horse battery"
EXAMPLES = int(os.environ.get("SLIPWAY_EXAMPLES", "40"))  # a route
SECONDS = 300
CHECKS = ("not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance", "response_schema_conformance",
          "unsupported_method", "allow_header_conformance", "ignored_auth")
# The server connects to whatever host such a request names: it would be any computer in the world.
LEFT_OUT = ("/api/ssh",)
HOSTS = ["cp1=127.0.0.11:control-plane,etcd", "w1=127.0.0.21:worker"]  # refused at once, where nobody simulates them


def schemathesis():
    """The program, in the cache folder: it is made once."""
    folder = cache() / "python" / SCHEMATHESIS.replace("==", "-")
    with Locked(cache() / "python" / "schemathesis.lock"):
        if not (folder / "done").exists():
            venv.create(folder, clear=True, with_pip=True)
            subprocess.run([folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", SCHEMATHESIS], check=True)
            (folder / "done").touch()
    return folder / "bin/schemathesis"


class Generated(case.Case):
    def serve(self):
        server = Server(self.program, self.folder / "state", env=CLEAN)
        self.addCleanup(server.stop, signal.SIGKILL)
        server.sign_in(PASSWORD)
        return server

    def fill(self, server):
        """A draft that asks for a secret, a run that has ended, and bundles that are being uploaded."""
        text = self.program.run("init", "demo", *[word for host in HOSTS for word in ("--host", host)]).expect(0).out
        text = text.replace("address: 127.0.0.21,", "address: 127.0.0.21, password: {prompt: true},")
        for name in ("demo", "spare"):
            server.ask("PUT", f"/api/v1/specs/{name}", {"yaml": text}, headers={"If-None-Match": "*"}).expect(201)
            server.post("/api/v1/bundles", {"name": name, "size": 1000}).expect(201)
        server.ask("PUT", "/api/v1/specs/demo/secrets/hosts.w1.password", {"value": "canary-55120"}).expect(204)
        server.post("/api/v1/specs/demo/apply", {"simulate": True}).expect(202)
        self.assertEqual([event[1] for event in server.listen("demo", "last")][-1], "end")

    def settings(self, server):
        """In a file: a token is no argument of a program."""
        token = server.post("/api/v1/tokens", {"name": "generated", "role": "admin", "days": 1}).expect(201).json["token"]
        file = self.folder / "schemathesis.toml"
        file.write_text(f'hooks = "{ROOT / "tests/server/generated_hooks.py"}"\ntls-verify = "{self.folder / "state/.server/tls/ca.crt"}"\n'
                        # 503: so many jobs at once are refused, on purpose.
                        '[checks.not_a_server_error]\nexpected-statuses = ["2xx", "3xx", "4xx", 503]\n'
                        f'[auth.openapi.token]\nbearer = "{token}"\n')
        file.chmod(0o600)
        return file

    def document(self, server):
        """With tokens as the only way in: of two ways schemathesis would send one that is good and one that it made up."""
        document = server.get("/api/v1/openapi.json").expect(200).json
        for operations in document["paths"].values():
            for operation in operations.values():
                operation["security"] = [way for way in operation["security"] if "token" in way]
        file = self.folder / "openapi.json"
        file.write_text(json.dumps(document))
        return file

    def test_every_route(self):
        server = self.serve()
        self.fill(server)
        url = f"https://127.0.0.1:{server.port}"
        words = [schemathesis(), "--config-file", self.settings(server), "run", self.document(server), "--url", url, "--workers", "2",
                 "--max-examples", EXAMPLES, "--phases", "examples,coverage,fuzzing", "--checks", ",".join(CHECKS), "--continue-on-failure",
                 "--suppress-health-check", "all", "--seed", os.environ.get("SLIPWAY_SEED", "1"), "--no-color"]
        for path in LEFT_OUT:
            words += ["--exclude-path", path]
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=2 * SECONDS, cwd=self.folder)
        self.assertEqual(done.returncode, 0, (done.stdout + done.stderr)[-20_000:] + "".join(server.said[-20:]))
        print(done.stdout[-1500:])
        server.get("/api/v1/clusters").expect(200)
        self.assertEqual([line for line in server.said if ": 5" in line], [], "what the server said of its own failures")
        self.assertEqual(server.get("/api/v1/audit?verify=true").expect(200).json["chain"], "whole")


if __name__ == "__main__":
    case.main()
