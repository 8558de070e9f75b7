#!/usr/bin/env python3
"""Large files to a machine, also when slipway is killed or the disk is full; and trees with mounts that go."""

import hashlib
import json
import pathlib
import random
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import machines  # noqa: E402

MIB = 1 << 20


class Files(machines.Case):
    def setUp(self):
        super().setUp()
        self.place = self.site(self.host())
        self.place.run("hosts trust", "--yes").expect(0)
        self.tool = pathlib.Path(self.program.path).parent / "slipway_transport"
        self.addCleanup(self.machine().sh, "umount -R /mnt/small 2>/dev/null; rm -rf /mnt/small /var/lib/lab-tree /var/tmp/large*; true")

    def call(self, *words, code=0):
        done = subprocess.run([str(w) for w in (self.tool, self.place.spec, self.place.known_hosts, "node1", *words)],
                              capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout) if code == 0 else done.stderr

    def large(self, mib=64):
        path = self.folder / "large"
        content = random.Random(1).randbytes(mib * MIB)
        path.write_bytes(content)
        return path, hashlib.sha256(content).hexdigest()

    def test_upload_that_was_killed_goes_on_where_it_stopped(self):
        path, digest = self.large()
        self.machine().put("/var/tmp/large", "as it was")
        self.call("upload", path, "/var/tmp/large", digest, 20 * MIB, code=-9)
        self.assertEqual(self.machine().sh("cat /var/tmp/large"), "as it was")
        done = self.busy_call("upload", path, "/var/tmp/large", digest)
        self.assertGreater(done["resumed"], 10 * MIB)
        self.assertEqual(done["resumed"] + done["sent"], 64 * MIB)
        self.assertTrue(self.machine().sh("sha256sum /var/tmp/large").startswith(digest))
        self.assertEqual(self.machine().sh("ls /var/tmp | grep -c slipway-part || true").strip(), "0")
        self.assertTrue(self.call("upload", path, "/var/tmp/large", "-")["already"])
        self.assertEqual(self.call("info", "/var/tmp/large"),
                         {"folder": False, "mode": 0o644, "size": 64 * MIB, "sha256": digest})

    def busy_call(self, *words):
        """Again while the agent of the killed call has not noticed yet that nobody is there."""
        def once():
            done = subprocess.run([str(w) for w in (self.tool, self.place.spec, self.place.known_hosts, "node1", *words)],
                                  capture_output=True, text=True, timeout=300)
            self.assertTrue(done.returncode == 0 or "HOST-BUSY" in done.stderr, done.stderr)
            self.answer = done.stdout
            return done.returncode == 0
        machines.wait_until(once, "the agent of the killed call to end")
        return json.loads(self.answer)

    def test_wrong_digest_leaves_the_file_as_it_was(self):
        path, _ = self.large(4)
        self.machine().put("/var/tmp/large", "as it was")
        self.assertIn("HOST-DIGEST", self.call("upload", path, "/var/tmp/large", "a" * 64, code=1))
        self.assertEqual(self.machine().sh("cat /var/tmp/large; ls /var/tmp | grep slipway-part || true"), "as it was")

    def test_full_disk_is_told_and_given_back(self):
        path, digest = self.large(16)
        self.machine().sh("mkdir -p /mnt/small && mount -t tmpfs -o size=8m none /mnt/small")
        self.assertIn("HOST-DISK-FULL", self.call("upload", path, "/mnt/small/large", digest, code=1))
        self.assertEqual(self.machine().sh("ls -A /mnt/small"), "")

    def test_tree_goes_with_its_mounts_and_what_is_bound_into_it_stays(self):
        top = "/var/lib/lab-tree"
        self.machine().sh(f"""set -e
            mkdir -p {top}/pods/one {top}/bound {top}/busy /var/tmp/large-kept; echo kept >/var/tmp/large-kept/file
            mount -t tmpfs none {top}/pods; mkdir -p '{top}/pods/a b'; mount -t tmpfs none '{top}/pods/a b'; touch '{top}/pods/a b/x'
            mount --bind /var/tmp/large-kept {top}/bound; ln -s /var/tmp/large-kept {top}/link
            mount -t tmpfs none {top}/busy; cd {top}/busy; setsid sleep 300 >/dev/null 2>&1 &""")
        self.call("remove-tree", top, "keep-top")
        self.assertEqual(self.call("list", top), [])
        self.call("remove-tree", top)
        self.assertIsNone(self.call("info", top))
        self.assertEqual(self.machine().sh("cat /var/tmp/large-kept/file"), "kept\n")
        self.assertEqual(self.machine().sh("grep -c lab-tree /proc/self/mounts || true").strip(), "0")
        self.machine().sh("pkill -x sleep || true")

    def test_mount_point_that_is_kept_stays_mounted(self):
        self.machine().sh("mkdir -p /mnt/small && mount -t tmpfs -o size=8m none /mnt/small; mkdir /mnt/small/x; touch /mnt/small/x/y")
        self.call("remove-tree", "/mnt/small", "keep-top")
        self.assertEqual(self.machine().sh("ls -A /mnt/small; grep -c /mnt/small /proc/self/mounts").strip(), "1")

    def test_folders_of_the_system_are_refused(self):
        for path in ("/", "/var", "/etc", "/home", "/var/lib", "/var/lib/../../etc"):
            self.assertIn("HOST-REFUSED-INPUT", self.call("remove-tree", path, code=1))


if __name__ == "__main__":
    machines.main(count=1)
