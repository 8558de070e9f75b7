#!/bin/bash
# The life of a run on simulated hosts: a spec, a plan, an apply that is killed in the middle, its resume,
# and a second apply that has nothing to do. Files stay in .demo-simulated/.
set -euo pipefail
cd "$(dirname "$0")/.."
slipway=build/release/bin/slipway
spec=.demo-simulated/cluster.yaml
state=.demo-simulated/state

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$'\e[1m' plain=$'\e[0m'; else bold= plain=; fi
say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
show() { # prints a command as the user would type it, then runs it
    printf '%s$ %s%s\n' "$bold" "$(sed "s|^$slipway|slipway|" <<<"$*")" "$plain"
    "$@"
}

rm -rf .demo-simulated
mkdir .demo-simulated

say "1. A spec from five names and addresses"
printf '%s$ slipway init demo --host cp1=10.0.0.11:control-plane,etcd … > %s%s\n' "$bold" "$spec" "$plain"
"$slipway" init demo \
    --host cp1=10.0.0.11:control-plane,etcd \
    --host cp2=10.0.0.12:control-plane,etcd \
    --host cp3=10.0.0.13:control-plane,etcd \
    --host w1=10.0.0.21:worker \
    --host w2=10.0.0.22:worker >"$spec"
cat "$spec"
show "$slipway" validate -c "$spec"

say "2. What would change on each host. Nothing is touched"
show "$slipway" plan -c "$spec" --state "$state" --simulate=demo

say "3. Apply. In the middle of it the program is killed: SIGKILL, no warning"
# The killer waits for a third of the steps, then strikes the process that the shell below becomes.
total=$("$slipway" plan -c "$spec" --state "$state" --simulate -o json 2>/dev/null |
    python3 -c 'import json, sys; print(len(json.load(sys.stdin)["steps"]))')
apply=("$slipway" apply -c "$spec" --state "$state" --simulate=demo --yes)
(
    while sleep 0.1; do
        done=$("$slipway" events --state "$state" -o json 2>/dev/null | grep -c '"type":"step.finished"' || true)
        if [ "$done" -ge $((total / 3)) ]; then
            kill -KILL "$(cat .demo-simulated/pid)" 2>/dev/null
            exit
        fi
        kill -0 $$ 2>/dev/null || exit
    done
) &
killer=$!
trap 'kill $killer 2>/dev/null || true' EXIT
printf '%s$ slipway %s%s\n' "$bold" "${apply[*]:1}" "$plain"
code=0
# The inner shell notes its process id and becomes slipway. The outer one's own word ("Killed") goes
# nowhere; the program's output keeps its place.
{ bash -c 'echo $$ > .demo-simulated/pid; exec "$@"' apply "${apply[@]}" 2>&3 || code=$?; } 3>&2 2>/dev/null
kill "$killer" 2>/dev/null || true # it may have struck, or had no chance to
wait "$killer" 2>/dev/null || true
rm -f .demo-simulated/pid
if [ -t 1 ]; then printf '\e[?25h\n'; fi # a killed program cannot give the cursor back
if [ "$code" -eq 137 ]; then
    say "   Killed (SIGKILL). The journal in $state knows how far it came"
elif [ "$code" -eq 0 ]; then
    say "   It was faster than the killer; nothing was interrupted this time"
else
    exit "$code"
fi
show "$slipway" status --state "$state"

say "4. Resume: what was acknowledged is not repeated, what was not is probed again"
show "$slipway" resume --state "$state"

say "5. Apply again: nothing to change"
show "$slipway" apply -c "$spec" --state "$state" --simulate=demo --yes

cat <<TEXT

${bold}The demo is done. What to look at next$plain (alias slipway=$slipway)
  slipway runs    --state $state              the runs of this cluster
  slipway events  --state $state              what happened, in order; -o json for JSON lines
  slipway status  --state $state              hosts and steps, and who works on them
  slipway explain hosts.roles                     any field of the spec, with its default
  \$EDITOR $spec                  change something, then: slipway plan -c $spec --state $state --simulate=demo
Kill it yourself:
  rm -rf $state; slipway apply -c $spec --state $state --simulate=demo --yes
  Ctrl-C (recorded and clean), or from another terminal: kill -9 PID. Then: slipway resume --state $state
Remove everything again: make demo-clean
TEXT
