#!/usr/bin/env python3
"""Connect, facts and all checks on real machines, beside Ansible and plain ssh in the same run.

    bench/hosts.py build/release/bin --write docs/benchmarks-hosts.md

Brings up 30 machines (with Python, which only Ansible needs) and then 100 light ones in the lab. CPU
seconds are those of the whole computer, both ends: everything here runs on it. Exits 1 when a bound
is missed.
"""
import argparse
import hashlib
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LAB = ROOT / "lab/lab"
CACHE = pathlib.Path(os.environ.get("SLIPWAY_CACHE") or
                     pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "slipway")
ANSIBLE = "ansible-core==2.19.14"
MIB = 64
LARGE_MIB = 1024


def busy_seconds():
    """CPU time the whole computer has spent working."""
    fields = [int(x) for x in open("/proc/stat").readline().split()[1:]]
    idle = fields[3] + fields[4]
    return (sum(fields[:8]) - idle) / os.sysconf("SC_CLK_TCK")


class Took:
    """Wall and CPU seconds of a block, and the largest memory a child of it needed."""

    def __enter__(self):
        self.began, self.busy = time.monotonic(), busy_seconds()
        return self

    def __exit__(self, *_):
        self.wall = time.monotonic() - self.began
        self.cpu = busy_seconds() - self.busy


