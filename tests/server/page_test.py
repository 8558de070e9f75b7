#!/usr/bin/env python3
"""The page in a browser, as the program carries it, over a real server and simulated hosts: web/tests/browser's journeys,
and those of web/tests/real, in which servers, runs and connections are killed."""

import os
import pathlib
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/harness"), str(ROOT / "tests/server")]
import case  # noqa: E402
from api import Server  # noqa: E402
from slipway import CLEAN  # noqa: E402
from stage import Stage  # noqa: E402


def go_where_only_loopback_is():
    """The drafts of the journeys name machines nobody has, and a server looks for their keys: not on our network."""
    if os.environ.get("SLIPWAY_ALONE") == "1":
        return
    subprocess.run([ROOT / "scripts/page.py", "--packages"], check=True)
    alone = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--net", "--map-root-user"]
    os.environ["SLIPWAY_ALONE"] = "1"
    os.execvp("unshare", [*alone, "sh", "-c", 'ip link set lo up && exec "$@"', "alone", sys.executable, *sys.argv])


class Page(case.Case):
    def test_journeys(self):
        server = Server(self.program, self.folder / "state", env=CLEAN)
        self.addCleanup(server.stop, signal.SIGKILL)
        done = subprocess.run([ROOT / "scripts/page.py", "test:browser", "journeys"], capture_output=True, text=True, timeout=480,
                              env={**os.environ, "SLIPWAY_PAGE_URL": f"https://127.0.0.1:{server.port}", "SLIPWAY_PAGE_CODE": server.code})
        self.assertEqual(done.returncode, 0, (done.stdout + done.stderr)[-8000:])

    def test_only_this_computer_reaches_it_unless_told_otherwise(self):
        """Here, where nobody else has the usual port."""
        server = subprocess.Popen([self.program.path, "serve", "--state", self.folder / "state"], stderr=subprocess.PIPE, text=True, env=CLEAN)
        try:
            self.assertIn("ready: https://127.0.0.1:8443\n", iter(server.stderr.readline, ""))
            tables = [pathlib.Path(f"/proc/{server.pid}/net/{name}").read_text().splitlines()[1:] for name in ("tcp", "tcp6")]
            listens = [line.split()[1] for table in tables for line in table if line.split()[3] == "0A" and line.split()[1].endswith(f":{8443:04X}")]
            self.assertEqual(listens, [f"0100007F:{8443:04X}"])
        finally:
            server.kill()
            server.communicate()

    def test_runs_that_are_disturbed(self):
        with Stage(self.program, self.folder) as stage:
            stage.play("runs")


if __name__ == "__main__":
    go_where_only_loopback_is()
    case.main()
