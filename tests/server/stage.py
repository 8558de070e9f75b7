"""What a journey in a browser cannot do itself, and asks for over HTTP: start and kill servers and runs, cut lines,
look into journals. web/tests/real/stage.ts is the other end.

    with Stage(program, folder) as stage:
        stage.play("runs")          # web/tests/real/runs.spec.ts
"""

import http.server
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/harness"), str(ROOT / "tests/hosts"), str(ROOT / "tests/server")]
from api import Server  # noqa: E402
from proxy import Proxy  # noqa: E402
from slipway import CLEAN  # noqa: E402


class CuttingProxy(Proxy):
    """Resets every connection there is, again and again."""

    def __init__(self, port, period):
        super().__init__("127.0.0.1", port)
        self._over = threading.Event()
        self._cutter = threading.Thread(target=self._cut, args=(period,), daemon=True)
        self._cutter.start()

    def _cut(self, period):
        while not self._over.wait(period):
            self.break_all("reset")

    def __exit__(self, *about):
        self._over.set()
        self._cutter.join()
        super().__exit__(*about)


class Stage:
    def __init__(self, program, folder, env=CLEAN):
        self.program, self.folder, self.env = program, pathlib.Path(folder), env
        self.servers, self.proxies = {}, {}
        self.hands = {"serve": self.serve, "kill-server": self.kill_server, "start-server": self.start_server,
                      "kill-run": self.kill_run, "proxy": self.proxy, "cut": self.cut, "events": self.events,
                      "apply-by-hand": self.apply_by_hand, "resume-by-hand": self.resume_by_hand}
        self.door = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self.door.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.door.shutdown()
        self.door.server_close()
        for proxy in self.proxies.values():
            proxy.__exit__()
        for server in self.servers.values():
            server.stop(signal.SIGKILL)

    def state(self, name):
        return self.folder / name / "state"

    # ---- what can be asked for

    def serve(self, name, failpoint=""):
        """A new server with a state folder of its own."""
        (self.folder / name).mkdir()
        return {"url": f"https://127.0.0.1:{self._start(name, failpoint=failpoint).port}", "code": self.servers[name].code}

    def kill_server(self, name):
        self.servers[name].stop(signal.SIGKILL)

    def start_server(self, name):
        """Where it was before; a failpoint is not there any more."""
        self._start(name, self.servers[name].port)

    def kill_run(self, name, cluster):
        """The process that holds the cluster's lock."""
        os.kill(json.loads((self.state(name) / cluster / "run.lock").read_text())["pid"], signal.SIGKILL)

    def apply_by_hand(self, name, cluster):
        """On the command line, beside the server."""
        spec = self.folder / f"{cluster}.yaml"
        spec.write_text(self.program.run("init", cluster, "--host", "cp1=10.0.0.11:control-plane", "--host", "w1=10.0.0.21:worker").expect(0).out)
        self.program.run("apply", "-c", spec, "--simulate=demo", "--yes", "--detach", "--state", self.state(name)).expect(0)

    def resume_by_hand(self, name, cluster):
        self.program.run("resume", cluster, "--detach", "--state", self.state(name)).expect(0)

    def proxy(self, name, period=None):
        """One that cuts every connection each so many seconds, or when it is told to."""
        port = self.servers[name].port
        made = CuttingProxy(port, period) if period else Proxy("127.0.0.1", port)
        url = f"https://127.0.0.1:{made.port}"
        self.proxies[url] = made
        return {"url": url}

    def cut(self, proxy):
        return {"connections": self.proxies[proxy].break_all("reset")}

    def events(self, name, cluster):
        """As the journal has them, by the command line."""
        return self.program.run("events", cluster, "--run", 1, "-o", "json", "--state", self.state(name)).expect(0).json_lines

    # ---- the rest

    def _start(self, name, port=0, failpoint=""):
        env = {**self.env, **({"SLIPWAY_FAILPOINT": failpoint} if failpoint else {})}
        self.servers[name] = Server(self.program, self.state(name), env=env, port=port)
        return self.servers[name]

    def _handler(self):
        hands = self.hands

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                try:
                    status, answer = 200, hands[self.path[1:]](**body) or {}
                except Exception as failure:  # the journey says what went wrong
                    status, answer = 500, {"error": repr(failure)}
                data = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        return Handler

    def play(self, *words, env=None, timeout=480):
        """A journey; AssertionError with its report when it fails."""
        where = {"SLIPWAY_STAGE_URL": f"http://127.0.0.1:{self.door.server_port}", "SLIPWAY_STAGE_FOLDER": str(self.folder)}
        done = subprocess.run([ROOT / "scripts/page.py", "test:real", *words], capture_output=True, text=True, timeout=timeout,
                              env={**os.environ, **where, **(env or {})})
        report = done.stdout + done.stderr
        if done.returncode != 0:
            raise AssertionError(report[-12000:])
        for line in report.splitlines():
            if "✓" in line:
                print(line, file=sys.stderr, flush=True)
