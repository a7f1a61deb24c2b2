# Makefile -- tilec: `make` builds ./tilec, `make demo` and `make test` need nothing else first
CC ?= cc
CFLAGS ?= -O2
PREFIX ?= /usr/local
RE2C ?= re2c
LEMON ?= lemon
B = build
TILEC = tilec

WARN = -std=c11 -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700 -Wall -Wextra
SANITIZE = -fsanitize=address,undefined -fno-omit-frame-pointer
SRC = $(sort $(notdir $(wildcard translator/*.c)))
OBJ = $(SRC:%.c=$B/%.o) $B/lex.o $B/tile.o $B/templates.o
ASAN = $(OBJ:$B/%.o=$B/asan/%.o)
LINK = -no-pie -Wl,--unresolved-symbols=ignore-all -lm

all: $(TILEC) $B/tilec
asan: $B/tilec-asan

# Linked beside and renamed: one that runs is not disturbed.
$(TILEC): $(OBJ)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $B/tilec.new $(OBJ) $(LINK) && mv $B/tilec.new $@
$B/tilec: $(TILEC)
	@ln -sf $(abspath $(TILEC)) $@
$B/tilec-asan: $(ASAN)
	$(CC) $(SANITIZE) $(LDFLAGS) -o $@.new $(ASAN) $(LINK) && mv $@.new $@

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

# The lexer, the parser, the templates as strings: in build/ alone.
$B/lex.c: grammar/tile.re | $B
	$(RE2C) -i -W --no-generation-date -o $@ $<
$B/tile.c: grammar/tile.y | $B
	$(LEMON) -c -p -s -l -q -d$B $< >$B/tile.log || { cat $B/tile.log; rm -f $@; false; }
$B/tile.h: $B/tile.c ;
$B/templates.c: scripts/embed.sh $(sort $(wildcard templates/*.cu)) | $B
	scripts/embed.sh $(filter %.cu,$^) >$@
$B $B/asan:
	mkdir -p $@

clean:
	rm -rf $B $(TILEC)

-include $(OBJ:.o=.d) $(ASAN:.o=.d)
.PHONY: all asan clean
