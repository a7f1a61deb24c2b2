# Makefile -- tilec: `make` builds ./tilec, `make demo` and `make test` need nothing else first
CC ?= cc
CFLAGS ?= -O2
PREFIX ?= /usr/local
RE2C ?= re2c
LEMON ?= lemon
B = build
TILEC = tilec

# The table of contents: the order in which a program travels.
SRC = arena name words source sym formula \
      diag excerpt explain codes near \
      token habit mistake parse ast \
      resolve scope define const symbol instance signature shape type axes where attribute own \
      build literal infer inline fns elementwise expr optional branch call call_make call_reduce \
      call_combine call_shape call_move call_mma call_order call_debug view at cover places method \
      method_load method_gather method_store method_like method_part stmt loop \
      elem ops opslist ir identity dump verify verify_access verify_along \
      bounds valid mixed pad_value pad_if padding padding_along padding_dump \
      simplify unused \
      interp interp_value interp_ops interp_shape interp_move interp_reduce interp_combine \
      interp_mma interp_order philox interp_debug interp_access interp_launch \
      pieces late layout tensor rename alike stream facts hints threads ladder plan_mma plan fills \
      web wish place spread text atom phase lazy cast element again quotient access scatter reduce \
      memory combine_function combine shared move regroup banks stage stage_notes pipeline boxes \
      ring mma fragments wgmma order debug waits body raster head tidy emit \
      template abi csym wrap contract launch launch_waves launch_boxes header file \
      npy recipe show launch_args run_driver run_emulator run_cpu run \
      options lines output pass doctor main
WARN = -std=c11 -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700 -Wall -Wextra
SANITIZE = -fsanitize=address,undefined -fno-omit-frame-pointer
OBJ = $(SRC:%=$B/%.o) $B/lex.o $B/tile.o $B/templates.o
ASAN = $(OBJ:$B/%.o=$B/asan/%.o)
COV = $(OBJ:$B/%.o=$B/cov/%.o)

all: $(TILEC) $B/tilec
asan: $B/tilec-asan
cov: $B/tilec-cov

# Linked beside and renamed: one that runs is not disturbed.
$(TILEC): $(OBJ)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $B/tilec.new $(OBJ) -lm && mv $B/tilec.new $@
$B/tilec: $(TILEC)
	@ln -sf $(abspath $(TILEC)) $@
$B/tilec-asan: $(ASAN)
	$(CC) $(SANITIZE) $(LDFLAGS) -o $@.new $(ASAN) -lm && mv $@.new $@
$B/tilec-cov: $(COV)
	$(CC) --coverage $(LDFLAGS) -o $@.new $(COV) -lm && mv $@.new $@

compile = $(CC) $(CFLAGS) $(WARN) -Itranslator -I$B -MMD -MP -c -o $@ $<
$B/%.o: translator/%.c $B/tile.h
	$(compile)
$B/%.o: $B/%.c $B/tile.h
	$(compile) -DNDEBUG
$B/asan/%.o: CFLAGS = -g -O1 $(SANITIZE) -DVERIFY -Wno-format-truncation
$B/asan/%.o: translator/%.c $B/tile.h | $B/asan
	$(compile)
$B/asan/%.o: $B/%.c $B/tile.h | $B/asan
	$(compile) -DNDEBUG
$B/cov/%.o: CFLAGS = -O0 --coverage -DVERIFY
$B/cov/%.o: translator/%.c $B/tile.h | $B/cov
	$(compile)
$B/cov/%.o: $B/%.c $B/tile.h | $B/cov
	$(compile) -DNDEBUG

# The front end under libFuzzer: all but the command and what runs kernels, and tests/fire.
FIRE = $(patsubst $B/%.o,$B/fire/%.o,$(filter-out $(patsubst %,$B/%.o,main doctor run run_cpu \
         run_emulator run_driver launch_args show recipe npy interp%),$(OBJ))) \
       $B/fire/target.o $B/fire/mutate.o
