"""A picture of a machine: everything Slipway may change on it, to be compared with a later one.

    before = picture.take(machine)
    …
    self.assertEqual(picture.differences(before, picture.take(machine)), [])
"""

import re

# What changes on a machine by itself, or by somebody logging in. Nothing here is ever Slipway's to write.
FILES_LEFT_OUT = [
    r"/(proc|sys|dev)/.*",
    r"/var/log/(journal/.*|lastlog|wtmp|btmp)",                     # every login and sudo is written down
    r"/run/(utmp|log/.*|sudo/.*|user/.*|systemd/.*|dbus/.*)",      # sessions, units and what systemd notes of them
    r"/var/lib/sudo/.*",
    r"/home/[^/]*/\.sudo_as_admin_successful",                     # Debian's sudo, at the first use
    r"/etc/(passwd|group|shadow|gshadow|subuid|subgid)-",          # copies the account tools make of the former file
    r"/etc/\.pwd\.lock",                                           # made at the first change of accounts, and left
    r"/var/lib/systemd/(random-seed|timers/.*|timesync/.*)",
    r"/var/lib/private/.*",
    r"/tmp/systemd-private-.*", r"/var/tmp/systemd-private-.*",
]
# Numbers the kernel counts or derives, not settings.
SYSCTLS_LEFT_OUT = [
    r"fs\.(dentry-state|file-nr|inode-nr|inode-state|aio-nr|quota\..*)",
    r"kernel\.(random\..*|ns_last_pid|pty\.nr|tainted|threads-max|perf_event_.*|sched_domain.*)",
    r"kernel\.keys\..*", r"vm\.stat_refresh", r"fs\.binfmt_misc\..*",
    r"net\.netfilter\.nf_conntrack_(count|buckets|max)", r"net\.nf_conntrack_max",
    r"net\.ipv[46]\..*\.(lo|eth\d)\..*stable_secret",
]

FILES = r"""
set -eu
section() { printf '\0%s\0' "$1"; }
section files
find ROOTS -xdev -printf '%p\t%y %m %u:%g %l\n'
section contents
find ROOTS -xdev -type f ! -path '/var/log/journal/*' -print0 | xargs -0 sha256sum -- 2>/dev/null || true
"""
REST = r"""
section units
systemctl list-unit-files --no-legend --no-pager --plain | sed 's/ \+/ /g' | grep -v ' transient '
section states
systemctl list-units --all --no-legend --no-pager --plain --type=service,socket,timer,target,mount,swap |
    awk '{ print $1, $2, $3 }'
section sysctls
sysctl -a 2>/dev/null || true
section modules
ls /sys/module
section users
getent passwd
section groups
getent group
section ports
ss -Hltun | awk '{ print $1, $5 }'
section processes
ps -eo user:20,args --no-headers | grep -ic '[s]lipway' || true
"""
# Sessions come and go with logins, a few services with whoever asks them something.
STATES_LEFT_OUT = r"(user@.*|user-runtime-dir@.*|session-.*|run-.*|systemd-(tmpfiles-clean|update-utmp|hostnamed|timedated)\..*|logrotate.*|dpkg-db-backup.*)"


def take(machine, more=""):
    """{section: {what: how it is}}; `more` is a script that writes further sections, a line a thing."""
    return _read(machine.sh(FILES.replace("ROOTS", "/ /var/lib /run") + REST + more))


def take_files(machine, *roots):
    """The files below some folders alone, which takes a tenth of the time."""
    return _read(machine.sh(FILES.replace("ROOTS", " ".join(roots))))


def _read(text):
    words = text.split("\0")
    told = dict(zip(words[1::2], words[2::2]))
    out = {}
    for section, text in told.items():
        lines = [line for line in text.split("\n") if line]
        if section == "contents":  # "digest  path"
            out[section] = {line[66:]: line[:64] for line in lines}
        elif section == "files":
            out[section] = dict(line.split("\t", 1) for line in lines)
        elif section == "sysctls":
            out[section] = dict(line.split(" = ", 1) if " = " in line else (line, "") for line in lines)
        else:
            out[section] = {line: "there" for line in lines}
    _leave_out(out)
    return out


def _leave_out(picture):
    files = re.compile("|".join(FILES_LEFT_OUT))
    for section in ("files", "contents"):
        picture[section] = {p: v for p, v in picture[section].items() if not files.fullmatch(p)}
    if "sysctls" in picture:
        sysctls = re.compile("|".join(SYSCTLS_LEFT_OUT))
        picture["sysctls"] = {k: v for k, v in picture["sysctls"].items() if not sysctls.fullmatch(k)}
        states = re.compile(STATES_LEFT_OUT)
        picture["states"] = {s: v for s, v in picture["states"].items() if not states.fullmatch(s.split(" ")[0])}


def differences(before, after, sections=None):
    """One line each, sorted; empty when nothing of the machine has changed."""
    found = []
    for section in sections or before:
        old, new = before[section], after[section]
        for what in sorted(old.keys() | new.keys()):
            if old.get(what) != new.get(what):
                found.append(f"{section}: {what}: {old.get(what, 'absent')} -> {new.get(what, 'absent')}")
    return found
