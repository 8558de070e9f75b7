#!/usr/bin/env python3
"""The whole way through the server: unlock, draft, plan, apply, watch, kill, resume, restart, reset."""

import concurrent.futures
import gzip
import json
import os
import pathlib
import signal
import ssl
import stat
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
import case  # noqa: E402
from slipway import CLEAN  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from api import Server  # noqa: E402

PASSWORD = "correct horse battery"


class Scenario(case.Case):
    def setUp(self):
        super().setUp()
        self.state = self.folder / "state"

    def serve(self):
        server = Server(self.program, self.state, env=CLEAN)
        self.addCleanup(server.stop, signal.SIGKILL)
        return server

    def signed_in(self):
        server = self.serve()
        server.sign_in(PASSWORD)
        return server

    def spec(self, name="demo", hosts=case.THREE):
        return self.program.run("init", name, *[a for h in hosts for a in ("--host", h)]).expect(0).out

    def keep_draft(self, server, name="demo", text=None):
        return server.ask("PUT", f"/api/v1/specs/{name}", {"yaml": text or self.spec(name)},
                          headers={"If-None-Match": "*"}).expect(201).json

    def pid_of_run(self, cluster):
        """Of the process that holds the cluster's lock."""
        return json.loads((self.state / cluster / "run.lock").read_text())["pid"]

    def test_the_whole_way(self):
        server = self.serve()
        self.assertEqual(server.get("/api/v1/specs").status, 401)
        server.sign_in(PASSWORD)
        draft = self.keep_draft(server)
        self.assertEqual(draft["problems"], [])
        self.assertEqual(draft["effective"]["metadata"]["name"], "demo")

        plan = server.job("/api/v1/specs/demo/plan", {"simulate": "demo"})
        self.assertEqual(plan["state"], "succeeded", plan)
        begun = server.post("/api/v1/specs/demo/apply", {"plan": plan["id"], "simulate": "demo"}).expect(202).json
        self.assertEqual(begun, {"cluster": "demo", "run": 1})
        again = server.post("/api/v1/specs/demo/apply", {"simulate": "demo"})
        self.assertEqual((again.status, again.json["id"]), (409, "STATE-LOCKED"))

        # Cut off and back again: no event is missed, none comes twice.
        seen = [e for e in server.listen("demo", 1, most=10)]
        seen += [e for e in server.listen("demo", 1, after=seen[-1][0], most=15)]

        # The run outlives its server, and another server shows it.
        server.stop(signal.SIGKILL)
        server = self.signed_in()
        listed = server.get("/api/v1/clusters").expect(200).json["items"]
        self.assertEqual([(c["name"], c["run"]["state"], c["spec"]) for c in listed], [("demo", "running", "demo")])
        seen += [e for e in server.listen("demo", 1, after=seen[-1][0], most=5)]

        # Killed in the middle: the stream ends, the run is interrupted and goes on where it was.
        os.kill(self.pid_of_run("demo"), signal.SIGKILL)
        seen += [e for e in server.listen("demo", 1, after=seen[-1][0])]
        self.assertEqual(seen.pop()[1], "end")
        self.assertNotIn("run.finished", [e[1] for e in seen])
        self.assertEqual(server.get("/api/v1/clusters").json["items"][0]["run"]["state"], "interrupted")
        self.assertEqual(server.post("/api/v1/clusters/demo/resume").expect(202).json, {"cluster": "demo", "run": 1})
        seen += [e for e in server.listen("demo", 1, after=seen[-1][0], timeout=120)]
        self.assertEqual(seen.pop()[1], "end")
        self.assertEqual([e[2]["result"] for e in seen if e[1] == "run.finished"], ["succeeded"])
        stored = self.program.run("events", "demo", "--run", 1, "-o", "json", "--state", self.state).expect(0).json_lines
        self.assertEqual([e[0] for e in seen], [e["seq"] for e in stored])
        self.assertEqual([e[2] for e in seen], stored)

        # What the command line says is what the server says.
        shown = self.program.run("runs", "show", "1", "--cluster", "demo", "-o", "json", "--state", self.state).json
        self.assertEqual(server.get("/api/v1/clusters/demo/runs/last").expect(200).json, shown)
        self.assertEqual(shown["result"], "succeeded")
        self.assertEqual(server.get("/api/v1/clusters/demo/runs").json["items"],
                         self.program.run("runs", "demo", "-o", "json", "--state", self.state).json["runs"])
        self.assertTrue(server.get("/api/v1/clusters/demo/runs/1/gantt").body.startswith(b"<svg "))
        self.assertEqual(server.get("/api/v1/clusters/demo/support").body[:2], b"\x1f\x8b")

        # And away with it.
        self.assertEqual(server.post("/api/v1/clusters/demo/reset", {"confirm": "no"}).status, 422)
        reset = server.post("/api/v1/clusters/demo/reset", {"confirm": "demo"}).expect(202).json
        events = [e for e in server.listen("demo", reset["run"], timeout=120)]
        self.assertEqual(events[-1][1], "end")
        self.assertEqual([e[2]["result"] for e in events if e[1] == "run.finished"], ["succeeded"])
        audit = server.get("/api/v1/audit?verify=true").expect(200).json
        self.assertEqual(audit["chain"], "whole")
        self.assertIn("run 1 of demo", [line.get("what") for line in audit["items"]])

    def test_a_run_is_paused_continued_and_cancelled(self):
        server = self.signed_in()
        self.keep_draft(server)
        server.post("/api/v1/specs/demo/apply", {"simulate": "demo"}).expect(202)
        run = "/api/v1/clusters/demo/runs/last"
        self.assertIn("answer", server.post(f"{run}/pause").expect(200).json)
        self.assertEqual(server.get("/api/v1/clusters").json["items"][0]["run"]["state"], "paused")
        server.post(f"{run}/continue").expect(200)
        server.post(f"{run}/cancel").expect(200)
        types = [e[1] for e in server.listen("demo", "last")]
        self.assertEqual(types[-1], "end")
        for wanted in ("run.paused", "run.continued", "run.cancelling", "run.finished"):
            self.assertIn(wanted, types)

    def test_problems_are_those_of_the_command_line(self):
        server = self.signed_in()
        bad = self.spec().replace("[worker]", "[walker]")
        said = server.post("/api/v1/validate", {"yaml": bad}).expect(200).json
        file = self.folder / "bad.yaml"
        file.write_text(bad)
        typed = self.program.run("validate", "-c", file, "-o", "json").expect(3).json
        strip = [{k: v for k, v in p.items() if k != "file"} for p in typed["problems"]]
        self.assertEqual([{k: v for k, v in p.items() if k != "file"} for p in said["problems"]], strip)
        self.assertFalse(said["valid"])
        self.keep_draft(server, text=bad)
        refused = server.post("/api/v1/specs/demo/apply", {"simulate": True})
        self.assertEqual((refused.status, refused.json["id"]), (422, "SPEC-INVALID"))
        self.assertEqual(len(refused.json["problems"]), len(typed["problems"]))

    def test_secrets_reach_the_run_and_nothing_else(self):
        server = self.signed_in()
        text = self.spec().replace("address: 10.0.0.21,", "address: 10.0.0.21, password: {prompt: true},")
        self.assertEqual(self.keep_draft(server, text=text)["problems"], [])
        path = "/api/v1/specs/demo/secrets"
        self.assertEqual(server.get(path).json["items"], [{"path": "hosts.w1.password", "kept": False}])
        without = server.job("/api/v1/specs/demo/plan", {"simulate": True})
        self.assertEqual((without["state"], without["problem"]["id"]), ("failed", "SECRETS-MISSING"))
        server.ask("PUT", f"{path}/hosts.w1.password", {"value": "canary-81723"}).expect(204)
        self.assertEqual(server.job("/api/v1/specs/demo/plan", {"simulate": True})["state"], "succeeded")
        server.post("/api/v1/specs/demo/apply", {"simulate": True}).expect(202)
        self.assertEqual([e[1] for e in server.listen("demo", "last")][-1], "end")
        support = server.get("/api/v1/clusters/demo/support").body
        self.assertNotIn(b"canary-81723", gzip.decompress(support))
        for file in self.state.rglob("*"):
            if file.is_file():
                self.assertNotIn(b"canary-81723", file.read_bytes(), file)
        self.assertNotIn("canary-81723", "".join(server.said))

    def test_the_door(self):
        server = self.signed_in()
        self.assertEqual(server.get("/healthz", headers={"Host": "evil.example"}).status, 421)
        self.assertEqual(server.get("/healthz", headers={"Origin": "https://evil.example"}).status, 403)
        csrf, server.csrf = server.csrf, "wrong"
        self.assertEqual(server.post("/api/v1/tokens", {}).json["id"], "SERVER-CSRF")
        server.csrf = csrf
        old = ssl.create_default_context(cafile=str(self.state / ".server/tls/ca.crt"))
        old.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
        old.maximum_version = ssl.TLSVersion.TLSv1_1
        old.set_ciphers("ALL:@SECLEVEL=0")
        good, server.tls = server.tls, old
        with self.assertRaises((ssl.SSLError, OSError)):
            server.get("/healthz")
        server.tls = good
        for file in (self.state / ".server").rglob("*"):
            mode = stat.S_IMODE(file.stat().st_mode)
            allowed = (0o700,) if file.is_dir() else (0o600, 0o644) if file.name == "ca.crt" else (0o600,)
            self.assertIn(mode, allowed, file)
        two = self.program.run("serve", "--listen", "127.0.0.1:0", "--state", self.state)
        self.assertEqual(two.code, 6, two.err)

    def test_many_listeners_cost_little(self):
        server = self.signed_in()
        self.keep_draft(server)
        server.post("/api/v1/specs/demo/apply", {"simulate": "demo"}).expect(202)
        with concurrent.futures.ThreadPoolExecutor(200) as pool:
            streams = [pool.submit(lambda: [e[0] for e in server.listen("demo", 1, timeout=120)]) for _ in range(200)]
            end = time.monotonic() + 60
            while not any(s.done() for s in streams) and b"_listeners 200\n" not in server.get("/metrics").body:
                self.assertLess(time.monotonic(), end, "not everybody listens")
                time.sleep(0.05)
            resident = int(pathlib.Path(f"/proc/{server.process.pid}/statm").read_text().split()[1]) * 4096
            heard = [s.result() for s in streams]
        self.assertLess(resident, 400 << 20)
        self.assertTrue(all(one == heard[0] for one in heard))
        self.assertGreater(len(heard[0]), 40)


if __name__ == "__main__":
    case.main()
