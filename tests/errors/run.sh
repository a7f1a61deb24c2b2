#!/bin/sh
# run.sh -- each program here is answered with exactly the diagnostics that its comments announce
#
#   c.store(t);        //! error: part of the text [E0502]     an error on this line, with this code
#                      //! note: part of the text              a line of `//!` alone: of the line above
#   let x = 1;         //! warning: shadow                     a warning by its name (-Wno-shadow)
#                      //! help: part of the text              help that follows a report on that line
#   //! options: -D BM=4                                       how tilec is called
#   //! at used/a.tile:3: note: part of the text               in another file
#
# Errors, warnings and notes that are not announced fail the test; help is looked at if announced.
# usage: run.sh [NAME.tile ...]      TILEC: the translator (default: build/tilec of this tree)
here=$(cd "$(dirname "$0")" && pwd)
tilec=${TILEC:-$here/../../build/tilec}
case $tilec in /*) ;; *) tilec=$PWD/$tilec ;; esac
cd "$here" || exit 2
if [ ! -x "$tilec" ]; then
    echo "errors: $tilec is not built"
    set -- *.tile
    echo "0 passed, 0 failed, $# skipped"
    exit 0
fi
[ $# -gt 0 ] || set -- *.tile
out=$(mktemp) || exit 2
trap 'rm -f "$out"' EXIT
passed=0 failed=0
for test in "$@"; do
    options=$(sed -n 's,^.*//! options: *,,p' "$test")
    # shellcheck disable=SC2086
    timeout 20 "$tilec" --check $options "$test" >"$out" 2>&1 </dev/null
    status=$?
    if awk -v test="$test" -v status="$status" -f expect.awk "$test" "$out"
    then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
