/* interp_ops.c -- the interpreter's operations that keep the shape */
#include <string.h>
#include "interp.h"

/* ---- elementwise ----------------------------------------------------------------------------- */

/* The valid part of a result is that of all operands combined: rule 2. */
static void join_operands(Run *r, const Op *op, Held *result)
{
    for (int i = 0; i < op->nargs; i++) {
        const Held *a = held(r, op->args[i]);
        for (int axis = 0; axis < result->rank && a->rank == result->rank; axis++)
            result->valid[axis] = range_join(result->valid[axis], a->valid[axis]);
    }
}

/* The same bits, read as another type. */
static Constant bitcast(Elem from, Elem to, Constant v)
{
    unsigned char bits[8] = {0};
    elem_store(from, bits, v);
    return elem_load(to, bits);
}

/* The element i of the result. */
static Constant element(Run *r, const Op *op, int64_t i)
{
    const Held *a = held(r, op->args[0]);
    Constant operand[3] = {{0}, {0}, {0}};
    switch ((int)op->kind) {
    case OP_CAST:
        return round_reference(a->elem, op->results[0]->type.elem, a->at[i], op->rounding);
    case OP_BITCAST:
        return bitcast(a->elem, op->results[0]->type.elem, a->at[i]);
    case OP_SELECT:
        return held(r, op->args[a->at[i].i ? 1 : 2])->at[i];
    }
    for (int k = 0; k < op->nargs; k++)
        operand[k] = held(r, op->args[k])->at[i];
    return op_reference(op->row, a->elem, operand);
}

/* Operations, casts, select: each element from those at the same place. */
void run_elementwise(Run *r, const Op *op)
{
    Held *result = held_new(r, op, op->results[0]);
    if (!result)
        return;
    for (int k = 0; k < op->nargs; k++)
        if (held(r, op->args[k])->count != result->count) {
            fail(r, op, "operands of different shapes");
            return;
        }
    join_operands(r, op, result);
    for (int64_t i = 0; i < result->count; i++)
        result->at[i] = element(r, op, i);
}

/* ---- padding --------------------------------------------------------------------------------- */

/* Are some axes mixed? Then a failure. */
static bool refuse_mixed(Run *r, const Op *op, const Held *h)
{
    for (int a = 0; a < h->rank; a++)
        if (h->valid[a].kind == VALID_MIXED) {
            fail(r, op, "mixed padding");
            return true;
        }
    return false;
}

/* fill: v where there was padding; all of it is data then. */
void run_fill(Run *r, const Op *op)
{
    const Held *a = held(r, op->args[0]);
    const Constant v = held(r, op->args[1])->at[0];
    Held *result = held_new(r, op, op->results[0]);
    int64_t place[MAX_TILE_RANK] = {0};
    if (!result || refuse_mixed(r, op, a))
        return;
    for (int64_t i = 0; i < result->count; i++) {
        result->at[i] = held_valid(a, place, ~0u) ? a->at[i] : v;
        place_next(a, place);
    }
}

/* keep: outside of [lo, hi) of an axis there is padding. */
void run_keep(Run *r, const Op *op)
{
    Held *result = held_new(r, op, op->results[0]);
    if (!result)
        return;
    held_copy(result, held(r, op->args[0]));
    Range *valid = &result->valid[op->axis];
    *valid = range_cut(valid, held_int(r, op->args[1]), held_int(r, op->args[2]),
                       result->extent[op->axis]);
}

/* valid: where there is data. */
void run_valid(Run *r, const Op *op)
{
    const Held *a = held(r, op->args[0]);
    Held *result = held_new(r, op, op->results[0]);
    int64_t place[MAX_TILE_RANK] = {0};
    if (!result || refuse_mixed(r, op, a))
        return;
    for (int64_t i = 0; i < result->count; i++) {
        result->at[i] = (Constant){.i = held_valid(a, place, ~0u)};
        place_next(a, place);
    }
}

/* ---- making ---------------------------------------------------------------------------------- */

/* from, from + 1, ..: in the element type, which wraps or rounds. */
void run_iota(Run *r, const Op *op)
{
    const Constant from = held(r, op->args[0])->at[0];
    Held *result = held_new(r, op, op->results[0]);
    for (int64_t i = 0; result && i < result->count; i++) {
        Constant c = from;
        if (elem_is_float(result->elem))
            c.f += (double)i;
        else
            c.u += (uint64_t)i;
        result->at[i] = round_to_elem(result->elem, c);
    }
}
