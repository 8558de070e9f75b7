#!/usr/bin/env python3
"""Runs one command calmly: its output goes to build/logs/NAME.log, progress to one line.

    scripts/part.py "build release" cmake --build build/release

On a terminal the line follows the log; elsewhere a line appears every 30 s. When the command fails,
the end of the log is shown and its exit code is ours.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import time


def last_line(log):
    """The newest non-empty line of the log, for the progress line."""
    try:
        with open(log, "rb") as f:
            f.seek(0, os.SEEK_END)
            f.seek(max(0, f.tell() - 4096))
            text = f.read().decode("utf-8", "replace")
    except OSError:
        return ""
    lines = [line for line in re.split(r"[\r\n]+", text) if line.strip()]
    line = lines[-1].strip() if lines else ""
    return "".join(c for c in line if c.isprintable())


def main():
    name, command = sys.argv[1], sys.argv[2:]
    log = os.path.join("build", "logs", re.sub(r"[^a-z0-9]+", "-", name.lower()) + ".log")
    os.makedirs(os.path.dirname(log), exist_ok=True)
    terminal = sys.stderr.isatty()
    width = shutil.get_terminal_size().columns - 1
    started = time.monotonic()
    next_report = 0.3 if terminal else 30.0

    with open(log, "wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT,
                                   stdin=subprocess.DEVNULL)
    # Whoever ends us ends the command too; ninja lets its compilers go on a SIGTERM.
    signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    while True:
        try:
            code = process.wait(timeout=0.3)
            break
        except subprocess.TimeoutExpired:
            pass
        seconds = time.monotonic() - started
        if seconds < next_report:
            continue
        line = f"  {name}  {seconds:.0f} s  {last_line(log)}"
        if terminal:
            sys.stderr.write("\r\033[K" + line[:width])
            sys.stderr.flush()
        else:
            print(line[:150], file=sys.stderr, flush=True)
        next_report = seconds + (0.3 if terminal else 30.0)

    seconds = time.monotonic() - started
    if terminal:
        sys.stderr.write("\r\033[K")
    if code == 0:
        print(f"  {name:<34} {seconds:6.1f} s", file=sys.stderr, flush=True)
        return 0
    with open(log, "rb") as f:
        text = f.read().decode("utf-8", "replace").splitlines()
    # A failed compilation is followed by lines of its neighbours: show the failures, then the end.
    failed = [i for i, line in enumerate(text) if line.startswith("FAILED:")]
    shown = text[failed[0]:failed[0] + 80] if failed else text[-80:]
    print("\n".join(shown), file=sys.stderr)
    print(f"  {name}: FAILED after {seconds:.1f} s; whole log: {log}", file=sys.stderr, flush=True)
    return code if code > 0 else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
