/* interp_reduce.c -- the interpreter's reductions */
#include <math.h>
#include "interp.h"

/* What has been seen of the elements of one result. Sums of floats are kept wider than any type,
   so that they are rounded once, at the end. */
typedef struct {
    int64_t n, at;                                 /* how many; place of the best: argmax, argmin */
    long double f;
    Constant best;                                 /* max, min; sums of integers; any, all */
} Seen;

/* Is c a new largest (sign 1) or smallest (sign -1)? NaN counts as the most extreme. */
static bool better(Elem e, Constant c, Constant best, int sign)
{
    switch (elem_info[e].class) {
    case CLASS_FLOAT:
        if (isnan(c.f) || isnan(best.f))
            return isnan(c.f) && !isnan(best.f);
        return sign > 0 ? c.f > best.f : c.f < best.f;
    case CLASS_UNSIGNED:
        return sign > 0 ? c.u > best.u : c.u < best.u;
    case CLASS_ERROR: case CLASS_BOOL: case CLASS_SIGNED:
        break;
    }
    return sign > 0 ? c.i > best.i : c.i < best.i;
}

/* Is c the zero that wins against the other zero: +0 of max, -0 of min? */
static bool better_zero(Elem e, Constant c, Constant best, int sign)
{
    return elem_is_float(e) && c.f == 0 && best.f == 0 && !signbit(c.f) == (sign > 0);
}

/* Takes in the element c, which stands at place `at` along the axes that are reduced. */
static void see(Seen *s, ReduceKind kind, Elem e, Constant c, int64_t at)
{
    const int sign = kind == REDUCE_MIN || kind == REDUCE_ARGMIN ? -1 : 1;
    const bool first = s->n++ == 0;
    switch (kind) {
    case REDUCE_SUM: case REDUCE_MEAN:
        if (elem_is_float(e))
            s->f += c.f;
        else
            s->best.u += c.u;
        break;
    case REDUCE_PROD:
        if (elem_is_float(e))
            s->f = first ? c.f : s->f * c.f;
        else
            s->best.u = first ? c.u : s->best.u * c.u;
        break;
    case REDUCE_MAX: case REDUCE_MIN:
        if (first || better(e, c, s->best, sign) || better_zero(e, c, s->best, sign))
            s->best = c;
        break;
    case REDUCE_ARGMAX: case REDUCE_ARGMIN:
        if (first || better(e, c, s->best, sign)) {
            s->best = c;
            s->at = at;
        }
        break;
    case REDUCE_ANY: s->best.i = s->best.i || c.i; break;
    case REDUCE_ALL: s->best.i = first ? c.i : s->best.i && c.i; break;
    }
}

/* The lowest (sign -1) or highest number of a type: what max or min of nothing is. */
static Constant extreme(Elem e, int sign)
{
    Constant c = {.f = sign * HUGE_VAL};
    return elem_is_float(e) ? c : cast_reference(EL_F64, e, c);
}

/* The result of type `to`; of nothing the identity, of mean NaN. */
static Constant result_of(const Seen *s, ReduceKind kind, Elem to)
{
    Constant c = s->best;
    switch (kind) {
    case REDUCE_SUM:
        c.f = elem_is_float(to) ? (double)s->f : c.f;
        break;
    case REDUCE_MEAN:
        c.f = (double)(s->f / s->n);
        break;
    case REDUCE_PROD:
        if (s->n == 0)
            return elem_is_float(to) ? (Constant){.f = 1} : (Constant){.i = 1};
        c.f = elem_is_float(to) ? (double)s->f : c.f;
        break;
    case REDUCE_MAX: return s->n ? c : extreme(to, -1);
    case REDUCE_MIN: return s->n ? c : extreme(to, 1);
    case REDUCE_ARGMAX: case REDUCE_ARGMIN: return (Constant){.i = s->at};
    case REDUCE_ANY: return (Constant){.i = c.i};
    case REDUCE_ALL: return (Constant){.i = s->n ? c.i : 1};
    }
    return round_to_elem(to, c);
}

/* The elements that are reduced into the result at `place`, whose axes are those of a without the
   bits of mask. */
static Constant reduce_one(const Held *a, const Op *op, Elem to, const int64_t *place)
{
    const uint32_t mask = op->reduce_axes;
    int64_t at[MAX_TILE_RANK], i = 0, number = 0;
    Seen seen = {0};
    bool more = a->count > 0;
    for (int axis = 0, next = 0; axis < a->rank; axis++)
        at[axis] = mask >> axis & 1 ? 0 : place[next++];
    while (more) {
        i = 0;
        for (int axis = 0; axis < a->rank; axis++)
            i = i * a->extent[axis] + at[axis];
        if (held_valid(a, at, mask))
            see(&seen, op->reduce, a->elem, a->at[i], number);
        number++;
        more = false;
        for (int axis = a->rank - 1; axis >= 0 && !more; axis--)
            if (mask >> axis & 1) {
                more = ++at[axis] < a->extent[axis];
                at[axis] = more ? at[axis] : 0;
            }
    }
    return result_of(&seen, op->reduce, to);
}

/* reduce: uses what is valid on the axes that go; the others stay as they are. */
void run_reduce(Run *r, const Op *op)
{
    const Held *a = held(r, op->args[0]);
    Held *result = held_new(r, op, op->results[0]);
    int64_t place[MAX_TILE_RANK] = {0};
    if (!result)
        return;
    for (int axis = 0, next = 0; axis < a->rank; axis++)
        if (!(op->reduce_axes >> axis & 1))
            result->valid[next++] = a->valid[axis];
        else if (a->valid[axis].kind == VALID_MIXED)
            fail(r, op, "a reduction of mixed padding");
    for (int64_t i = 0; i < result->count && !r->failure; i++) {
        result->at[i] = reduce_one(a, op, result->elem, place);
        place_next(result, place);
    }
}
