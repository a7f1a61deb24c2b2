/* valid.c -- the valid part of a tile along one axis: any, an interval, mixed */
#include "padding.h"

/* ---- intervals ------------------------------------------------------------------------------- */

/* The same part, provably: bounds are equal if they are one pointer. */
bool valid_same(const Valid *a, const Valid *b)
{
    return a->kind == b->kind && (a->kind != VALID_INTERVAL || (a->lo == b->lo && a->hi == b->hi));
}

/* Nothing along the axis is padding, provably. */
bool valid_complete(const Valid *v, Sym extent)
{
    return v->kind == VALID_ANY
           || (v->kind == VALID_INTERVAL && sym_is(v->lo, 0) && v->hi == extent);
}

/* [lo, hi), unless the formulas have left what 64 bits can say: then mixed. */
static Valid interval(const Kernel *k, Sym lo, Sym hi)
{
    Valid v = {.kind = VALID_INTERVAL, .lo = lo, .hi = hi};
    if (sym_is_bad(lo) || sym_is_bad(hi))
        return (Valid){.kind = VALID_MIXED};
    v.some = provably_at_least(k, sym_sub(hi, lo), 1);
    return v;
}

/* s held within 0 .. extent; what never happens is not written. */
static Sym clamped(const Kernel *k, Sym s, Sym extent)
{
    const Sym zero = sym_const(0);
    if (sym_is_bad(s))
        return s;
    if (provably_at_least(k, sym_sub(zero, s), 0))
        return zero;
    if (provably_at_least(k, sym_sub(s, extent), 0))
        return extent;
    if (!provably_at_least(k, sym_sub(extent, s), 0))
        s = sym_min(s, extent);
    return provably_at_least(k, s, 0) ? s : sym_max(s, zero);
}

/* Is it the less or the larger of two? */
static bool is_choice(Sym atom, void *arg)
{
    (void)arg;
    return atom->kind == SYM_MIN || atom->kind == SYM_MAX;
}

/* How many places of an access lie before the edge: ceil((edge - start) / step), inside min and
   max unless they go away: an access begins at the edge of its view. */
static Sym places_before(Sym edge, Sym start, int64_t step)
{
    const Sym between = sym_sub(edge, start);
    if (!sym_is_bad(between) && !sym_mentions(between, is_choice, NULL))
        return sym_ceil(between, sym_const(step));
    if (edge->kind == SYM_MIN)
        return sym_min(places_before(edge->kid[0], start, step),
                       places_before(edge->kid[1], start, step));
    if (edge->kind == SYM_MAX)
        return sym_max(places_before(edge->kid[0], start, step),
                       places_before(edge->kid[1], start, step));
    return sym_ceil(between, sym_const(step));
}

/* Rule 1: what of a tile axis exists that an access maps to the axis of its tensor. */
Valid valid_of_load(const Kernel *k, const Access *access, int axis, Sym extent)
{
    const int64_t step = access->step[axis] > 0 ? access->step[axis] : 1;
    const Sym lo = places_before(access->lo[axis], access->start[axis], step);
    const Sym hi = places_before(access->hi[axis], access->start[axis], step);
    return interval(k, clamped(k, lo, extent), clamped(k, hi, extent));
}

/* Rule 4: keep makes any and mixed that interval, and intersects an interval. */
Valid valid_kept(const Kernel *k, const Valid *v, Sym lo, Sym hi, Sym extent)
{
    lo = clamped(k, lo, extent);
    hi = clamped(k, hi, extent);
    if (v->kind == VALID_INTERVAL) {
        lo = sym_max(lo, v->lo);
        hi = sym_min(hi, v->hi);
    }
    return interval(k, lo, hi);
}

/* ---- flip, extract, cat ---------------------------------------------------------------------- */

/* The axis backwards: [E - hi, E - lo). */
Valid valid_flipped(const Kernel *k, const Valid *v, Sym extent)
{
    return v->kind == VALID_INTERVAL ? interval(k, sym_sub(extent, v->hi), sym_sub(extent, v->lo))
                                     : *v;
}

/* Of a piece of an axis of `of` elements, from `start` on: shifted and clamped. What a piece that
   may lie outside of an axis that is all data finds there is no data. */
Valid valid_shifted(const Kernel *k, const Valid *v, Sym of, Sym start, Sym extent)
{
    bool inside = start == sym_const(0) && extent == of;
    inside |= provably_at_least(k, start, 0)
              && provably_at_least(k, sym_sub(sym_sub(of, start), extent), 0);
    if (v->kind == VALID_MIXED || (v->kind == VALID_ANY && inside))
        return *v;
    const Sym lo = v->kind == VALID_ANY ? sym_const(0) : v->lo;
    const Sym hi = v->kind == VALID_ANY ? of : v->hi;
    return interval(k, clamped(k, places_before(lo, start, 1), extent),
                    clamped(k, places_before(hi, start, 1), extent));
}

/* b behind a: [lo_a, E_a + hi_b) if a reaches its end and b starts at 0, else mixed. */
Valid valid_cat(const Kernel *k, const Valid *a, Sym a_extent, const Valid *b, Sym b_extent)
{
    if (a->kind == VALID_ANY && b->kind == VALID_ANY)
        return *a;
    const bool reaches = a->kind == VALID_ANY || (a->kind == VALID_INTERVAL && a->hi == a_extent);
    const bool starts = b->kind == VALID_ANY || (b->kind == VALID_INTERVAL && sym_is(b->lo, 0));
    if (!reaches || !starts)
        return (Valid){.kind = VALID_MIXED};
    return interval(k, a->kind == VALID_ANY ? sym_const(0) : a->lo,
                    sym_add(a_extent, b->kind == VALID_ANY ? b_extent : b->hi));
}

