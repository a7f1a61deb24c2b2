#!/bin/sh
# run.sh -- print and assert: the interpreter and the emulator say the same, and what is written down
#
# expected.txt: a line `== FILE.tile KERNEL arg=value ..` is a run; what it prints follows, the
# message of a failed assert last. TILEC: the translator (default: build/tilec of this tree);
# ON: where it runs (default: ref cpu). Under the emulator the first thread, which prints, is the
# last to go on: then a tile that it did not wait to be written, or that is written over, shows.
here=$(cd "$(dirname "$0")" && pwd)
tilec=${TILEC:-$here/../../build/tilec}
case $tilec in /*) ;; *) tilec=$PWD/$tilec ;; esac
cd "$here" || exit 2
if [ ! -x "$tilec" ]; then
    echo "debug: $tilec is not built"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
export TILE_EMU_SCHEDULE=reverse
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# What a run prints and, if an assert failed, that line without what stands before it.
output() {
    # shellcheck disable=SC2086
    timeout 300 "$tilec" run --on="$1" $2 >"$work/out" 2>"$work/err"
    status=$?
    grep -q 'assertion failed' "$work/out" "$work/err" && failure=1 || failure=0
    [ $((status != 0)) = $failure ] || echo "status $status"
    grep -v 'assertion failed' "$work/out"
    grep -h -o '[a-z]*\.tile:[0-9]*: assertion failed.*' "$work/out" "$work/err" | head -n 1
}

grep '^== ' expected.txt | sed 's/^== //' >"$work/runs"
while IFS= read -r words; do
    awk -v head="== $words" '$0 == head { on = 1; next } /^== / { on = 0 } on' expected.txt \
        >"$work/want"
    for on in ${ON:-ref cpu}; do
        output "$on" "$words" >"$work/got"
        if diff "$work/want" "$work/got" >"$work/diff"; then passed=$((passed + 1))
        else
            echo "FAIL --on=$on $words"
            head -n 10 "$work/diff"
            failed=$((failed + 1))
        fi
    done
done <"$work/runs"
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
