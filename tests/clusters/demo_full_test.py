#!/usr/bin/env python3
"""`make demo`, as somebody who tries Slipway for the first time sees it: a cluster, and in the end a page that shows how it came about."""

import pathlib
import re
import shutil
import socket
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "server")]
import clusters  # noqa: E402
from slipway import CLEAN  # noqa: E402
from stage import Stage  # noqa: E402


def listens(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


class Demo(clusters.Case):
    def checkout(self):
        """What the script uses of one, in a folder of its own: a demo that somebody keeps in this one stays."""
        made = self.folder / "checkout"
        (made / "scripts").mkdir(parents=True)
        (made / "build/release/bin").mkdir(parents=True)
        shutil.copy(clusters.ROOT / "scripts/demo.sh", made / "scripts")
        (made / "lab").symlink_to(clusters.ROOT / "lab")
        (made / "build/release/bin/slipway").symlink_to(self.program.path)
        return made

    def demo(self, checkout, *words):
        env = {**CLEAN, **self.lab.env, "SLIPWAY_DEMO_LAB": self.lab.name}
        done = subprocess.run([checkout / "scripts/demo.sh", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=clusters.CREATE_SECONDS, env=env)
        self.assertEqual(done.returncode, 0, done.stdout[-6000:])
        return done.stdout

    def test_ends_with_a_page_that_shows_its_run(self):
        checkout = self.checkout()
        self.addCleanup(self.demo, checkout, "--clean")
        said = self.demo(checkout)
        self.assertEqual(len(re.findall(r"^node[123] +Ready ", said, re.MULTILINE)), 3, said[-6000:])
        end = "\n".join(said.splitlines()[-5:])
        self.assertRegex(end, r"ready: https://127\.0\.0\.1:\d+\n")
        self.assertRegex(end, r"the code \S+")
        where = {"SLIPWAY_DEMO_URL": re.search(r"ready: (\S+)", end)[1], "SLIPWAY_DEMO_CODE": re.search(r"the code (\S+)", end)[1],
                 "SLIPWAY_DEMO_CLUSTER": self.lab.name}
        with Stage(self.program, checkout) as stage:
            stage.play("demo", env=where)
        self.demo(checkout, "--clean")
        self.assertFalse((checkout / ".demo").exists())
        self.assertEqual(self.lab.machines(), {})
        clusters.machines.wait_until(lambda: not listens(int(where["SLIPWAY_DEMO_URL"].rpartition(":")[2])), "the demo's server ends")


if __name__ == "__main__":
    clusters.main(count=0)