/* ---- sort ----------------------------------------------------------------------------------- */

/* The elements of an interval at the beginning of an axis, as many as fit. */
Valid valid_first(const Kernel *k, const Valid *v, Sym extent)
{
    return interval(k, sym_const(0), clamped(k, sym_sub(v->hi, v->lo), extent));
}

/* ---- reshape --------------------------------------------------------------------------------- */

/* Some axes of a static shape, [from, end), that keep their elements together. */
typedef struct { const Type *type; int from, end, outer; int64_t count, inner; } Group;

/* Sets the outermost axis that is longer than 1, and how many elements lie within it. */
static void measure(Group *g)
{
    g->outer = g->from;
    while (g->outer < g->end - 1 && type_extent(g->type, g->outer) == 1)
        g->outer++;
    g->count = g->inner = 1;
    for (int a = g->from; a < g->end; a++) {
        g->count *= type_extent(g->type, a);
        if (a > g->outer)
            g->inner *= type_extent(g->type, a);
    }
}

/* The axes as one: all but the outermost must be complete; false and the axis if one is not. */
static bool merge(const Group *g, const Valid *valid, Valid *flat, int *axis)
{
    bool any = true;
    for (int a = g->from; a < g->end; a++) {
        any = any && valid[a].kind == VALID_ANY;
        *axis = a;
        if (valid[a].kind == VALID_MIXED) {
            *flat = valid[a];
            return true;
        }
        if (a != g->outer && !valid_complete(&valid[a], g->type->dim[a]))
            return false;
    }
    *flat = any ? (Valid){.kind = VALID_ANY} : valid[g->outer];
    if (any || g->from == g->end)
        return true;
    *axis = g->outer;
    const Sym inner = sym_const(g->inner);
    if (flat->kind == VALID_ANY)
        *flat = (Valid){VALID_INTERVAL, sym_const(0), sym_const(g->count), true};
    else
        *flat = (Valid){VALID_INTERVAL, sym_mul(flat->lo, inner), sym_mul(flat->hi, inner),
                        flat->some};
    return true;
}

/* One axis as several: complete, or the outermost has a share if the bounds are multiples of what
   lies within it; false if they are not. */
static bool split(const Kernel *k, const Group *g, Valid flat, Valid *valid)
{
    const bool interval = flat.kind == VALID_INTERVAL;
    const bool complete = interval && valid_complete(&flat, sym_const(g->count));
    if (interval && !complete && !(provably_divides(k, g->inner, flat.lo)
                                   && provably_divides(k, g->inner, flat.hi)))
        return false;
    for (int a = g->from; a < g->end; a++) {
        valid[a] = flat;
        if (interval)
            valid[a] = (Valid){VALID_INTERVAL, sym_const(0), g->type->dim[a], true};
        if (interval && !complete && a == g->outer)
            valid[a] = (Valid){VALID_INTERVAL, places_before(flat.lo, sym_const(0), g->inner),
                               places_before(flat.hi, sym_const(0), g->inner), flat.some};
    }
    return true;
}

/* Groups of axes with equal products are merged and split again. */
bool valid_reshaped(const Kernel *k, const Type *from, const Valid *valid, const Type *to,
                    Valid *result, int *axis)
{
    int i = 0, j = 0;
    while (i < from->rank || j < to->rank) {
        Group a = {.type = from, .from = i}, b = {.type = to, .from = j};
        Valid flat = {.kind = VALID_ANY};
        int64_t have = i < from->rank ? type_extent(from, i++) : 1;
        int64_t want = j < to->rank ? type_extent(to, j++) : 1;
        while (have != want)
            if (have < want)
                have *= type_extent(from, i++);
            else
                want *= type_extent(to, j++);
        a.end = i;
        b.end = j;
        measure(&a);
        measure(&b);
        if (!merge(&a, valid, &flat, axis) || !split(k, &b, flat, result))
            return false;
    }
    return true;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* What a scalar of the program is called: its name, or %12. */
static Sym called(Sym atom, void *arg)
{
    (void)arg;
    if (atom->kind != SYM_VALUE)
        return atom;
    const Value *v = atom->value;
    return sym_name(v->name ? v->name : name_of(arena_printf("%%%d", v->id)));
}

/* A bound; max(min(s, n), 0) as the clamp that it is. */
static const char *bound_text(Sym s)
{
    int64_t n;
    if (s->kind == SYM_MIN)
        return arena_printf("min(%s, %s)", bound_text(s->kid[0]), bound_text(s->kid[1]));
    for (int i = 0; s->kind == SYM_MAX && i < 2; i++) {
        const Sym low = s->kid[i], inner = s->kid[1 - i];
        for (int j = 0; sym_is(low, 0) && inner->kind == SYM_MIN && j < 2; j++)
            if (sym_const_of(inner->kid[j], &n))
                return arena_printf("clamp(%s, 0, %lld)", sym_text(inner->kid[1 - j]),
                                    (long long)n);
    }
    return sym_text(s);
}

/* A formula for a message, scalars of the program by their names. */
const char *formula_words(Sym s)
{
    return bound_text(sym_replace(s, called, NULL));
}

/* any, mixed, [0, clamp(N - i * 8, 0, 8)). */
const char *valid_text(const Valid *v)
{
    switch (v->kind) {
    case VALID_ANY:   return "any";
    case VALID_MIXED: return "mixed";
    case VALID_INTERVAL: break;
    }
    return arena_printf("[%s, %s)", formula_words(v->lo), formula_words(v->hi));
}
