/* csym.c -- integers by formula as C expressions */
#include "launch.h"

/* How tightly an expression holds together; an operand looser than its place gets parentheses. */
typedef enum { LOOSE_SUM, LOOSE_PRODUCT, LOOSE_ATOM } Tightness;

typedef struct {
    const char *(*atom)(Sym atom, void *arg);
    const char *(*known)(Sym s, void *arg);        /* the name of a formula, or NULL */
    void *arg;
    const Kernel *kernel;                          /* whose extents are not negative, or NULL */
    bool host;                                     /* nothing may overflow: by tile_times */
} Printer;

static const char *print(const Printer *p, Sym s, Tightness least);

/* ---- signs ----------------------------------------------------------------------------------- */

/* Is it the name of an extent? */
static bool is_extent(const Kernel *k, Name name)
{
    for (int i = 0; k && i < k->extents.n; i++)
        if (k->extents.at[i] == name)
            return true;
    return false;
}

/* Is it the index of a program axis? */
static bool is_program_index(const Kernel *k, const void *value)
{
    for (int i = 0; k && i < k->axes.n; i++)
        if (k->axes.at[i].index == value)
            return true;
    return false;
}

/* The scalar parameter that an atom stands for, by name or value; NULL if it is none. */
static const Param *scalar_of(const Kernel *k, Sym s)
{
    for (int i = 0; k && i < k->params.n; i++) {
        const Param *p = &k->params.at[i];
        bool same = s->kind == SYM_NAME ? p->name == s->name
                                        : s->kind == SYM_VALUE && p->value == s->value;
        if (same && p->kind == PARAM_SCALAR)
            return p;
    }
    return NULL;
}

/* Are all operands known not to be negative? */
static bool kids_not_negative(const Kernel *k, Sym s)
{
    for (int i = 0; i < s->n; i++)
        if (!sym_not_negative(k, s->kid[i]))
            return false;
    return true;
}

