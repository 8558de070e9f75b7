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


class Page(case.Case):
    def test_journeys(self):
        server = Server(self.program, self.folder / "state", env=CLEAN)
        self.addCleanup(server.stop, signal.SIGKILL)
        done = subprocess.run([ROOT / "scripts/page.py", "test:browser", "journeys"], capture_output=True, text=True, timeout=480,
                              env={**os.environ, "SLIPWAY_PAGE_URL": f"https://127.0.0.1:{server.port}", "SLIPWAY_PAGE_CODE": server.code})
        self.assertEqual(done.returncode, 0, (done.stdout + done.stderr)[-8000:])

    def test_runs_that_are_disturbed(self):
        with Stage(self.program, self.folder) as stage:
            stage.play("runs")


if __name__ == "__main__":
    case.main()
