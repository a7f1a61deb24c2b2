#!/bin/sh
# demo.sh -- from a .tile file to numbers: translates the softmax example and runs it where it can
set -e
cd "$(dirname "$0")/.."
make -s
example=examples/04_softmax.tile
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
say() { printf '\n\033[1m%s\033[0m\n' "$*"; }

say "$example"
cat $example
say "tilec $example -o softmax.cu"
./tilec $example -o "$out/softmax.cu"
head -n 60 "$out/softmax.cu"
echo "... ($(wc -l <"$out/softmax.cu") lines; all of them: examples/04_softmax.cu)"

say "the generated code on this CPU, against the reference interpreter"
./tilec run $example softmax x=normal:1000x333 y="$out/y.npy" --on=cpu --check

nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)
if [ -n "$nvcc" ]; then
    PATH=$PATH:$(dirname "$nvcc")
    say "nvcc -arch=sm_90 -c softmax.cu"
    "$nvcc" -arch=sm_90 -O3 -Xcompiler -Wall,-Wextra -Werror all-warnings -c "$out/softmax.cu" \
        -o "$out/softmax.o"
    echo "compiled without a warning: $(wc -c <"$out/softmax.o") bytes"
else
    say "nvcc is not here: the output was not compiled for a GPU"
fi
if [ -e /dev/nvidia0 ] && [ -n "$nvcc" ]; then
    say "on this GPU: 4096 rows of 8192"
    ./tilec run $example softmax x=normal:4096x8192 y="$out/y.npy" --on=gpu --check --time
else
    say "no GPU here: not timed"
fi
