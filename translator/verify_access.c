/* verify_access.c -- the rules of what moves tiles: loads, stores, coordinates, index tiles */
#include "verify.h"

/* Each axis of the tensor has a place; each tile axis comes from at most one of them, and has
   extent 1 if from none. */
void verify_access(Verify *v, const Op *op, const Type *tile)
{
    const Access *access = op->access;
    const Type *tensor = &op->args[0]->type;
    uint32_t mapped = 0;
    if (!rule(v, access != NULL, "an access without a place")
        || !rule(v, tensor->kind == TYPE_TENSOR, "an access to what is no tensor"))
        return;
    for (int a = 0; a < tensor->rank; a++) {
        const int t = access->map[a];
        use_sym(v, access->start[a]);
        use_sym(v, access->lo[a]);
        use_sym(v, access->hi[a]);
        rule(v, access->step[a] > 0 || t < 0, "an access does not step forward");
        if (!rule(v, t < tile->rank, "an access maps to no axis of the tile") || t < 0)
            continue;
        rule(v, !(mapped >> t & 1), "two axes of a tensor map to one of the tile");
        mapped |= 1u << t;
    }
    const bool repeats = op->kind == OP_ATOMIC;      /* several elements of the tile may meet */
    for (int i = 2; i < op->nargs && op_is_index(op, i); i++)
        mapped |= (1u << op->args[i]->type.rank) - 1;
    for (int t = 0; t < tile->rank && !repeats; t++)
        rule(v, mapped >> t & 1 || sym_is(tile->dim[t], 1), "a tile axis comes from nowhere");
}

/* Each index tile has the first axes of the tile, and is that of one axis of the tensor. */
static void check_indices(Verify *v, const Op *op, const Type *tile)
{
    uint32_t seen = 0;
    for (int a = 0; a < op->args[0]->type.rank && op->access; a++) {
        const int i = op->access->index[a];
        if (!i || !rule(v, i >= 2 && i < op->nargs, "an index is no operand"))
            continue;
        const Type *index = &op->args[i]->type;
        rule(v, op->access->map[a] < 0, "an axis has an index and a place in the tile");
        rule(v, elem_is_int(index->elem) && index->rank <= tile->rank, "an index is no such tile");
        for (int t = 0; t < index->rank && t < tile->rank; t++)
            rule(v, index->dim[t] == tile->dim[t], "an index tile has other axes");
        seen |= 1u << i;
    }
    for (int i = 2; i < op->nargs; i++)
        rule(v, seen >> i & 1, "an operand is the index of no axis");
}

/* gather, scatter, atomics: like loads and stores, with indices. */
void verify_places(Verify *v, const Op *op)
{
    const Type *tile = &op_tile(op)->type;
    verify_access(v, op, tile);
    check_indices(v, op, tile);
    rule(v, tile->elem == op->args[0]->type.elem, "what moves by indices converts");
    if (op->kind == OP_GATHER)
        rule(v, is_scalar(op->args[1], tile->elem), "the pad of a gather is no scalar of its type");
    if (op->kind == OP_ATOMIC && op->nresults)
        rule(v, type_same(tile, &op->results[0]->type), "what an atomic gives has another type");
}

/* store: the element type is the tensor's; a mask has the tile's shape. */
void verify_store(Verify *v, const Op *op)
{
    const Type *tile = &op->args[1]->type;
    verify_access(v, op, tile);
    rule(v, tile->elem == op->args[0]->type.elem, "a store converts");
    if (op->nargs > 2)
        rule(v, op->args[2]->type.elem == EL_BOOL && type_same_shape(&op->args[2]->type, tile),
             "a mask of another shape or type");
}

/* coord: one axis of a part. */
void verify_coord(Verify *v, const Op *op)
{
    if (!rule(v, op->access != NULL, "coord without a place"))
        return;
    use_sym(v, op->access->start[0]);
    use_sym(v, op->access->lo[0]);
    use_sym(v, op->access->hi[0]);
    rule(v, op->results[0]->type.elem == EL_I64, "coord gives i64");
}
