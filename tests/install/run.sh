#!/bin/sh
# run.sh -- make install: tilec, its stdlib, the emulator and tile.mk work from where they were put
here=$(cd "$(dirname "$0")" && pwd) || exit 2
root=$here/../..
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
unset TILECFLAGS MAKEFLAGS MAKELEVEL MFLAGS

# test_ NAME COMMAND..: counts it; shows what it said if it fails
test_() {
    name=$1
    shift
    if "$@" >"$work/log" 2>&1; then passed=$((passed + 1)); return; fi
    failed=$((failed + 1))
    echo "install: $name failed"
    head -n 20 "$work/log"
}
# made WHAT: what make now runs is this, of `tilec` and `cc` (a copy here), with a space behind each
made() {
    make >log 2>&1 || { cat log; return 1; }
    ran=$(sed -n 's,^[^ ]*/bin/tilec .*,tilec,p; s,^cp .*,cc,p' log | tr '\n' ' ')
    [ "$ran" = "$1" ] || { echo "ran: '$ran'"; cat log; return 1; }
}
later() { sleep 1.1; touch "$@"; }

test_ "make install" make -s -C "$root" install "PREFIX=$work/there"
test_ "the manual" test -s "$work/there/share/man/man1/tilec.1"
mv "$work/there" "$work/moved"              # nothing may remember where it was
mkdir "$work/project"
cd "$work/project" || exit 2
tilec=$work/moved/bin/tilec

# ---- a project with a Makefile
cat >nets.tile <<'END'
use std.nn;
use "twice.tile";
kernel act<B: int = 256>(y: &mut tensor<f32, [N]> by [i: B], x: &tensor<f32, [N]>)
{
    y.store(twice(gelu(x.load_like(y))));
}
END
echo 'fn twice(x: tile<T, S>) -> tile<T, S> { return x + x; }' >twice.tile
cat >Makefile <<END
TILEC = $tilec
all: nets.o
include $work/moved/share/tilec/tile.mk
%.o: %.cu
	cp \$< \$@
END
test_ "translate with the stdlib" "$tilec" nets.tile -o other.cu
test_ "tile.mk: the first time" made "tilec cc "
test_ "tile.mk: the second time" made ""
later twice.tile
test_ "tile.mk: a used file is newer, the output as it was" made "tilec "
test_ "tile.mk: and then nothing" made ""
sed -i 's/x + x/x + x + x/' twice.tile && later twice.tile
test_ "tile.mk: a used file has changed" made "tilec cc "
sed -i 's/twice(\(gelu.*\)));/\1);/; /^use "/d' nets.tile && rm twice.tile && later nets.tile
test_ "tile.mk: a used file is gone" made "tilec cc "
test_ "tile.mk: and then nothing" made ""

# ---- the reference and the emulator
run() { "$tilec" run "$@" nets.tile act x=normal:1000 y=out.npy && [ -s out.npy ]; }
test_ "tilec run" run
test_ "tilec run --on=cpu" run --on=cpu --check
test_ "tilec doctor" sh -c "'$tilec' doctor | grep '^emulator.*/share/tilec/emulator'"

echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
