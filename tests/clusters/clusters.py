"""Clusters on the lab's machines, from the lab's bundle: what every test of a whole cluster starts from.

    class OneMachine(clusters.Case):
        def test_…(self):
            cluster = self.cluster(self.host("node1"))
            cluster.apply().expect(0)
            checks.healthy(cluster)

    clusters.main(count=1)

kubectl runs on this computer, with the kubeconfig that Slipway has written: nothing on the machines helps it.
"""

import json
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent / "hosts")]
import leftovers  # noqa: E402
import machines  # noqa: E402
from slipway import Program  # noqa: E402

FULL = machines.FULL
CREATE_SECONDS = 600  # a cluster that takes longer has failed


class Cluster(machines.Site):
    bundle = key = kubectl_program = None

    def apply(self, *arguments, **keywords):
        """With the seconds it took as `.seconds`."""
        return self.timed("apply", "--yes", "-o", "json", "--key", self.key, *arguments, **keywords)

    def reset(self, **keywords):
        return self.timed("reset", "--yes", "-o", "json", **keywords)

    def timed(self, command, *arguments, **keywords):
        began = time.monotonic()
        result = self.run(command, *arguments, timeout=CREATE_SECONDS, **keywords)
        result.seconds = time.monotonic() - began
        return result

    @property
    def kubeconfig(self):
        return self.state / self.name / "kubeconfig"

    def try_kubectl(self, *arguments, stdin="", timeout=60):
        return self.kubectl_program.run("--kubeconfig", self.kubeconfig, *arguments, stdin=stdin, env={"HOME": str(self.folder)},
                                        timeout=timeout)

    def kubectl(self, *arguments, **keywords):
        return self.try_kubectl(*arguments, **keywords).expect(0).out

    def objects(self, *arguments):
        return json.loads(self.kubectl("get", *arguments, "-o", "json"))["items"]


class Case(machines.Case):
    """Cases without a machine of their own use those of the file one after another: reset is part of what is tested."""

    def cluster(self, *hosts, name="site", **parts):
        made = Cluster(self.program, self.folder / name, list(hosts), {"bundles": [str(Cluster.bundle)], **parts}, name)
        made.nodes = {host["name"]: self.machine(host["name"]) for host in hosts}
        self.addCleanup(made.end_all)
        return made

    def assert_nothing_changes(self, cluster):
        """Applied once more; returns the result."""
        again = cluster.apply().expect(0)
        if again.json["changed"] != 0:
            told = cluster.run("events", "-o", "json", "--run", str(again.json["run"])).expect(0).json_lines
            self.fail("\n".join(["another apply changed", *[json.dumps(one) for one in told if one.get("outcome") == "changed"]]))
        return again

    def control_plane(self, machine):
        return self.host(machine, roles=["control-plane"])

    def worker(self, machine):
        return self.host(machine, roles=["worker"])

    def pictures(self, *names):
        """How these machines are; assert_as_before compares."""
        return {name: leftovers.take(self.machine(name)) for name in names}

    def assert_as_before(self, before):
        left = [f"{name}: {one}" for name, picture in before.items()
                for one in leftovers.between(picture, leftovers.take(self.machine(name)))]
        if left:
            self.fail("\n  ".join([f"{len(left)} things are not as they were found", *left[:100]]))

    def say(self, text):
        """Figures belong into the log of a passed test too."""
        print(f"    {text}", file=sys.stderr, flush=True)


def _prepare(program):
    built = subprocess.run([ROOT / "lab/bundle/build", "--slipway", program], capture_output=True, text=True)
    if built.returncode != 0:
        sys.exit(f"the lab's bundle cannot be made:\n{built.stderr[-3000:]}")
    Cluster.bundle = pathlib.Path(built.stdout.strip())
    Cluster.key = Cluster.bundle.with_suffix(".pub")


def _extract_kubectl(program, folder):
    names = [one["name"] for one in program.run("bundle", "inspect", Cluster.bundle, "-o", "json").expect(0).json["names"]]
    target = pathlib.Path(folder) / "kubectl"
    program.run("bundle", "extract", Cluster.bundle, next(n for n in names if "/kubectl:" in f"/{n}"), "-o", target).expect(0)
    target.chmod(0o755)
    Cluster.kubectl_program = Program(target)


def main(count):
    machines.main(count=count, before=_ready)


def _ready(folder, program):
    _prepare(program.path)
    _extract_kubectl(program, folder)
