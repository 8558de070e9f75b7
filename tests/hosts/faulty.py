"""What the tests of faults share: hosts behind a proxy that breaks, and a script that counts how often it runs."""

import pathlib
import sys
import time
from datetime import datetime

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import machines  # noqa: E402
from machines import wait_until  # noqa: E402
from proxy import Break, Proxy  # noqa: E402

# Bytes from the machine until the link breaks: before its banner, in it, in the exchange of keys, in the login, while
# the shell starts, in the hello of the agent, in its answers.
PHASES = {"connected": 0, "banner": 20, "key exchange": 900, "keys": 1400, "login": 1800, "shell": 2100, "hello": 2620,
          "facts": 4000, "end of facts": 5600}
UPLOAD = 1_000_000  # bytes to the machine: in the middle of the agent
LONGEST = 60  # seconds until a fault has been mended or named
LINES = 30
# Says how often it ran, and does not end before `go()`.
COUNTED = (f"echo run >>/root/count; sync /root/count; for i in $(seq {LINES}); do echo line $i; sleep 0.1; "
           "if [ $i = 20 ]; then until test -e /root/go; do sleep 0.1; done; fi; done; exit %d")
ALL_LINES = [f"line {i}" for i in range(1, LINES + 1)]


class Faulty(machines.Case):
    def setUp(self):
        super().setUp()
        self.machine().sh("rm -rf /root/count /root/go /var/lib/slipway/jobs")

    def go(self):
        """Lets the script end."""
        self.machine().sh("touch /root/go")

    def through(self, proxy, machine="node1", **fields):
        """The machine as a host that is reached through the proxy."""
        return self.host(machine, address="127.0.0.1", port=proxy.port, internalAddress=self.machine(machine).address, **fields)

    def proxy(self, machine="node1"):
        made = Proxy(self.machine(machine).address)
        self.addCleanup(made.__exit__)
        return made

    def runs_of_script(self):
        return self.machine().sh("cat /root/count").count("run")

    def lines(self, site):
        """What the script said in all sessions of the run, in order."""
        return [e["line"] for e in site.events("log.line") if e["step"] == "pre-install-script-work"]

    def wait_for_line(self, site, number, run):
        wait_until(lambda: run.poll() is not None or f"line {number}" in (self.lines(site) if site.journal.exists() else []),
                   f"line {number} of the script")
        self.assertIsNone(run.poll(), "the run must not have ended yet")

    def failure(self, site):
        """The error of the only failed step of the last run."""
        ends = [e for e in site.events("step.finished") if "error" in e]
        self.assertTrue(ends, "no step has failed")
        return ends[-1]["error"]


class BrokenLinks(Faulty):
    def broken_once(self, how, phase, machine="node1", after=1 << 60, sent=1 << 60):
        """A preflight whose first connection breaks. Returns how long it took."""
        with Proxy(self.machine(machine).address) as proxy:
            proxy.next(Break(how, after, sent))
            site = self.site(self.through(proxy, machine), name=f"{how}-{phase}".replace(" ", "-"))
            began = time.monotonic()
            site.run("preflight").expect(0)
            self.assertEqual(proxy.connections[0].broken, how, f"{phase}: the link did not break")
            self.assertGreater(len(proxy.connections), 1, f"{phase}: nothing was tried again")
            return time.monotonic() - began

    def half_sent(self, how):
        seconds = self.broken_once(how, "upload", "node2", sent=UPLOAD)
        # The server that was never told goes on waiting; the proxy has let go of it by now.
        wait_until(lambda: self.machine("node2").sh("cd /var/lib/slipway/agent/*; ls -A") == "slipway-agent\n", "the half to go")
        return seconds


def seconds_between(first, second):
    return (datetime.fromisoformat(second) - datetime.fromisoformat(first)).total_seconds()
