#!/bin/sh
# run.sh -- translated kernels in one program: threads, streams, graphs, errors of others, memory of all kinds
#
# usage: run.sh [--gpu]     through the emulator, or with nvcc on a GPU. TILEC names the translator, JOBS
#                           how many files are compiled at one time
here=$(cd "$(dirname "$0")" && pwd) || exit 2
root=$(cd "$here/../.." && pwd)
tilec=${TILEC:-$root/build/tilec}

# emulated FILE, compiled FILE: an object of one file in $work
emulated() {
    e=$root/emulator
    kind="-Wall -Wextra -Werror"
    case $1 in *.cu) kind="-x c++ -include tile_emulator.h -Wno-unknown-pragmas" ;; esac
    # shellcheck disable=SC2086
    c++ -std=c++17 -O1 -DTILE_EMULATOR $kind -I "$e" -I "$e/cuda" -I "$work" -I "$root/examples" \
        -I "$here" -ffp-contract=off -fno-strict-aliasing -pthread -c "$1" -o "$work/$(basename "$1").o"
}
compiled() {
    nvcc -std=c++17 -O2 "-arch=${ARCH:-native}" -Werror all-warnings -Xcompiler -Wall,-Wextra -I "$work" \
        -I "$root/examples" -I "$here" -c "$1" -o "$work/$(basename "$1").o"
}
if [ "$1" = --one ]; then
    "$2" "$3" && exit
    echo "gpu: $3 is refused"
    exit 1
fi

work=$(mktemp -d) || exit 2
export work
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0
end() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
    exit
}
# counted COMMAND..: its last line says how many passed
counted() {
    timeout 300 "$@" >"$work/log" 2>&1
    line=$(tail -n 1 "$work/log")
    case $line in
    *" passed, "*" failed, "*) ;;
    *) line="0 passed, 1 failed, 0 skipped" ;;
    esac
    set -- $(echo "$line" | tr -d ,)
    passed=$((passed + $1)) failed=$((failed + $3)) skipped=$((skipped + $5))
    grep skipped, "$work/log"
    [ "$3" = 0 ] || cat "$work/log"
}

[ -x "$tilec" ] || { echo "gpu: skipped, $tilec is not built"; skipped=1; end; }
how=emulated linker=c++ rest=
if [ "$1" = --gpu ]; then how=compiled linker="nvcc -arch=${ARCH:-native}"
elif ! command -v c++ >/dev/null; then echo "gpu: skipped, no C++ compiler"; skipped=1; end
else
    rest=$(cd "$here/../kernels" && python3 -c 'import build; print(build.emulator_object())') || { failed=1; end; }
    rest="$rest -lboost_context -pthread"
fi
"$tilec" "$here/own.tile" -o "$work/own.cu" || { failed=1; end; }
printf '%s\0' "$work/own.cu" "$root"/examples/*.cu "$here"/*.cpp "$here"/*.cu |
    xargs -0 -n 1 -P "${JOBS:-$(nproc)}" sh "$0" --one "$how" || { failed=1; end; }
# shellcheck disable=SC2086
$linker -o "$work/gpu" "$work"/*.o $rest || { failed=1; end; }
counted "$work/gpu"
counted "$work/gpu" host
counted "$work/gpu" devices 0
[ "$1" = --gpu ] || end
counted "$work/gpu" devices 1

# A file built for a GPU that this one is not.
case $(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1) in
10.*) other=sm_90 ;;
*) other=sm_100 ;;
esac
if nvcc "-arch=$other" -I "$root/examples" -o "$work/wrong" "$here/wrong.c" "$root/examples/01_add.cu"
then counted "$work/wrong"; else failed=$((failed + 1)); fi
end
