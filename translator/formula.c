/* formula.c -- reading integers by formula: divisors, atoms, text, numbers */
#include "base.h"
#include <stdlib.h>

/* ---- what divides it ------------------------------------------------------------------------- */

/* The greatest common divisor; of 0 and b it is b. */
static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) { uint64_t r = a % b; a = b; b = r; }
    return a;
}

static uint64_t magnitude(int64_t k) { return k < 0 ? 0 - (uint64_t)k : (uint64_t)k; }

/* The largest number that is known to divide s; 0 if s is 0. */
static uint64_t divisor(Sym s)
{
    uint64_t d = magnitude(s->k), wider;
    switch (s->kind) {
    case SYM_CONST:
        return d;
    case SYM_PRODUCT:
        for (int i = 0; i < s->n; i++)
            if (!__builtin_mul_overflow(d, divisor(s->kid[i]), &wider)) d = wider;
        return d;
    case SYM_SUM: case SYM_MOD: case SYM_MIN: case SYM_MAX:
        for (int i = 0; i < s->n; i++) d = gcd(d, divisor(s->kid[i]));
        return d;
    case SYM_NAME: case SYM_VALUE: case SYM_DIV: case SYM_CEIL: case SYM_BAD:
        return 1;
    }
    return 1;
}

/* Does d divide s, whatever the names are? */
bool sym_divides(int64_t d, Sym s)
{
    if (s->kind == SYM_BAD) return false;
    uint64_t known = divisor(s);
    return d == 0 ? known == 0 : known % magnitude(d) == 0;
}

/* ---- its atoms ------------------------------------------------------------------------------- */

/* Is there an atom, a division or the like among them, for which is() holds? */
bool sym_mentions(Sym s, bool (*is)(Sym atom, void *arg), void *arg)
{
    bool inner = s->kind == SYM_SUM || s->kind == SYM_PRODUCT;
    if (!inner && s->kind != SYM_CONST && s->kind != SYM_BAD && is(s, arg)) return true;
    for (int i = 0; i < s->n; i++)
        if (sym_mentions(s->kid[i], is, arg)) return true;
    return false;
}

/* The formula with other names and values in it: atom() gives what stands for each. */
Sym sym_replace(Sym s, Sym (*atom)(Sym atom, void *arg), void *arg)
{
    Sym made, a, b;
    switch (s->kind) {
    case SYM_CONST: case SYM_BAD:
        return s;
    case SYM_NAME: case SYM_VALUE:
        return atom(s, arg);
    case SYM_SUM: case SYM_PRODUCT:
        made = sym_const(s->k);
        for (int i = 0; i < s->n; i++) {
            a = sym_replace(s->kid[i], atom, arg);
            made = s->kind == SYM_SUM ? sym_add(made, a) : sym_mul(made, a);
        }
        return made;
    case SYM_DIV: case SYM_MOD: case SYM_CEIL: case SYM_MIN: case SYM_MAX:
        break;
    }
    a = sym_replace(s->kid[0], atom, arg);
    b = sym_replace(s->kid[1], atom, arg);
    if (s->kind == SYM_DIV) return sym_div(a, b);
    if (s->kind == SYM_MOD) return sym_mod(a, b);
    if (s->kind == SYM_CEIL) return sym_ceil(a, b);
    return s->kind == SYM_MIN ? sym_min(a, b) : sym_max(a, b);
}

/* ---- its number ------------------------------------------------------------------------------ */

/* The floor quotient by a number but 0; false on overflow. */
static bool floor_quotient(int64_t a, int64_t b, int64_t *q)
{
    if (a == INT64_MIN && b == -1) return false;
    *q = a / b - (a % b != 0 && (a < 0) != (b < 0));
    return true;
}

/* The number of a division, remainder, minimum or maximum. */
static bool eval2(SymKind kind, int64_t a, int64_t b, int64_t *k)
{
    if (kind == SYM_MIN) return *k = a < b ? a : b, true;
    if (kind == SYM_MAX) return *k = a > b ? a : b, true;
    if (kind == SYM_MOD && b == -1) return *k = 0, true;
    if (b == 0) return *k = kind == SYM_MOD ? a : 0, true;     /* as everywhere in the language */
    if (!floor_quotient(a, b, k)) return false;
    if (kind == SYM_MOD) *k = a - b * *k;
    if (kind == SYM_CEIL) *k += a % b != 0;
    return true;
}

/* One more summand or factor; false on overflow. */
static bool eval_more(SymKind kind, int64_t a, int64_t *k)
{
    return kind == SYM_SUM ? !__builtin_add_overflow(*k, a, k) : !__builtin_mul_overflow(*k, a, k);
}

