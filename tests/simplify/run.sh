#!/bin/sh
# run.sh -- counts the operations that are left of a program: `//? mul 1, cast 0` of the dump -d s
#
# usage: run.sh [NAME.tile ...]      TILEC: the translator (default: build/tilec of this tree)
here=$(cd "$(dirname "$0")" && pwd)
tilec=${TILEC:-$here/../../build/tilec}
case $tilec in /*) ;; *) tilec=$PWD/$tilec ;; esac
cd "$here" || exit 2
[ $# -gt 0 ] || set -- *.tile
if [ ! -x "$tilec" ]; then
    echo "simplify: $tilec is not built"
    echo "0 passed, 0 failed, $# skipped"
    exit 0
fi
dump=$(mktemp) || exit 2
trap 'rm -f "$dump"' EXIT
passed=0 failed=0
for test in "$@"; do
    timeout 60 "$tilec" -d s --stop s "$test" >"$dump" 2>&1 </dev/null
    if awk -v test="$test" -f count.awk "$dump" "$test"
    then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
