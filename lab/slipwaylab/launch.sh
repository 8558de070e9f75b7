#!/bin/sh
# Runs one machine: launch.sh LAB-PROGRAM LAB --machine=ID FOLDER CGROUP-FILE... -- NSPAWN...
# When the machine ends, the lab is told how: 133 means that it asked to be started again.
lab=$1 name=$2 machine=$3 folder=$4
shift 4
(
    # systemd-nspawn must be in the machine's cgroups when it starts. A group that is gone means
    # that the lab was taken down meanwhile.
    while [ "$1" != -- ]; do
        echo 0 >"$1" || exit 1
        shift
    done
    shift
    # nspawn keeps every mount it finds, out of sight, as long as the machine runs; the disks of other
    # machines could then never be let go of. So it finds this machine's alone, on /mnt, and keeps its
    # own notes where they go when it does.
    exec unshare --mount --propagation private -- sh -c '
        mount --no-mtab --rbind "$1" /mnt || exit 1
        shift
        for lab in /run/slipway-lab/*/; do
            ! mountpoint -q "$lab" || umount --no-mtab --lazy "$lab" || exit 1
        done
        mkdir -p /run/systemd/nspawn && mount --no-mtab -t tmpfs notes /run/systemd/nspawn || exit 1
        # Already in the network of the machine, or nspawn would show it /sys/class/net of this computer.
        exec nsenter --net=/mnt/net -- "$@"' enter "$folder" "$@"
)
exec "$lab" --lab "$name" settle "$machine" "--code=$?"
