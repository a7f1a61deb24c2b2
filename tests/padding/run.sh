#!/bin/sh
# run.sh -- what of each tile is data: refused programs with their reports, accepted ones with the dump
#
#   y.store(sum(t));       //! error: part of the text [E0601]     as in ../errors
#                          //! note: part of the text              of the line above
#   let t = x.load_like(y);   //? t: [0, clamp(N - 8 * i, 0, 8)) pad 0.0
#
# A `//?` names a tile (the name of its `let`, or of a variable that a loop carries) and what -d p
# says of it; the pad may be left out. Several on a line: each behind its own `//?`.
# Then every accepted program is run on small inputs, and each tile looked at: claims.sh.
# usage: run.sh [NAME.tile ...]      TILEC: the translator (default: build/tilec of this tree)
here=$(cd "$(dirname "$0")" && pwd)
tilec=${TILEC:-$here/../../build/tilec}
case $tilec in /*) ;; *) tilec=$PWD/$tilec ;; esac
cd "$here" || exit 2
[ $# -gt 0 ] || set -- *.tile
if [ ! -x "$tilec" ]; then
    echo "padding: $tilec is not built"
    echo "0 passed, 0 failed, $# skipped"
    exit 0
fi
out=$(mktemp) && dump=$(mktemp) || exit 2
trap 'rm -f "$out" "$dump"' EXIT
passed=0 failed=0
for test in "$@"; do
    timeout 60 "$tilec" --check "$test" >"$out" 2>&1 </dev/null
    status=$?
    ok=1
    awk -v test="$test" -v status="$status" -f ../errors/expect.awk "$test" "$out" || ok=0
    if grep -q '//?' "$test"; then
        timeout 60 "$tilec" -d p --stop p "$test" >"$dump" 2>&1 </dev/null
        awk -v test="$test" -f parts.awk "$dump" "$test" || ok=0
    fi
    if [ $ok = 1 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done
if ls ../../build/padding.o >/dev/null 2>&1; then
    if ./claims.sh "$@" >"$out" 2>&1
    then passed=$((passed + 1)); else failed=$((failed + 1)); grep -v ': 0 wrong' "$out"; fi
else
    skipped=1
fi
echo "$passed passed, $failed failed, ${skipped:-0} skipped"
[ "$failed" -eq 0 ]
