"""slipway serve in a process of its own, and a client of it. Standard library only."""

import http.client
import json
import re
import signal
import ssl
import subprocess
import threading
import time


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    def expect(self, status):
        if self.status != status:
            raise AssertionError(f"answered {self.status}, wanted {status}: {self.body[:2000]}")
        return self


class Server:
    """One start of the server on a state folder. `with` ends it by SIGTERM."""

    def __init__(self, program, state, env=None, port=0):
        self.process = subprocess.Popen([program.path, "serve", "--listen", f"127.0.0.1:{port}", "--state", str(state)],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                        text=True, env=env)
        self.said, self.code, self.port, self.fingerprint = [], None, None, None
        for line in self.process.stderr:
            self.said.append(line)
            if match := re.search(r"ready: https://127\.0\.0\.1:(\d+)", line):
                self.port = int(match[1])
            if match := re.search(r"SHA-256 ([0-9A-F:]+)", line):
                self.fingerprint = match[1]
            if match := re.search(r"the code (\S+)", line):
                self.code = match[1]
            if self.port and self.fingerprint and (self.code or (state / ".server/users.json").exists()):
                break
        if self.port is None:
            raise AssertionError("the server did not start: " + "".join(self.said))
        self._drain = threading.Thread(target=self._read_rest, daemon=True)
        self._drain.start()
        self.tls = ssl.create_default_context(cafile=str(state / ".server/tls/ca.crt"))
        self.cookie = self.csrf = self.token = None

    def _read_rest(self):
        for line in self.process.stderr:
            self.said.append(line)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        self.process.wait(timeout=30)
        self._drain.join(timeout=30)
        self.process.stderr.close()

    def connect(self, timeout=60):
        return http.client.HTTPSConnection("127.0.0.1", self.port, context=self.tls, timeout=timeout)

    def headers(self, extra=None):
        out = {}
        if self.token:
            out["Authorization"] = f"Bearer {self.token}"
        elif self.cookie:
            out["Cookie"] = f"slipway_session={self.cookie}"
            out["X-Slipway-Csrf"] = self.csrf
        return {**out, **(extra or {})}

    def ask(self, method, path, body=None, headers=None, timeout=60):
        extra = dict(headers or {})
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
            extra.setdefault("Content-Type", "application/json")
        connection = self.connect(timeout)
        try:
            connection.request(method, path, body=body, headers=self.headers(extra))
            response = connection.getresponse()
            return Answer(response.status, response.headers, response.read())
        finally:
            connection.close()

    def get(self, path, **keywords):
        return self.ask("GET", path, **keywords)

    def post(self, path, body=None, **keywords):
        return self.ask("POST", path, body={} if body is None else body, **keywords)

    def sign_in(self, password):
        first = self.get("/api/v1/session").expect(200).json
        if first["state"] == "locked":
            answer = self.post("/api/v1/unlock", {"code": self.code, "password": password}).expect(201)
        else:
            answer = self.post("/api/v1/session", {"password": password}).expect(201)
        self.cookie = re.match(r"slipway_session=([0-9a-f]+);", answer.headers["Set-Cookie"])[1]
        self.csrf = answer.json["csrf"]
        return answer

    def job(self, path, body=None):
        """Starts a job and waits for its end."""
        job = self.post(path, body).expect(202).json
        end = time.monotonic() + 120
        while job["state"] == "running" and time.monotonic() < end:
            job = self.get(f"/api/v1/jobs/{job['id']}?wait=20").expect(200).json
        return job

    def listen(self, cluster, run, after=0, most=None, timeout=60):
        """Events of a run as they come: (id, type, data). Leaves after `most` of them, as one whose line is cut."""
        connection = self.connect(timeout)
        try:
            connection.request("GET", f"/api/v1/clusters/{cluster}/runs/{run}/events", headers=self.headers(
                {"Accept": "text/event-stream", "Last-Event-ID": str(after)}))
            response = connection.getresponse()
            if response.status != 200:
                raise AssertionError(response.read())
            message, count = {}, 0
            while True:
                line = response.readline()
                if not line:
                    return
                line = line.decode().rstrip("\n")
                if line.startswith(":"):
                    continue
                if line:
                    key, value = line.split(": ", 1)
                    message[key] = value
                    continue
                if "event" in message:
                    yield int(message.get("id", 0)), message["event"], json.loads(message["data"])
                    count += 1
                    if message["event"] == "end" or (most and count >= most):
                        return
                message = {}
        finally:
            connection.close()
