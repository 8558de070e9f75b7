"""unittest with the program's path as the first argument: every *_test.py ends with `case.main()`."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from slipway import Program, Site  # noqa: E402

THREE = ["cp1=10.0.0.11:control-plane,etcd", "w1=10.0.0.21:worker", "w2=10.0.0.22:worker"]


class Case(unittest.TestCase):
    program = None

    def setUp(self):
        self._scratch = tempfile.TemporaryDirectory(prefix="slipway-test-", ignore_cleanup_errors=True)
        self.folder = pathlib.Path(self._scratch.name)
        self.addCleanup(self._scratch.cleanup)

    def site(self, hosts=THREE, name="site", **keywords):
        return Site(self.program, self.folder / name, hosts, name=name, **keywords)

    def profile(self, text):
        """A simulation profile in a file; returns its path for `simulate=`."""
        file = self.folder / "profile.yaml"
        file.write_text("apiVersion: slipway.dev/v1\nkind: SimulationProfile\n" + text)
        return str(file)

    def slow_profile(self):
        """So slow that another process can meet a run in its middle."""
        return self.profile("defaults:\n  latency: {command: 400ms, write: 300ms, kernel: 200ms}\n")


def main():
    Case.program = Program(sys.argv.pop(1))
    unittest.main(verbosity=2)
