#!/bin/sh
# run.sh -- what `tilec run --on=cpu` says about outputs that were not written, or written twice
here=$(cd "$(dirname "$0")" && pwd)
tilec=${TILEC:-$here/../../build/tilec}
case $tilec in /*) ;; *) tilec=$PWD/$tilec ;; esac
cd "$here" || exit 2
if [ ! -x "$tilec" ] || ! command -v g++ >/dev/null; then
    echo "coverage: skipped, tilec is not built, or there is no g++"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="${XDG_CACHE_HOME:-$work/cache}"
passed=0 failed=0

# says STATUS TEXT KERNEL ARGUMENT..: the run ends so; what it says has TEXT (''): or is nothing
says() {
    status=$1 text=$2
    shift 2
    timeout 300 "$tilec" run --on=cpu outputs.tile "$@" >"$work/out" 2>&1
    got=$?
    if [ "$got" -eq "$status" ] && if [ "$text" ]; then grep -qF "$text" "$work/out"
                                   else [ ! -s "$work/out" ]; fi
    then passed=$((passed + 1)); return; fi
    failed=$((failed + 1))
    echo "FAIL $1: status $got, and no '$text' in:"
    head -n 10 "$work/out"
}

says 0 '' whole x=random:9x33 y="$work/y.npy"
says 0 '' pieces x=random:9x33 y="$work/y.npy"
says 0 '' inplace y=random:9x33
says 0 'tilec run: note: 197 of 297 elements of y were not written and keep what they held, y[0, 0] the first' \
    part x=random:9x33 y=zeros:9x33 z="$work/z.npy" m=1
says 0 '' count place=zeros:100:i32 y=zeros:9
says 0 'tilec run: note: 1 of 8 elements of y were not written and keep what they held, y[7] the first' \
    spread place=arange:7:i32 y=zeros:8
says 1 'outputs.tile:35: second write of 4 bytes in one launch: y[0]' \
    spread place=zeros:8:i32 y=zeros:8
[ "$(find "$XDG_CACHE_HOME/tilec" -name 'emulator-*.o' | wc -l)" -ge 1 ] && passed=$((passed + 1)) \
    || { failed=$((failed + 1)); echo "FAIL the emulator is not kept"; }

echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
