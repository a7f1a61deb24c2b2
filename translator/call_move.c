/* call_move.c -- elements that move along axes: cat, split, extract, flip */
#include "lower.h"

/* A bad call, already reported. */
static Given bad(const Args *a)
{
    return give_kind(GIVES_ERROR, a->call);
}

/* Reports an operation along a whole axis. */
static void along_whole(Check *c, const Args *a, const Value *v, int axis, Pos pos)
{
    mistake(c, pos, "E0705", "`%s` along a whole axis, %s", a->name, type_text(&v->type));
    note(v->pos, "the extent of axis %d is %s, known at launch only", axis,
         sym_text(v->type.dim[axis]));
    help("loop over chunks of a static size: `x.load([i, k], [..])`");
}

/* One static axis of a tile; -1 after a report. */
static int one_axis(Check *c, const Node *n, int rank)
{
    uint32_t axes;
    if (!axis_list(c, n, rank, &axes)) return -1;
    if (!(axes & (axes - 1))) return __builtin_ctz(axes);
    mistake(c, node_pos(n), "E0703", "one axis is named here, not several");
    return -1;
}

/* ---- flip ------------------------------------------------------------------------------------ */

/* flip(t, axis): the axis, or each of a list, runs backwards. */
Given lower_flip(Check *c, const Args *a, int what)
{
    (void)what;
    Value *v = expr_value(c, a->at[0], EL_ERROR);
    uint32_t axes;
    if (!v || !axis_list(c, a->at[1], v->type.rank, &axes)) return bad(a);
    Op *op;
    Value *r = build(c, OP_FLIP, type_with_elem(v->type, v->type.elem), node_pos(a->call), 1, &v,
                     &op);
    op->axes = axes;
    return give(r, a->call);
}

/* ---- cat ------------------------------------------------------------------------------------- */

/* Do both agree along all axes but one? False after a report. */
static bool fit_together(Check *c, const Args *a, Value *const *v, int axis)
{
    if (v[0]->type.rank != v[1]->type.rank) {
        mistake(c, node_pos(a->call), "E0721", "a tile of %d axes and one of %d", v[0]->type.rank,
                v[1]->type.rank);
        help("`expand(t, axis)` adds an axis of extent 1");
        return false;
    }
    for (int i = 0; i < v[0]->type.rank; i++) {
        if (i == axis || v[0]->type.dim[i] == v[1]->type.dim[i]) continue;
        mistake(c, node_pos(a->call), "E0721", "the tiles differ along axis %d: %s and %s", i,
                sym_text(v[0]->type.dim[i]), sym_text(v[1]->type.dim[i]));
        note(node_pos(a->at[0]), "this is %s", type_text(&v[0]->type));
        note(node_pos(a->at[1]), "and this %s", type_text(&v[1]->type));
        help("`broadcast_to` stretches an extent of 1");
        return false;
    }
    for (int i = 0; i < 2; i++)
        if (type_is_whole(&v[i]->type, axis)) {
            along_whole(c, a, v[i], axis, node_pos(a->call));
            return false;
        }
    return true;
}

/* cat(a, b, axis): b behind a. Of two element types the narrower widens. */
Given lower_cat(Check *c, const Args *a, int what)
{
    (void)what;
    Given g[2];
    Value *v[2];
    Elem elem;
    for (int i = 0; i < 2; i++) {
        g[i] = expr(c, a->at[i]);
        if (!operand(c, &g[i])) return bad(a);
    }
    if (!unify(c, g, 2, "cat", node_pos(a->call), &elem)) return bad(a);
    for (int i = 0; i < 2; i++) {
        v[i] = given_value(c, g[i], elem);
        if (!v[i]) return bad(a);
        v[i] = build_cast(c, v[i], elem, g[i].pos);
    }
    int axis = one_axis(c, a->at[2], v[0]->type.rank);
    if (axis < 0 || !fit_together(c, a, v, axis)) return bad(a);
    Type type = type_with_elem(v[0]->type, elem);
    type.dim[axis] = sym_add(v[0]->type.dim[axis], v[1]->type.dim[axis]);
    Op *op;
    Value *r = build(c, OP_CAT, type, node_pos(a->call), 2, v, &op);
    op->axis = axis;
    return give(r, a->call);
}

/* ---- split, extract -------------------------------------------------------------------------- */

