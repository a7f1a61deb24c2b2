/* padding_along.c -- what uses what is valid along an axis: rule 3 */
#include "padding.h"

/* Rule 3: reports the first of these axes of an operand that is mixed. */
bool consume(Pass *p, const Op *op, const Value *v, uint32_t axes)
{
    for (int a = 0; a < v->type.rank && p->reporting; a++)
        if (axes >> a & 1 && v->valid[a].kind == VALID_MIXED) {
            report_mixed(op, a, cause_of(p, v, a));
            return false;
        }
    return true;
}

/* Scatter and atomics use what is valid of the tile and of its indices, and nothing else. */
void consume_places(Pass *p, const Op *op)
{
    for (int i = 1; i < op->nargs; i++)
        if (!consume(p, op, op->args[i], ~0u))
            return;
}

/* mma: k is consumed; rows come from a and acc, columns from b and acc, leading axes from all. */
void padding_contract(Pass *p, const Op *op)
{
    Value *v = op->results[0];
    const int rank = v->type.rank;
    const bool changed = p->changed;
    make_data(p, v);
    for (int i = 0; i < op->nargs; i++) {
        const Value *from = op->args[i];
        const int more = rank - from->type.rank;
        const int consumed = i == 0 ? rank - 1 : i == 1 ? rank - 2 : -1;
        for (int a = 0; a < from->type.rank; a++)
            if (a + more != consumed && from->type.dim[a] == v->type.dim[a + more])
                join_part(p, v, a + more, from->valid[a], *cause_of(p, from, a));
    }
    p->changed = changed;
    if (consume(p, op, op->args[0], 1u << (op->args[0]->type.rank - 1)))
        consume(p, op, op->args[1], 1u << (op->args[1]->type.rank - 2));
}

/* sort: the other axes as they are; along its own the valid ones come first, as many as fit. */
void padding_sort(Pass *p, const Op *op)
{
    const Value *from = op->args[0];
    const Valid *valid = &from->valid[op->axis];
    consume(p, op, from, 1u << op->axis);
    for (int r = 0; r < op->nresults; r++) {
        Value *v = op->results[r];
        for (int a = 0; a < v->type.rank; a++)
            copy_part(p, v, a, from, a);
        if (valid->kind == VALID_INTERVAL)
            make_part(p, v, op->axis, op, valid_first(p->k, valid, v->type.dim[op->axis]));
    }
}

/* fold, scan: the members of a tuple combine as operands do; what they are along the axis that is
   gone through must be known, and a scan leaves it so. */
void padding_members(Pass *p, const Op *op)
{
    const bool changed = p->changed;
    const int axis = op_axis(op);
    Valid along = {.kind = VALID_ANY};
    Cause cause = {.kind = CAUSE_NONE};
    for (int i = 0; i < op_members(op); i++)
        join_parts(&along, &cause, op->args[i]->valid[axis], *cause_of(p, op->args[i], axis));
    for (int r = 0; r < op->nresults; r++) {
        make_data(p, op->results[r]);
        for (int i = 0; i < op_members(op); i++)
            for (int a = 0, to = 0; a < op->args[i]->type.rank; a++)
                if (op->kind == OP_SCAN || a != axis)
                    join_part(p, op->results[r], to++, op->args[i]->valid[a],
                              *cause_of(p, op->args[i], a));
    }
    p->changed = changed;
    if (p->reporting && along.kind == VALID_MIXED)
        report_mixed(op, axis, &cause);
}
