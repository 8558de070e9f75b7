#!/usr/bin/env python3
"""Pushes of images that are killed at any moment: nothing is lost, nothing is sent twice."""

import contextlib
import hashlib
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
import case  # noqa: E402

IMAGE = "application/vnd.oci.image.manifest.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar"
CONFIG = "application/vnd.oci.image.config.v1+json"


def make_layout(folder, images=6, layer_bytes=300_000):
    """An OCI layout: every image has one layer of its own and one that all share."""
    blobs = folder / "blobs" / "sha256"
    blobs.mkdir(parents=True)
    numbers = random.Random(7)

    def keep(data, media_type):
        digest = hashlib.sha256(data).hexdigest()
        (blobs / digest).write_bytes(data)
        return {"mediaType": media_type, "digest": "sha256:" + digest, "size": len(data)}

    shared = numbers.randbytes(layer_bytes)
    manifests = []
    for i in range(images):
        own = numbers.randbytes(layer_bytes)
        layers = [shared, own]
        config = {"architecture": "amd64", "os": "linux", "config": {},
                  "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(x).hexdigest() for x in layers]}}
        manifest = {"schemaVersion": 2, "mediaType": IMAGE, "config": keep(json.dumps(config).encode(), CONFIG),
                    "layers": [keep(x, LAYER) for x in layers]}
        manifests.append({**keep(json.dumps(manifest).encode(), IMAGE),
                          "annotations": {"io.containerd.image.name": f"registry.example.com/team/app{i}:v1"}})
    (folder / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')
    (folder / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": manifests}))


@contextlib.contextmanager
def docker_registry(folder):
    """Debian's registry at a port of its choice; gives its address and the list of what it is asked."""
    config = folder / "registry.yml"
    config.write_text("version: 0.1\nlog: {level: info}\n"
                      f"storage: {{filesystem: {{rootdirectory: {folder / 'data'}}}}}\n"
                      "http: {addr: '127.0.0.1:0', secret: test}\n")
    process = subprocess.Popen(["docker-registry", "serve", config], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                               text=True)
    lines = []
    try:
        for line in process.stderr:
            found = re.search(r"listening on ([0-9.:]+)", line)
            if found:
                break
        reader = threading.Thread(target=lambda: lines.extend(process.stderr), daemon=True)
        reader.start()
        yield found.group(1), lines
    finally:
        process.terminate()
        process.wait()
        reader.join()
        process.stderr.close()


def finished_uploads(lines):
    """Digests of blobs that were sent and taken."""
    out = []
    for line in list(lines):
        found = re.search(r"http.request.method=PUT.*uploads/.*digest=sha256%3A([0-9a-f]{64}).*http.response.status=201", line)
        if found:
            out.append(found.group(1))
    return out


class Images(case.Case):
    def setUp(self):
        super().setUp()
        make_layout(self.folder / "layout")
        (self.folder / "recipe.yaml").write_text("apiVersion: slipway.dev/v1\nkind: Recipe\nmetadata: {name: x}\n"
                                                 "spec: {images: [{oci-layout: layout}]}\n")
        self.bundle = self.folder / "x.bundle"
        self.program.run("bundle", "build", "-f", self.folder / "recipe.yaml", "-o", self.bundle).expect(0)
        self.common = ["--plain-http", "--progress", "none", "--state", str(self.folder / "state")]

    def test_a_push_killed_at_random_is_finished_without_sending_anything_twice(self):
        numbers = random.Random(os.environ.get("SLIPWAY_SEED", "1"))
        with docker_registry(self.folder) as (host, lines):
            kills = 0
            for _ in range(12):
                # About two seconds of work, so that the kill falls into the middle of it.
                process = self.program.start("images", "push", self.bundle, host, "--rate", "1", *self.common)
                try:
                    process.communicate(timeout=numbers.uniform(0.1, 0.9))
                    break
                except subprocess.TimeoutExpired:
                    process.send_signal(signal.SIGKILL)
                    process.communicate()
                    kills += 1
            self.assertGreater(kills, 1)
            done = self.program.run("images", "push", self.bundle, host, "-o", "json", *self.common).expect(0).json
            self.assertEqual(done["result"], "succeeded")
            self.assertEqual({i["state"] for i in done["images"]} - {"present", "pushed"}, set())
            again = self.program.run("images", "push", self.bundle, host, "-o", "json", *self.common).expect(0).json
            self.assertEqual(again["bytesUploaded"], 0)
            deadline = time.monotonic() + 10
            while len(set(finished_uploads(lines))) < 13 and time.monotonic() < deadline:
                time.sleep(0.05)  # for the registry's log to arrive
            uploads = finished_uploads(lines)
            self.assertEqual(len(set(uploads)), 13)  # six configs, six layers, the shared one
            self.assertEqual(len(uploads), len(set(uploads)))

    def test_resume_goes_on_with_a_killed_push(self):
        with docker_registry(self.folder) as (host, _):
            process = self.program.start("images", "push", self.bundle, host, "--rate", "1", *self.common)
            with self.assertRaises(subprocess.TimeoutExpired):
                process.communicate(timeout=0.7)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            status = self.program.run("status", "--state", self.folder / "state", "-o", "json").expect(0).json
            self.assertEqual(status["kind"], "images-push")
            self.assertEqual(status["result"], "interrupted")
            resumed = self.program.run("resume", "--progress", "none", "--state", self.folder / "state", "-o", "json")
            self.assertEqual(resumed.expect(0).json["resumed"], True)

    def test_cancel_ends_a_push_soon_and_resume_finishes_it(self):
        with docker_registry(self.folder) as (host, _):
            process = self.program.start("images", "push", self.bundle, host, "--rate", "1", *self.common)
            state = ["--state", str(self.folder / "state")]
            deadline = time.monotonic() + 20
            while self.program.run("cancel", *state).code != 0 and time.monotonic() < deadline:
                time.sleep(0.05)
            self.assertIsNotNone(process.wait(timeout=20))
            process.communicate()
            self.program.run("resume", "--progress", "none", *state).expect(0)


if __name__ == "__main__":
    case.main()
