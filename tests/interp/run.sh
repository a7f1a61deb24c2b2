#!/bin/sh
# run.sh -- the reference: its formulas, the CUDA texts beside them, and the interpreter's semantics
#
# TILEC: the translator (default: build/tilec of this tree). The last line is
# `N passed, N failed, N skipped`.
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
tilec=${TILEC:-$root/build/tilec}
case $tilec in /*) ;; *) tilec=$PWD/$tilec ;; esac
out=$(mktemp -d) || exit 2
trap 'rm -rf "$out"' EXIT
passed=0 failed=0 skipped=0

# Runs a group, whose last line counts its tests.
group() {
    "$@" >"$out/log" 2>&1
    sed '$d' "$out/log"
    last=$(tail -n 1 "$out/log")
    case $last in
    *" passed, "*" failed, "*)
        passed=$((passed + ${last%% passed*}))
        rest=${last#*passed, }
        failed=$((failed + ${rest%% failed*})) ;;
    *)
        echo "$last"
        failed=$((failed + 1)) ;;
    esac
}

# Says why something cannot run here.
skip() {
    echo "interp: $1"
    skipped=$((skipped + 1))
}

python=
for p in python3 /usr/bin/python3; do
    if "$p" -c 'import numpy' 2>/dev/null; then python=$p; break; fi
done
if [ -z "$python" ]; then
    skip "no python3 with NumPy"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi

cd "$root/translator" || exit 2
for program in probe texts; do
    ${CC:-cc} -std=c11 -O2 -I . -o "$out/$program" "$here/$program.c" \
        elem.c ops.c arena.c name.c -lm || failed=$((failed + 1))
done
group "$python" "$here/formulas.py" "$out/probe"
"$out/texts" >"$out/texts.cpp"
if ! command -v "${CXX:-g++}" >/dev/null; then skip "no g++ for the CUDA texts"
elif ${CXX:-g++} -std=c++17 -O1 -w -DTILE_EMULATOR -include tile_emulator.h -I "$root/emulator" \
    -I "$root/emulator/cuda" -I "$root/templates" -ffp-contract=off -fno-strict-aliasing \
    -o "$out/probe_texts" "$out/texts.cpp" 2>"$out/log"
then group "$python" "$here/formulas.py" "$out/probe_texts" texts
else head -n 3 "$out/log"; failed=$((failed + 1))
fi
if [ -x "$tilec" ]
then
    group "$python" "$here/semantics.py" "$tilec"
    group "$python" "$here/semantics.py" "$tilec" --check
else skip "$tilec is not built"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
