"""Where large things are kept that can be made again, and one builder at a time for each of them."""
import fcntl
import os
import pathlib


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
