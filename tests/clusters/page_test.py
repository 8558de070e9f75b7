#!/usr/bin/env python3
"""The page on a real machine: from the code on the console to a cluster that kubectl finds, everything typed and clicked in
a browser. SLIPWAY_PICTURES=FOLDER keeps a picture of every screen (make pictures)."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "server")]
import clusters  # noqa: E402
from slipway import CLEAN  # noqa: E402
from stage import Stage  # noqa: E402

# Something else listens where the API server will.
TAKE_PORT = "systemd-run --quiet --unit in-the-way --socket-property=ListenStream=6443 --socket-property=Accept=yes cat"
FREE_PORT = "systemctl stop in-the-way.socket"


class Page(clusters.Case):
    def test_from_the_code_to_a_cluster(self):
        machine, env = self.machine(), {**CLEAN, "HOME": str(self.folder)}
        self.program.run("bundle", "trust", "add", clusters.Cluster.key, env=env).expect(0)
        with Stage(self.program, self.folder, env=env) as stage:
            stage.hands |= {"take-port": lambda: {"said": machine.sh(TAKE_PORT)},
                            "free-port": lambda: {"said": machine.sh(FREE_PORT)},
                            "give-bundle": lambda name: self.give_bundle(stage.state(name))}
            password = (self.lab.state / "ops-password").read_text().strip()
            stage.play("cluster", timeout=600, env={"SLIPWAY_MACHINE": machine.address, "SLIPWAY_MACHINE_PASSWORD": password,
                                                    "SLIPWAY_MACHINE_KEY": self.fingerprint(machine)})
            said = self.program.run("events", "lab", "-o", "json", "--state", stage.state(next(iter(stage.servers)))).expect(0).out
        self.assertIn("[bootstrap-token]", said)
        self.assertNotRegex(said, r"\b[a-z0-9]{6}\.[a-z0-9]{16}\b", "a token that lets machines join")
        kubeconfig = self.folder / "lab.kubeconfig"
        nodes = clusters.Cluster.kubectl_program.run("--kubeconfig", kubeconfig, "get", "nodes", "-o", "json", env={"HOME": str(self.folder)})
        conditions = {one["type"]: one["status"] for one in nodes.expect(0).json["items"][0]["status"]["conditions"]}
        self.assertEqual(conditions["Ready"], "True")

    def give_bundle(self, state):
        """Copied there by hand, as one does with a gigabyte: the upload has tests of its own."""
        (state / ".server/bundles/lab.bundle").symlink_to(clusters.Cluster.bundle)

    def fingerprint(self, machine):
        return machine.sh("ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub").split()[1]


if __name__ == "__main__":
    clusters.main(count=1)
