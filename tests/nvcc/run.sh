#!/bin/sh
# run.sh -- nvcc takes the examples and conformance kernels without a word, for sm_90a
#
# Held of each: no warning of nvcc or of g++ -Wall -Wextra, none of ptxas' C75xx messages but C7519,
# kernels that have the names that stand in the file, no spill. Of the examples and bench/kernels
# also: no stack frame (CUDA's own sin and its kin have one, and the conformance kernels call them).
#
# usage: run.sh [--all | FILE ...]   .tile or .cu; CUDA names its folder, TILEC the translator, JOBS how many
#
# OBJECTS: a folder that gets the objects and their sources, for those who would compile the same.
#
# (gemm.tile of the benchmarks has more than a hundred kernels, of the kind of 65_boxes: it is left out.)
# Without a FILE: the examples, the benchmarks and the first of the conformance kernels, those that
# people write; --all takes all of them, which is seven minutes on two cores. make test-gpu does.
here=$(cd "$(dirname "$0")" && pwd) || exit 2
root=$(cd "$here/../.." && pwd)
tilec=${TILEC:-$root/build/tilec}
nvcc=$(command -v nvcc || echo "${CUDA:-/usr/local/cuda}/bin/nvcc")

# Each line of the input is something wrong with the file.
fault() { while IFS= read -r line; do echo "FAIL $file: $line"; done; }
# The kernels that the source names.
written() {
    awk '/^extern "C" __global__/ { on = 1 }
         { sub(/.*__global__ void/, ""); sub(/__launch_bounds__\([^)]*\)/, "") }
         on && match($0, /[a-zA-Z_0-9]+\(/) { print substr($0, RSTART, RLENGTH - 1); on = 0 }' "$1" |
        sort
}
# The kernels that the device code has.
compiled() { readelf -sW "$1" | awk '$4 == "FUNC" && $5 == "GLOBAL" && $7 != "UND" { print $NF }' | sort; }
# Kernels with spills, or with what else $1 says, from what ptxas -v says.
spilling() {
    awk -F"'" -v none="$1 0 bytes spill stores, 0 " '/Compiling entry function/ { name = $2 }
        /bytes stack frame/ && $0 !~ none {
            sub(/^ */, ""); print name " has " $0 }'
}
# one FILE: compiles it in a folder of its own; prints what is wrong
one() {
    file=${1#"$root"/}
    dir=$work/$(echo "$file" | tr / _)
    cu=$1
    mkdir "$dir" && cd "$dir" || exit 2
    case $1 in *.tile)
        cu=$dir/$(basename "$1" .tile).cu
        if ! "$tilec" "$1" -o "$cu" >log 2>&1; then
            { echo "tilec refuses it"; head -n 5 log; } | fault
            return
        fi ;;
    esac
    if ! "$nvcc" -arch=sm_90a -Werror all-warnings -Xcompiler -Wall,-Wextra -Xptxas -v --keep \
        --keep-dir . ${OBJECTS:+-Xcompiler -fPIC} -c "$cu" -o out.o >log 2>&1; then
        { echo "nvcc refuses it"; grep -vE '^ptxas info|^ .*bytes' log | head -n 5; } | fault
        return
    fi
    [ -z "$OBJECTS" ] || cp "$cu" "$OBJECTS/${dir##*/}.cu"
    [ -z "$OBJECTS" ] || cp out.o "$OBJECTS/${dir##*/}.o"
    # CUDA's own sin and its kin, and printf, compute in double.
    grep -qE 'double|(sin|cos|tan)f\(|[^a-z]printf\(' "$cu" || ! grep -q '\.f64' ./*.ptx ||
        echo "computes in double, of which it says nothing" | fault
    grep -E 'C75[0-9][0-9]' log | grep -v C7519 | fault
    case $file in
        examples/* | bench/*) spilling '^ *0 bytes stack frame,' <log | fault ;;
        *) spilling ',' <log | fault ;;
    esac
    written "$cu" >written
    compiled ./*.sm_90a.cubin >compiled
    diff written compiled | sed -n 's/^[<>]/a kernel whose name is not in both:/p' | fault
}

if [ "$1" = --one ]; then
    wrong=$(one "$2")
    echo "${wrong:-ok $2}"
    exit 0
fi
if [ ! -x "$nvcc" ]; then
    echo "nvcc: skipped, there is no nvcc: the output was not compiled for a GPU"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export work
if [ $# -eq 0 ]; then
    set -- "$root"/examples/*.cu "$root"/bench/kernels/[!g]*.tile "$root"/tests/kernels/0*.tile
elif [ "$1" = --all ]; then
    set -- "$root"/examples/*.cu "$root"/bench/kernels/[!g]*.tile "$root"/tests/kernels/*.tile
fi
realpath -z "$@" | xargs -0 -n 1 -P "${JOBS:-$(nproc)}" sh "$0" --one >"$work/log" 2>&1
grep -v '^ok ' "$work/log"
passed=$(grep -c '^ok ' "$work/log")
failed=$(($# - passed))
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
