#!/bin/bash
# Installs the packages of scripts/packages.txt that are missing. Needs no network when none is.
set -euo pipefail
cd "$(dirname "$0")/.."

mapfile -t wanted < <(grep -Ev '^[[:space:]]*(#|$)' scripts/packages.txt)

if ! command -v dpkg-query >/dev/null; then
    echo "setup: this is no Debian system; install by hand what scripts/packages.txt names" >&2
    exit 1
fi

installed=$(dpkg-query -W -f='${binary:Package} ${db:Status-Status}\n' 2>/dev/null |
    awk '$2 == "installed" { print $1; sub(/:.*/, "", $1); print $1 }')
mapfile -t missing < <(grep -vxF -f <(printf '%s\n' "$installed") <(printf '%s\n' "${wanted[@]}") || true)
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "setup: ${#missing[@]} packages are missing; run as root: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi

echo "setup: installing ${#missing[@]} packages: ${missing[*]}"
mkdir -p build/logs
log=build/logs/setup.log
run() { # quietly; the log is shown when it fails
    if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "$@" >>"$log" 2>&1 </dev/null; then
        tail -n 30 "$log" >&2
        echo "setup: failed: $* (log: $log)" >&2
        exit 1
    fi
}
: >"$log"
# Ask for the sudo password here, where it can be seen.
[ ${#as_root[@]} -eq 0 ] || sudo -v
for package in "${missing[@]}"; do # libssl-dev:arm64
    case $package in *:*) run dpkg --add-architecture "${package#*:}" ;; esac
done
run apt-get update
run apt-get install -y --no-install-recommends "${missing[@]}"
echo "setup: done"
