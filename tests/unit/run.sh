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
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
