#!/bin/sh
# gpu.sh -- the conformance suite on a GPU, then a small part of it under compute-sanitizer
#
# usage: gpu.sh [NAME ...]       files of tests/kernels; all if none is named
here=$(cd "$(dirname "$0")" && pwd)
skip() { echo "gpu: $1"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }
nvidia-smi -L >/dev/null 2>&1 || skip "no GPU"
command -v nvcc >/dev/null || skip "no nvcc"
python=
for p in python3 /usr/bin/python3; do
    if "$p" -c 'import numpy' 2>/dev/null; then python=$p; break; fi
done
[ -n "$python" ] || skip "no python3 with NumPy"

log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
"$python" "$here/kernels/run.py" --gpu "$@" | tee "$log"
set -- $(tail -n 1 "$log" | tr -d ,) "$@"
passed=$1 failed=$3 skipped=$5
shift 6

# A plain C program that links two committed outputs.
two=$(mktemp -d) || exit 2
cuda=$(dirname "$(dirname "$(command -v nvcc)")")
if cc -std=c99 -O1 -I "$cuda/include" -I "$here/../examples" -c "$here/launch/two.c" -o "$two/two.o" \
   && nvcc -arch=native -o "$two/two" "$two/two.o" "$here/../examples/01_add.cu" "$here/../examples/04_softmax.cu" \
   && "$two/two"
then passed=$((passed + 1)); else echo "gpu: two.c fails"; failed=$((failed + 1)); fi
rm -rf "$two"

# What nvcc says of every kernel, which takes too long elsewhere.
if sh "$here/nvcc/run.sh" --all; then passed=$((passed + 1)); else echo "gpu: nvcc complains"; failed=$((failed + 1)); fi

sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
if [ -z "$sanitizer" ]; then
    echo "gpu: no compute-sanitizer"
    skipped=$((skipped + 4))
else
    for tool in memcheck racecheck synccheck initcheck; do
        if SANITIZER="$sanitizer --tool $tool --error-exitcode 9 --quiet" \
           "$python" "$here/kernels/run.py" --gpu --few "$@" >"$log" 2>&1
        then echo "gpu: $tool is silent"; passed=$((passed + 1))
        else cat "$log"; echo "gpu: $tool complains"; failed=$((failed + 1)); fi
    done
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
