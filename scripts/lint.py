#!/usr/bin/env python3
"""`make lint`: clang-format, clang-tidy and the rules of the house. Prints every finding, then fails.

clang-tidy is slow, so a file that passed is not looked at again until it, a header of ours that it reads, or the
configuration changes (marks in the cache folder, one for each digest). --no-tidy leaves it out; --recent, for `make test`,
looks only at files that the newest commits touched: the others have passed before, on this computer or another.
"""
import argparse
import concurrent.futures
import functools
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from build_cache import cache, wheel  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE = cache() / "lint"
TIDY_VERSION = "23.1.4"  # of PyPI: it leaves the headers of others alone, which takes a quarter of the time of Debian's

# Files that may be longer than 600 lines, each with its reason.
LONG_FILES = {"src/base/error_catalog.cpp": "one table, sorted, a row for each error there is"}
MAX_LINES = 600
RECENT_COMMITS = 40

# (name, pattern, files it is looked for in, files where it is right, what to do instead). A line that
# is right all the same says why in a comment: `lint-ok: REASON`.
CPP = r"^(src|tests|bench)/.*\.(cpp|hpp)$"
TESTS = r"^(tests/.*|.*_test\.(cpp|py)|.*/testing/.*)$"
RULES = [
    ("coroutine", r"\bco_(await|yield|return)\b", CPP, None,
     "blocking code on std::jthread: g++ 12 miscompiles coroutines"),
    ("shell", r"(?<![\w.>])(::|std::)?(system|popen)\s*\(", CPP, None,
     "argument vectors, never shell text"),
    ("mutex", r"\bstd::(recursive_|shared_|timed_)*mutex\b|\bstd::(lock_guard|scoped_lock)\b",
     r"^src/.*\.(cpp|hpp)$", r"^src/base/(mutex\.hpp|clock\.cpp)$",
     "base/mutex.hpp, which clang can check"),
    ("sleep", r"\bthis_thread::sleep|(?<![\w.:>])u?sleep\s*\(|\btime\.sleep\((?!0?\.[01]\d*\))", TESTS,
     None, "wait for a condition with a deadline (polling up to 0.1 s is fine), or use the fake clock"),
    ("path of this computer", re.escape(str(ROOT)) + r"\b", r".*", None,
     "a path relative to the sources, or SLIPWAY_SOURCE_DIR"),
    ("skipped test", r"\bGTEST_SKIP\b|\bDISABLED_", CPP, None, "make it pass, or delete it"),
    ("secret in argv", r"\breveal\(\).*argv|argv.*\breveal\(\)", CPP, None,
     "secrets travel by stdin or file descriptor"),
    ("tab or space at the end", r"[ \t]+$", r".*\.(cpp|hpp|cmake|py|sh|md|txt|json|ya?ml)$",
     r"^tests/fuzz/", "remove it"),
]


def tracked_files():
    out = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                         cwd=ROOT, check=True, capture_output=True).stdout
    return sorted(f for f in out.decode().split("\0") if f and (ROOT / f).is_file())


def check_rules(files):
    findings = []
    for file in files:
        try:
            lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue  # a corpus of a fuzz target
        if re.match(r"^(src|tests|bench|scripts)/.*\.(cpp|hpp|py|sh)$", file):
            if len(lines) > MAX_LINES and file not in LONG_FILES:
                findings.append(f"{file}: {len(lines)} lines; over {MAX_LINES} needs a reason in scripts/lint.py")
        for name, pattern, where, exempt, instead in RULES:
            if not re.match(where, file) or (exempt and re.match(exempt, file)):
                continue
            regex = re.compile(pattern)
            for number, line in enumerate(lines, 1):
                comments_count = name.startswith(("path", "tab")) or not file.endswith((".cpp", ".hpp"))
                code = line if comments_count else line.split("//")[0]
                if regex.search(code) and "lint-ok: " not in line and file != "scripts/lint.py":
                    findings.append(f"{file}:{number}: {name}: {line.strip()[:80]}\n    instead: {instead}")
    for file in LONG_FILES:
        if not (ROOT / file).is_file():
            findings.append(f"scripts/lint.py: LONG_FILES names {file}, which is not there")
    return findings


