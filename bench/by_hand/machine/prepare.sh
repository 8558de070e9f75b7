#!/bin/sh
# What a machine needs before kubeadm: programs, the runtime, a few kernel settings.
set -e
from=/var/tmp/programs
tar -C /usr/local -xf $from/containerd.tar
mkdir -p /opt/cni/bin /etc/containerd /etc/cni/net.d
tar -C /opt/cni/bin -xf $from/cni-plugins.tar
install -m 0755 $from/runc /usr/local/sbin/runc
install -m 0755 $from/kubeadm $from/kubelet $from/kubectl $from/crictl /usr/local/bin/

cp /var/tmp/machine/containerd.toml /etc/containerd/config.toml
cp /var/tmp/machine/containerd.service /var/tmp/machine/kubelet.service /etc/systemd/system/
printf 'net.ipv4.ip_forward = 1\nnet.bridge.bridge-nf-call-iptables = 1\n' >/etc/sysctl.d/90-kubernetes.conf
sysctl -q -p /etc/sysctl.d/90-kubernetes.conf
swapoff -a
# CoreDNS refuses to start where there is no name server to ask for other names.
grep -q nameserver /etc/resolv.conf || echo "nameserver $(ip route | awk '/^default/ { print $3 }')" >>/etc/resolv.conf
systemctl daemon-reload
systemctl enable -q --now containerd
systemctl enable -q kubelet
