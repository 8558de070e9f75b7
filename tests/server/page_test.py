#!/usr/bin/env python3
"""The page in a browser, as the program carries it: web/tests/browser's journeys over a real server and simulated hosts."""

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


class Page(case.Case):
    def test_journeys(self):
        server = Server(self.program, self.folder / "state", env=CLEAN)
        self.addCleanup(server.stop, signal.SIGKILL)
        done = subprocess.run([ROOT / "scripts/page.py", "test:browser", "journeys"], capture_output=True, text=True, timeout=480,
                              env={**os.environ, "SLIPWAY_PAGE_URL": f"https://127.0.0.1:{server.port}", "SLIPWAY_PAGE_CODE": server.code})
        self.assertEqual(done.returncode, 0, (done.stdout + done.stderr)[-8000:])


if __name__ == "__main__":
    case.main()
