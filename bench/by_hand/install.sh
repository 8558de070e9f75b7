#!/bin/bash
# kubeadm as one would drive it by hand: a plain script, one thing after the other, without Slipway.
#     install.sh FILES KEY CONTROL_PLANES ADDRESS…
# FILES holds programs, debs and images.tar (bench/clusters.py takes them out of the bundle beforehand). The first
# ADDRESSes are control planes; the first of all is the endpoint. Ends when kubeadm and the network plugin are applied.
set -euo pipefail
files=$1 key=$2 control_planes=$3
shift 3
addresses=("$@")
first=$1
here=$(dirname "$0")
options=(-F /dev/null -i "$key" -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR)
on() { # ADDRESS COMMAND…
    ssh "${options[@]}" "root@$1" "${@:2}"
}

for address in "${addresses[@]}"; do
    scp -q "${options[@]}" -r "$files/programs" "$files/debs" "$here/machine" "root@$address:/var/tmp/"
    on "$address" "
        set -e
        dpkg -i /var/tmp/debs/*.deb >/dev/null
        sh /var/tmp/machine/prepare.sh"
    on "$address" ctr -n k8s.io images import - <"$files/images.tar" >/dev/null
done

config=$(sed "s/ENDPOINT/$first/" "$here/kubeadm.yaml")
on "$first" "
    set -e
    cat >/var/tmp/kubeadm.yaml
    kubeadm init --config /var/tmp/kubeadm.yaml --upload-certs >/var/tmp/init.log" <<<"$config"
on "$first" kubectl --kubeconfig /etc/kubernetes/admin.conf apply -f - <"$here/flannel.yaml" >/dev/null
if [ "$control_planes" = 1 ] && [ $# = 1 ]; then
    on "$first" kubectl --kubeconfig /etc/kubernetes/admin.conf taint nodes --all node-role.kubernetes.io/control-plane- >/dev/null
fi

join=$(on "$first" kubeadm token create --print-join-command 2>/dev/null)
certificate_key=$(on "$first" "kubeadm init phase upload-certs --upload-certs --config /var/tmp/kubeadm.yaml 2>/dev/null" | tail -1)
number=1
for address in "${addresses[@]:1}"; do
    number=$((number + 1))
    more=
    if [ $number -le "$control_planes" ]; then more="--control-plane --certificate-key $certificate_key"; fi
    on "$address" "$join $more >/var/tmp/join.log"
done
on "$first" cat /etc/kubernetes/admin.conf
