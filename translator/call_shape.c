/* call_shape.c -- the same elements in another shape: reshape, expand, squeeze, broadcast_to */
#include "lower.h"

/* A bad call, already reported. */
static Given bad(const Args *a)
{
    return give_kind(GIVES_ERROR, a->call);
}

/* ---- reshape --------------------------------------------------------------------------------- */

/* How many elements a static shape has; -1 if an axis is a whole one. */
static int64_t elements(const Type *t)
{
    int64_t n = 1;
    for (int i = 0; i < t->rank; i++) {
        int64_t extent = type_extent(t, i);
        if (extent < 0) return -1;
        if (__builtin_mul_overflow(n, extent, &n)) return INT64_MAX;
    }
    return n;
}

/* Reports a whole axis where every extent must be static. */
static void whole_axis(Check *c, const Args *a, const Type *t, Pos pos)
{
    mistake(c, pos, "E0705", "`%s` of a whole axis, %s", a->name, type_text(t));
    help("its extent is known at launch only: loop over chunks of a static size; `expand` and "
         "`squeeze` add and "
         "drop extents of 1");
}

/* reshape(t, [..]) */
Given lower_reshape(Check *c, const Args *a, int what)
{
    (void)what;
    Value *v = expr_value(c, a->at[0], EL_ERROR);
    Type type = { .kind = TYPE_TILE };
    if (!tile_shape(c, a->at[1], &type) || !v) return bad(a);
    type = type_with_elem(type, v->type.elem);
    int64_t from = elements(&v->type), to = elements(&type);
    if (from < 0 || to < 0) {
        whole_axis(c, a, from < 0 ? &v->type : &type, node_pos(a->call));
        return bad(a);
    }
    if (from != to) {
        mistake(c, node_pos(a->at[1]), "E0706", "%lld elements do not fill a shape of %lld",
                (long long)from, (long long)to);
        note(node_pos(a->at[0]), "this is %s", type_text(&v->type));
        return bad(a);
    }
    if (type_same_shape(&type, &v->type)) return give(v, a->call);
    return give(build(c, OP_RESHAPE, type, node_pos(a->call), 1, &v, NULL), a->call);
}

/* ---- expand, squeeze ------------------------------------------------------------------------- */

/* expand(t, axis): the axis, or a list of axes, is that of the result. */
Given lower_expand(Check *c, const Args *a, int what)
{
    (void)what;
    Value *v = expr_value(c, a->at[0], EL_ERROR);
    uint32_t axes;
    if (!v) return bad(a);
    int rank = v->type.rank + (a->at[1]->kind == N_LIST ? kid_count(a->at[1]) : 1);
    if (rank > MAX_TILE_RANK) {
        mistake(c, node_pos(a->call), "E0706", "a tile has at most %d axes", MAX_TILE_RANK);
        return bad(a);
    }
    if (!axis_list(c, a->at[1], rank, &axes)) return bad(a);
    Type type = { .kind = TYPE_TILE, .elem = v->type.elem, .rank = rank };
    for (int i = 0, from = 0; i < rank; i++)
        type.dim[i] = axes & 1u << i ? sym_const(1) : v->type.dim[from++];
    Op *op;
    Value *r = build(c, OP_EXPAND, type, node_pos(a->call), 1, &v, &op);
    op->axes = axes;
    return give(r, a->call);
}

/* squeeze(t, axis) */
Given lower_squeeze(Check *c, const Args *a, int what)
{
    (void)what;
    Value *v = expr_value(c, a->at[0], EL_ERROR);
    uint32_t axes;
    if (!v || !axis_list(c, a->at[1], v->type.rank, &axes)) return bad(a);
    Type type = { .kind = TYPE_TILE, .elem = v->type.elem };
    for (int i = 0; i < v->type.rank; i++) {
        if (!(axes & 1u << i)) {
            type.dim[type.rank++] = v->type.dim[i];
            continue;
        }
        if (sym_is(v->type.dim[i], 1)) continue;
        mistake(c, node_pos(a->at[1]), "E0706", "axis %d has an extent of %s, not 1", i,
                sym_text(v->type.dim[i]));
        note(node_pos(a->at[0]), "this is %s", type_text(&v->type));
        help("a reduction drops an axis: `sum(t, axis = %d)`", i);
        return bad(a);
    }
    Op *op;
    Value *r = build(c, OP_SQUEEZE, type, node_pos(a->call), 1, &v, &op);
    op->axes = axes;
    return give(r, a->call);
}

