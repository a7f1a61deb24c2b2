#!/bin/sh
# run.sh -- the front end under fire: texts that are large, cut or random; outputs that fail
cd "$(dirname "$0")/../.." || exit 2
passed=0 failed=0 skipped=0

# count NAME STATUS
count() {
    if [ "$2" = 0 ]; then passed=$((passed + 1))
    elif [ "$2" = 3 ]; then skipped=$((skipped + 1)) && echo "$1: skipped"
    else failed=$((failed + 1)) && echo "$1: failed"
    fi
}

for part in large output; do
    python3 tests/fire/$part.py
    count $part $?
done
tests/fire/fuzz.sh "${SECONDS_OF_FUZZ:-30}" 1
fuzz=$?
count fuzz $fuzz
if [ $fuzz != 3 ] && [ -x build/fuzz-front ]; then
    for file in tests/fire/found/*.tile; do
        [ -e "$file" ] || continue
        build/fuzz-front -timeout=20 "$file" 2>/dev/null
        count "$file" $?
    done
    build/fuzz-front --cuts examples/0[1-5]*.tile 2>build/fire/cuts.log & first=$!
    build/fuzz-front --cuts examples/0[6-9]*.tile examples/[1-9]*.tile 2>build/fire/cuts.2.log
    count "later examples, cut" $?
    wait $first
    count "examples, cut" $?
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
