/* verify_along.c -- the rules of what goes along an axis: reductions, contractions, sorts, scans */
#include "verify.h"

/* reduce: the axes of the mask are gone. */
void verify_reduce(Verify *v, const Op *op)
{
    const Type *a = &op->args[0]->type, *result = &op->results[0]->type;
    int next = 0;
    for (int i = 0; i < a->rank; i++)
        if (!(op->reduce_axes >> i & 1))
            rule(v, next < result->rank && result->dim[next++] == a->dim[i],
                 "a reduction changes an axis that stays");
    rule(v, next == result->rank && !(op->reduce_axes >> a->rank), "a reduction of wrong axes");
    if (op->reduce == REDUCE_ARGMAX || op->reduce == REDUCE_ARGMIN)
        rule(v, result->elem == EL_I32, "argmax gives i32");
    else if (op->reduce == REDUCE_ANY || op->reduce == REDUCE_ALL)
        rule(v, a->elem == EL_BOOL && result->elem == EL_BOOL, "any and all are of bool");
    else if (op->reduce == REDUCE_MAX || op->reduce == REDUCE_MIN)
        rule(v, a->elem == result->elem, "max and min keep the type");
}

/* Is an axis of an operand that of the result, or of extent 1? */
static bool lines_up(const Type *operand, int a, const Type *result, int b)
{
    return a < 0 || (b >= 0 && (operand->dim[a] == result->dim[b] || sym_is(operand->dim[a], 1)));
}

/* mma: columns of a meet rows of b, leading axes line up, the accumulator is the result's type. */
void verify_mma(Verify *v, const Op *op)
{
    const Type *a = &op->args[0]->type, *b = &op->args[1]->type, *r = &op->results[0]->type;
    if (!rule(v, a->rank >= 2 && b->rank >= 2 && r->rank >= 2, "mma of what is no matrix"))
        return;
    rule(v, a->dim[a->rank - 1] == b->dim[b->rank - 2], "mma of other columns than rows");
    rule(v, a->dim[a->rank - 2] == r->dim[r->rank - 2], "mma of other rows than its result");
    rule(v, b->dim[b->rank - 1] == r->dim[r->rank - 1], "mma of other columns than its result");
    for (int i = 3; i <= MAX_TILE_RANK; i++)
        rule(v, lines_up(a, a->rank - i, r, r->rank - i)
             && lines_up(b, b->rank - i, r, r->rank - i), "leading axes of mma do not line up");
    for (int i = 0; i < r->rank; i++)
        rule(v, type_extent(r, i) > 0, "mma of a whole axis");
    rule(v, op->nargs < 3 || type_same(&op->args[2]->type, r), "mma with another accumulator");
}

/* sort: the same shape, or fewer along the axis; places are i32. */
void verify_sort(Verify *v, const Op *op)
{
    const Type *a = &op->args[0]->type, *result = &op->results[0]->type;
    rule(v, op->nresults <= 2 && a->elem == result->elem, "a sort changes the type");
    if (!rule(v, op->axis < a->rank && a->rank == result->rank, "a sort along no axis"))
        return;
    for (int i = 0; i < a->rank; i++)
        rule(v, i == op->axis ? type_extent(result, i) <= type_extent(a, i)
                              : a->dim[i] == result->dim[i], "a sort changes an extent");
    if (op->nresults == 2)
        rule(v, op->results[1]->type.elem == EL_I32
             && type_same_shape(result, &op->results[1]->type), "places are no i32");
}

/* fold, scan: tiles of one shape, as many first values and results; a function of scalars. */
void verify_combines(Verify *v, const Op *op)
{
    const int n = op_members(op), axis = op_axis(op);
    const Type *a = &op->args[0]->type;
    const Block *b = op->region[0];
    if (!rule(v, op->nargs == 2 * n && op->nresults == n && b->nargs == 2 * n, "wrong numbers")
        || !rule(v, op->reduce_axes == 1u << axis && axis < a->rank, "not along one axis"))
        return;
    for (int i = 0; i < n; i++) {
        const Elem e = op->args[i]->type.elem;
        rule(v, type_same_shape(a, &op->args[i]->type), "members have different shapes");
        rule(v, op->results[i]->type.elem == e && is_scalar(op->args[n + i], e)
             && is_scalar(b->args[i], e) && is_scalar(b->args[n + i], e),
             "a member changes its type");
        rule(v, op->kind == OP_SCAN ? type_same_shape(a, &op->results[i]->type)
             : op->results[i]->type.rank == a->rank - 1, "a result has another shape");
    }
    for (const Op *o = b->first; o; o = o->next)
        for (int i = 0; i < o->nresults; i++)
            rule(v, o->results[i]->type.rank == 0, "a function of scalars makes a tile");
}
