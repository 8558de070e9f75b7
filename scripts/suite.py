#!/usr/bin/env python3
"""Runs the named parts (targets of the Makefile) in order and ends with a table of seconds.

    scripts/suite.py shipped lab asan --beside asan-build lint

What stands after --beside runs in order too, at the same time but at the lowest priority: it takes what the others leave
of the computer while they wait.

A part that fails does not keep the others from running: one run tells all there is to mend. What the failed ones said
last stands again above the table.
"""
import argparse
import collections
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

LAST_LINES = 180


class Part:
    def __init__(self, name, beside):
        self.name, self.beside = name, beside
        self.code = self.seconds = None
        self.last = collections.deque(maxlen=LAST_LINES)
        self.process = None

    def run(self):
        print(f"\n== {self.name}{', beside the others' if self.beside else ''}", flush=True)
        started = time.monotonic()
        command = [os.environ.get("MAKE", "make"), "--no-print-directory", self.name]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              start_new_session=self.beside, preexec_fn=give_way if self.beside else None) as self.process:
            for line in self.process.stdout:
                print(f"    {self.name}: {line}" if self.beside else line, end="", flush=True)
                self.last.append(line)
        self.code, self.seconds = self.process.returncode, time.monotonic() - started

    def end(self):
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)


def give_way():
    """Only what nobody else wants of the processors; a kernel that shares them out by session is told as well."""
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    with contextlib.suppress(OSError):
        pathlib.Path("/proc/self/autogroup").write_text("19")


def run_in_order(parts):
    for part in parts:
        part.run()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="+")
    parser.add_argument("--beside", nargs="*", default=[])
    options = parser.parse_args()
    parts = [Part(name, beside=False) for name in options.parts]
    beside = [Part(name, beside=True) for name in options.beside]
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    started = time.monotonic()
    other = threading.Thread(target=run_in_order, args=(beside,), daemon=True)
    other.start()
    try:
        run_in_order(parts)
        other.join()
    except KeyboardInterrupt:
        for part in beside:  # in a session of their own they heard nothing of it
            part.end()
        raise
    return told(parts + beside, time.monotonic() - started)


def told(parts, seconds):
    failed = [part for part in parts if part.code]
    for part in failed:
        print(f"\n== {part.name} failed; its last lines:\n{''.join(part.last)}")
    rows = [(part.name, "failed" if part.code else "passed", part.seconds, "  beside" if part.beside else "") for part in parts]
    print(f"\n{'part':<14} {'result':<8} {'seconds':>7}")
    for name, result, took, note in [*rows, ("all", "failed" if failed else "passed", seconds, "")]:
        print(f"{name:<14} {result:<8} {took:>7.0f}{note}")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
