"""Where large things are kept that can be made again, and one builder at a time for each of them."""
import fcntl
import os
import pathlib
import subprocess
import sys
import tempfile


def cache():
    base = os.environ.get("SLIPWAY_CACHE")
    if base:
        return pathlib.Path(base)
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(home) / "slipway"


class Locked:
    def __init__(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        self.file = open(path, "w")

    def __enter__(self):
        fcntl.flock(self.file, fcntl.LOCK_EX)

    def __exit__(self, *_):
        self.file.close()


def wheel(name, version):
    """The folder with a program of PyPI, unpacked there the first time somebody asks."""
    folder = cache() / "wheels" / f"{name}-{version}"
    with Locked(folder.parent / f"{name}.lock"):
        if not folder.exists():
            print(f"installing {name} {version}", file=sys.stderr)
            with tempfile.TemporaryDirectory(dir=folder.parent) as made:
                subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--root-user-action=ignore",
                                "--target", f"{made}/all", f"{name}=={version}"], check=True)
                pathlib.Path(made, "all").rename(folder)
    return folder
