#!/bin/sh
# Runs one machine: launch.sh LAB-PROGRAM LAB --machine=ID CGROUP-FILE... -- NSPAWN...
# systemd-nspawn must be in the machine's cgroups when it starts. When the machine ends, the lab is
# told how: 133 means that it asked to be started again.
lab=$1 name=$2 machine=$3
shift 3
(
    while [ "$1" != -- ]; do
        # A group that is gone means that the lab was taken down meanwhile.
        echo 0 >"$1" || exit 1
        shift
    done
    shift
    exec "$@"
)
exec "$lab" --lab "$name" settle "$machine" "--code=$?"
