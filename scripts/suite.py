#!/usr/bin/env python3
"""Runs the named parts (targets of the Makefile) in order and ends with a table of seconds.

A part that fails does not keep the others from running: one run tells all there is to mend. What the failed ones said
last stands again above the table.
"""
import collections
import os
import subprocess
import sys
import time

LAST_LINES = 180


def run(part):
    """The exit code, and the last lines of what the part printed."""
    last = collections.deque(maxlen=LAST_LINES)
    command = [os.environ.get("MAKE", "make"), "--no-print-directory", part]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            last.append(line)
    return process.returncode, last


def main():
    rows, failed = [], {}
    for part in sys.argv[1:]:
        print(f"\n== {part}", flush=True)
        started = time.monotonic()
        code, last = run(part)
        if code:
            failed[part] = last
        rows.append((part, "failed" if code else "passed", time.monotonic() - started))
    for part, last in failed.items():
        print(f"\n== {part} failed; its last lines:\n{''.join(last)}")
    rows.append(("all", "failed" if failed else "passed", sum(seconds for _, _, seconds in rows)))
    print(f"\n{'part':<14} {'result':<8} {'seconds':>7}")
    for part, result, seconds in rows:
        print(f"{part:<14} {result:<8} {seconds:>7.0f}")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