/* The piece of v at an index for each of its axes. */
static Value *piece(Check *c, Value *v, Value *const *index, Type type, const Node *at)
{
    Value *args[1 + MAX_TILE_RANK] = { v };
    for (int i = 0; i < type.rank; i++) args[1 + i] = index[i];
    return build(c, OP_EXTRACT, type_with_elem(type, v->type.elem), node_pos(at), 1 + type.rank,
                 args, NULL);
}

/* split(t, n, axis): n equal tiles, as a tuple. */
Given lower_split(Check *c, const Args *a, int what)
{
    (void)what;
    enum { MOST = 64 };
    Value *v = expr_value(c, a->at[0], EL_ERROR);
    int64_t n, extent;
    if (!v || !static_int(c, a->at[1], &n)) return bad(a);
    int axis = one_axis(c, a->at[2], v->type.rank);
    if (axis < 0) return bad(a);
    if (!sym_const_of(v->type.dim[axis], &extent)) {
        along_whole(c, a, v, axis, node_pos(a->call));
        return bad(a);
    }
    if (n < 1 || n > MOST || extent % n) {
        mistake(c, node_pos(a->at[1]), "E0721", "axis %d, of extent %lld, in %lld tiles", axis,
                (long long)extent, (long long)n);
        note(node_pos(a->at[0]), "this is %s", type_text(&v->type));
        help("`split` cuts into at most %d equal tiles; `extract` takes pieces of any size", MOST);
        return bad(a);
    }
    Given g = give_kind(GIVES_TUPLE, a->call);
    Type type = v->type;
    type.dim[axis] = sym_const(extent / n);
    g.n = (int)n;
    g.members = new_array(Given, g.n);
    for (int i = 0; i < g.n; i++) {
        Value *index[MAX_TILE_RANK];
        for (int b = 0; b < type.rank; b++)
            index[b] = build_int(c, b == axis ? i : 0, node_pos(a->call));
        g.members[i] = give(piece(c, v, index, type, a->call), a->call);
    }
    return g;
}

/* Does the piece fit along one axis: a static index inside, a whole axis as a whole? */
static bool piece_fits(Check *c, const Args *a, const Value *v, const Type *type, int axis,
                       const Value *index)
{
    int64_t of, size, i;
    const Node *at = kid(a->at[1], axis);
    bool number = index->def && index->def->kind == OP_CONST;
    i = number ? index->def->constant.i : 0;
    if (v->type.dim[axis] == type->dim[axis] && number && i == 0) return true;
    if (!sym_const_of(v->type.dim[axis], &of) || !sym_const_of(type->dim[axis], &size)) {
        along_whole(c, a, v, axis, node_pos(at));
        return false;
    }
    if (size <= of && (!number || (i >= 0 && i < of / size))) return true;
    if (size > of)
        mistake(c, node_pos(kid(a->at[2], axis)), "E0721", "a piece of %lld of an axis of %lld",
                (long long)size, (long long)of);
    else
        mistake(c, node_pos(at), "E0721", "piece %lld of %lld elements, of an axis of %lld",
                (long long)i, (long long)size, (long long)of);
    note(node_pos(a->at[0]), "this is %s", type_text(&v->type));
    help("the index counts pieces, as that of `load` does: 0 to %lld",
         (long long)(size > of ? 0 : of / size - 1));
    return false;
}

/* extract(t, [index..], [shape..]): piece [index] of t in pieces of that shape. */
Given lower_extract(Check *c, const Args *a, int what)
{
    (void)what;
    Value *v = expr_value(c, a->at[0], EL_ERROR), *index[MAX_TILE_RANK];
    Type type = { .kind = TYPE_TILE };
    const Node *list = a->at[1];
    if (!tile_shape(c, a->at[2], &type) || !v) return bad(a);
    if (list->kind != N_LIST || kid_count(list) != v->type.rank || type.rank != v->type.rank) {
        mistake(c, node_pos(a->call), "E0721", "`extract` takes an index and an extent for each of "
                "the %d axes", v->type.rank);
        note(node_pos(a->at[0]), "this is %s", type_text(&v->type));
        help("it is `extract(t, [i, 0], [8, 32])`");
        return bad(a);
    }
    for (int i = 0; i < type.rank; i++) {
        index[i] = index_value(c, kid(list, i));
        if (!index[i] || !piece_fits(c, a, v, &type, i, index[i])) return bad(a);
    }
    return give(piece(c, v, index, type, a->call), a->call);
}
