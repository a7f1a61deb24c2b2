#!/bin/sh
# run.sh -- tests of single files of the translator, each a program
cd "$(dirname "$0")/../.." || exit 2
mkdir -p build
flags="-g -O1 -std=c11 -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700 -Wall -Wextra -Itranslator"
passed=0 failed=0
# Runs a test that has been built; its last line counts.
count() {
    out=$("$1")
    echo "$out" | sed '$d'
    # shellcheck disable=SC2046
    set -- $(echo "$out" | tail -n 1 | tr -d ,)
    passed=$((passed + $1)) failed=$((failed + $3))
}
# Says that a test does not compile.
broken() {
    echo "unit: $1 does not compile"
    failed=$((failed + 1))
}
if ${CC:-cc} $flags -fsanitize=address,undefined -o build/sym_test tests/unit/sym_test.c \
       translator/arena.c translator/name.c translator/sym.c translator/formula.c
then count build/sym_test
else broken sym_test; fi
if ${CC:-cc} $flags -c -o build/philox_test.o translator/philox.c &&
       ${CXX:-g++} -std=c++17 -O1 -Wno-unknown-pragmas -Iemulator -Itemplates -o build/philox_test \
           tests/unit/philox_test.cpp build/philox_test.o
then count build/philox_test
else broken philox_test; fi
# The two helpers as they stand in templates/, on the emulator's functions.
{ sed -n '/float rcp_approx/p; /T tile_min_nan/,/^}/p' emulator/tile_ptx.h | sed '1i template <typename T>'
  echo 'static float min_nan(float a, float b) { return tile_min_nan(a, b); }'
  sed -n '/^\/\/ ---- tile_inverse/,$p' templates/helpers.cu
} >build/tile_quotient.inc
if ${CXX:-g++} -std=c++17 -O1 -ffp-contract=off -Ibuild -o build/quotient_test \
       tests/unit/quotient_test.cpp
then count build/quotient_test
else broken quotient_test; fi

# A value used twice by what is used twice, 45 times over: what is looked at twice takes for ever.
{ echo 'kernel k(y: &mut tensor<bf16, [M, N]> by [i: 1, N], x: &tensor<bf16, [M, N]>)'
  echo '{ let mut t = x.load_like(y) as f32;'
  for i in $(seq 45); do echo 't = t * t - t;'; done
  echo 'y.store(t as bf16); y.store((t / sum(t, axis = 1, keepdims = true)) as bf16);'
  echo 'y.store(cumsum(t, axis = 1) as bf16); }'
} >build/deep.tile
if timeout 10 "${TILEC:-build/tilec}" build/deep.tile -o build/deep.cu; then passed=$((passed + 1))
else echo "unit: a deep program takes for ever"; failed=$((failed + 1)); fi
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