def run(*words, env=None, expect=(0,)):
    done = subprocess.run([str(w) for w in words], env=env, capture_output=True, text=True, timeout=600)
    if done.returncode not in expect:
        sys.exit(f"bench: {' '.join(map(str, words))} ended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def measured(words, env, rounds=3, before=None):
    """The round with the median CPU time."""
    rows = []
    for _ in range(rounds):
        if before:
            before()
        with Took() as took:
            run(*words, env=env)
        rows.append(took)
    return sorted(rows, key=lambda t: t.cpu)[len(rows) // 2]


def ansible():
    """The ansible program, from the package registry, kept in the cache."""
    venv = CACHE / "bench" / ANSIBLE.replace("==", "-")
    if not (venv / "bin/ansible").exists():
        shutil.rmtree(venv, ignore_errors=True)
        run(sys.executable, "-m", "venv", venv)
        run(venv / "bin/pip", "install", "--quiet", ANSIBLE)
    return venv / "bin/ansible"


class Site:
    """Machines of the lab, and a spec of them."""

    def __init__(self, folder, name, count, *options):
        self.folder, self.name = pathlib.Path(folder), name
        self.env = {**os.environ, "SLIPWAY_LAB": name, "SLIPWAY_STATE": str(self.folder / "state")}
        run(LAB, "down", env=self.env)
        run(LAB, "up", count, *options, env=self.env)
        self.spec = self.folder / f"{name}.yaml"
        self.spec.write_text(run(LAB, "spec", env=self.env))
        self.machines = json.loads(run(LAB, "status", "-o", "json", env=self.env))["machines"]
        state = pathlib.Path(os.environ.get("XDG_STATE_HOME") or pathlib.Path.home() / ".local/state")
        self.key = state / "slipway-lab" / name / "key"
        self.known_hosts = self.folder / "state" / name / "known_hosts"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        run(LAB, "down", env=self.env)


def ssh_words(site, *rest):
    return ["ssh", "-F", "/dev/null", "-i", str(site.key), "-o", f"UserKnownHostsFile={site.known_hosts}",
            "-o", "BatchMode=yes", "-l", "root", *rest]


def ssh_all(site):
    children = [subprocess.Popen(ssh_words(site, m["address"], "true")) for m in site.machines]
    if any(child.wait() for child in children):
        sys.exit("bench: ssh failed")


def transport(site, programs):
    address, name = site.machines[0]["address"], site.machines[0]["name"]
    ours = json.loads(run(programs / "slipway_transport", site.spec, site.known_hosts, name, "measure", MIB, 200))
    command = statistics.median(timed(ssh_words(site, address, "true")) for _ in range(10))
    with tempfile.NamedTemporaryFile() as file:
        file.write(os.urandom(MIB << 20))
        file.flush()
        copy = ["scp", "-q", "-F", "/dev/null", "-i", str(site.key), "-o",
                f"UserKnownHostsFile={site.known_hosts}", file.name, f"root@{address}:/var/tmp/bench"]
        upload = min(timed(copy) for _ in range(2))
    run(*ssh_words(site, address, "rm", "/var/tmp/bench"))
    return ours, command, upload


def large_file(site, programs, rounds=3):
    """1 GiB by our upload and by scp, in turns: the round of each with the median CPU time."""
    address, name = site.machines[0]["address"], site.machines[0]["name"]
    clear = ssh_words(site, address, "rm", "-f", "/var/tmp/bench")
    with tempfile.NamedTemporaryFile() as file:
        digest = hashlib.sha256()
        for _ in range(LARGE_MIB):
            block = os.urandom(1 << 20)
            file.write(block)
            digest.update(block)
        file.flush()
        ways = {"slipway": [programs / "slipway_transport", site.spec, site.known_hosts, name, "upload", file.name,
                            "/var/tmp/bench", digest.hexdigest()],
                "scp": ["scp", "-q", "-F", "/dev/null", "-i", site.key, "-o", f"UserKnownHostsFile={site.known_hosts}",
                        file.name, f"root@{address}:/var/tmp/bench"]}
        took = {way: [] for way in ways}
        for _ in range(rounds):
            for way, words in ways.items():
                run(*clear)
                run("sync")
                with Both(site, address) as both:
                    run(*words)
                took[way].append(both)
    run(*clear)
    return {way: sorted(rows, key=lambda t: t.cpu)[len(rows) // 2] for way, rows in took.items()}


class Both:
    """Wall seconds of a block, and CPU seconds of its children here and of the machine there; nothing else."""

    def __init__(self, site, address):
        # cgroup v2 counts in microseconds, v1 in nanoseconds.
        self.there = ssh_words(site, address, "cd /sys/fs/cgroup; if test -e cpu.stat; then awk '/^usage_usec/ {print $2 / 1e6}' cpu.stat; "
                               "else awk '{print $1 / 1e9}' cpuacct/cpuacct.usage; fi")

    def used(self):
        machine = float(run(*self.there))
        mine = os.times()
        return machine, mine.children_user + mine.children_system

    def __enter__(self):
        self.before, self.began = self.used(), time.monotonic()
        return self

    def __exit__(self, *_):
        self.wall = time.monotonic() - self.began
        mine = os.times()
        here = mine.children_user + mine.children_system - self.before[1]
        self.cpu = here + self.used()[0] - self.before[0]


def timed(words):
    with Took() as took:
        run(*words)
    return took.wall


def thirty(folder, programs):
    slipway = programs / "slipway"
    with Site(folder, "bench30", 30, "--variant", "python") as site:
        run(slipway, "hosts", "trust", "-c", site.spec, "--yes", env=site.env)
        preflight = [slipway, "preflight", "-c", site.spec, "-o", "json"]
        first = measured(preflight, site.env, rounds=1)
        run(slipway, "hosts", "clean", "-c", site.spec, env=site.env)
        first = min((first, measured(preflight, site.env, rounds=1)), key=lambda t: t.cpu)
        again = measured(preflight, site.env, rounds=5)
        with Took() as plain:
            ssh_all(site)
        inventory = site.folder / "inventory"
        inventory.write_text("\n".join(m["address"] for m in site.machines) + "\n")
        # As it comes, but for the files it is to use (-C -o Control… are its own defaults); no
        # connection is left from the round before, as none of ours is.
        controls = site.folder / "controls"
        fresh = lambda: (subprocess.run(["pkill", "-f", str(controls)]), shutil.rmtree(controls, ignore_errors=True))
        env = {**site.env, "ANSIBLE_SSH_CONTROL_PATH_DIR": str(controls), "ANSIBLE_SSH_ARGS":
               f"-C -o ControlMaster=auto -o ControlPersist=60s -F /dev/null -o UserKnownHostsFile={site.known_hosts}"}
        words = [ansible(), "-i", inventory, "-u", "root", "--private-key", site.key, "all", "-m", "setup"]
        setup = measured(words, env, before=fresh)
        tuned = measured([*words, "-f", "30"], {**env, "ANSIBLE_PIPELINING": "True",
                                                "ANSIBLE_PYTHON_INTERPRETER": "/usr/bin/python3"}, before=fresh)
        fresh()
        return {"first": first, "again": again, "ssh": plain, "ansible": setup, "tuned": tuned,
                "transport": transport(site, programs), "large": large_file(site, programs)}


def hundred(folder, programs):
    slipway = programs / "slipway"
    with Site(folder, "bench100", 100, "--light") as site:
        run(slipway, "hosts", "trust", "-c", site.spec, "--yes", env=site.env)
        with Took() as first:
            run("/usr/bin/env", "bash", "-c", f"exec {slipway} preflight -c {site.spec} -o json > {folder}/report.json",
                env=site.env, expect=(0, 4))
        with Took() as again:
            process = subprocess.Popen([str(slipway), "preflight", "-c", str(site.spec), "-o", "json"], env=site.env,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        checks = len(json.loads((pathlib.Path(folder) / "report.json").read_text())["checks"])
        return {"first": first, "again": again, "memory": usage.ru_maxrss / 1024, "checks": checks}


def bound(rows, what, seen, limit, held):
    rows.append(f"| {what} | {seen} | {limit} | {'held' if held else '**missed**'} |")
    return held


def report(small, large):
    ours, command, upload = small["transport"]
    peer = small["ansible"]
    rows, good = [], True
    for name, took, factor in (("agent in place", small["again"], 10), ("first contact", small["first"], 6)):
        for unit in ("wall", "cpu"):
            ratio = getattr(peer, unit) / getattr(took, unit)
            good &= bound(rows, f"30 machines, {name}: Ansible ÷ Slipway, {'CPU' if unit == 'cpu' else 'wall time'}",
                          f"{ratio:.1f}", f"≥ {factor}", ratio >= factor)
    large_file_of = small["large"]
    share = large_file_of["slipway"].cpu / large_file_of["scp"].cpu
    good &= bound(rows, f"a file of {LARGE_MIB} MiB: CPU of Slipway ÷ scp, both ends", f"{share:.2f}", "≤ 1.0", share <= 1.0)
    slowest = max(large["first"].wall, large["again"].wall)
    good &= bound(rows, "100 machines: connect, facts, all checks", f"{slowest:.1f} s", "≤ 40 s", slowest <= 40)
    good &= bound(rows, "100 machines: memory of slipway", f"{large['memory']:.0f} MiB", "≤ 200 MiB", large["memory"] <= 200)
    table = [f"| {name} | {took.wall:.1f} | {took.cpu:.1f} |" for name, took in (
        ("Slipway, agent in place: connect, facts, every check, every pair probed", small["again"]),
        ("Slipway, first contact: the agent is sent as well", small["first"]),
        ("`ssh HOST true`, all at once", small["ssh"]),
        (f"`ansible -m setup` ({ANSIBLE.replace('==', ' ')}): facts only", peer),
        ("the same with 30 forks and pipelining", small["tuned"]),
        ("Slipway, 100 light machines, first contact", large["first"]),
        ("Slipway, 100 light machines, agent in place", large["again"]))]
    carried = [f"| {name} | {LARGE_MIB * 1.048576 / took.wall:.0f} | {took.cpu:.1f} |" for name, took in (
        ("Slipway: resumable, digest checked there, fsync", large_file_of["slipway"]), ("`scp`: none of it", large_file_of["scp"]))]
    newline = "\n"
    return good, f"""# Benchmarks: hosts

Written by `make bench`; the figures are those of one run on {os.cpu_count()} cores. Every machine is on the same computer, so
CPU seconds are those of both ends. Machines are noisy: what counts are the ratios within a run.

| what | seen | bound | |
|---|---|---|---|
{newline.join(rows)}

| 30 machines, unless said otherwise | s | CPU s |
|---|---|---|
{newline.join(table)}

| one connection | Slipway | OpenSSH | |
|---|---|---|---|
| a command | {ours['command'] * 1e3:.1f} ms | {command * 1e3:.0f} ms (`ssh HOST true`) | {command / ours['command']:.0f} × |
| a file of {MIB} MiB, with digest and fsync | {ours['upload']:.2f} s | {upload:.2f} s (`scp`, neither) | {upload / ours['upload']:.1f} × |

| a file of {LARGE_MIB} MiB | MB/s | CPU s, both ends |
|---|---|---|
{newline.join(carried)}

The 100 machines were asked {large['checks']} questions.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path)
    options = parser.parse_args()
    programs = options.programs.resolve()
    with tempfile.TemporaryDirectory(prefix="slipway-bench-") as folder:
        good, text = report(thirty(folder, programs), hundred(folder, programs))
    print(text)
    if options.write:
        options.write.write_text(text)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
