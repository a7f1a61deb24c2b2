#!/bin/sh
# run.sh -- every .tile of the project, right or wrong, through the build with the sanitizers
#
# TILEC_ASAN: that build (default: build/tilec-asan)
cd "$(dirname "$0")/../.." || exit 2
tilec=${TILEC_ASAN:-build/tilec-asan}
if [ ! -x "$tilec" ]; then
    echo "sanitize: skipped, $tilec is not built: make asan"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
out=$(mktemp -d) || exit 2
trap 'rm -rf "$out"' EXIT
passed=0 failed=0
for tile in examples/*.tile stdlib/*/*.tile bench/kernels/*.tile tests/*/*.tile tests/*/*/*.tile; do
    [ -e "$tile" ] || continue
    timeout 60 "$tilec" -d all "$tile" -o "$out/out.cu" >"$out/log" 2>&1 </dev/null
    status=$?
    if [ $status -le 1 ] && ! grep -qE 'Sanitizer|runtime error: ' "$out/log"
    then passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$tile: exit status $status"
        grep -A9 -E 'Sanitizer|runtime error|^tilec: after' "$out/log" | head
    fi
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
