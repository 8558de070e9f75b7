#!/usr/bin/env python3
"""The server beside applies of 100 simulated hosts: the page in Chromium, 200 clients, 1,000 listeners, memory.

    bench/server.py build/release/bin --write docs/benchmarks-server.md

The program as it is shipped, over TLS; clients and browser are on the same computer. Exits 1 when a bound is missed.
"""
import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "tests/harness"), str(ROOT / "tests/server"), str(ROOT / "scripts")]
import page as page_tools  # noqa: E402
from api import Server  # noqa: E402
from slipway import CLEAN, Program  # noqa: E402

PASSWORD = "correct horse battery"
HOSTS, CLIENTS, LISTENERS, SLOW = 100, 200, 1000, 50
SECONDS = 30  # of requests, one a second and client
TICK = os.sysconf("SC_CLK_TCK")
MIB = 1 << 20


def mix_of(cluster):
    """What pages and programs ask for while a run goes on, and how often of a hundred. Routes that start a program of
    their own (status of a cluster, plans, checks) take as long as what they ask takes."""
    run = f"/api/v1/clusters/{cluster}/runs/last"
    return [("/api/v1/clusters", 25), (f"{run}/events?after=400&limit=200", 20), (f"{run}/logs?limit=100", 8), (run, 10),
            (f"/api/v1/clusters/{cluster}/runs", 10), ("/api/v1/session", 10), ("/api/v1/specs", 4), ("/api/v1/specs/alone", 4),
            ("/healthz", 4), ("/metrics", 3), ("/", 2)]


def share(values, part):
    """The value that `part` of all do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]


class Bench:
    def __init__(self, programs, folder):
        self.folder, self.state = folder, folder / "state"
        self.program = Program(programs / "slipway")
        self.server = Server(self.program, self.state, env=CLEAN)
        self.server.sign_in(PASSWORD)
        self.token = self.server.post("/api/v1/tokens", {"name": "bench", "role": "viewer", "days": 1}).expect(201).json["token"]
        self.rows, self.good = [], True
        self.keep_draft("alone")

    def memory(self):
        """Resident, in MiB."""
        return int(pathlib.Path(f"/proc/{self.server.process.pid}/statm").read_text().split()[1]) * 4096 / MIB

    def peak(self):
        return int(re.search(r"VmHWM:\s+(\d+) kB", pathlib.Path(f"/proc/{self.server.process.pid}/status").read_text())[1]) / 1024

    def cpu(self):
        fields = pathlib.Path(f"/proc/{self.server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def bound(self, what, seen, limit, held):
        self.good &= held
        self.rows.append(f"| {what} | {seen} | {limit} | {'held' if held else '**missed**'} |")
        print(f"{'' if held else 'MISSED: '}{what}: {seen} ({limit})", file=sys.stderr, flush=True)

    def spec(self, name):
        hosts = [f"cp{i}=10.0.0.1{i}:control-plane,etcd" for i in (1, 2, 3)]
        hosts += [f"w{i}=10.0.1.{i}:worker" for i in range(1, HOSTS - 2)]
        return self.program.run("init", name, *[word for host in hosts for word in ("--host", host)]).expect(0).out

    def keep_draft(self, name):
        self.server.ask("PUT", f"/api/v1/specs/{name}", {"yaml": self.spec(name)}, headers={"If-None-Match": "*"}).expect(201)

    def begin(self, cluster, scale=3):
        """An apply on the command line; the server watches it. `scale` times as slow as the machines it models."""
        spec, profile = self.folder / f"{cluster}.yaml", self.folder / f"profile-{scale}.yaml"
        spec.write_text(self.spec(cluster))
        profile.write_text(f"apiVersion: slipway.dev/v1\nkind: SimulationProfile\ntime-scale: {scale}\n")
        self.program.run("apply", "--yes", "--detach", "-c", spec, "--state", self.state, f"--simulate={profile}").expect(0)

    def finish(self, cluster):
        """(seconds, events) of the run, when it has ended."""
        end = time.monotonic() + 240
        while time.monotonic() < end:
            shown = self.program.run("runs", cluster, "-o", "json", "--state", self.state).expect(0).json["runs"][0]
            if shown["result"] != "running":
                break
            time.sleep(0.2)
        if shown["result"] != "succeeded":
            sys.exit(f"bench: the run of {cluster} has {shown['result']}")
        events = self.program.run("events", cluster, "--run", 1, "-o", "json", "--state", self.state).expect(0).out
        return shown["seconds"], events.count("\n")

    def load(self, **order):
        process = subprocess.Popen([sys.executable, ROOT / "bench/server_load.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        process.stdin.write(json.dumps({"port": self.server.port, "token": self.token, **order}) + "\n")
        process.stdin.flush()
        return process

    def page(self, **order):
        words = [page_tools.node_folder() / "node", ROOT / "bench/server_page.mjs"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=400, input=json.dumps(
            {"url": f"https://127.0.0.1:{self.server.port}", "password": PASSWORD, **order}))
        if done.returncode != 0:
            sys.exit(f"bench: the page failed\n{done.stderr[-3000:]}")
        return json.loads(done.stdout)


def first_screen(bench):
    seen = bench.page(what="first", rounds=5)
    for name, what in (("signIn", "sign in"), ("start", "start, with a run and drafts")):
        slowest = max(seen[name])
        bench.bound(f"first screen, cache cold, slowest of 5: {what}", f"{slowest:.0f} ms", "≤ 1000 ms", slowest <= 1000)


def events_to_browser(bench):
    bench.begin("shown")
    seen = bench.page(what="events", cluster="shown")
    _, count = bench.finish("shown")
    for name, what in (("arrived", "in the page"), ("shown", "and drawn")):
        late = share(seen[name], 0.95)
        bench.bound(f"event to browser, {HOSTS} hosts, p95: {what}", f"{late:.0f} ms", "≤ 300 ms", late <= 300)
    return {"events": len(seen["shown"]), "all": count, "median": share(seen["shown"], 0.5)}


def requests_beside_an_apply(bench):
    bench.begin("asked", scale=5)
    used = bench.cpu()
    process = bench.load(what="requests", clients=CLIENTS, seconds=SECONDS, mix=mix_of("asked"))
    seen = json.loads(process.communicate("\n", timeout=120)[0])
    used = bench.cpu() - used
    if seen["wrong"]:
        sys.exit(f"bench: {len(seen['wrong'])} requests were refused: {seen['wrong'][:5]}")
    running = bench.server.get("/metrics").expect(200).body.decode()
    if "slipway_server_runs 1\n" not in running:
        sys.exit("bench: the run had ended before the requests did")
    bench.finish("asked")
    late = share([seconds for _, seconds in seen["took"]], 0.99) * 1e3
    bench.bound(f"API, {CLIENTS} clients beside an apply, p99 of {len(seen['took'])} requests", f"{late:.1f} ms", "≤ 20 ms", late <= 20)
    by_path = {}
    for path, seconds in seen["took"]:
        by_path.setdefault(path, []).append(seconds * 1e3)
    return {"paths": by_path, "cpu": used / len(seen["took"]) * 1e3}


def many_listeners(bench):
    bench.begin("alone")
    alone, _ = bench.finish("alone")
    bench.begin("heard")
    before = bench.memory()
    used = bench.cpu()
    process = bench.load(what="listeners", path="/api/v1/clusters/heard/runs/1/events", count=LISTENERS, slow=SLOW)
    if process.stdout.readline() != "all there\n":
        sys.exit("bench: not everybody could listen")
    memory = [bench.memory()]
    time.sleep(alone / 3)
    memory.append(bench.memory())
    heard, count = bench.finish("heard")
    seen = json.loads(process.stdout.readline())
    stuck = re.search(r"_listeners (\d+)\n", bench.server.get("/metrics").expect(200).body.decode())[1]
    memory.append(bench.memory())
    used = bench.cpu() - used
    process.communicate("\n", timeout=60)
    whole = seen["counts"] == [count] and seen["in_order"] and seen["ended"] == seen["reading"]
    bench.bound(f"{LISTENERS} listeners, of which {SLOW} do not read: events each of the others got", f"{'/'.join(map(str, seen['counts']))}",
                f"{count}, in order", whole)
    bench.bound("those that do not read, still held when the run has ended", stuck, f"≤ {SLOW}", 0 < int(stuck) <= SLOW)
    ratio = heard / alone
    bench.bound("the run's time with them ÷ without", f"{ratio:.2f}", "≤ 1.05", ratio <= 1.05)
    growth = max(memory) / memory[0]
    bench.bound("memory, most ÷ when all were there", f"{growth:.2f}", "≤ 1.25", growth <= 1.25)
    return {"before": before, "memory": memory, "alone": alone, "heard": heard, "each": (memory[-1] - before) / LISTENERS * 1024, "cpu": used}


def report(bench, listeners, asked, shown):
    paths = [f"| `{path}` | {len(ms)} | {share(ms, 0.5):.1f} | {share(ms, 0.99):.1f} |" for path, ms in sorted(asked["paths"].items())]
    newline = "\n"
    at = [f"{mib:.0f}" for mib in listeners["memory"]]
    return f"""# Benchmarks: server

