#!/usr/bin/env python3
"""Bundle, registry and push, beside the programs people use, in one run.

    bench/images.py build/release/bin --write docs/benchmarks-images.md

CPU seconds are those of all processes that take part: the client's children and the server. Exits 1
when a bound is missed. The data is that of sample_images.py, kept in the cache folder.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import select
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time

import sample_images

ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE = pathlib.Path(os.environ.get("SLIPWAY_CACHE") or
                     pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "slipway")
TICK = os.sysconf("SC_CLK_TCK")
ROUNDS = 3


def cpu_of(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


class Took:
    """Wall seconds of a block, and CPU seconds of its children and of the servers named."""

    def __init__(self, *servers):
        self.servers = [server.process.pid for server in servers]

    def _servers(self):
        return sum(map(cpu_of, self.servers))

    @staticmethod
    def _children():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    def __enter__(self):
        self.began, self._c, self._s = time.monotonic(), self._children(), self._servers()
        return self

    def __exit__(self, *_):
        self.wall = time.monotonic() - self.began
        self.server = self._servers() - self._s
        self.cpu = self._children() - self._c + self.server


def run(*words, stdin=None, env=None):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=900, input=stdin,
                          env={**os.environ, **(env or {})})
    if done.returncode != 0:
        sys.exit(f"bench: {' '.join(map(str, words))[:400]} ended with {done.returncode}\n{done.stdout[-1500:]}{done.stderr[-1500:]}")
    return done.stdout


def median(rows):
    return sorted(rows, key=lambda t: t.cpu)[len(rows) // 2]


def repeated(act, *servers, rounds=ROUNDS):
    rows = []
    for _ in range(rounds):
        with Took(*servers) as took:
            act()
        rows.append(took)
    return median(rows)


class Server:
    def __init__(self, words, address=None, ready=None, **keywords):
        self.process = subprocess.Popen([str(w) for w in words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE if ready else subprocess.DEVNULL, text=True, **keywords)
        self.began = time.monotonic()
        self.address = address
        if ready:
            select.select([self.process.stderr], [], [], 60)
            found = re.search(ready, self.process.stderr.readline())
            self.ready_after = time.monotonic() - self.began
            if not found:
                sys.exit("bench: a server did not start")
            self.address = found.group(1)
        elif address:
            wait_for_port(address)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=60)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                stream.close()


def wait_for_port(address):
    host, port = address.rsplit(":", 1)
    for _ in range(600):
        try:
            socket.create_connection((host, int(port))).close()
            return
        except OSError:
            time.sleep(0.05)
    sys.exit(f"bench: nothing listens at {address}")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Bench:
    def __init__(self, programs, folder):
        self.programs, self.folder = programs, pathlib.Path(folder)
        self.slipway = programs / "slipway"
        self.layout, self.docker, self.names = sample_images.make(CACHE / "bench")
        self.blobs = sorted((self.layout / "blobs" / "sha256").iterdir())
        self.bytes = sum(blob.stat().st_size for blob in self.blobs)
        self.bounds, self.rows, self.notes = [], [], []
        self.bundle = self.folder / "images.bundle"
        self.crane, self.distribution = run(ROOT / "scripts/go_program.py", "crane", "distribution").split()

    def bound(self, what, seen, wanted, low=False, unit=""):
        held = seen >= wanted if low else seen <= wanted
        self.bounds.append((what, f"{seen:.2f}{unit}", f"{'≥' if low else '≤'} {wanted}{unit}", held))

    def note(self, text):
        self.notes.append(text)
        print("  " + text, flush=True)

    def row(self, what, took):
        self.rows.append((what, took.wall, took.cpu))
        print(f"  {what}: {took.wall:.2f} s, {took.cpu:.2f} CPU s", flush=True)

    # The bundle

    def build(self):
        recipe = self.folder / "recipe.yaml"
        recipe.write_text(json.dumps({"apiVersion": "slipway.dev/v1", "kind": "Recipe", "metadata": {"name": "bench"},
                                      "spec": {"images": [{"oci-layout": str(self.layout)}]}}))
        subprocess.run(["cat", *self.blobs], stdout=subprocess.DEVNULL, check=True)  # in memory, for everyone
        rows, copies = [], []
        for _ in range(ROUNDS):
            with Took() as took:
                child = subprocess.Popen([self.slipway, "bundle", "build", "-f", recipe, "-o", self.bundle],
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                _, status, used = os.wait4(child.pid, 0)
                child.returncode = status
            if status:
                sys.exit("bench: the build failed")
            took.memory = used.ru_maxrss / 1024
            rows.append(took)
            copy = self.folder / "copy"
            with Took() as took:
                run("cp", self.bundle, copy)
                run("sync", copy)
                run("openssl", "dgst", "-sha256", copy)
            copies.append(took)
            copy.unlink()
        ours, theirs = median(rows), median(copies)
        self.row("bundle built from an OCI layout", ours)
        self.row("`cp`, `sync` and `openssl dgst` of the same bytes", theirs)
        self.bound("build: speed against `cp` and hash", theirs.wall / ours.wall, 0.7, low=True)
        self.bound("build: memory", ours.memory, 100, unit=" MiB")

    def verify(self):
        ours = repeated(lambda: run(self.slipway, "bundle", "verify", self.bundle, "--allow-unsigned"))
        files = "\n".join(map(str, self.blobs))
        theirs = repeated(lambda: run("xargs", "-P", os.cpu_count(), "-n", 4, "openssl", "dgst", "-sha256", stdin=files))
        self.row("bundle verified, every byte", ours)
        self.row("`openssl dgst` of its blobs on all cores", theirs)
        self.bound("verify: speed against hashing on all cores", theirs.wall / ours.wall, 0.8, low=True)

    def ready(self):
        sparse = self.folder / "sparse.bundle"
        run(self.programs / "slipway_sparse_bundle", sparse)
        for what, bundle, bound in (("20 images", self.bundle, 20), ("1,000 images, 20 GB", sparse, 50)):
            times = []
            for _ in range(11):
                with self.serve(bundle) as server:
                    times.append(server.ready_after * 1000)
            self.bound(f"registry: ready after start, {what}", statistics.median(times), bound, unit=" ms")
        opened = repeated(lambda: run(self.slipway, "bundle", "inspect", sparse, "-o", "json"), rounds=5)
        self.row("`bundle inspect` of 1,000 images", opened)
        sparse.unlink()

    # Serving

    def serve(self, *arguments):
        return Server([self.slipway, "registry", "serve", "--plain-http", "--listen", "127.0.0.1:0", *arguments],
                      ready=r"ready: http://(\S+)")

    def third(self, program, name):
        """A registry of others, with nothing in it."""
        address = f"127.0.0.1:{free_port()}"
        config = self.folder / f"{name}.yml"
        shutil.rmtree(self.folder / name, ignore_errors=True)
        config.write_text(json.dumps({"version": "0.1", "log": {"level": "error", "accesslog": {"disabled": True}},
                                      "storage": {"filesystem": {"rootdirectory": str(self.folder / name)}},
                                      "http": {"addr": address}}))
        return Server([program, "serve", config], address, env={**os.environ, "OTEL_TRACES_EXPORTER": "none"})

    def layers(self, prefix):
        """Paths of all layers, each in a repository that has it."""
        out = {}
        for entry in json.loads((self.layout / "index.json").read_text())["manifests"]:
            name = entry["annotations"]["org.opencontainers.image.ref.name"].split("/", 1)[1].rsplit(":", 1)[0]
            manifest = json.loads((self.layout / "blobs/sha256" / entry["digest"][7:]).read_text())
            for layer in manifest["layers"]:
                out.setdefault(layer["digest"], f"/v2/{prefix}{name}/blobs/{layer['digest']}")
        return list(out.values())

    def curl(self, server, paths):
        run("curl", "-sf", "-o", "/dev/null", *[f"http://{server.address}{path}" for path in paths],
            *["-o", "/dev/null"] * (len(paths) - 1))

    def discard(self, server, paths, connections=1):
        """Bytes a second into nothing: the puller leaves them in the kernel, so that sending is what is measured."""
        got, seconds = run(self.programs / "slipway_pull", "http", server.address, connections,
                           stdin="\n".join(paths)).split()
        return float(got) / float(seconds)

    def served_by(self, name, server, paths):
        """(pulled and thrown away, pulled by curl)"""
        thrown = repeated(lambda: self.discard(server, paths), server)
        curled = repeated(lambda: self.curl(server, paths), server)
        self.row(f"all layers from {name}, thrown away", thrown)
        self.row(f"all layers from {name}, by curl", curled)
        return thrown, curled

    def serving(self):
        results = {}
        for program, name in (("docker-registry", "Debian's docker-registry"), (self.distribution, "distribution v3")):
            with self.third(program, "served") as server:
                self.skopeo_push(server, self.folder / "blob-cache")
                results[name] = self.served_by(name, server, self.layers(""))
        with self.serve(self.bundle) as server:
            paths = self.layers("registry.example.com/")
            ours = self.served_by("Slipway, in place", server, paths)
            many = max(self.discard(server, paths, 32) for _ in range(ROUNDS))
        for name, theirs in results.items():
            self.bound(f"serve: CPU of the registry against {name}", ours[1].server / theirs[1].server, 0.6)
            self.bound(f"serve: CPU of registry and puller against {name}", ours[0].cpu / theirs[0].cpu, 0.6)
            self.note(f"CPU of registry and curl against {name}: {ours[1].cpu / theirs[1].cpu:.2f}. What curl itself takes is "
                      "most of it")
        plain = self.raw_sendfile()
        self.note(f"32 pullers get {many / 1e9:.2f} GB/s from Slipway; from sendfile alone {plain / 1e9:.2f} GB/s")
        self.bound("serve: 32 pullers against sendfile alone", many / plain, 0.8, low=True)

    def raw_sendfile(self):
        """The same ranges of the same file over the same number of connections, without HTTP."""
        ranges = []
        with open(self.bundle, "rb") as file:
            for entry in tarfile.open(fileobj=file):
                if entry.name.startswith("blobs/") and entry.size > 1_000_000:
                    ranges.append(f"{entry.offset_data} {entry.size}")
        with Server([self.programs / "slipway_pull", "serve", self.bundle]) as server:
            port = server.process.stdout.readline().strip()
            return max(float(b) / float(s) for b, s in (run(
                self.programs / "slipway_pull", "raw", f"127.0.0.1:{port}", 32, stdin="\n".join(ranges)).split()
                for _ in range(ROUNDS)))

    # Pushing

    def skopeo_push(self, server, blob_cache):
        for name in self.names:
            target = name.split("/", 1)[1]
            run("skopeo", "copy", "-q", "--all", "--dest-tls-verify=false", f"oci:{self.layout}:{name}",
                f"docker://{server.address}/{target}", env={"HOME": str(blob_cache), "XDG_DATA_HOME": str(blob_cache)})

    def crane_push(self, server):
        for name in self.names:
            target = name.split("/", 1)[1]
            run(self.crane, "push", "--insecure", self.singles[name], f"{server.address}/{target}")

    def slipway_push(self, server):
        run(self.slipway, "images", "push", self.bundle, server.address, "--plain-http", "--state", self.folder / "state")

    def pushes(self):
        self.singles = {}
        (self.folder / "singles").mkdir()
        for number, name in enumerate(self.names):  # crane reads one image a folder
            self.singles[name] = self.folder / "singles" / str(number)
            run("skopeo", "copy", "-q", "--all", f"oci:{self.layout}:{name}", f"oci:{self.singles[name]}")
        seen = {}
        ways = {"skopeo copy": lambda s: self.skopeo_push(s, self.folder / "push-cache"), "crane push": self.crane_push,
                "slipway images push": self.slipway_push}
        for what, act in ways.items():
            with self.third(self.distribution, "pushed") as server:
                for again in (False, True):
                    with Took(server) as took:
                        act(server)
                    seen[what, again] = took
                    self.row(f"`{what}`, 20 images to distribution v3{', again' if again else ''}", took)
        with self.serve("--store", self.folder / "store") as server:
            with Took(server) as took:
                self.slipway_push(server)
            self.row("`slipway images push` to Slipway's own registry", took)
        ours, theirs = seen["slipway images push", False], seen["skopeo copy", False]
        self.bound("push: CPU against skopeo", ours.cpu / theirs.cpu, 0.35)
        self.bound("push: wall time against skopeo", ours.wall / theirs.wall, 0.35)
        again, theirs = seen["slipway images push", True], seen["skopeo copy", True]
        self.bound("push again: CPU against skopeo", again.cpu / theirs.cpu, 0.25)
        self.bound("push again: wall time against skopeo", again.wall / theirs.wall, 0.25)

    def original(self):
        """Load, tag, push and push again, without an engine: each layer is unpacked once and packed twice."""
        plain = self.folder / "docker.tar"
        whole = Took()
        with whole:
            with Took() as load:
                with open(plain, "wb") as out:
                    subprocess.run(["gzip", "-dc", self.docker], stdout=out, check=True)
            pushes = []
            for turn in ("first", "second"):
                with self.third(self.distribution, turn) as server:
                    with Took(server) as took:
                        for name in self.names:
                            run("skopeo", "copy", "-q", "--dest-tls-verify=false", f"docker-archive:{plain}:{name}",
                                f"docker://{server.address}/{name.split('/', 1)[1]}",
                                env={"HOME": str(self.folder / turn), "XDG_DATA_HOME": str(self.folder / turn)})
                    pushes.append(took)
        for what, took in (("the old way: archive unpacked", load), ("the old way: push to a local registry", pushes[0]),
                           ("the old way: push to the platform's registry", pushes[1])):
            self.row(what, took)
        plain.unlink()

    def text(self):
        out = ["# Benchmarks: images", "",
               "Written by `make bench`; the figures are those of one run on "
               f"{os.cpu_count()} cores, everything over loopback. {len(self.names)} images, {len(self.blobs)} blobs, "
               f"{self.bytes / 1e6:.0f} MB. CPU seconds are those of", "client and server together. Machines are noisy: what "
               "counts are the ratios within a run.", "", "| what | seen | bound | |", "|---|---|---|---|"]
        out += [f"| {what} | {seen} | {wanted} | {'held' if held else '**missed**'} |" for what, seen, wanted, held in self.bounds]
        out += ["", "| what was done | s | CPU s |", "|---|---|---|"]
        out += [f"| {what} | {wall:.2f} | {cpu:.2f} |" for what, wall, cpu in self.rows]
        out += ["", *[f"- {note}" for note in self.notes]]
        out += ["", "The old way is `docker load`, `tag`, `push` and a second `push`. There is no engine here: the archive is "
                "unpacked with gzip and its", "layers are packed and pushed by skopeo, twice. An engine does more. With a bundle "
                "all of it is the line \"ready after start\".", ""]
        return "\n".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--only", default="build,verify,ready,serving,pushes,original")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="slipway-bench-") as folder:
        bench = Bench(options.programs.resolve(), folder)
        for part in options.only.split(","):
            getattr(bench, part)()
    if options.write:
        options.write.write_text(bench.text())
    print(bench.text())
    sys.exit(0 if all(held for *_, held in bench.bounds) else 1)


if __name__ == "__main__":
    main()
