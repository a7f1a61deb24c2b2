/* interp_mma.c -- the interpreter's contraction: each element of the result on its own */
#include "interp.h"

/* One operand of a contraction: its tile, and which of its axes runs along k. */
typedef struct { const Held *tile; int k; } Side;

/* The place in the operand that goes with place `at` of the result and place k: leading axes line
   up from the right, those of extent 1 stand still. */
static int64_t place_in(const Side *s, const int64_t *at, int rank, int64_t k)
{
    const Held *t = s->tile;
    int64_t place = 0;
    for (int a = 0; a < t->rank; a++) {
        const int64_t mine = a == s->k ? k : at[a + rank - t->rank];
        place = place * t->extent[a] + (t->extent[a] == 1 ? 0 : mine);
    }
    return place;
}

/* acc plus the sum of the products where both sides are valid. Floats are added wider than any
   type, and rounded once; integers wrap. */
static Constant contract_one(const Side *a, const Side *b, Elem to, Constant acc,
                             const int64_t *at, int rank)
{
    const bool floats = elem_is_float(to);
    long double sum = floats ? acc.f : 0;
    uint64_t count = acc.u;
    for (int64_t k = 0; k < a->tile->extent[a->k]; k++) {
        if (!range_has(&a->tile->valid[a->k], k) || !range_has(&b->tile->valid[b->k], k))
            continue;
        const Constant x = a->tile->at[place_in(a, at, rank, k)];
        const Constant y = b->tile->at[place_in(b, at, rank, k)];
        if (floats)
            sum += (long double)x.f * y.f;
        else
            count += x.u * y.u;
    }
    return round_to_elem(to, floats ? (Constant){ .f = (double)sum } : (Constant){ .u = count });
}

/* Rule 2 along the axes that an operand shares with the result. */
static void join_ranges(Held *result, const Held *from, int consumed)
{
    const int more = result->rank - from->rank;
    for (int a = 0; a < from->rank; a++)
        if (a != consumed && from->extent[a] == result->extent[a + more])
            result->valid[a + more] = range_join(result->valid[a + more], from->valid[a]);
}

/* mma: contracts where both operands are valid along k. */
void run_mma(Run *r, const Op *op)
{
    Held *result = held_new(r, op, op->results[0]);
    if (!result)
        return;
    const Held *acc = op->nargs > 2 ? held(r, op->args[2]) : NULL;
    const Side a = { held(r, op->args[0]), held(r, op->args[0])->rank - 1 };
    const Side b = { held(r, op->args[1]), held(r, op->args[1])->rank - 2 };
    int64_t at[MAX_TILE_RANK] = {0};
    if (a.tile->valid[a.k].kind == VALID_MIXED || b.tile->valid[b.k].kind == VALID_MIXED)
        fail(r, op, "a contraction of mixed padding");
    join_ranges(result, a.tile, a.k);
    join_ranges(result, b.tile, b.k);
    if (acc)
        join_ranges(result, acc, -1);
    for (int64_t i = 0; i < result->count && !r->failure; i++) {
        const Constant zero = {0};
        result->at[i] = contract_one(&a, &b, result->elem, acc ? acc->at[i] : zero, at,
                                     result->rank);
        place_next(result, at);
    }
}