Written by `make bench`; the figures are those of one run on {os.cpu_count()} cores, which the server shares with the apply, the clients and the
browser. Hosts are simulated, {HOSTS} in each run; everything goes over TLS.

| what | seen | bound | |
|---|---|---|---|
{newline.join(bench.rows)}

Events: {shown['events']} of {shown['all']} came while the page was open; half of them were drawn within {shown['median']:.0f} ms. The server looks at a journal
every 150 ms.

Listeners: {listeners['before']:.0f} MiB before, {at[0]} MiB when all were there, {at[1]} MiB in the middle, {at[2]} MiB at the end:
{listeners['each']:.0f} KiB each. The run took {listeners['alone']:.1f} s alone, {listeners['heard']:.1f} s with them; they cost the server {listeners['cpu']:.1f} s of CPU.

| 200 clients, a request a second each | requests | median ms | p99 ms |
|---|---|---|---|
{newline.join(paths)}

A request cost the server {asked['cpu']:.2f} ms of CPU. `last` is all steps of the run at once.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path)
    options = parser.parse_args()
    page_tools.install_packages()
    with tempfile.TemporaryDirectory(prefix="slipway-bench-", ignore_cleanup_errors=True) as folder:
        bench = Bench(options.programs.resolve(), pathlib.Path(folder))
        try:
            listeners = many_listeners(bench)
            asked = requests_beside_an_apply(bench)
            shown = events_to_browser(bench)
            first_screen(bench)
            peak = bench.peak()
            bench.bound("memory of the server, the most in all this", f"{peak:.0f} MiB", "≤ 150 MiB", peak <= 150)
        finally:
            bench.server.stop(signal.SIGTERM)
        text = report(bench, listeners, asked, shown)
    print(text)
    if options.write:
        options.write.write_text(text)
    sys.exit(0 if bench.good else 1)


if __name__ == "__main__":
    main()
