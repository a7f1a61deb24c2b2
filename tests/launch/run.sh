#!/bin/sh
# run.sh -- launch functions and headers, of Plans made by hand: compiled, called with wrong values
#
# What needs nvcc (CUDA: its folder) or the emulator is skipped where that is missing.
here=$(cd "$(dirname "$0")" && pwd) || exit 2
root=$here/../..
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0
warnings="-Wall -Wextra -Werror"

# test NAME COMMAND..: counts it; shows what it said if it fails
test_() {
    name=$1
    shift
    if "$@" >"$work/log" 2>&1; then passed=$((passed + 1)); return 0; fi
    failed=$((failed + 1))
    echo "launch: $name failed"
    head -40 "$work/log"
    return 1
}
# counted NAME COMMAND..: the same for a command whose last line says how many passed
counted() {
    name=$1
    shift
    "$@" >"$work/log" 2>&1
    line=$(tail -1 "$work/log")
    case $line in
    *" passed, "*" failed, "*) ;;
    *) line="0 passed, 1 failed, 0 skipped" ;;
    esac
    # shellcheck disable=SC2086
    set -- $line
    passed=$((passed + $1)) failed=$((failed + $3))
    [ "$3" = 0 ] || { echo "launch: $name"; cat "$work/log"; }
}
skip() { skipped=$((skipped + 1)); echo "launch: skipped $1"; }
unlike() { ! grep -n "$@"; }
narrow() { ! awk 'length($0) > 100 { print FILENAME ":" FNR ": " length($0) }' "$@" | grep .; }

# ---- the generator, and the texts it writes

sources=
for name in words abi csym wrap contract launch launch_waves launch_boxes header file template \
            arena name source diag excerpt sym formula elem ops ir; do
    sources="$sources $root/translator/$name.c"
