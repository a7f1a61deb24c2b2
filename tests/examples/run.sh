#!/bin/bash
# run.sh -- the committed .cu and .h, and docs/ops.md, are what tilec makes; C99 and C++ take each .h
cd "$(dirname "$0")/../.." || exit 2
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
scripts/examples.sh --check >"$log"
sed '$d' "$log"
# shellcheck disable=SC2046
set -- $(tail -n 1 "$log" | tr -d ,)
passed=$1 failed=$3 skipped=$5
unset CPATH
tilec=${TILEC:-build/tilec}
if [ ! -x "$tilec" ]; then skipped=$((skipped + 1))
elif "$tilec" --ops=markdown | cmp -s - docs/ops.md; then passed=$((passed + 1))
else failed=$((failed + 1)); echo "docs/ops.md: not what tilec --ops=markdown prints"; fi

# takes HEADER INCLUDE COMPILER..: without a warning
takes() {
    if echo "#include \"examples/$1\"" | "${@:3}" -Wall -Wextra -Werror -pedantic -fsyntax-only -I . \
        -isystem "$2" -isystem "$2/.." - >"$log" 2>&1
    then passed=$((passed + 1))
    else failed=$((failed + 1)); echo "examples/$1: refused by ${*:3}"; head -n 5 "$log"; fi
}
cuda=${CUDA:-/usr/local/cuda}/include
for include in emulator/cuda $([ -e "$cuda/cuda_runtime.h" ] && echo "$cuda"); do
    for header in $(cd examples && ls ./*.h); do
        takes "${header#./}" "$include" cc -std=c99 -x c
        takes "${header#./}" "$include" c++ -std=c++17 -x c++
    done
done
if [ ! -e "$cuda/cuda_runtime.h" ]; then
    echo "examples: skipped the headers against CUDA's own, there is no CUDA"
    skipped=$((skipped + 1))
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
