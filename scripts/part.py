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


# What a failure begins with: of a compiler under ninja, of Python's unittest, of a sanitizer, of GoogleTest.
FAILURE = re.compile(r"^FAILED: |^(FAIL|ERROR): |: ThreadSanitizer: |: AddressSanitizer: |: LeakSanitizer: |: runtime error: |: Failure$")
MOST_FAILURES, AFTER_EACH, AT_THE_END = 3, 40, 40


def what_failed(lines):
    """Other work goes on after a failure, so its own lines rarely are the last."""
    shown = set(range(max(0, len(lines) - AT_THE_END), len(lines)))
    for at in [i for i, line in enumerate(lines) if FAILURE.search(line)][:MOST_FAILURES]:
        shown.update(range(max(0, at - 3), min(len(lines), at + AFTER_EACH)))
    return [lines[i] for i in sorted(shown)]


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
    print("\n".join(what_failed(text)), file=sys.stderr)
    print(f"  {name}: FAILED after {seconds:.1f} s; whole log: {log}", file=sys.stderr, flush=True)
    return code if code > 0 else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
