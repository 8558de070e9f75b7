"""Settings of the one kernel all machines share: saved by the first lab that comes up, put back by the last
that goes. What is done in a machine (kubelet sets kernel.panic, an installer vm.*) is done to this
computer as well."""

import contextlib
import json
import pathlib

from . import state

SHARED = ("kernel/panic", "kernel/panic_on_oops", "kernel/keys/root_max*", "kernel/keys/max*", "kernel/pid_max",
          "kernel/threads-max", "kernel/core_pattern", "kernel/kptr_restrict", "kernel/dmesg_restrict",
          "kernel/printk", "kernel/softlockup_panic", "kernel/unprivileged_userns_clone", "kernel/yama/*",
          "vm/overcommit_*", "vm/panic_on_oom", "vm/swappiness", "vm/max_map_count", "vm/dirty_*",
          "vm/min_free_kbytes", "vm/vfs_cache_pressure", "vm/watermark_*", "fs/file-max", "fs/nr_open", "fs/aio-max-nr",
          "fs/inotify/*", "fs/may_detach_mounts", "fs/pipe-max-size", "fs/protected_*", "user/max_*",
          "net/bridge/*", "net/ipv4/ip_forward", "net/ipv6/conf/all/forwarding", "net/core/somaxconn",
          "net/core/*mem_*", "net/core/netdev_max_backlog", "net/netfilter/nf_conntrack_max")

# Each systemd watches a few dozen things, and all machines do so as the same root.
NEEDED = {"fs/inotify/max_user_instances": 8192, "fs/inotify/max_user_watches": 524288}


def _read():
    values = {}
    for pattern in SHARED:
        for path in pathlib.Path("/proc/sys").glob(pattern):
            with contextlib.suppress(OSError):
                if path.stat().st_mode & 0o200:
                    values[str(path)] = path.read_text()
    return values


def save():
    """Remembers the settings, then raises those that many machines need."""
    with state.lock("settings"):
        file = state.RUN / "settings.json"
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            state.write_whole(file, json.dumps(_read(), indent=2))
        for name, least in NEEDED.items():
            path = pathlib.Path("/proc/sys", name)
            if int(path.read_text()) < least:
                path.write_text(str(least))


def restore():
    """Called by a lab that is gone; does nothing while another is there."""
    with state.lock("settings"):
        file = state.RUN / "settings.json"
        if state.names() or not file.exists():
            return
        now = _read()
        for path, value in json.loads(file.read_text()).items():
            if now.get(path, value) != value:
                with contextlib.suppress(OSError):  # the kernel itself may have refused the old value since
                    pathlib.Path(path).write_text(value)
        file.unlink()
