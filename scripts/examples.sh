#!/bin/sh
# examples.sh -- the committed .cu and .h of the examples: made anew, or held against tilec
#
# usage: examples.sh            writes examples/NN_name.cu and .h
#        examples.sh --check    changes nothing; names those that are not up to date
#
# TILEC names the translator (default: build/tilec).
root=$(cd "$(dirname "$0")/.." && pwd)
tilec=${TILEC:-$root/build/tilec}
case $tilec in /*) ;; *) tilec=$PWD/$tilec ;; esac
cd "$root/examples" || exit 2
if [ ! -x "$tilec" ]; then
    echo "examples: $tilec is not built"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
if [ "$1" != --check ]; then
    for tile in [0-9]*.tile; do
        "$tilec" -I "$root/stdlib" "$tile" -o "${tile%.tile}.cu" || exit 1
    done
    exit 0
fi
out=$(mktemp -d) || exit 2
trap 'rm -rf "$out"' EXIT
passed=0 failed=0
for tile in [0-9]*.tile; do
    name=${tile%.tile}
    if "$tilec" -I "$root/stdlib" "$tile" -o "$out/$name.cu" &&
       cmp -s "$out/$name.cu" "$name.cu" && cmp -s "$out/$name.h" "$name.h"
    then passed=$((passed + 1))
    else failed=$((failed + 1)); echo "examples/$name.cu: not what tilec makes; make examples"; fi
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
