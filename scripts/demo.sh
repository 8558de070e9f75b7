#!/bin/bash
# From nothing to a running cluster on machines of the lab (docs/lab.md): 1 control plane and 2 workers, or with HA=1
# 3 control planes behind a virtual address and 2 workers. Machines and files (.demo/) stay; --clean removes them.
# The lab, and the cluster, are called SLIPWAY_DEMO_LAB (demo): one of that name that is there is replaced.
set -euo pipefail
cd "$(dirname "$0")/.."
export SLIPWAY_LAB=${SLIPWAY_DEMO_LAB:-demo}
slipway=build/release/bin/slipway
spec=.demo/cluster.yaml
state=.demo/state
kubeconfig=$state/$SLIPWAY_LAB/kubeconfig

stop_server() {
    if [ -e .demo/server.pid ]; then kill "$(cat .demo/server.pid)" 2>/dev/null || true; fi
}

if [ "${1:-}" = --clean ]; then
    stop_server
    if [ -e .demo/lab ]; then lab/lab down; fi
    rm -rf .demo
    exit
fi

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$'\e[1m' plain=$'\e[0m'; else bold= plain=; fi
say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
show() { # prints a command as the user would type it, then runs it
    printf '%s$ %s%s\n' "$bold" "$(sed "s|^$slipway|slipway|; s|^\.demo/kubectl|kubectl|" <<<"$*")" "$plain"
    "$@"
}

lab/lab doctor >/dev/null || { lab/lab doctor; exit 1; }
if [ "${HA:-0}" = 1 ]; then machines=5 control_planes=3; else machines=3 control_planes=1; fi

say "1. Fresh machines: Debian 12 with sshd, no network but their own, nothing installed"
stop_server # of a demo before this one
lab/lab down
rm -rf .demo
mkdir .demo
touch .demo/lab # from here on the machines are ours to take down
show lab/lab up $machines

say "2. One file holds everything they need; one says what they are to become"
bundle=$(lab/bundle/build)
cp "${bundle%.bundle}.pub" .demo/bundle.pub
lab/lab spec | awk -v n=$control_planes '
    /roles:/ { sub(/\[.*/, ++i <= n ? "[\"control-plane\"]" : "[\"worker\"]") } { print }' >"$spec"
echo "  bundles: [\"$bundle\"]" >>"$spec"
if [ $control_planes -gt 1 ]; then
    # A free address of the machines' network; kube-vip moves it to a control plane that lives.
    vip=$(sed -n 's/.*address: "\([0-9.]*\)\.[0-9]*"/\1.100/p' "$spec" | head -1)
    printf '  kubernetes:\n    endpoint: {kind: kube-vip, address: "%s"}\n' "$vip" >>"$spec"
fi
cat "$spec"

say "3. Apply: packages, registry, runtime, certificates, etcd, control plane, network, DNS, workers"
show "$slipway" apply -c "$spec" --state "$state" --key .demo/bundle.pub --accept-new --yes

say "4. The cluster"
kubectl=$("$slipway" bundle inspect "$bundle" -o json | python3 -c '
import json, sys
print(next(n["name"] for n in json.load(sys.stdin)["names"] if "/kubectl:" in "/" + n["name"]))')
"$slipway" bundle extract "$bundle" "$kubectl" -o .demo/kubectl >/dev/null
chmod +x .demo/kubectl
.demo/kubectl --kubeconfig $kubeconfig wait pods --all -A --for condition=Ready --timeout=120s >/dev/null # probes lag
show .demo/kubectl --kubeconfig $kubeconfig get nodes -o wide
show .demo/kubectl --kubeconfig $kubeconfig get pods -A -o wide

cat <<TEXT

${bold}The cluster runs. What to do next$plain (alias slipway=$slipway)
  export KUBECONFIG=$PWD/$kubeconfig PATH=$PWD/.demo:\$PATH
  kubectl create deployment hello --image slipway.test/probe:1 --replicas 3 -- probe serve :8080
  slipway apply  -c $spec --state $state --key .demo/bundle.pub --yes   again: nothing changes
  slipway status --state $state                      hosts and steps
  slipway runs show --state $state                   when each step was at work
  SLIPWAY_LAB=$SLIPWAY_LAB lab/lab power-cut node2              see it fail and come back: power-on node2
  slipway reset  --state $state                      the machines as they were found
Remove everything again: make demo-clean
TEXT

say "5. The run that just happened, on a page"
: >.demo/server.log
setsid "$slipway" serve --listen 127.0.0.1:0 --state $state </dev/null >/dev/null 2>.demo/server.log &
echo $! >.demo/server.pid
for _ in $(seq 100); do
    if grep -q 'the code' .demo/server.log; then break; fi
    sleep 0.1
done
cat .demo/server.log
grep -q 'the code' .demo/server.log
