/* literal.c -- numbers before they have a type: reading, folding, giving them one
 *
 * Operations on literals alone are done in i64, u64 or f64, and the result adapts like a literal.
 */
#include "lower.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading --------------------------------------------------------------------------------- */

/* A word that is a literal, by its first letter or as one of the four named ones. */
bool is_literal(const Node *n)
{
    char first = n->text.len ? n->source->text[n->text.at] : 0;
    return (first >= '0' && first <= '9') || node_is(n, "true") || node_is(n, "false")
        || node_is(n, "inf") || node_is(n, "nan");
}

/* The digits without `_`. */
static const char *digits_of(const Node *n)
{
    char *text = arena_printf("%.*s", (int)n->text.len, n->source->text + n->text.at), *to = text;
    for (const char *from = text; *from; from++)
        if (*from != '_') *to++ = *from;
    *to = 0;
    return text;
}

/* An integer literal of a number that fits in an i64. */
Given literal_int(int64_t k, const Node *n)
{
    Given g = give_kind(GIVES_LITERAL, n);
    g.literal.i = k;
    return g;
}

/* A float literal. */
static Given literal_float(double f, const Node *n)
{
    Given g = give_kind(GIVES_LITERAL, n);
    g.is_float = true;
    g.literal.f = f;
    return g;
}

/* A bool literal. */
static Given literal_bool(bool b, const Node *n)
{
    Given g = literal_int(b, n);
    g.is_bool = true;
    return g;
}

/* 12, 0xff, 0b101. */
static Given read_int(Check *c, const char *text, const Node *n)
{
    Given g = give_kind(GIVES_LITERAL, n);
    int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16
             : text[0] == '0' && (text[1] == 'b' || text[1] == 'B') ? 2 : 10;
    errno = 0;
    g.literal.u = strtoull(base == 10 ? text : text + 2, NULL, base);
    g.too_big = g.literal.u > INT64_MAX;
    if (errno != ERANGE) return g;
    mistake(c, node_pos(n), "E0402", "no integer type holds %s", node_source(n));
    return give_kind(GIVES_ERROR, n);
}

/* The literal that a word is. */
Given literal(Check *c, const Node *n)
{
    if (node_is(n, "true") || node_is(n, "false")) return literal_bool(node_is(n, "true"), n);
    if (node_is(n, "inf")) return literal_float((double)INFINITY, n);
    if (node_is(n, "nan")) return literal_float((double)NAN, n);
    const char *text = digits_of(n);
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    if (hex || !strpbrk(text, ".eE")) return read_int(c, text, n);
    double f = strtod(text, NULL);
    if (isfinite(f)) return literal_float(f, n);
    mistake(c, node_pos(n), "E0402", "no float type holds %s", node_source(n));
    return give_kind(GIVES_ERROR, n);
}

/* ---- giving it a type ------------------------------------------------------------------------ */

/* The type that a literal has alone. */
Elem literal_elem(const Given *g)
{
    if (g->is_bool) return EL_BOOL;
    if (g->is_float) return EL_F32;
    if (g->too_big) return EL_U64;
    return g->literal.i >= INT32_MIN && g->literal.i <= INT32_MAX ? EL_I32 : EL_I64;
}

/* The largest finite value of a float type. */
double elem_largest(Elem e)
{
    static const double largest[EL_COUNT] = {
        [EL_F16] = 65504.0, [EL_BF16] = 0x1.FEp127, [EL_F32] = 0x1.FFFFFEp127,
        [EL_F64] = 0x1.FFFFFFFFFFFFFp1023, [EL_F8E4M3] = 448.0, [EL_F8E5M2] = 57344.0,
        [EL_TF32] = 0x1.FFCp127,
    };
    return largest[e];
}

/* An integer of an integer type: does it fit? */
static bool int_fits(const Given *g, Elem e)
{
    int digits = elem_info[e].digits;
    if (elem_info[e].class == CLASS_UNSIGNED) {
        if (!g->too_big && g->literal.i < 0) return false;
        return digits >= 64 || g->literal.u >> digits == 0;
    }
    if (g->too_big) return false;
    return digits >= 63 || (g->literal.i >> digits == 0 || g->literal.i >> digits == -1);
}

/* The number that an integer literal is, as a float. */
static double as_double(const Given *g)
{
    if (g->is_float) return g->literal.f;
    return g->too_big ? (double)g->literal.u : (double)g->literal.i;
}

/* A double has exactly the integer's value. */
static bool exact(const Given *g, double d)
{
    if (g->too_big) return d < 0x1p64 && (uint64_t)d == g->literal.u;
    return d < 0x1p63 && (int64_t)d == g->literal.i;
}

/* The float literal in its type; what stands in the text is rounded once. */
static double round_float(const Given *g, Elem e)
{
    if (e == EL_F32 && g->node && g->node->kind == N_WORD && is_literal(g->node) && g->is_float
        && isfinite(g->literal.f))
        return (double)strtof(digits_of(g->node), NULL);
    return cast_reference(EL_F64, e, (Constant){ .f = as_double(g) }).f;
}

/* Reports that a literal is no value of a type. */
static bool does_not_fit(Check *c, const Given *g, Elem e, const char *why)
{
    mistake(c, g->pos, "E0402", "%s is no %s: %s", node_source(g->node), elem_info[e].name, why);
    return false;
}

