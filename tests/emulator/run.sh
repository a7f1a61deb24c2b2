#!/bin/bash
# run.sh -- tests of the emulator; run from the project's root. Prints what fails and a last line
# "N passed, N failed, N skipped".

tests=tests/emulator
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
include="-I emulator -I emulator/cuda -I $tests -I $dir"
warnings="-Wall -Wextra -Werror -Wno-unknown-pragmas"
language="-std=c++17 -x c++ -DTILE_EMULATOR -include tile_emulator.h"
language="$language -ffp-contract=off -fno-strict-aliasing"
checks="-g1 -fsanitize=thread,alignment,bounds"
log=$dir/log
skipped=0

# build NAME COMMAND: runs a compiler; what it says is a failure.
build() {
    local name=$1
    shift
    "$@" > $dir/out 2>&1 && [ ! -s $dir/out ] && return 0
    echo "FAIL $name does not compile: $(head -3 $dir/out)" >> $log
    return 1
}

# cu OUTPUT FLAGS SOURCE: compiles a .cu as the emulator's README says.
cu() {
    build $1 g++ -O1 -fPIC $language $include $warnings $2 -c $3 -o $dir/$1
}

# link OUTPUT OBJECTS: with the emulator.
link() {
    local out=$1
    shift
    build $out g++ $include $warnings -std=c++17 -o $dir/$out "$@" -lboost_context -lpthread
}

# broken NAME TEXT SED: softmax.cu, changed, must report TEXT.
broken() {
    sed "$3" $tests/softmax.cu > $dir/$1.cu
    cmp -s $dir/$1.cu $tests/softmax.cu && echo "FAIL $1 changes nothing" >> $log
    cu $1.o "$checks" $dir/$1.cu && link $1 $dir/softmax_test.o $dir/$1.o $all \
        && $dir/$1 "$2" >> $log
}

for f in emulator/*.cpp; do
    build $f g++ -std=c++17 -O2 -fPIC -Wall -Wextra -Werror $include -c $f \
        -o $dir/$(basename $f .cpp).o
done
fast=$(ls $dir/tile_*.o | grep -v tile_checks)
all=$(ls $dir/tile_*.o)
build softmax_test.o g++ -std=c++17 -O1 -fPIC -Wall -Wno-parentheses -Werror $include -c \
    $tests/softmax_test.cpp -o $dir/softmax_test.o

build types g++ -std=c++17 -O1 $warnings $include $tests/types.cpp $fast -o $dir/types \
    -lboost_context -lpthread && $dir/types >> $log

sed -n '/^\/\/ ---- tile_driver$/,$p' templates/host.cu > $dir/box_map.inc
for test in warps faults pragma tensor tensor_faults hopper; do
    cu $test.fast.o "" $tests/$test.cu && link $test.fast $dir/$test.fast.o $fast \
        && $dir/$test.fast >> $log
    cu $test.o "$checks" $tests/$test.cu && link $test $dir/$test.o $all && $dir/$test >> $log
done
for schedule in forward reverse random:1 random:2; do
    TILE_EMU_SCHEDULE=$schedule $dir/warps >> $log
done
TILE_EMU_THREADS=3 $dir/warps >> $log

cu softmax.fast.o "" $tests/softmax.cu && link softmax.fast $dir/softmax_test.o $dir/softmax.fast.o \
    $fast && $dir/softmax.fast >> $log
cu softmax.o "$checks" $tests/softmax.cu && link softmax $dir/softmax_test.o $dir/softmax.o $all \
    && for schedule in warp reverse random:3; do
        TILE_EMU_SCHEDULE=$schedule $dir/softmax >> $log
    done
broken no_guard "outside of all arrays: x" 's/t\[v\] = col < N ? /t[v] = true ? /'
broken no_store_guard "outside of all arrays: y" 's/if (col < N)$/if (true)/'
broken no_barrier "that nobody wrote: shared partial_max" '0,/__syncthreads();/s//;/'
broken half_barrier "__syncthreads" \
    '0,/__syncthreads();/s//if (threadIdx.x < 100) __syncthreads();/'
broken misaligned "misaligned" \
    's/N % 4 == 0 .. (uintptr_t)y % 16 == 0 .. (uintptr_t)x % 16 == 0/true/'

build header gcc -std=c99 -pedantic -Wall -Wextra -Werror $include -c $tests/header.c \
    -o $dir/header.o \
    && link header $dir/header.o $dir/softmax.o $all && $dir/header >> $log
for mode in fast checked; do
    [ $mode = fast ] && objects="$dir/softmax.fast.o $fast" || objects="$dir/softmax.o $all"
    if ! command -v python3 > /dev/null; then
        skipped=$((skipped + 1))
    elif link softmax.$mode.so -shared $objects; then
        python3 $tests/shared.py $dir/softmax.$mode.so >> $log
    fi
done

# signatures FILES: the signature of each function, on one line, without the place of the call.
signatures() {
    cat "$@" | awk '/^static __device__/ { on = 1; text = last ~ /^template/ ? last " " : "" }
        on { sub(/^ +/, " "); sub(/ *\{.*/, ""); text = text $0 }
        on && /\)$/ { print text; on = 0 }
        { last = $0 }' |
        sed 's/, *TILE_HERE)/)/; s/(TILE_HERE)/(void)/'
}

# Every function of PTX has a twin of the same signature, and nvcc takes it for the oldest GPU. (Those
# of wgmma come from a script and a macro: hopper.cu uses both.)
signatures emulator/tile_*.h > $dir/twins
while read -r signature; do
    if grep -qxF "$signature" $dir/twins; then echo "ok twin"
    else echo "FAIL no twin in emulator/tile_*.h: $signature"; fi
done < <(signatures templates/ptx*.cu) >> $log
if command -v nvcc > /dev/null; then
    build nvcc nvcc -arch=sm_80 -Werror all-warnings -I $tests -c $tests/tensor.cu -o $dir/tensor.80.o \
        && echo "ok nvcc" >> $log
    cat templates/ptx.cu templates/ptx_sm90.cu <(scripts/wgmma.sh) > $dir/ptx.inc
    build nvcc nvcc -gencode arch=compute_90a,code=sm_90a -Werror all-warnings -I $tests -I $dir \
        -c $tests/hopper.cu -o $dir/hopper.90.o && echo "ok nvcc" >> $log
else
    skipped=$((skipped + 1))
fi

grep -v '^ok ' $log
passed=$(grep -c '^ok ' $log)
failed=$(grep -c '^FAIL ' $log)
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
