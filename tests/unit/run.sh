#!/bin/sh
# run.sh -- tests of single files of the translator, each a C program
cd "$(dirname "$0")/../.." || exit 2
mkdir -p build
flags="-g -O1 -std=c11 -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700 -Wall -Wextra -Itranslator"
if ${CC:-cc} $flags -fsanitize=address,undefined -o build/sym_test tests/unit/sym_test.c \
       translator/arena.c translator/name.c translator/sym.c translator/formula.c
then build/sym_test
else echo "unit: sym_test does not compile"; echo "0 passed, 1 failed, 0 skipped"; exit 1; fi
