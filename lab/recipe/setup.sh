#!/bin/sh
# Runs once inside the new image: the users every machine has, and nothing that must differ between
# machines (host keys, machine-id, password) or that only cost time at boot.
set -eu

for user in ops deploy; do
    useradd --create-home --shell /bin/bash "$user"
done
usermod --append --groups sudo ops
echo 'deploy ALL=(ALL:ALL) NOPASSWD: ALL' >/etc/sudoers.d/deploy
chmod 0440 /etc/sudoers.d/deploy

rm -f /etc/ssh/ssh_host_*
: >/etc/machine-id
rm -f /var/lib/dbus/machine-id

# The machines are offline: packages come from what is being installed, never from a mirror.
: >/etc/apt/sources.list
rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/cache/apt/archives/*.deb /var/log/*.log

# No hardware of their own: no consoles to log in at, no disks to scrub.
systemctl mask --quiet console-getty.service getty@tty1.service systemd-udevd.service \
    e2scrub_reap.service e2scrub_all.timer fstrim.timer apt-daily.timer apt-daily-upgrade.timer \
    sys-kernel-debug.mount sys-kernel-tracing.mount sys-fs-fuse-connections.mount