done
"$root/scripts/embed.sh" "$root"/templates/*.cu >"$work/templates.c"
build() {
    # shellcheck disable=SC2086
    cc -std=c11 -g -fsanitize=address,undefined $warnings -Wno-missing-field-initializers \
        -o "$work/$1" "$here/$1.c" "$work/templates.c" $sources -lm
}
test_ "build of made" build made && test_ "build of names" build names || {
    echo "$passed passed, $failed failed, $skipped skipped"
    exit 1
}
counted names "$work/names"
mkdir "$work/again"
test_ "made" "$work/made" "$work" && test_ "made with a prefix" "$work/made" "$work" other_
"$work/made" "$work/again"
test_ "same bytes" cmp "$work/made.cu" "$work/again/made.cu"
test_ "no paths" unlike "some/where" "$work/made.cu" "$work/made.h"
test_ "100 columns" narrow "$work/made.cu" "$work/made.h"

# ---- the header alone, twice, and with another

for header in made made other_made; do echo "#include \"$header.h\""; done >"$work/header.c"
echo "int main(void) { return 0; }" >>"$work/header.c"
cuda=${CUDA:-/usr/local/cuda}
headers() {
    test_ "header in C99, $1" cc -std=c99 -pedantic $warnings -isystem "$2" -I "$work" \
        -fsyntax-only "$work/header.c"
    test_ "header in C++, $1" c++ -std=c++17 -pedantic $warnings -isystem "$2" -isystem "$2/.." \
        -I "$work" -x c++ -fsyntax-only "$work/header.c"
}
if [ -e "$cuda/include/cuda_fp8.h" ]; then headers CUDA "$cuda/include"
else skip "headers against CUDA"; fi
if [ -e "$root/emulator/cuda/cuda_fp8.h" ]; then headers emulator "$root/emulator/cuda"
else skip "headers against the emulator"; fi

# ---- nvcc

with_nvcc() {
    for base in made other_made; do
        test_ "nvcc $base" "$nvcc" -arch=sm_90 -Werror all-warnings -Xcompiler -Wall,-Wextra \
            -c "$work/$base.cu" -o "$work/$base.o" || return
    done
    test_ "calls, compiled" cc -std=c99 -g $warnings -isystem "$cuda/include" -I "$work" \
        -c "$here/calls.c" -o "$work/calls.o" || return
    test_ "two outputs in one program" c++ "$work/calls.o" "$work/made.o" "$work/other_made.o" \
        -L "$cuda/lib64" -Wl,-rpath,"$cuda/lib64" -lcudart -o "$work/calls" || return
    counted "calls, nvcc" "$work/calls"
}
nvcc=$(command -v nvcc || echo "$cuda/bin/nvcc")
if [ -x "$nvcc" ] && [ -e "$cuda/lib64/libcudart.so" ]; then with_nvcc; else skip "nvcc"; fi

# ---- g++ and the emulator, under the sanitizers

with_emulator() {
    e=$root/emulator
    for base in made other_made; do
        test_ "g++ $base" c++ -std=c++17 -x c++ -DTILE_EMULATOR -include "$e/tile_emulator.h" \
            -I "$e" -I "$e/cuda" -ffp-contract=off -fno-strict-aliasing -fsanitize=undefined \
            -fno-sanitize-recover -g -c "$work/$base.cu" -o "$work/$base.e.o" || return
    done
    test_ "calls, compiled" cc -std=c99 -g $warnings -DTILE_EMULATOR -isystem "$e/cuda" -I "$work" \
        -c "$here/calls.c" -o "$work/calls.e.o" || return
    test_ "two outputs and the emulator" c++ -fsanitize=undefined "$work/calls.e.o" \
        "$work/made.e.o" "$work/other_made.e.o" -o "$work/calls.e" || return
    counted "calls, emulator" "$work/calls.e"
}
if [ -e "$root/emulator/cuda/cuda_fp8.h" ]; then with_emulator; else skip "the emulator"; fi

# ---- a translated file: results and refusals through the emulator, linked with a second output

with_tilec() {
    e=$root/emulator
    mkdir "$work/rows" "$work/copy"
    test_ "tilec rows.tile" "$tilec" "$here/rows.tile" -o "$work/rows/rows.cu" || return
    test_ "tilec copy.tile" "$tilec" "$here/copy.tile" -o "$work/copy/copy.cu" || return
    test_ "100 columns, translated" narrow "$work/rows/rows.h" "$work/copy/copy.h"
    test_ "no paths, translated" unlike "$root" "$work"/rows/rows.* "$work"/copy/copy.*
    for file in rows copy; do
        test_ "g++ $file.cu" c++ -std=c++17 -x c++ -DTILE_EMULATOR -include "$e/tile_emulator.h" \
            -I "$e" -I "$e/cuda" -ffp-contract=off -fno-strict-aliasing \
            -c "$work/$file/$file.cu" -o "$work/$file.o" || return
    done
    test_ "rows.c" cc -std=c99 -pedantic $warnings -isystem "$e/cuda" -I "$work/rows" \
        -c "$here/rows.c" -o "$work/rows_main.o" || return
    test_ "rows and copy" c++ -std=c++17 -DTILE_EMULATOR -pthread -I "$e" -I "$e/cuda" \
        "$work/rows_main.o" "$work/rows.o" \
        "$work/copy.o" "$e"/*.cpp -lboost_context -o "$work/rows_main" || return
    counted "rows" "$work/rows_main"
    for file in 01_add 04_softmax; do
        test_ "tilec $file" "$tilec" "$root/examples/$file.tile" -o "$work/$file.cu" || return
        test_ "g++ $file.cu" c++ -std=c++17 -x c++ -DTILE_EMULATOR -include "$e/tile_emulator.h" \
            -I "$e" -I "$e/cuda" -I "$work" -ffp-contract=off -fno-strict-aliasing \
            -c "$work/$file.cu" -o "$work/$file.o" || return
    done
    test_ "two.c" cc -std=c99 -pedantic $warnings -isystem "$e/cuda" -I "$work" \
        -c "$here/two.c" -o "$work/two.o" || return
    test_ "two outputs in a C program" c++ -std=c++17 -DTILE_EMULATOR -pthread -I "$e" -I "$e/cuda" \
        "$work/two.o" "$work/01_add.o" "$work/04_softmax.o" "$e"/*.cpp -lboost_context -lm \
        -o "$work/two" || return
    counted "two" "$work/two"
    mkdir "$work/shared"
    test_ "tilec shared.tile" "$tilec" "$here/shared.tile" -o "$work/shared/shared.cu" || return
    sed 's/MaxSharedMemoryPerBlockOptin/MaxSharedMemoryPerBlock/' "$work/shared/shared.cu" \
        >"$work/shared/small.cu"                # as if this device had no more
    cp "$work/shared/shared.cu" "$work/shared/large.cu"
    for size in large small; do
        test_ "g++ $size.cu" c++ -std=c++17 -x c++ -DTILE_EMULATOR -include "$e/tile_emulator.h" \
            -I "$e" -I "$e/cuda" -ffp-contract=off -fno-strict-aliasing \
            -c "$work/shared/$size.cu" -o "$work/shared.$size.o" || return
        test_ "shared.c, $size" cc -std=c99 -pedantic $warnings -isystem "$e/cuda" \
            -I "$work/shared" -c "$here/shared.c" -o "$work/shared_main.o" || return
        test_ "shared, $size" c++ -std=c++17 -DTILE_EMULATOR -pthread -I "$e" -I "$e/cuda" \
            "$work/shared_main.o" "$work/shared.$size.o" "$e"/*.cpp -lboost_context \
            -o "$work/shared_$size" || return
        counted "shared, $size" "$work/shared_$size" "$size"
    done
    [ -x "$nvcc" ] || return
    for file in rows copy; do
        test_ "nvcc $file.cu" "$nvcc" -arch=sm_90 -Werror all-warnings -Xcompiler -Wall,-Wextra \
            -c "$work/$file/$file.cu" -o "$work/$file.n.o"
    done
}
tilec=${TILEC:-$root/build/tilec}
if [ -x "$tilec" ] && [ -e "$root/emulator/cuda/cuda_fp8.h" ]; then with_tilec
else skip "translated files"; fi

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
