/* interp_move.c -- the interpreter's flip, extract and cat */
#include "interp.h"

/* The element of h at a place; outside of it, 0. */
static Constant at_place(const Held *h, const int64_t *place)
{
    int64_t at = 0;
    for (int a = 0; a < h->rank; a++) {
        if (place[a] < 0 || place[a] >= h->extent[a])
            return (Constant){0};
        at = at * h->extent[a] + place[a];
    }
    return h->at[at];
}

/* An axis backwards: [E - hi, E - lo). */
static Range flipped(Range r, int64_t extent)
{
    return r.kind == VALID_INTERVAL ? (Range){r.kind, extent - r.hi, extent - r.lo} : r;
}

/* k held within 0 .. extent. */
static int64_t clamped(int64_t k, int64_t extent)
{
    return k < 0 ? 0 : k > extent ? extent : k;
}

/* The part of a piece that begins at `start`: shifted and clamped; of `any`, what is inside. */
static Range shifted(Range r, int64_t of, int64_t start, int64_t extent)
{
    if (r.kind == VALID_MIXED || (r.kind == VALID_ANY && start >= 0 && start <= of - extent))
        return r;
    const int64_t lo = r.kind == VALID_ANY ? 0 : r.lo, hi = r.kind == VALID_ANY ? of : r.hi;
    return (Range){VALID_INTERVAL, clamped(lo - start, extent), clamped(hi - start, extent)};
}

/* One axis behind another: data without a gap, or mixed. */
static Range behind(Range a, Range b, int64_t a_extent, int64_t b_extent)
{
    const Range mixed = {VALID_MIXED, 0, 0};
    if (a.kind == VALID_ANY && b.kind == VALID_ANY)
        return a;
    if (a.kind == VALID_MIXED || b.kind == VALID_MIXED)
        return mixed;
    if (a.kind == VALID_ANY)
        a = (Range){VALID_INTERVAL, 0, a_extent};
    if (b.kind == VALID_ANY)
        b = (Range){VALID_INTERVAL, 0, b_extent};
    return a.hi == a_extent && b.lo == 0 ? (Range){VALID_INTERVAL, a.lo, a_extent + b.hi} : mixed;
}

/* The valid part of one axis of the result. */
static Range part(Run *r, const Op *op, int axis, const int64_t *start)
{
    const Held *a = held(r, op->args[0]), *to = held(r, op->results[0]);
    switch ((int)op->kind) {
    case OP_FLIP:
        return op->axes >> axis & 1 ? flipped(a->valid[axis], a->extent[axis]) : a->valid[axis];
    case OP_EXTRACT:
        return shifted(a->valid[axis], a->extent[axis], start[axis], to->extent[axis]);
    }
    const Held *b = held(r, op->args[1]);
    return axis == op->axis
        ? behind(a->valid[axis], b->valid[axis], a->extent[axis], b->extent[axis])
        : range_join(a->valid[axis], b->valid[axis]);
}

/* The element of the result at a place. */
static Constant moved(Run *r, const Op *op, const int64_t *place, const int64_t *start)
{
    const Held *a = held(r, op->args[0]);
    int64_t from[MAX_TILE_RANK] = {0};
    for (int i = 0; i < a->rank; i++)
        from[i] = op->kind == OP_FLIP && op->axes >> i & 1 ? a->extent[i] - 1 - place[i]
                                                           : place[i] + start[i];
    if (op->kind != OP_CAT || from[op->axis] < a->extent[op->axis])
        return at_place(a, from);
    from[op->axis] -= a->extent[op->axis];
    return at_place(held(r, op->args[1]), from);
}

/* flip, extract, cat: each element from the place that it had. */
void run_move(Run *r, const Op *op)
{
    Held *to = held_new(r, op, op->results[0]);
    int64_t place[MAX_TILE_RANK] = {0}, start[MAX_TILE_RANK] = {0};
    if (!to)
        return;
    for (int a = 0; a < to->rank && op->kind == OP_EXTRACT; a++)
        if (__builtin_mul_overflow(held_int(r, op->args[1 + a]), to->extent[a], &start[a])
            || start[a] > INT64_MAX / 2 || start[a] < INT64_MIN / 2)
            start[a] = INT64_MAX / 2;              /* nothing of it is inside */
    for (int a = 0; a < to->rank; a++)
        to->valid[a] = part(r, op, a, start);
    for (int64_t i = 0; i < to->count; i++) {
        to->at[i] = moved(r, op, place, start);
        place_next(to, place);
    }
}