/* An integer or a float literal as a float. */
static bool literal_to_float(Check *c, const Given *g, Elem e, Constant *k)
{
    double d = as_double(g);
    k->f = round_float(g, e);
    if (isfinite(d) && (!isfinite(k->f) || fabs(d) > elem_largest(e))
        && fabs(d) >= elem_largest(e)) {
        if (isfinite(k->f) && elem_info[e].bytes > 1) return true;   /* rounds to the largest */
        does_not_fit(c, g, e, "it is too large");
        help("the largest is %.9g", elem_largest(e));
        return false;
    }
    if (g->is_float || exact(g, k->f)) return true;
    does_not_fit(c, g, e, "the integer cannot be held exactly");
    help("write a float, which is rounded: `%s.0`", node_source(g->node));
    return false;
}

/* What the literal is in a type; false after a report if it is no value of it. */
static bool literal_as(Check *c, const Given *g, Elem e, Constant *k)
{
    *k = g->literal;
    if (g->is_bool && e == EL_BOOL) return true;
    if (g->is_bool) {
        does_not_fit(c, g, e, "it is a bool");
        help("write `%s`", cast_source(g->node, elem_info[e].name));
        return false;
    }
    if (e == EL_BOOL) return does_not_fit(c, g, e, "write `true` or `false`");
    if (elem_is_float(e)) return literal_to_float(c, g, e, k);
    if (g->is_float) {
        does_not_fit(c, g, e, "it is a float");
        help("write an integer, or compute in a float type");
        return false;
    }
    if (int_fits(g, e)) return true;
    does_not_fit(c, g, e, "it is out of range");
    bool is_signed = elem_info[e].class == CLASS_SIGNED;
    uint64_t most = UINT64_MAX >> (64 - elem_info[e].digits);
    help("%s holds %lld to %llu", elem_info[e].name, is_signed ? -(long long)most - 1 : 0,
         (unsigned long long)most);
    return false;
}

/* A literal as a constant of a type (EL_ERROR: of its own); NULL after a report. */
Value *convert_literal(Check *c, Given g, Elem e)
{
    Constant k;
    if (e == EL_ERROR) e = literal_elem(&g);
    return literal_as(c, &g, e, &k) ? build_const(c, e, k, g.pos) : NULL;
}

/* `300 as u8`: converts as a value would. */
Value *literal_cast(Check *c, Given g, Elem e)
{
    if (g.is_float && elem_is_float(e))
        return build_const(c, e, (Constant){ .f = round_float(&g, e) }, g.pos);
    Elem from = g.is_bool ? EL_BOOL : g.is_float ? EL_F64 : g.too_big ? EL_U64 : EL_I64;
    return build_const(c, e, cast_reference(from, e, g.literal), g.pos);
}

/* ---- folding --------------------------------------------------------------------------------- */

/* Reports that 64 bits do not hold the result. */
static Given overflow(Check *c, const Node *at)
{
    mistake(c, node_pos(at), "E0402", "the result of these literals does not fit in 64 bits");
    help("write a float, or give one a type: `.. as i64` wraps");
    return give_kind(GIVES_ERROR, at);
}

/* -g: 9223372036854775808 is the one that becomes an i64 only by this. */
Given literal_negate(Check *c, Given g, const Node *at)
{
    g.pos = node_pos(at);
    if (g.is_float) {
        g.literal.f = -g.literal.f;
        g.node = at;
        return g;
    }
    g.node = at;
    if (g.too_big && g.literal.u > (uint64_t)1 << 63) return overflow(c, at);
    g.too_big = !g.too_big && g.literal.i == INT64_MIN;
    g.literal.u = 0 - g.literal.u;
    return g;
}

/* a op b in i64 for the operations that can leave it; false if this one did. */
static bool fits_64(const char *row, int64_t a, int64_t b)
{
    int64_t r;
    if (!strcmp(row, "add")) return !__builtin_add_overflow(a, b, &r);
    if (!strcmp(row, "sub")) return !__builtin_sub_overflow(a, b, &r);
    if (!strcmp(row, "mul")) return !__builtin_mul_overflow(a, b, &r);
    if (!strcmp(row, "shl")) return b >= 0 && b < 63 && a >= 0 && a <= INT64_MAX >> b;
    return true;
}

/* The type in which literals are computed: EL_F64 if one is a float. */
static Elem fold_type(const Given *args, int n)
{
    bool all_bool = true;
    Elem e = EL_I64;
    for (int i = 0; i < n; i++) {
        all_bool = all_bool && args[i].is_bool;
        if (args[i].is_float) e = EL_F64;
        else if (args[i].too_big && e == EL_I64) e = EL_U64;
    }
    return all_bool ? EL_BOOL : e;
}

/* The literal that a row makes of literals of types that it takes. */
Given literal_fold(Check *c, const OpRow *row, const Given *args, int n, const Node *at)
{
    Elem e = fold_type(args, n);
    Constant a[3] = { { .i = 0 } };
    for (int i = 0; i < n; i++) {
        if (args[i].is_bool != (e == EL_BOOL)) {
            mistake(c, args[i].pos, "E0401", "`%s` of a bool and a number",
                    row->symbol ? row->symbol : row->name);
            return give_kind(GIVES_ERROR, at);
        }
        if (e == EL_F64) a[i].f = as_double(&args[i]);
        else a[i] = args[i].literal;
    }
    if (e == EL_I64 && n == 2 && !fits_64(row->name, a[0].i, a[1].i)) return overflow(c, at);
    Constant k = op_reference(row, e, a);
    bool is_bool = e == EL_BOOL || row->rule == RULE_COMPARE || row->rule == RULE_EQUAL
                   || row->rule == RULE_TEST;
    if (is_bool) return literal_bool(k.i != 0, at);
    if (e == EL_F64) return literal_float(k.f, at);
    Given g = literal_int(k.i, at);
    g.too_big = e == EL_U64 && k.u > INT64_MAX;
    return g;
}
