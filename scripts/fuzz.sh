#!/bin/bash
# Runs every libFuzzer program of the fuzz preset for FUZZ_SECONDS, two at a time or as many as there
# are cores. Starts from tests/fuzz/corpus/NAME; what is found goes to the cache folder, never into
# the checkout. A crash leaves its input there and fails.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${FUZZ_SECONDS:-60}
cache=${SLIPWAY_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/slipway}/fuzz
shopt -s nullglob
programs=(build/asan/bin/*_fuzz)
if [ ${#programs[@]} -eq 0 ]; then
    echo "fuzz: there are no targets (src/**/*_fuzz.cpp)" >&2
    exit 1
fi

fuzz_one() {
    local program=$1 name seeds found
    name=$(basename "$program" _fuzz)
    seeds=tests/fuzz/corpus/$name
    found=$cache/$name
    mkdir -p "$found/corpus" "$found/crashes" build/logs
    if [ ! -d "$seeds" ]; then
        echo "fuzz $name: no seeds in $seeds" >&2
        return 1
    fi
    if ! "$program" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$found/crashes/" "$found/corpus" "$seeds" >"build/logs/fuzz-$name.log" 2>&1; then
        tail -n 40 "build/logs/fuzz-$name.log" >&2
        echo "fuzz $name: FAILED; the input is in $found/crashes" >&2
        return 1
    fi
    echo "fuzz $name: $(awk '/number_of_executed_units/ { print $2 }' "build/logs/fuzz-$name.log") inputs in $seconds s, no finding"
}
export -f fuzz_one
export seconds cache
printf '%s\0' "${programs[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -euo pipefail -c 'fuzz_one "$1"' fuzz
