"""What a cluster may leave on a machine: the picture of tests/hosts, and what Kubernetes adds to a kernel.

    before = leftovers.take(machine)
    … apply, reset …
    self.assertEqual(leftovers.between(before, leftovers.take(machine)), [])
"""

import pathlib
import re

import picture

# Records that others keep of what was done and undone, and caches they would make again.
FILES_LEFT_OUT = [
    r"/var/log/.*",                                    # dpkg.log, apt, alternatives: logs are never undone
    r"/var/lib/dpkg/(.*-old|status|available|lock.*|triggers/.*|info/format|info)",  # dpkg writes these anew at each removal; `packages` compares what is in them
    r"/var/cache/(ldconfig|debconf|man|apt)(/.*)?",
    r"/etc/ld\.so\.cache",                             # ldconfig's, made anew at each change of libraries
    r"/run/(lock|mount|blkid|user|sudo)(/.*)?", r"/run/(utab|xtables\.lock|agetty\.reload)",
    r"/var/lib/systemd/timers",                        # stamps of timers, left out too, need a folder
    r"/(root|home/[^/]*)/\.bash_history",
    r"/run/sshd\.pid",                                 # another number after each boot
]
# Kernel values kube-proxy sets for itself, which nothing else on a machine looks at.
SYSCTLS_LEFT_OUT = [
    r"net\.netfilter\.nf_conntrack_tcp_timeout_(close_wait|established)", r"net\.ipv4\.conf\.all\.route_localnet",
    # One kernel for all machines of a lab: what one has put back, the kubelet of the next one sets again.
    r"kernel\.panic(_on_oops)?", r"vm\.overcommit_memory",
]
MORE = r"""
section mounts
awk '{ print $2, $3 }' /proc/mounts
section links
ls /sys/class/net
section routes
ip route; ip -6 route show table main | grep -v '^fe80'; ip rule
section packages
dpkg-query -W -f '${Package} ${Version} ${Status}\n'
section processes
ps -eo comm --no-headers
"""
# Processes come and go on a machine at rest; these would be the cluster's.
OURS = re.compile(r"kube.*|containerd.*|etcd|flanneld|coredns|pause|slipway.*|haproxy|runc.*|chronyd|conntrack|socat")
CHAINS = re.compile(r"KUBE-|FLANNEL|CNI-")


def take(machine):
    """Which targets have been reached is settled at boot: nothing of ours is in these two, and swap itself is compared."""
    seen = picture.take(machine, more=MORE)
    left_out = re.compile("|".join(FILES_LEFT_OUT))
    for section in ("files", "contents"):
        seen[section] = {path: state for path, state in seen[section].items() if not left_out.fullmatch(path)}
    settings = re.compile("|".join(SYSCTLS_LEFT_OUT))
    seen["sysctls"] = {name: value for name, value in seen["sysctls"].items() if not settings.fullmatch(name)}
    seen["states"] = {state: there for state, there in seen["states"].items() if not state.startswith(("network-online.target ", "swap.target "))}
    seen["processes"] = {name: there for name, there in seen["processes"].items() if OURS.fullmatch(name)}
    seen["chains"] = {line: "there" for line in chains(machine)}
    return seen


def chains(machine):
    """Of Kubernetes in the packet filter, read from this computer: after a reset the machine has no program for it."""
    rules = machine.in_network("nft", "list", "ruleset")
    rules.check_returncode()
    return [line.strip() for line in rules.stdout.splitlines() if CHAINS.search(line)]


def between(before, after):
    """One line each. Of a folder that was not there before, nothing that is in it."""
    made = {path for path in after["files"].keys() - before["files"].keys()}
    inside = lambda path: any(str(parent) in made for parent in pathlib.PurePosixPath(path).parents)
    for section in ("files", "contents"):
        after[section] = {path: state for path, state in after[section].items() if path in before[section] or not inside(path)}
    return picture.differences(before, after)