/* Is s at least 0 whatever the extents and program indices are? */
bool sym_not_negative(const Kernel *k, Sym s)
{
    switch (s->kind) {
    case SYM_CONST: return s->k >= 0;
    case SYM_NAME:  return is_extent(k, s->name);
    case SYM_VALUE: return is_program_index(k, s->value);
    case SYM_SUM: case SYM_PRODUCT: return s->k >= 0 && kids_not_negative(k, s);
    case SYM_DIV: case SYM_MOD: case SYM_CEIL: case SYM_MIN: return kids_not_negative(k, s);
    case SYM_MAX: return sym_not_negative(k, s->kid[0]) || sym_not_negative(k, s->kid[1]);
    case SYM_BAD: return false;
    }
    return false;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* A number as a literal. */
static const char *number(int64_t k)
{
    return k == INT64_MIN ? "(-9223372036854775807 - 1)" : arena_printf("%lld", (long long)k);
}

/* The text, in parentheses if asked for. */
static const char *in_parentheses(const char *text, bool yes)
{
    return yes ? arena_printf("(%s)", text) : text;
}

/* An extent is below 2^42, so its product with a number below 2^18 and sums of such fit. */
static bool is_small(const Printer *p, Sym s, int64_t k)
{
    const Param *scalar = scalar_of(p->kernel, s);
    bool narrow = scalar && elem_info[scalar->type.elem].bytes < 8;
    return k < (1 << 18) && (narrow || (s->kind == SYM_NAME && is_extent(p->kernel, s->name)));
}

/* k * kid * kid .. that cannot overflow: tile_times(2, M, N). */
static const char *bounded(const Printer *p, Sym s, int64_t k)
{
    Pieces factors = { 0 };
    if (k != 1 || s->n == 1)
        push(&factors, number(k));
    for (int i = 0; i < s->n; i++)
        push(&factors, print(p, s->kid[i], LOOSE_SUM));
    return arena_printf("tile_times(%s)", joined(&factors, ", "));
}

/* Is it a term that a sum subtracts? */
static bool is_minus(Sym s)
{
    return s->kind == SYM_PRODUCT && s->k < 0 && s->k != INT64_MIN;
}

/* |k| * kid * kid ..: the sign is the sum's business. */
static const char *magnitude(const Printer *p, Sym s)
{
    Text t = { 0 };
    if (s->kind != SYM_PRODUCT)
        return print(p, s, LOOSE_PRODUCT);
    Sym plus = is_minus(s) ? sym_sub(sym_const(0), s) : s;
    const char *name = p->known ? p->known(plus, p->arg) : NULL;
    if (name)
        return name;
    int64_t k = s->k < 0 && s->k != INT64_MIN ? -s->k : s->k;
    if (p->host && s->n > 0 && (s->n > 1 || !is_small(p, s->kid[0], k)))
        return bounded(p, s, k);
    if (k != 1 || s->n == 0)
        text_printf(&t, "%s", number(k));
    for (int i = 0; i < s->n; i++)
        text_printf(&t, "%s%s", t.n ? " * " : "", print(p, s->kid[i], LOOSE_ATOM));
    return t.at;
}

/* Terms with a plus, those with a minus, then the number: M - N - 1. */
static const char *sum(const Printer *p, Sym s)
{
    Text t = { 0 };
    bool number_first = s->k != 0;
    for (int i = 0; i < s->n; i++)
        number_first = number_first && is_minus(s->kid[i]);
    if (number_first)
        text_printf(&t, "%s", number(s->k));
    for (int minus = 0; minus < 2; minus++)
        for (int i = 0; i < s->n; i++)
            if (is_minus(s->kid[i]) == minus)
                text_printf(&t, "%s%s", t.n ? minus ? " - " : " + " : minus ? "-" : "",
                            magnitude(p, s->kid[i]));
    if (s->k != 0 && !number_first)
        text_printf(&t, s->k < 0 && s->k != INT64_MIN ? " - %s" : " + %s",
                    number(s->k < 0 && s->k != INT64_MIN ? -s->k : s->k));
    return t.at;
}

/* function(a, b). */
static const char *call(const Printer *p, const char *function, Sym s)
{
    return arena_printf("%s(%s, %s)", function, print(p, s->kid[0], LOOSE_SUM),
                        print(p, s->kid[1], LOOSE_SUM));
}

/* C's own / and % where both are right for them: no minus, and a divisor that is a number but 0. */
static const char *quotient(const Printer *p, Sym s, Tightness least)
{
    int64_t k;
    const char *function = s->kind == SYM_DIV ? "tile_div" : "tile_mod";
    if (!sym_not_negative(p->kernel, s->kid[0]) || !sym_const_of(s->kid[1], &k) || k <= 0)
        return call(p, function, s);
    const char *text = arena_printf("%s %s %s", print(p, s->kid[0], LOOSE_PRODUCT),
                                    s->kind == SYM_DIV ? "/" : "%", number(k));
    return in_parentheses(text, least > LOOSE_SUM);
}

/* The text of a name or a value. */
static const char *atom_text(const Printer *p, Sym s)
{
    const char *text = p->atom ? p->atom(s, p->arg) : NULL;
    return text ? text : s->kind == SYM_NAME ? c_name(s->name) : "0";
}

/* The text of s, in parentheses if it is looser than its place. */
static const char *print(const Printer *p, Sym s, Tightness least)
{
    const char *name = p->known ? p->known(s, p->arg) : NULL;
    if (name)
        return name;
    switch (s->kind) {
    case SYM_CONST:   return in_parentheses(number(s->k), s->k < 0 && least > LOOSE_SUM);
    case SYM_NAME: case SYM_VALUE: case SYM_BAD: return atom_text(p, s);
    case SYM_SUM:     return in_parentheses(sum(p, s), least > LOOSE_SUM);
    case SYM_PRODUCT: return in_parentheses(arena_printf("%s%s", is_minus(s) ? "-" : "",
                                                         magnitude(p, s)), least > LOOSE_PRODUCT);
    case SYM_DIV: case SYM_MOD: return quotient(p, s, least);
    case SYM_CEIL:    return call(p, "tile_ceil", s);
    case SYM_MIN:     return call(p, "tile_min", s);
    case SYM_MAX:     return call(p, "tile_max", s);
    }
    return "0";
}

/* As C for a kernel, whose extents are known not to be negative. */
const char *c_sym_in(const Kernel *k, Sym s, const char *(*atom)(Sym atom, void *arg), void *arg)
{
    Printer p = { .atom = atom, .arg = arg, .kernel = k };
    return print(&p, s, LOOSE_SUM);
}

/* The name of a scalar parameter; of one that is no int64_t, as one. */
static const char *host_atom(Sym s, void *arg)
{
    const Param *p = scalar_of(arg, s);
    return !p ? NULL : p->type.elem == EL_I64 ? c_name(p->name)
                                              : arena_printf("(int64_t)%s", c_name(p->name));
}

/* As C for the launch function of a kernel. */
const char *c_sym_host(const Kernel *k, Sym s)
{
    Printer p = { .atom = host_atom, .arg = (void *)k, .kernel = k, .host = true };
    return print(&p, s, LOOSE_SUM);
}

/* As C, with names for atoms and for formulas that are known already (NULL: it is not). */
const char *c_sym_with(Sym s, const char *(*atom)(Sym atom, void *arg),
                       const char *(*known)(Sym s, void *arg), void *arg)
{
    Printer p = { .atom = atom, .known = known, .arg = arg };
    return print(&p, s, LOOSE_SUM);
}

/* As C. */
const char *c_sym(Sym s)
{
    return c_sym_in(NULL, s, NULL, NULL);
}

/* ---- programs -------------------------------------------------------------------------------- */

/* Does another count of the axis, of an output that is always there, say the same? */
static bool repeated(const Kernel *k, const Axis *axis, int count)
{
    const struct Count *c = &axis->counts.at[count];
    for (int i = 0; i < axis->counts.n; i++) {
        const struct Count *other = &axis->counts.at[i];
        bool always = other->param < 0 || !k->params.at[other->param].optional;
        if (i != count && other->count == c->count && always
            && (i < count || (c->param >= 0 && k->params.at[c->param].optional)))
            return true;
    }
    return false;
}

/* The largest of the counts of an axis. */
static const char *programs(const Kernel *k, const Axis *axis, bool host)
{
    const char *most = NULL;
    for (int i = 0; i < axis->counts.n; i++) {
        const struct Count *c = &axis->counts.at[i];
        if (repeated(k, axis, i))
            continue;
        const char *text = host ? c_sym_host(k, c->count) : c_sym_in(k, c->count, NULL, NULL);
        if (c->param >= 0 && k->params.at[c->param].optional)
            text = arena_printf("%s ? %s : 0", c_name(k->params.at[c->param].name), text);
        else if (!sym_not_negative(k, c->count))
            text = arena_printf("tile_max(%s, 0)", text);
        most = most ? arena_printf("tile_max(%s, %s)", most, text) : text;
    }
    return most ? most : "1";
}

/* For device code. */
const char *c_programs(const Kernel *k, const Axis *axis)
{
    return programs(k, axis, false);
}

/* For the launch function. */
const char *c_programs_host(const Kernel *k, const Axis *axis)
{
    return programs(k, axis, true);
}