/* ---- transpose, permute ---------------------------------------------------------------------- */

/* v with its axes in another order: result axis i is axis perm[i] of v. */
static Given permuted(Check *c, Value *v, const int *perm, const Node *at)
{
    Type type = { .kind = TYPE_TILE, .elem = v->type.elem, .rank = v->type.rank };
    bool moved = false;
    for (int i = 0; i < type.rank; i++) {
        type.dim[i] = v->type.dim[perm[i]];
        moved |= perm[i] != i;
    }
    if (!moved) return give(v, at);
    Op *op;
    Value *r = build(c, OP_PERMUTE, type, node_pos(at), 1, &v, &op);
    for (int i = 0; i < type.rank; i++) op->perm[i] = perm[i];
    return give(r, at);
}

/* t.t: the last two axes change places. */
Given transposed(Check *c, Value *v, const Node *at)
{
    int perm[MAX_TILE_RANK], rank = v->type.rank;
    if (rank < 2) {
        mistake(c, node_pos(at), "E0706", "a tile of %d ax%s has nothing to transpose", rank,
                rank == 1 ? "is" : "es");
        help("`expand(t, 0)` makes a row of a vector, `expand(t, 1)` a column");
        return give_kind(GIVES_ERROR, at);
    }
    for (int i = 0; i < rank; i++) perm[i] = i;
    perm[rank - 2] = rank - 1, perm[rank - 1] = rank - 2;
    return permuted(c, v, perm, at);
}

/* transpose(t) */
Given lower_transpose(Check *c, const Args *a, int what)
{
    (void)what;
    Value *v = expr_value(c, a->at[0], EL_ERROR);
    return v ? transposed(c, v, a->call) : bad(a);
}

/* permute(t, [1, 0, 2]): result axis i is axis list[i] of t, each once. */
Given lower_permute(Check *c, const Args *a, int what)
{
    (void)what;
    Value *v = expr_value(c, a->at[0], EL_ERROR);
    const Node *list = a->at[1];
    int perm[MAX_TILE_RANK] = { 0 }, n = 0;
    uint32_t seen = 0;
    if (!v) return bad(a);
    for (const Node *k = list->kind == N_LIST ? list->kids : NULL; k; k = k->next, n++) {
        int64_t axis;
        if (!static_int(c, k, &axis)) return bad(a);
        axis += axis < 0 ? v->type.rank : 0;
        if (n >= v->type.rank || axis < 0 || axis >= v->type.rank || seen >> axis & 1) break;
        perm[n] = (int)axis;
        seen |= 1u << axis;
    }
    if (list->kind == N_LIST && n == v->type.rank && kid_count(list) == n)
        return permuted(c, v, perm, a->call);
    mistake(c, node_pos(list), "E0706", "`permute` takes a list with each of the %d axes once",
            v->type.rank);
    note(node_pos(a->at[0]), "this is %s", type_text(&v->type));
    help("it is `permute(t, [1, 0, 2])`: axis i of the result is axis list[i] of t");
    return bad(a);
}

/* ---- broadcast_to ---------------------------------------------------------------------------- */

/* broadcast_to(t, [..]) */
Given lower_broadcast(Check *c, const Args *a, int what)
{
    (void)what;
    Value *v = expr_value(c, a->at[0], EL_ERROR);
    Type type = { .kind = TYPE_TILE };
    if (!tile_shape(c, a->at[1], &type) || !v) return bad(a);
    int lead = type.rank - v->type.rank;
    bool fits = lead >= 0;
    for (int i = 0; fits && i < v->type.rank; i++)
        fits = sym_is(v->type.dim[i], 1) || v->type.dim[i] == type.dim[lead + i];
    if (!fits) {
        type.elem = v->type.elem;
        mistake(c, node_pos(a->call), "E0403", "%s does not stretch to %s", type_text(&v->type),
                type_text(&type));
        help("shapes line up from the right, an extent of 1 stretches; `expand(t, axis)` adds one");
        return bad(a);
    }
    return give(broadcast_value(c, v, &type, node_pos(a->call)), a->call);
}
