"""Runs the system's tools, and the one error the lab has.

Every tool started here keeps the lab's lock open, so that when the lab itself is killed, the next
command waits until the tool has ended and never looks at a half-made thing that is still growing.
"""

import os
import subprocess
import threading


os.environ["PATH"] = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"  # some logins leave these out


class LabError(Exception):
    """One clear sentence for the person at the terminal."""


_held = set()
_held_guard = threading.Lock()


def keep_open(fd):
    with _held_guard:
        _held.add(fd)


def let_go(fd):
    with _held_guard:
        _held.discard(fd)


def run(*argv, stdin="", check=True, timeout=None, log=None):
    """Runs a tool to its end; returns the finished process. A failure is a LabError with what it said."""
    argv = [str(a) for a in argv]
    with _held_guard:
        held = tuple(_held)
    try:
        done = subprocess.run(argv, input=stdin, text=True, errors="replace", timeout=timeout,
                              stdout=log or subprocess.PIPE, stderr=subprocess.STDOUT if log else subprocess.PIPE,
                              pass_fds=held, env={**os.environ, "LC_ALL": "C"})
    except FileNotFoundError:
        raise LabError(f"{argv[0]} is missing; `make setup` installs it") from None
    except subprocess.TimeoutExpired:
        raise LabError(f"{argv[0]} did not end within {timeout} s: {' '.join(argv)}") from None
    if check and done.returncode != 0:
        said = "" if log else (done.stderr or done.stdout).strip()
        raise LabError(f"{' '.join(argv)} failed with {done.returncode}: {said}")
    return done
