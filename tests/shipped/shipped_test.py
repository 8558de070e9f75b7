#!/usr/bin/env python3
"""What build/release/bin/slipway promises as a file: static, hardened, quick to start, anonymous."""
import json
import os
import pathlib
import struct
import subprocess
import sys
import time
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]

PT_DYNAMIC, PT_INTERP, PT_GNU_STACK, PT_GNU_RELRO = 2, 3, 0x6474E551, 0x6474E552


def segments():
    """{type: flags} of the program headers (64-bit ELF)."""
    data = PROGRAM.read_bytes()
    assert data[:5] == b"\x7fELF\x02"
    offset, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    return {kind: flags for kind, flags in
            (struct.unpack_from("<II", data, offset + i * size) for i in range(count))}


class ShippedProgram(unittest.TestCase):
    def test_is_static(self):
        self.assertNotIn(PT_INTERP, segments(), "it asks for a dynamic loader")

    def test_stack_is_not_executable(self):
        self.assertEqual(segments()[PT_GNU_STACK] & 1, 0)
        self.assertIn(PT_GNU_RELRO, segments())

    def test_names_no_folder_of_the_computer_it_was_built_on(self):
        self.assertNotIn(os.fsencode(str(ROOT)) + b"/", PROGRAM.read_bytes())

    def test_version_names_what_support_needs(self):
        out = subprocess.run([PROGRAM, "version", "-o", "json"], check=True, capture_output=True)
        version = json.loads(out.stdout)
        for key in ("version", "commit", "compiler"):
            self.assertTrue(version.get(key), f"{key} in {version}")

    def test_starts_within_50_ms(self):
        def once():
            started = time.monotonic()
            subprocess.run([PROGRAM, "version"], check=True, stdout=subprocess.DEVNULL)
            return time.monotonic() - started
        # The best of many: other work on this computer is not the program's fault.
        self.assertLess(min(once() for _ in range(20)), 0.050)


if __name__ == "__main__":
    unittest.main()
