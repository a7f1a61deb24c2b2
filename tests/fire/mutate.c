/* mutate.c -- other programs of a program: words changed for words of their kind, pieces moved
 *
 * A text is cut into words: names, numbers, strings, comments, space, signs. A piece is an operand
 * with its brackets, what stands in brackets, a statement, or a line. Pieces are dropped, doubled,
 * exchanged, or come from another text; bytes are left to libFuzzer and its dictionary.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *text, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *text, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t na, const uint8_t *b, size_t nb,
                                 uint8_t *out, size_t room, unsigned seed);

enum { MOST_WORDS = 1 << 14 };
typedef struct { const char *at; int n; } Word;    /* n bytes, or for a piece n words */
typedef struct { Word word[MOST_WORDS]; int n; } Words;
typedef struct { int from, to; } Piece;            /* words from .. to - 1 */

static Words ours, theirs;
static uint32_t state;

/* A number below n. */
static int below(int n)
{
    state = state * 1664525u + 1013904223u;
    return n > 0 ? (int)((state >> 8) % (uint32_t)n) : 0;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* May c stand in a name or number? */
static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The length of the word at the start of these n bytes. */
static int word_length(const char *s, int n)
{
    int i = 1;
    if (isspace((unsigned char)*s)) while (i < n && isspace((unsigned char)s[i])) i++;
    else if (in_name(*s)) while (i < n && in_name(s[i])) i++;
    else if (*s == '"') { while (i < n && s[i] != '"' && s[i] != '\n') i++; i += i < n; }
    else if (n > 1 && !strncmp(s, "//", 2)) while (i < n && s[i] != '\n') i++;
    else while (i < n && i < 3 && strchr("=<>&|.+-*/%^", *s) && strchr("=<>&|.+", s[i])) i++;
    return i;
}

/* Cuts a text into words; the end of a very long one is left out. */
static void cut(Words *w, const uint8_t *text, size_t size)
{
    const char *s = (const char *)text, *end = s + size;
    for (w->n = 0; s < end && w->n < MOST_WORDS; w->n++) {
        w->word[w->n] = (Word){ s, word_length(s, (int)(end - s)) };
        s += w->word[w->n].n;
    }
}

/* Is it this word? */
static bool is(const Words *w, int i, const char *s)
{
    return i < w->n && w->word[i].n == (int)strlen(s) && !memcmp(w->word[i].at, s, strlen(s));
}

/* Does the word begin with one of these? */
static bool starts(const Words *w, int i, const char *among)
{
    return i < w->n && *w->word[i].at && strchr(among, *w->word[i].at);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

/* Behind the bracket that closes the one at i, or i + 1 if none does. */
static int behind_bracket(const Words *w, int i)
{
    int depth = 0;
    for (int k = i; k < w->n; k++) {
        depth += starts(w, k, "([{") - starts(w, k, ")]}");
        if (depth == 0) return k + 1;
    }
    return i + 1;
}

/* Behind the operand at i: a name or brackets, then members and brackets. */
static int behind_operand(const Words *w, int i)
{
    int to = starts(w, i, "([") ? behind_bracket(w, i) : i + 1;
    while (to < w->n) {
        if (starts(w, to, "([")) to = behind_bracket(w, to);
        else if (is(w, to, ".") && to + 1 < w->n) to += 2;
        else break;
    }
    return to;
}

/* Behind the next `;`, or the block before it, that ends what is at i. */
static int behind_statement(const Words *w, int i)
{
    for (int k = i; k < w->n; k++) {
        if (is(w, k, ";") || starts(w, k, ")]}")) return k + 1;
        if (starts(w, k, "([{")) {
            bool block = starts(w, k, "{");
            k = behind_bracket(w, k) - 1;
            if (block) return k + 1;
        }
    }
    return w->n;
}

/* A piece of one of four kinds that begins at a chance place. */
static Piece piece_of(const Words *w, int kind)
{
    for (int turn = 0; turn < 50; turn++) {
        int i = below(w->n);
        if (kind == 0 && (starts(w, i, "([") || (w->n && in_name(*w->word[i].at))))
            return (Piece){ i, behind_operand(w, i) };
        if (kind == 1 && starts(w, i, "([{"))
            return (Piece){ i + 1, behind_bracket(w, i) - 1 };
        if (kind == 2 && (i == 0 || starts(w, i - 1, ";{}\n")))
            return (Piece){ i, behind_statement(w, i) };
        if (kind == 3) return (Piece){ i, i + 1 + below(4) > w->n ? w->n : i + 1 + below(4) };
    }
    return (Piece){ 0, 0 };
}

/* ---- output ---------------------------------------------------------------------------------- */

typedef struct { uint8_t *at; size_t n, room; } Out;

/* Adds bytes, as far as there is room. */
static void put(Out *o, const char *s, size_t n)
{
    if (n > o->room - o->n) n = o->room - o->n;
    if (n) memcpy(o->at + o->n, s, n);
    o->n += n;
}

/* Adds words from .. to - 1. */
static void put_words(Out *o, const Words *w, int from, int to)
{
    if (to > w->n) to = w->n;
    for (int i = from; i < to; i++) put(o, w->word[i].at, (size_t)w->word[i].n);
}

/* ---- one word for another -------------------------------------------------------------------- */

static const char *const types[] = { "f32", "f16", "bf16", "f64", "i8", "i16", "i32", "i64", "u8",
                                     "u16", "u32", "u64", "bool", "f8e4m3", "f8e5m2", "tf32", NULL };
static const char *const signs[] = { "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", NULL };
static const char *const compare[] = { "<", "<=", ">", ">=", "==", "!=", "&&", "||", NULL };
static const char *const assigns[] = { "=", "+=", "-=", "*=", "/=", "|=", "<<=", NULL };
static const char *const folds[] = { "sum", "prod", "max", "min", "mean", "any", "all", "argmax",
                                     "argmin", "cumsum", "sort", "topk", "flip", "histogram", NULL };
static const char *const methods[] = { "load", "load_like", "gather", "store", "add", "scatter_add",
                                       "at", "like", "scatter_unsafe", NULL };
static const char *const open[] = { "&", "&mut", "&atomic", NULL };
static const char *const flow[] = { "if", "while", "for", "static for", "static if", NULL };
static const char *const numbers[] = {
    "0", "1", "2", "3", "4", "5", "7", "8", "16", "17", "31", "32", "33", "64", "100", "128", "255",
    "256", "257", "1000", "1024", "4096", "65536", "2147483647", "2147483648", "4294967296",
    "9223372036854775807", "9223372036854775808", "0.5", "1e38", "1e39", "1e-46", "inf", "nan", "-1",
    "true", "false", NULL };
static const char *const ops[] = {
#define OP(name, ...) #name,
#include "../../translator/ops.def"
#undef OP
    NULL };
static const char *const *const families[] = { types, signs, compare, assigns, folds, methods, open,
                                               flow, numbers, ops };

/* Another word of a family that this one is in; NULL if it is in none. */
static const char *relative(const Words *w, int i)
{
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        int n = 0;
        bool found = families[f] == numbers && isdigit((unsigned char)*w->word[i].at);
        for (; families[f][n]; n++) found = found || is(w, i, families[f][n]);
        if (found) return families[f][below(n)];
    }
    return NULL;
}

/* The text with one word changed: for a relative, or for another name of the text. */
static void change_word(Out *o)
{
    int i = below(ours.n);
    const char *other = NULL;
    for (int turn = 0; turn < 50 && !other; turn++) {
        i = below(ours.n);
        other = in_name(*ours.word[i].at) || ispunct((unsigned char)*ours.word[i].at)
              ? relative(&ours, i) : NULL;
        if (!other && below(3) == 0 && in_name(*ours.word[i].at)) break;
    }
    put_words(o, &ours, 0, i);
    Piece name = piece_of(&ours, 0);
    if (other) put(o, other, strlen(other));
    else put_words(o, &ours, name.from, name.from + 1);
    put_words(o, &ours, i + 1, ours.n);
}

/* ---- pieces moved ---------------------------------------------------------------------------- */

/* The text with two pieces exchanged; they may overlap, then the second one is only dropped. */
static void swap(Out *o, Piece a, Piece b)
{
    if (b.from < a.from) { Piece c = a; a = b; b = c; }
    put_words(o, &ours, 0, a.from);
    put_words(o, &ours, b.from, b.to);
    if (b.from >= a.to) {
        put_words(o, &ours, a.to, b.from);
        put_words(o, &ours, a.from, a.to);
    }
    put_words(o, &ours, a.to > b.to ? a.to : b.to, ours.n);
}

/* The text with a piece of its own in the place of another, or put in before it. */
static void replace(Out *o, Piece a, const Words *from, Piece b, bool keep)
{
    put_words(o, &ours, 0, a.from);
    put_words(o, from, b.from, b.to);
    put_words(o, &ours, keep ? a.from : a.to, ours.n);
}

/* Wraps an operand: in a sign, a cast, a function. */
static void wrap(Out *o, Piece a)
{
    static const char *const with[][2] = {
        { "-", "" }, { "!", "" }, { "(", ")" }, { "(", " as f16)" }, { "(", " as i64)" },
        { "sum(", ", axis = 0)" }, { "max(", ", axis = 1, keepdims = true)" }, { "exp(", ")" },
        { "expand(", ", 1)" }, { "select(true, ", ", 1)" }, { "(", " + 1)" }, { "(2 * ", ")" },
        { "(", " as bool)" }, { "permute(", ", [1, 0])" }, { "reshape(", ", [1, N])" },
        { "broadcast_to(", ", [8, 8])" }, { "cumsum(", ", axis = 0)" }, { "fill(", ", 0)" },
    };
    int k = below((int)(sizeof with / sizeof *with));
    put_words(o, &ours, 0, a.from);
    put(o, with[k][0], strlen(with[k][0]));
    put_words(o, &ours, a.from, a.to);
    put(o, with[k][1], strlen(with[k][1]));
    put_words(o, &ours, a.to, ours.n);
}

/* ---- what libFuzzer calls -------------------------------------------------------------------- */

/* Changes a text in place, once to four times; its new size. */
size_t LLVMFuzzerCustomMutator(uint8_t *text, size_t size, size_t room, unsigned seed)
{
    state = seed;
    uint8_t *old = malloc(room);
    for (int turns = 1 + below(4); turns > 0; turns--) {
        if (below(8) == 0 || size == 0) {
            size = LLVMFuzzerMutate(text, size, room);
            continue;
        }
        memcpy(old, text, size);
        cut(&ours, old, size);
        Out o = { text, 0, room };
        int kind = below(4);
        Piece a = piece_of(&ours, kind), b = piece_of(&ours, kind);
        switch (below(8)) {
        case 0: case 1: case 2: change_word(&o); break;
        case 3: replace(&o, a, &ours, (Piece){ 0, 0 }, false); break;
        case 4: replace(&o, a, &ours, a, true); break;
        case 5: swap(&o, a, b); break;
        case 6: replace(&o, a, &ours, b, below(2)); break;
        default: wrap(&o, piece_of(&ours, 0)); break;
        }
        size = o.n;
    }
    free(old);
    return size;
}

/* A piece of b in the place of one of a, or before it. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t na, const uint8_t *b, size_t nb,
                                 uint8_t *out, size_t room, unsigned seed)
{
    state = seed;
    cut(&ours, a, na);
    cut(&theirs, b, nb);
    Out o = { out, 0, room };
    int kind = below(4);
    Piece there = piece_of(&ours, kind), piece = piece_of(&theirs, kind);
    replace(&o, there, &theirs, piece, below(2));
    return o.n;
}
