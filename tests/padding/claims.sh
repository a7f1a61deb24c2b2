#!/bin/sh
# claims.sh -- builds claims.c with an interpreter that is watched, and runs it on programs
#
# usage: claims.sh FILE.tile ...      the objects of the translator lie in build/ of this tree
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
{
    echo '#include "interp.h"'
    echo 'void claims_of(Run *r, const Value *v);'
    echo 'void claims_of_op(Run *r, const Op *op);'
    sed -e 's/^    run_plain(r, op);$/    run_plain(r, op);\n    claims_of_op(r, op);/' \
        -e 's/^        join_static(r, op, to\[i\]);$/&\n        claims_of(r, to[i]);/' \
        "$root/translator/interp.c"
} >"$dir/watched.c"
[ "$(grep -c 'claims_of' "$dir/watched.c")" = 4 ] || { echo "claims: the interpreter has changed"; exit 1; }
objects="$root/build/lex.o $root/build/tile.o $root/build/templates.o"
for source in "$root"/translator/*.c; do
    case $source in */main.c | */interp.c) continue ;; esac
    objects="$objects $root/build/$(basename "$source" .c).o"
done
# shellcheck disable=SC2086
${CC:-cc} -std=c11 -O1 -no-pie -I"$root/translator" -I"$root/build" -o "$dir/claims" \
    "$here/claims.c" "$dir/watched.c" $objects -lm || exit 1
status=0
for file; do
    "$dir/claims" "$file" 2>/dev/null || status=1
done
exit $status
