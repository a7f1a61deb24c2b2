#!/bin/sh
# gpu.sh -- all that needs a GPU: the conformance suite, one program with threads and graphs, compute-sanitizer
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
two=$(mktemp -d) || exit 2
trap 'rm -rf "$log" "$two"' EXIT
passed=0 failed=0 skipped=0
# counted NAME COMMAND..: shows what it says; its last line counts its tests
counted() {
    name=$1 began=$(date +%s)
    shift
    "$@" 2>&1 | tee "$log"
    line=$(tail -n 1 "$log" | tr -d ,)
    case $line in
    *" passed "*" failed "*) ;;
    *) line="0 passed 1 failed 0 skipped" ;;
    esac
    # shellcheck disable=SC2086
    set -- $line
    passed=$((passed + $1)) failed=$((failed + $3)) skipped=$((skipped + $5))
    echo "gpu: $name, $(($(date +%s) - began)) s"
}

# What nvcc says of every kernel; on the GPU it compiles for, its objects are what the suite links.
# There kernels that have a body for sm_90a run once more as on another GPU.
OBJECTS=$two ARCH=sm_90a
case $(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1) in
9.0) ;;
*) OBJECTS='' ARCH=native ;;
esac
export OBJECTS ARCH
counted "nvcc" sh "$here/nvcc/run.sh" --all
counted "kernels" "$python" "$here/kernels/run.py" --gpu "$@"
if [ "$ARCH" = sm_90a ]; then
    counted "kernels without sm_90a" env ARCH=sm_90 OBJECTS= "$python" "$here/kernels/run.py" --gpu --few \
        08_matmul 64_mma 65_boxes
fi
counted "one program" sh "$here/gpu/run.sh" --gpu

# A plain C program that links two committed outputs.
cuda=$(dirname "$(dirname "$(command -v nvcc)")")
if cc -std=c99 -O1 -I "$cuda/include" -I "$here/../examples" -c "$here/launch/two.c" -o "$two/two.o" \
   && nvcc -arch=native -o "$two/two" "$two/two.o" "$here/../examples/01_add.cu" "$here/../examples/04_softmax.cu"
then counted "two outputs" "$two/two"; else echo "gpu: two.c fails"; failed=$((failed + 1)); fi

# Random programs, if there is what makes them.
if [ -e "$here/fuzz" ] && grep -q '^fuzz-gpu:' "$here/../Makefile"; then
    if make -s -C "$here/.." fuzz-gpu SECONDS="${FUZZ_SECONDS:-30}"
    then passed=$((passed + 1)); else echo "gpu: a random program fails"; failed=$((failed + 1)); fi
fi

# The instructions of the tensor cores do what their twins in the emulator do.
sed -n '/^\/\/ ---- tile_driver$/,$p' "$here/../templates/host.cu" >"$two/box_map.inc"
{ cat "$here/../templates/ptx.cu" "$here/../templates/ptx_sm90.cu"; sh "$here/../scripts/wgmma.sh"; } >"$two/ptx.inc"
if nvcc -arch=native -o "$two/tensor" "$here/emulator/tensor.cu" && "$two/tensor" >"$two/log" &&
   ! grep FAIL "$two/log"
then passed=$((passed + 1)); else echo "gpu: tensor.cu fails"; failed=$((failed + 1)); fi
if ! nvidia-smi --query-gpu=compute_cap --format=csv,noheader | grep -q '^9.0'; then
    echo "gpu: no wgmma"; skipped=$((skipped + 1))
elif nvcc -gencode arch=compute_90a,code=sm_90a -I "$two" -o "$two/hopper" \
         "$here/emulator/hopper.cu" && "$two/hopper" >"$two/log" && ! grep FAIL "$two/log"
then passed=$((passed + 1)); else echo "gpu: hopper.cu fails"; failed=$((failed + 1)); fi

sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
if [ -z "$sanitizer" ]; then
    echo "gpu: no compute-sanitizer"
    skipped=$((skipped + 4))
else
    SANITIZER=$sanitizer
    export SANITIZER
    counted "tools" "$python" "$here/kernels/run.py" --gpu --few --under "memcheck racecheck synccheck initcheck" "$@"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
