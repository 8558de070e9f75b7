#!/usr/bin/env python3
"""Runs the named parts (targets of the Makefile) in order and ends with a table of seconds.

Stops at the first part that fails: the order is fast to slow, and what follows would only repeat it.
"""
import os
import subprocess
import sys
import time


def main():
    parts = sys.argv[1:]
    rows, code = [], 0
    for part in parts:
        if code:
            rows.append((part, "not run", ""))
            continue
        print(f"\n== {part}", flush=True)
        started = time.monotonic()
        code = subprocess.call([os.environ.get("MAKE", "make"), "--no-print-directory", part])
        rows.append((part, "failed" if code else "passed", f"{time.monotonic() - started:.0f}"))
    total = sum(int(seconds) for _, _, seconds in rows if seconds)
    print(f"\n{'part':<14} {'result':<8} {'seconds':>7}")
    for part, result, seconds in rows + [("all", "failed" if code else "passed", str(total))]:
        print(f"{part:<14} {result:<8} {seconds:>7}")
    return 1 if code else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
