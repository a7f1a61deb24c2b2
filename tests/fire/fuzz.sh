#!/bin/sh
# fuzz.sh -- the front end under libFuzzer for a while; what it finds stands in build/fire/
#
# usage: fuzz.sh [SECONDS [SEED [JOBS]]]     the status is 3 if this machine has no libFuzzer
cd "$(dirname "$0")/../.." || exit 2
seconds=${1:-60} seed=${2:-$(date +%Y%m%d)} jobs=${3:-2}
mkdir -p build/fire
echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' >build/fire/try.c
clang -w -fsanitize=fuzzer,address,undefined -o build/fire/try build/fire/try.c 2>/dev/null || {
    echo "fuzz: clang with libFuzzer is not here"
    exit 3
}
make -s -j2 build/fuzz-front || exit 2
rm -rf build/fire/corpus build/fire/part.*
python3 tests/fire/corpus.py build/fire || exit 2

# Each job starts from its own share of the corpus: to read all of it takes a while.
n=0
for file in build/fire/corpus/*; do
    n=$((n + 1)) part=build/fire/part.$((n % jobs))
    [ -d "$part" ] || mkdir "$part"
    mv "$file" "$part"
done
running=
for part in build/fire/part.*; do
    build/fuzz-front "$part" -seed="$seed" -max_total_time="$seconds" -dict=build/fire/words.dict \
        -timeout=20 -rss_limit_mb=2048 -max_len=5000 -detect_leaks=0 -close_fd_mask=2 \
        -artifact_prefix=build/fire/ -print_final_stats=1 >"$part.log" 2>&1 &
    running="$running $!"
    seed=$((seed + 1))
done
status=0
for pid in $running; do wait "$pid" || status=1; done
for part in build/fire/part.?; do
    grep -hE 'ERROR|runtime error|SUMMARY|^tilec: |Test unit written' "$part.log"
    grep -h '^#' "$part.log" | tail -n 1
done
exit $status
