/* interp_shape.c -- the interpreter's operations that move elements: broadcast, reshape, permute */
#include "interp.h"

/* ---- axes that come, go and stretch ---------------------------------------------------------- */

/* Which axis of the operand an axis of the result is; -1: a new one. */
static void axis_sources(const Op *op, int from_rank, int to_rank, int *source)
{
    int next = 0;
    for (int a = 0; a < from_rank && op->kind == OP_SQUEEZE; a++)
        if (!(op->axes >> a & 1))
            source[next++] = a;
    for (int a = 0; a < to_rank; a++)
        switch ((int)op->kind) {
        case OP_BROADCAST: source[a] = a - (to_rank - from_rank); break;
        case OP_EXPAND:    source[a] = op->axes >> a & 1 ? -1 : next++; break;
        case OP_PERMUTE:   source[a] = op->perm[a]; break;
        }
}

/* squeeze drops axes; if what they held was padding, so is everything else now: mixed. */
static void squeeze_valid(const Op *op, const Held *from, Held *to)
{
    for (int a = 0; a < from->rank; a++)
        if (op->axes >> a & 1 && !range_complete(&from->valid[a], 1))
            for (int b = 0; b < to->rank; b++)
                to->valid[b] = (Range){VALID_MIXED, 0, 0};
}

/* broadcast, expand, squeeze, permute: the element at each place is the operand's at the place of
   its source axes; an axis of extent 1 that stretches, and a new one, are data. */
void run_shape(Run *r, const Op *op)
{
    const Held *from = held(r, op->args[0]);
    Held *to = held_new(r, op, op->results[0]);
    int source[MAX_TILE_RANK] = {0};
    int64_t place[MAX_TILE_RANK] = {0}, step[MAX_TILE_RANK] = {0};
    if (!to)
        return;
    axis_sources(op, from->rank, to->rank, source);
    for (int a = 0; a < to->rank; a++) {
        const int s = source[a];
        const bool one = s >= 0 && sym_is(op->args[0]->type.dim[s], 1);
        if (s < 0 || (one && !sym_is(op->results[0]->type.dim[a], 1)))
            continue;
        to->valid[a] = from->valid[s];
        step[a] = 1;
        for (int b = s + 1; b < from->rank; b++)
            step[a] *= from->extent[b];
    }
    if (op->kind == OP_SQUEEZE)
        squeeze_valid(op, from, to);
    for (int64_t i = 0; i < to->count; i++) {
        int64_t at = 0;
        for (int a = 0; a < to->rank; a++)
            at += place[a] * step[a];
        to->at[i] = from->at[at];
        place_next(to, place);
    }
}

/* ---- reshape --------------------------------------------------------------------------------- */

/* Of the axes [from, end) the outermost that is longer than 1. */
static int outermost(const Held *h, int from, int end)
{
    while (from < end - 1 && h->extent[from] == 1)
        from++;
    return from;
}

/* The axes [from, end) of a tile as one axis: all but the outermost must be complete. */
static Range merge(const Held *h, int from, int end)
{
    const int outer = outermost(h, from, end);
    int64_t inner = 1;
    bool any = true;
    for (int a = from; a < end; a++) {
        if (a != outer && !range_complete(&h->valid[a], h->extent[a]))
            return (Range){VALID_MIXED, 0, 0};
        inner *= a > outer ? h->extent[a] : 1;
        any = any && h->valid[a].kind == VALID_ANY;
    }
    if (any)
        return (Range){VALID_ANY, 0, 0};
    const Range *r = &h->valid[outer];
    return r->kind == VALID_ANY ? (Range){VALID_INTERVAL, 0, h->extent[outer] * inner}
                                : (Range){r->kind, r->lo * inner, r->hi * inner};
}

/* One axis as the axes [from, end): complete, or a multiple of the inner ones. */
static void split(Held *h, int from, int end, Range flat)
{
    const int outer = outermost(h, from, end);
    int64_t inner = 1, count = 1;
    for (int a = from; a < end; a++) {
        count *= h->extent[a];
        inner *= a > outer ? h->extent[a] : 1;
    }
    const bool complete = range_complete(&flat, count);
    const bool fits = complete || (flat.lo % inner == 0 && flat.hi % inner == 0);
    for (int a = from; a < end; a++)
        if (flat.kind == VALID_ANY)
            h->valid[a] = (Range){VALID_ANY, 0, 0};
        else if (flat.kind == VALID_MIXED || !fits)
            h->valid[a] = (Range){VALID_MIXED, 0, 0};
        else if (a == outer && !complete)
            h->valid[a] = (Range){VALID_INTERVAL, flat.lo / inner, flat.hi / inner};
        else
            h->valid[a] = (Range){VALID_INTERVAL, 0, h->extent[a]};
}

/* The valid parts: groups of axes with equal products are merged and split again. */
static void reshape_valid(const Held *from, Held *to)
{
    int i = 0, j = 0;
    while (i < from->rank || j < to->rank) {
        const int i0 = i, j0 = j;
        int64_t have = i < from->rank ? from->extent[i++] : 1;
        int64_t want = j < to->rank ? to->extent[j++] : 1;
        while (have != want)
            if (have < want)
                have *= from->extent[i++];
            else
                want *= to->extent[j++];
        split(to, j0, j, merge(from, i0, i));
    }
}

/* reshape: the same elements in row-major order. */
void run_reshape(Run *r, const Op *op)
{
    const Held *from = held(r, op->args[0]);
    Held *to = held_new(r, op, op->results[0]);
    if (!to)
        return;
    if (to->count != from->count) {
        fail(r, op, "a reshape changes the number of elements");
        return;
    }
    for (int64_t i = 0; i < to->count; i++)
        to->at[i] = from->at[i];
    reshape_valid(from, to);
}
