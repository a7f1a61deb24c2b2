#!/bin/sh
# run.sh -- runs every group of tests; each prints what fails and "N passed, N failed, N skipped"
#
# usage: run.sh [GROUP ...]      TILEC: the translator that the groups run (default: build/tilec)
cd "$(dirname "$0")/.." || exit 2
[ $# -gt 0 ] || set -- $(for run in tests/*/run.sh; do basename "$(dirname "$run")"; done)
mkdir -p build && export XDG_CACHE_HOME="$PWD/build/cache"     # where tilec run keeps the emulator
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
passed=0 failed=0 skipped=0

# add P passed F failed S skipped
add() { passed=$((passed + $1)) failed=$((failed + $3)) skipped=$((skipped + $5)); failures=$3; }

for group in "$@"; do
    start=$(date +%s)
    case $(head -n 1 "tests/$group/run.sh") in *bash*) shell=bash ;; *) shell=sh ;; esac
    $shell "tests/$group/run.sh" >"$log" 2>&1
    status=$?
    count=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$log" | tail -n 1 | tr -d ,)
    [ $status -ne 0 ] && case $count in *' 0 failed '*) count= ;; esac
    # shellcheck disable=SC2086
    add ${count:=0 passed 1 failed 0 skipped}
    [ "$failures" -gt 0 ] && tail -n 60 "$log"
    grep skip "$log" | grep -vE '^[0-9]+ passed' | head -n 5
    echo "$group: $count, $(($(date +%s) - start)) s"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