/* The number of s, if atom() gives those of names and values; false if not, on overflow. */
bool sym_eval(Sym s, bool (*atom)(Sym atom, int64_t *k, void *arg), void *arg, int64_t *k)
{
    int64_t a, b;
    switch (s->kind) {
    case SYM_BAD:
        return false;
    case SYM_CONST:
        return *k = s->k, true;
    case SYM_NAME: case SYM_VALUE:
        return atom(s, k, arg);
    case SYM_SUM: case SYM_PRODUCT:
        *k = s->k;
        for (int i = 0; i < s->n; i++)
            if (!sym_eval(s->kid[i], atom, arg, &a) || !eval_more(s->kind, a, k)) return false;
        return true;
    case SYM_DIV: case SYM_MOD: case SYM_CEIL: case SYM_MIN: case SYM_MAX:
        return sym_eval(s->kid[0], atom, arg, &a) && sym_eval(s->kid[1], atom, arg, &b)
            && eval2(s->kind, a, b, k);
    }
    return false;
}

/* ---- its text -------------------------------------------------------------------------------- */

typedef enum { IN_SUM, IN_PRODUCT, IN_DIVISOR } Place;
static void add_text(Text *t, Sym s, Place place);

/* A product without its sign. */
static void add_product(Text *t, Sym s)
{
    uint64_t k = magnitude(s->k);
    if (k != 1) text_printf(t, "%llu * ", (unsigned long long)k);
    for (int i = 0; i < s->n; i++) {
        if (i) text_printf(t, " * ");
        add_text(t, s->kid[i], IN_DIVISOR);
    }
}

/* M - N + 1: what is added comes first. */
static void add_sum(Text *t, Sym s)
{
    size_t start = t->n;
    bool number_first = s->k > 0;
    for (int i = 0; i < s->n; i++) number_first = number_first && s->kid[i]->k < 0;
    if (number_first) text_printf(t, "%lld", (long long)s->k);
    for (int minus = 0; minus < 2; minus++) {
        for (int i = 0; i < s->n; i++) {
            if ((s->kid[i]->k < 0) != minus) continue;
            text_printf(t, "%s", t->n == start ? minus ? "-" : "" : minus ? " - " : " + ");
            add_product(t, s->kid[i]);
        }
    }
    if (s->k && !number_first)
        text_printf(t, " %c %llu", s->k < 0 ? '-' : '+', (unsigned long long)magnitude(s->k));
}

/* Adds ceil(a, b) and the like. */
static void add_call(Text *t, const char *name, Sym s)
{
    text_printf(t, "%s(", name);
    add_text(t, s->kid[0], IN_SUM);
    text_printf(t, ", ");
    add_text(t, s->kid[1], IN_SUM);
    text_printf(t, ")");
}

/* Adds s, in parentheses if it is looser than its place. */
static void add_text(Text *t, Sym s, Place place)
{
    bool product = s->kind == SYM_PRODUCT || s->kind == SYM_DIV || s->kind == SYM_MOD;
    bool minus = (s->kind == SYM_CONST || s->kind == SYM_PRODUCT) && s->k < 0;
    bool loose = ((s->kind == SYM_SUM || minus) && place > IN_SUM)
              || (product && place > IN_PRODUCT);
    if (loose) text_printf(t, "(");
    switch (s->kind) {
    case SYM_CONST: text_printf(t, "%lld", (long long)s->k); break;
    case SYM_NAME:  text_printf(t, "%s", s->name->text); break;
    case SYM_VALUE: text_printf(t, ".."); break;   /* dumps replace it by a name that they know */
    case SYM_SUM:   add_sum(t, s); break;
    case SYM_PRODUCT:
        if (s->k < 0) text_printf(t, "-");
        add_product(t, s);
        break;
    case SYM_DIV: case SYM_MOD:
        add_text(t, s->kid[0], IN_PRODUCT);
        text_printf(t, s->kind == SYM_DIV ? " / " : " %% ");
        add_text(t, s->kid[1], IN_DIVISOR);
        break;
    case SYM_CEIL:  add_call(t, "ceil", s); break;
    case SYM_MIN:   add_call(t, "min", s); break;
    case SYM_MAX:   add_call(t, "max", s); break;
    case SYM_BAD:   text_printf(t, "?"); break;
    }
    if (loose) text_printf(t, ")");
}

/* As a person would write it: ceil(M, 8) * N + 1. */
const char *sym_text(Sym s)
{
    Text t = { 0 };
    add_text(&t, s, IN_SUM);
    return t.at;
}
