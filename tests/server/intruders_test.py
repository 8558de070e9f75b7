#!/usr/bin/env python3
"""People who want in, at the shipped program: old TLS, names of others, pages of others, guesses, a fresh server, text that is a script."""

import http.client
import json
import pathlib
import re
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "tests/harness"), str(ROOT / "tests/server"), str(ROOT / "scripts")]
import case  # noqa: E402
import page as page_tools  # noqa: E402
from api import Answer  # noqa: E402
from strangers import PASSWORD, StrangersCase  # noqa: E402

EVIL = '<img src=x onerror="window.executed=1"><script>window.executed=1</script>'


class Tls(StrangersCase):
    def handshake(self, *words, sent="", timeout=20):
        """What openssl says of a connection, as (taken, text)."""
        done = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{self.server.port}", *words], input=sent, capture_output=True,
                              text=True, errors="replace", timeout=timeout)
        return "Verify return code" in done.stdout and "Cipher is (NONE)" not in done.stdout, done.stdout + done.stderr

    def test_only_what_is_good_is_spoken(self):
        old = ["-cipher", "ALL:@SECLEVEL=0"]
        for words in (["-tls1", *old], ["-tls1_1", *old]):
            taken, text = self.handshake(*words)
            self.assertFalse(taken, (words, text))
        for cipher in ("NULL", "RC4", "3DES", "AES128-SHA", "AES256-GCM-SHA384", "ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA384",
                       "DHE-RSA-AES256-GCM-SHA384", "ADH", "EXPORT"):
            taken, text = self.handshake("-tls1_2", "-cipher", f"{cipher}:@SECLEVEL=0")
            self.assertFalse(taken, (cipher, text))
        for version, name in (("-tls1_2", "TLSv1.2"), ("-tls1_3", "TLSv1.3")):
            taken, text = self.handshake(version)
            self.assertTrue(taken, text)
            self.assertIn(name, text)
            self.assertIn("Compression: NONE", text)
            self.assertRegex(text, r"(GCM|CHACHA20)")
        self.assert_well()

    def test_nothing_is_negotiated_anew(self):
        # "R" asks for it; the server must not answer it with another handshake.
        done = subprocess.Popen(["openssl", "s_client", "-tls1_2", "-connect", f"127.0.0.1:{self.server.port}"], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        said, _ = done.communicate("R\n", timeout=30)
        self.assertIn("RENEGOTIATING", said)
        self.assertRegex(said, r"no renegotiation|error|closed")
        self.assertNotIn("HTTP/1.1 200", said)
        self.assert_well()


class Door(StrangersCase):
    def test_names_and_pages_of_others(self):
        server = self.sign_in()
        for host in ("evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "169.254.169.254", f"evil.example:{server.port}", "[::2]"):
            for path in ("/", "/healthz", "/api/v1/clusters", "/api/v1/session"):
                self.assertEqual(server.get(path, headers={"Host": host}).status, 421, (host, path))
        answer = self.answers_to(b"GET https://evil.example/api/v1/session HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        self.assertTrue(answer.startswith(b"HTTP/1.1 421 "), answer)
        own = f"https://127.0.0.1:{server.port}"
        for origin in ("https://evil.example", "null", f"http://127.0.0.1:{server.port}", "https://127.0.0.1", f"{own}.evil.example", "", f"{own}/"):
            answer = server.post("/api/v1/tokens", {"name": "x", "role": "admin", "days": 1}, headers={"Origin": origin})
            self.assertEqual((answer.status, answer.json["id"]), (403, "SERVER-ORIGIN"), origin)
        for csrf in ("", "wrong", "0" * 64):
            answer = server.post("/api/v1/tokens", {"name": "x", "role": "admin", "days": 1}, headers={"X-Slipway-Csrf": csrf})
            self.assertEqual((answer.status, answer.json["id"]), (403, "SERVER-CSRF"), csrf)
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):  # what a form can send
            self.assertEqual(server.ask("POST", "/api/v1/tokens", b'{"name": "x", "role": "admin", "days": 1}', headers={"Content-Type": kind}).status, 415)
        self.assertEqual(server.get("/api/v1/tokens").expect(200).json["items"], [])
        self.assertEqual(server.post("/api/v1/tokens", {"name": "x", "role": "viewer", "days": 1}, headers={"Origin": own}).status, 201)
        self.assert_well()

    def test_every_answer_may_stand_in_no_frame_and_run_no_script_of_others(self):
        server = self.sign_in()
        assets = re.findall(r'(?:src|href)="(/[^"]+)"', server.get("/").expect(200).body.decode())
        self.assertTrue(any(path.endswith(".js") for path in assets), assets)
        for path in ("/", "/clusters/x", "/drafts/x/hosts", *assets, "/healthz", "/api/v1/session", "/api/v1/clusters", "/api/v1/nothing", "/metrics", "/assets/no.js"):
            answer = server.get(path)
            policy = answer.headers["Content-Security-Policy"]
            self.assertIn("default-src 'self'", policy, path)
            self.assertIn("frame-ancestors 'none'", policy, path)
            self.assertNotIn("unsafe", policy, path)
            self.assertEqual(answer.headers["X-Frame-Options"], "DENY", path)
            self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff", path)
            self.assertIsNone(answer.headers["Access-Control-Allow-Origin"], path)
        self.assertNotIn(b"<script>", server.get("/").body)
        cookie = server.ask("POST", "/api/v1/session", {"password": PASSWORD}).expect(201).headers["Set-Cookie"]
        for word in ("HttpOnly", "Secure", "SameSite=Strict", "Path=/"):
            self.assertIn(word, cookie)

    def test_sessions_end(self):
        server = self.sign_in()
        first = server.headers()
        server.cookie = None
        server.sign_in(PASSWORD)
        self.assertEqual(server.get("/api/v1/clusters", headers=first).status, 200, "two browsers")
        server.ask("PUT", "/api/v1/password", {"old": PASSWORD, "new": PASSWORD + "2"}).expect(204)
        self.assertEqual(server.get("/api/v1/clusters", headers=first).status, 401, "the password was changed")
        server.get("/api/v1/clusters").expect(200)
        over = server.headers()
        server.ask("DELETE", "/api/v1/session").expect(204)
        self.assertEqual(server.get("/api/v1/clusters").status, 401, "signed out")
        server.sign_in(PASSWORD + "2")
        kept = server.headers()
        server.stop(signal.SIGKILL)
        self.server = self.serve()
        for ended in (first, over):
            self.assertEqual(self.server.get("/api/v1/clusters", headers=ended).status, 401, "over before the restart")
        self.server.get("/api/v1/clusters", headers=kept).expect(200)
        file = self.state / ".server/sessions.json"
        self.assertEqual(file.stat().st_mode & 0o777, 0o600)
        self.assertNotIn(kept["Cookie"].partition("=")[2], file.read_text())
        self.server.stop(signal.SIGTERM)
        file.write_text("{")
        self.server = self.serve()
        self.assertEqual(self.server.get("/api/v1/clusters", headers=kept).status, 401, "the file is damaged")
        self.assertIn("everybody has to sign in again", "".join(self.server.said))
        self.server.sign_in(PASSWORD + "2")
        made = self.server.post("/api/v1/tokens", {"name": "x", "role": "viewer", "days": 1}).expect(201).json
        bearer = {"Authorization": f"Bearer {made['token']}"}
        self.server.get("/api/v1/clusters", headers=bearer).expect(200)
        self.server.ask("DELETE", f"/api/v1/tokens/{made['id']}").expect(204)
        self.server.cookie = None
        self.assertEqual(self.server.get("/api/v1/clusters", headers=bearer).status, 401, "revoked")


class Guesses(StrangersCase):
    def ask_from(self, address, path, body):
        """As another computer would: every address of 127.0.0.0/8 is this one."""
        connection = http.client.HTTPSConnection("127.0.0.1", self.server.port, context=self.server.tls, timeout=30, source_address=(address, 0))
        try:
            connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
            response = connection.getresponse()
            return Answer(response.status, response.headers, response.read())
        finally:
            connection.close()

    def guess(self, path, body, address="127.0.0.9"):
        """The status, and the seconds to wait that were asked for."""
        answer = self.ask_from(address, path, body)
        return answer.status, int(answer.headers["Retry-After"] or 0)

    def test_a_fresh_server_is_taken_once_by_who_sees_its_console(self):
        wrong = {"code": "AAAA-AAAA-AAAA-AAAA", "password": PASSWORD}
        self.assertEqual([self.guess("/api/v1/unlock", wrong)[0] for _ in range(5)], [401] * 5)
        self.assertEqual(self.guess("/api/v1/unlock", wrong)[0], 429)
        self.assertEqual(self.guess("/api/v1/unlock", {"code": self.server.code, "password": PASSWORD})[0], 429, "not even the right one, now")
        first = self.server.code
        self.server.stop(signal.SIGKILL)
        self.server = self.serve()
        self.assertNotEqual(self.server.code, first)
        self.assertEqual(self.guess("/api/v1/unlock", {"code": first, "password": PASSWORD})[0], 401, "a code of another start")
        self.assertEqual(self.server.post("/api/v1/unlock", {"code": self.server.code, "password": "short"}).status, 422)
        self.server.post("/api/v1/unlock", {"code": self.server.code, "password": PASSWORD}).expect(201)
        again = self.server.post("/api/v1/unlock", {"code": self.server.code, "password": "another password"})
        self.assertEqual((again.status, again.json["id"]), (409, "SERVER-UNLOCKED"))
        self.assertEqual(self.server.post("/api/v1/session", {"password": "another password"}).status, 401)
        code = self.server.code
        self.server.stop(signal.SIGTERM)
        self.server = self.serve()
        self.assertIsNone(self.server.code, "no code once there is a password")
        self.assertEqual(self.server.post("/api/v1/unlock", {"code": code, "password": "another password"}).status, 409)
        self.server.sign_in(PASSWORD)

    def test_guessing_is_slow_and_keeps_nobody_else_out(self):
        server = self.sign_in()
        wrong = {"password": "wrong password"}
        self.assertEqual([self.guess("/api/v1/session", wrong)[0] for _ in range(5)], [401] * 5)
        waits, end = [], time.monotonic() + 20
        while len(set(waits)) < 3 and time.monotonic() < end:
            status, wait = self.guess("/api/v1/session", wrong)
            if status == 429:
                waits.append(wait)
            time.sleep(0.1)
        self.assertEqual(max(waits), 4, "the wait doubles: 1, 2, 4")
        # Who is in stays in, and others get in.
        server.get("/api/v1/clusters").expect(200)
        self.assertEqual(self.ask_from("127.0.0.10", "/api/v1/session", {"password": PASSWORD}).status, 201)
        self.assertEqual(self.guess("/api/v1/session", {"password": PASSWORD})[0], 429, "the one who guessed still waits")
        lines = server.get("/api/v1/audit").expect(200).json["items"]
        self.assertGreaterEqual(sum(line.get("what") == "wrong password" and line["from"] == "127.0.0.9" for line in lines), 5)
        self.assert_well()


class Scripts(StrangersCase):
    """Text of others that is a script, if anybody lets it."""

    def spec(self, name, more=""):
        return self.program.run("init", name, *[word for host in case.THREE for word in ("--host", host)]).expect(0).out + more

    def test_nothing_of_it_is_run(self):
        server = self.sign_in()
        quoted = json.dumps(EVIL)
        bad = self.spec("evil").replace("name: w1,", f"name: {quoted},").replace("name: evil", f"name: {quoted}")
        server.ask("PUT", "/api/v1/specs/evil", {"yaml": bad}, headers={"If-None-Match": "*"}).expect(201)
        hook = f"  hooks:\n    operatorPreInstall:\n    - {{name: say, command: [/bin/echo, {quoted}]}}\n"
        file = self.folder / "said.yaml"
        file.write_text(self.spec("said", hook))
        profile = self.profile(f"hosts:\n  w1:\n    faults:\n    - {{on: change, error: fatal, times: always, message: {quoted}}}\n")
        self.program.run("apply", "--yes", "-c", file, "--state", self.state, f"--simulate={profile}")
        run = "/api/v1/clusters/said/runs/1"
        for path in ("/api/v1/specs", "/api/v1/specs/evil", f"{run}/events?limit=1000", f"{run}/logs", run):
            answer = server.get(path).expect(200)
            self.assertEqual((answer.headers["Content-Type"], answer.headers["X-Content-Type-Options"]), ("application/json", "nosniff"), path)
        self.assertIn(EVIL, json.dumps(server.get(f"{run}/logs").json, ensure_ascii=False).replace('\\"', '"'))
        self.assertIn(EVIL, json.dumps(server.get(f"{run}/events?limit=1000&type=step.finished").json).replace('\\"', '"'))
        for path in (f"/api/v1/clusters/{EVIL}", f"/api/v1/specs/{EVIL}", f"/api/v1/errors/{EVIL}", f"/{EVIL}"):
            answer = server.get(path.replace(" ", "%20").replace("<", "%3c").replace(">", "%3e").replace('"', "%22").replace("/script", "script"))
            self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff", path)
            if b"<img" in answer.body:
                self.assertEqual(answer.headers["Content-Type"], "application/problem+json", path)
        seen = self.look("/drafts/evil/hosts", "/drafts/evil/review", "/clusters/said", "/clusters/said/runs/1", "/clusters/said/runs/1?view=events",
                         "/clusters/said/runs/1?view=logs", "/clusters/said/runs/1?view=timeline", "/")
        for path, page in seen.items():
            self.assertEqual((page["executed"], page["elements"]), (False, 0), path)
        self.assertTrue(seen["/clusters/said/runs/1?view=logs"]["shown"], "the line is there, as text")
        self.assertTrue(seen["/drafts/evil/hosts"]["shown"], "the host is there, as text")
        self.assert_well()

    def look(self, *paths):
        page_tools.install_packages()
        order = {"url": f"https://127.0.0.1:{self.server.port}", "password": PASSWORD, "paths": paths, "text": "onerror="}
        done = subprocess.run([page_tools.node_folder() / "node", ROOT / "tests/server/look.mjs"], input=json.dumps(order), capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        return json.loads(done.stdout)


if __name__ == "__main__":
    case.main()