$B/fire/%.o: CC = clang
$B/fire/%.o: CFLAGS = -gline-tables-only -O1 $(SANITIZE) \
                      -fsanitize-coverage=inline-8bit-counters,pc-table \
                      -fno-sanitize-recover=undefined -DVERIFY
$B/fire/%.o: translator/%.c $B/tile.h | $B/fire
	$(compile)
$B/fire/%.o: $B/%.c $B/tile.h | $B/fire
	$(compile) -DNDEBUG
$B/fire/%.o: tests/fire/%.c | $B/fire
	$(compile)
$B/fuzz-front: $(FIRE)
	clang $(SANITIZE) -fsanitize=fuzzer -o $@ $(FIRE) -lm

# The lexer, the parser, the templates as strings: in build/ alone.
$B/lex.c: grammar/tile.re | $B
	$(RE2C) -i -W --no-generation-date -o $@ $<
$B/tile.c: grammar/tile.y | $B
	$(LEMON) -c -p -s -l -q -d$B $< >$B/tile.log || { cat $B/tile.log; rm -f $@; false; }
$B/tile.h: $B/tile.c ;
$B/templates.c: scripts/embed.sh $(sort $(wildcard templates/*.cu)) $B/wgmma.cu | $B
	scripts/embed.sh $(filter %.cu,$^) >$@
$B/wgmma.cu: scripts/wgmma.sh | $B
	scripts/wgmma.sh --tiles >$@
$B $B/asan $B/cov $B/fire:
	mkdir -p $@

demo:
	@scripts/deps.sh && scripts/demo.sh
test:
	@scripts/deps.sh && $(MAKE) -s -j$$(nproc) all asan && tests/run.sh
test-gpu: all
	@tests/gpu.sh
# The front end under libFuzzer: make fuzz-front SECONDS=600
SECONDS = 60
fuzz-front:
	@tests/fire/fuzz.sh $(SECONDS)
# Random programs, by the date unless a SEED is given: make fuzz SECONDS=600 SEED=7
FUZZ = --seconds $(SECONDS) $(if $(SEED),--seed $(SEED)) --coverage
fuzz: all
	@tests/fuzz/run.sh $(FUZZ)
fuzz-gpu: all
	@tests/fuzz/run.sh $(FUZZ) --gpu
# What of translator/ the tests run, by lines.
coverage:
	@$(MAKE) -s -j$$(nproc) all cov && tests/coverage.sh
# COUNT small wrong changes of the translator, drawn by SEED: a test has to fail for each.
COUNT = 40
mutants: all asan
	python3 tests/mutants/run.py --seed $(or $(SEED),1) --count $(COUNT)
bench: all
	python3 bench/bench.py
# Contractions: make bench-gemm ARGS='--only "bf16 nt" --all'
bench-gemm: all
	python3 bench/gemm.py $(ARGS)
# The .cu and .h beside each example, as they are committed.
examples: all
	@scripts/examples.sh
lint:
	@scripts/lint.sh

SHARE = $(DESTDIR)$(PREFIX)/share
install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(SHARE)/tilec $(SHARE)/man/man1
	install -m 755 $(TILEC) $(DESTDIR)$(PREFIX)/bin/tilec
	install -m 644 docs/tilec.1 $(SHARE)/man/man1/tilec.1
	install -m 644 tile.mk $(SHARE)/tilec/tile.mk
	rm -rf $(SHARE)/tilec/stdlib $(SHARE)/tilec/emulator
	cp -R stdlib emulator $(SHARE)/tilec/

clean:
	rm -rf $B $(TILEC)

-include $(OBJ:.o=.d) $(ASAN:.o=.d) $(COV:.o=.d) $(FIRE:.o=.d)
.PHONY: all asan cov demo test test-gpu fuzz fuzz-gpu fuzz-front coverage mutants \
        bench bench-gemm examples lint install clean