def check_scripts(files):
    findings = []
    for file in files:
        path = ROOT / file
        head = path.open("rb").readline()
        if file.endswith(".sh") or re.match(rb"#!.*\b(ba|da)?sh\b", head):
            done = subprocess.run(["bash", "-n", file], cwd=ROOT, capture_output=True, text=True)
            if done.returncode != 0:
                findings.append(f"{file}: {done.stderr.strip()}")
        if file.startswith(("scripts/", ".ci/")) and head.startswith(b"#!") and not os.access(path, os.X_OK):
            findings.append(f"{file}: starts with #! but is not executable")
        if file.endswith(".py"):
            try:
                compile(path.read_text(), file, "exec")
            except SyntaxError as e:
                findings.append(f"{file}:{e.lineno}: {e.msg}")
    return findings


def check_format(files):
    sources = [f for f in files if f.endswith((".cpp", ".hpp"))]
    done = subprocess.run(["clang-format-19", "--dry-run", "-Werror", *sources], cwd=ROOT,
                          capture_output=True, text=True)
    unformatted = set(re.findall(r"^(.+?):\d+:\d+: error: ", done.stderr, re.MULTILINE))
    return [f"{file}: not formatted; run: make format" for file in sorted(unformatted)]


@functools.cache
def included(file):
    """The headers of ours a file includes itself; a name that is no file of src/ is not ours."""
    names = re.findall(r'^#include "([^"]+)"', (ROOT / file).read_text(), re.MULTILINE)
    return [f"src/{name}" for name in names if (ROOT / "src" / name).exists()]


def everything_read(file):
    """The file and all of ours that it includes, directly or by others."""
    seen, left = set(), [file]
    while left:
        now = left.pop()
        if now not in seen:
            seen.add(now)
            left += included(now)
    return sorted(seen)


def verdict_digest(file):
    """Of everything of ours that can change what clang-tidy says of a file."""
    digest = hashlib.sha256(f"{TIDY_VERSION} {file}".encode())
    for read in [".clang-tidy", *everything_read(file)]:
        digest.update(read.encode() + b"\0" + (ROOT / read).read_bytes() + b"\0")
    return digest.hexdigest()


@functools.cache
def clang_tidy():
    return wheel("clang-tidy", TIDY_VERSION) / "clang_tidy/data/bin/clang-tidy"


def tidy_one(file):
    mark = CACHE / verdict_digest(file)
    if mark.exists():
        return []
    done = subprocess.run([clang_tidy(), "-p", "build/clang", "--quiet", file], cwd=ROOT,
                          capture_output=True, text=True)
    if done.returncode == 0:
        mark.touch()
        return []
    out = done.stdout.replace(str(ROOT) + "/", "").strip()
    return [out or done.stderr.strip() or f"{file}: clang-tidy failed"]


def recent_files():
    def said(*words):
        return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    return {*said("log", f"-{RECENT_COMMITS}", "-z", "--format=", "--name-only"), *said("diff", "HEAD", "-z", "--name-only"),
            *said("ls-files", "-z", "--others", "--exclude-standard")}


def check_tidy(files, jobs):
    CACHE.mkdir(parents=True, exist_ok=True)
    clang_tidy()
    for mark in CACHE.iterdir():  # marks nobody asked for in a month
        if mark.stat().st_mtime < time.time() - 30 * 86400:
            mark.unlink(missing_ok=True)
    sources = [f for f in files if re.match(r"^src/.*\.cpp$", f) and not re.match(TESTS, f)
               and not f.endswith("_fuzz.cpp")]
    findings, done = [], 0
    last = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for result in pool.map(tidy_one, sources):
            findings += result
            done += 1
            if time.monotonic() - last > (1 if sys.stderr.isatty() else 30):
                last = time.monotonic()
                print(f"  clang-tidy {done}/{len(sources)}", end="\r" if sys.stderr.isatty() else "\n",
                      file=sys.stderr, flush=True)
    return findings


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--no-tidy", action="store_true")
    parser.add_argument("--recent", action="store_true")
    arguments = parser.parse_args()
    files = tracked_files()
    parts = [("rules", lambda: check_rules(files)), ("scripts", lambda: check_scripts(files)),
             ("clang-format", lambda: check_format(files))]
    if not arguments.no_tidy:
        tidied = sorted(recent_files().intersection(files)) if arguments.recent else files
        parts.append(("clang-tidy", lambda: check_tidy(tidied, arguments.jobs)))
    total = 0
    for name, check in parts:
        started = time.monotonic()
        findings = check()
        total += len(findings)
        for finding in findings:
            print(finding)
        verdict = f"{len(findings)} findings" if findings else "clean"
        print(f"  lint: {name:<20} {verdict:<14} {time.monotonic() - started:6.1f} s", flush=True)
    return 1 if total else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
