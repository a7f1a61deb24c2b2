#!/bin/sh
# lint.sh -- the rules of the house that a script can hold; prints what breaks one, and exits with 1
cd "$(dirname "$0")/.." || exit 2

# report RULE: prints its input, FILE:LINE or a word a line; any line is an offence.
offences=$(mktemp) || exit 2
trap 'rm -f "$offences"' EXIT
report() {
    while IFS= read -r line; do echo "$line: $1"; done | tee -a "$offences"
}
code="translator/*.c translator/*.h translator/*.def grammar/* templates/*.cu scripts/*.sh"
code="$code emulator/*.h emulator/*.cpp emulator/cuda/*"
text="$code Makefile tile.mk README.md docs/* stdlib/*/* examples/*.tile tests/*/* bench/*.*"

# shellcheck disable=SC2086,SC2002
{
# ---- lines and files
awk 'length > 100 { print FILENAME ":" FNR }' $code Makefile | report "longer than 100 columns"
grep -n "$(printf '\t')" $code | cut -d: -f1,2 | report "a tab"
grep -nE '[[:space:]]+$' $code Makefile | cut -d: -f1,2 | report "space at the end of a line"
for file in translator/*.c translator/*.h translator/*.def grammar/*; do
    name=$(basename "$file")
    case $name in *.y) open='//' ;; *) open='/[*]' ;; esac
    head -n 1 "$file" | grep -q "^$open $name -- " || echo "$file:1"
done | report "the first line is no caption: /* name.c -- what it is */"
wc -l translator/*.c translator/*.h | awk '$1 > 500 && $2 != "total" { print $2 ":" $1 }' |
    report "a file of more than 500 lines"
grep -nE '\b(TODO|FIXME|XXX)\b' $text 2>/dev/null | grep -v '^scripts/lint.sh' | cut -d: -f1,2 |
    report "a note to oneself: decide it, or write it down as a decision"
grep -nE '(/(work|home|root)/|\.\./shared/)' $text 2>/dev/null | grep -v '^scripts/lint.sh' |
    cut -d: -f1,2 | report "a path of one machine"

# ---- functions: 50 lines, unless the comment above says that it is a flat switch or a table
awk '
    FNR == 1 { head = 0; last = "" }
    /^\{/    { if (last ~ /\)$/) head = FNR }
    /^\}/    { if (head && FNR - head > 49 && !flat) print FILENAME ":" head - 1
               head = flat = 0 }
    /^(\/\*| \*|   )/ && !head { flat = /flat (switch|table)/ || (flat && !/^\/\*/) }
    /^$/ && !head { flat = 0 }
    { last = $0 }
' translator/*.c |
    report "a function of more than 50 lines"

# ---- arrows point downwards: what each file may include of ours
while read -r files allowed; do
    for file in translator/$files; do
        [ -f "$file" ] && grep -nE '^#include "' "$file" | grep -vE "\"($allowed|[a-z]+\.def)\"" |
            sed "s,^\([0-9]*\):.*,$file:\1,"
    done
done <<'END' | report "includes what is not below it"
base.h none
diag.h base.h
options.h base.h
arena.c base.h
name.c base.h
words.c base.h
source.c base.h
sym.c base.h
formula.c base.h
diag.c (diag|options).h
excerpt.c diag.h
codes.c diag.h
near.c diag.h
ast.h base.h
parse.h ast.h
token.c (parse|tile).h
mistake.c (diag|parse|tile).h
parse.c (parse|tile).h
ast.c parse.h
ir.h ast.h
check.h ir.h
lower.h check.h
interp.h ir.h
interp*.c interp.h
ir.c ir.h
dump.c ir.h
elem.c ir.h
ops.c ir.h
opslist.c ir.h
verify.h ir.h
verify*.c verify.h
simplify*.c (ir|simplify).h
padding*.c (ir|padding|diag).h
plan.h ir.h
emit.h plan.h
mapping.h emit.h
contraction.h mapping.h
launch.h emit.h
END

# ---- the table of codes has every error and warning
for code in $(grep -ohE '"E[0-9]{4}"' translator/*.c grammar/* | tr -d '"' | sort -u); do
    grep -q "^X(\"$code\"," translator/codes.def || echo "translator/codes.def: $code"
done | report "a code without an explanation"
for file in translator/*.c; do
    tr '\n' ' ' <"$file" | grep -oE 'warn\([^"]*"[a-z-]+"' | sed 's/.*"\(.*\)"/\1/'
done | sort -u | while read -r name; do
    grep -q "^X(\"$name\"," translator/codes.def || echo "translator/codes.def: $name"
done | report "a warning without an explanation"

# ---- what tests/traps.md names is there: a file, and words in it
grep -n '^| T' tests/traps.md | while IFS= read -r line; do
    file=
    printf '%s\n' "$line" | grep -oE '`[^`]+`' | tr -d '`' | while IFS= read -r word; do
        case $word in
        */*) file=$word
             [ -f "$file" ] || echo "tests/traps.md:${line%%:*}: $file" ;;
        *) grep -qwFe "$word" "$file" 2>/dev/null ||
               echo "tests/traps.md:${line%%:*}: $file: $word" ;;
        esac
    done
done | report "names no test"
}
[ ! -s "$offences" ]
