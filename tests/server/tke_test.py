#!/usr/bin/env python3
"""A tke.json in, a run to its end, over the routes of TKE's installer alone."""

import base64
import json
import os
import pathlib
import re
import signal
import socket
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
import case  # noqa: E402
from slipway import CLEAN  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from api import Server  # noqa: E402

PASSWORD = "correct horse battery"
CANARY = "canary-62951"


def encoded(text):
    return base64.b64encode(text.encode()).decode()


def para(**spec):
    machine = {"port": 22, "username": "root", "password": encoded(CANARY)}
    return {
        "cluster": {"apiVersion": "platform.tkestack.io/v1", "kind": "Cluster", "metadata": {"name": "global"},
                    "spec": {"type": "Baremetal", "version": "1.21.4-tke.3", "networkDevice": "eth0",
                             "clusterCIDR": "10.244.0.0/16", "dnsDomain": "north.local",
                             "machines": [{"ip": f"10.0.0.{n}", **machine} for n in (11, 12, 13)], **spec}},
        "Config": {"basic": {"username": "admin", "password": encoded(CANARY)}, "auth": {"tke": {"tenantID": "default"}},
                   "registry": {"tke": {"domain": "registry.tke.com"}}, "ha": {"tke": {"vip": "10.0.0.100"}}},
    }


class Tke(case.Case):
    def setUp(self):
        super().setUp()
        self.state = self.folder / "state"
        self.server = Server(self.program, self.state, env=CLEAN)
        self.addCleanup(self.server.stop, signal.SIGKILL)
        self.server.sign_in(PASSWORD)
        self.tokens = {role: self.server.post("/api/v1/tokens", {"name": role, "role": role, "days": 1}).expect(201)
                       .json["token"] for role in ("viewer", "operator", "admin")}
        self.server.token = self.tokens["operator"]

    def refused(self, answer, code, reason):
        self.assertEqual((answer.status, answer.json["kind"], answer.json["code"], answer.json["reason"]),
                         (code, "Status", code, reason), answer.body)
        return answer.json

    def progress(self):
        return self.server.get("/api/cluster/global/progress").expect(200).json

    def until(self, *wanted):
        """Polls as TKE's page does; returns the last answer and every status on the way."""
        seen, end = set(), time.monotonic() + 240
        while time.monotonic() < end:
            now = self.progress()
            seen.add(now["status"])
            if now["status"] in wanted:
                return now, seen
            time.sleep(0.1)
        self.fail(f"still {now['status']}: {now['data'][-2000:]}")

    def test_the_whole_way(self):
        server = self.server
        self.refused(server.get("/api/cluster/global"), 404, "NotFound")
        made = server.post("/api/cluster?simulate=demo", para()).expect(201)
        self.assertNotIn(CANARY.encode(), made.body)
        self.assertNotIn(encoded(CANARY).encode(), made.body)
        self.assertEqual([m["ip"] for m in made.json["cluster"]["spec"]["machines"]],
                         ["10.0.0.11", "10.0.0.12", "10.0.0.13"])
        self.assertNotEqual(made.json["cluster"]["spec"]["version"], "1.21.4-tke.3")
        listed = [u["path"] for u in made.json["unsupported"]]
        for path in ("cluster.spec.version", "Config.basic.password", "Config.auth"):
            self.assertIn(path, listed)
        self.refused(server.post("/api/cluster?simulate=demo", para()), 409, "AlreadyExists")

        # Killed in the middle: it has failed, and goes on where it was.
        self.until("Doing", "Retrying")
        text = (self.state / "global" / "run.lock").read_text()
        os.kill(int(re.search(r'"?pid"?\D+(\d+)', text)[1]), signal.SIGKILL)
        self.until("Failed")
        server.token = self.tokens["viewer"]
        self.refused(server.ask("PUT", "/api/cluster/global/retry"), 403, "Forbidden")
        server.token = self.tokens["operator"]
        again = server.ask("PUT", "/api/cluster/global/retry").expect(200)
        self.assertEqual(again.body, b"null")
        done, seen = self.until("Success", "Failed")
        self.assertEqual(done["status"], "Success", done["data"][-3000:])
        self.assertLessEqual(seen, {"Doing", "Retrying", "Success"})
        self.assertIn("run finished: succeeded", done["data"])
        self.assertLessEqual(len(done["data"].encode()), 1 << 20)
        self.assertEqual(done["servers"], ["10.0.0.11", "10.0.0.12", "10.0.0.13"])
        self.assertNotIn("kubeconfig", done)
        self.assertEqual(server.get("/api/cluster/global").expect(200).json, made.json)
        self.refused(server.ask("PUT", "/api/cluster/global/retry"), 409, "Conflict")

        # The new routes see the same run, and the secret is nowhere.
        self.assertEqual([c["run"]["result"] for c in server.get("/api/v1/clusters").json["items"]], ["succeeded"])
        self.assertEqual(server.get("/api/v1/specs/global").expect(200).json["problems"], [])
        for file in self.state.rglob("*"):
            if file.is_file():
                data = file.read_bytes()
                self.assertNotIn(CANARY.encode(), data, file)
                self.assertNotIn(encoded(CANARY).encode(), data, file)
        self.assertNotIn(CANARY, "".join(server.said) + done["data"])

    def test_what_is_wrong_is_said_by_its_field(self):
        server = self.server
        wrong = self.refused(server.post("/api/cluster?simulate=true", para(clusterCIDR="10.300.0.0/16")), 422, "Invalid")
        self.assertIn("cluster.spec.clusterCIDR", [c["field"] for c in wrong["details"]["causes"]])
        none = self.refused(server.post("/api/cluster?simulate=true", para(machines=[])), 422, "Invalid")
        self.assertIn("cluster.spec.machines", [c["field"] for c in none["details"]["causes"]])
        step = para()
        step["Config"]["skipSteps"] = ["No such step"]
        self.assertIn("Config.skipSteps[0]", json.dumps(self.refused(
            server.post("/api/cluster?simulate=true", step), 422, "Invalid")))
        self.refused(server.ask("POST", "/api/cluster", "{", headers={"Content-Type": "application/json"}), 400, "BadRequest")
        self.assertEqual(server.get("/api/v1/specs").json["items"], [])
        server.token = self.tokens["viewer"]
        self.refused(server.post("/api/cluster?simulate=true", para()), 403, "Forbidden")
        server.token = server.cookie = None
        self.refused(server.post("/api/cluster?simulate=true", para()), 401, "Unauthorized")

    def test_a_login_that_does_not_work(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        login = {"host": "127.0.0.1", "port": port, "user": "root", "password": encoded(CANARY)}
        why = self.refused(self.server.post("/api/ssh", login), 400, "BadRequest")
        self.assertIn("nothing listens", why["message"])
        self.assertFalse((self.state / "global").exists())

    def test_a_file_is_converted(self):
        self.server.token = self.tokens["viewer"]
        text = json.dumps(para())
        made = self.server.post("/api/v1/convert", {"text": text}).expect(200).json
        file = self.folder / "tke.json"
        file.write_text(text)
        typed = self.program.run("convert", file, "-o", "json").expect(0).json
        self.assertEqual({k: v for k, v in made.items() if k != "yaml"}, {k: v for k, v in typed.items() if k != "yaml"})
        body = lambda yaml: [line for line in yaml.splitlines() if not line.startswith("#")]  # noqa: E731
        self.assertEqual(body(made["yaml"]), body(typed["yaml"]))
        self.assertNotIn(CANARY, json.dumps(made))


if __name__ == "__main__":
    case.main()
