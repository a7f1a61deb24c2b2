/* method_load.c -- tiles out of tensors: load, window */
#include "lower.h"

/* The pad of a load: v, or 0; NULL after a report. */
Value *load_pad(Check *c, const Args *a, Elem e)
{
    const Node *n = a->named[ARG_PAD];
    Constant zero = { .i = 0 };
    if (elem_is_float(e)) zero.f = 0.0;
    if (!n) return build_const(c, e, zero, node_pos(a->call));
    Given g = expr(c, n);
    Value *v = widen(c, g, e, "the tensor");
    if (!v || v->type.rank == 0) return v;
    mistake(c, g.pos, "E0408", "a pad is a scalar, and this is %s", type_text(&v->type));
    return NULL;
}

/* The load of a tile at a place; its pad is the named argument. */
Given build_load(Check *c, const Args *a, const View *view, Type tile, const Access *access)
{
    Op *op;
    Value *args[2] = { view->tensor, load_pad(c, a, view->param->type.elem) };
    if (!args[1]) return give_kind(GIVES_ERROR, a->call);
    tile = type_with_elem(tile, view->param->type.elem);
    Value *v = build(c, OP_LOAD, tile, node_pos(a->call), 2, args, &op);
    op->access = new(Access);
    *op->access = *access;
    return give(v, a->call);
}

/* y.load(): all of an owned part. */
static Given load_part(Check *c, const Args *a, const View *view)
{
    Type tile;
    Access access;
    if (!view_shape(c, view, node_pos(a->call), &tile)) return give_kind(GIVES_ERROR, a->call);
    view_access(view, &access);
    for (int i = 0; i < view->rank; i++) access.map[view->axis[i]] = i;
    return build_load(c, a, view, tile, &access);
}

/* x.load([i, k], [BM, BK]), y.load() */
Given method_load(Check *c, const Args *a, const View *view)
{
    Type tile = { .kind = TYPE_TILE };
    Access access;
    if (a->n == 0 && view->param->has_by) return load_part(c, a, view);
    if (a->n < 2) {
        mistake(c, node_pos(a->call), "E0701", "`load` needs an index and a shape");
        help("write `%s.load([i, k], [BM, BK])`%s", view->param->name->text,
             a->n ? "" : "; an owned part alone is loaded as a whole, `y.load()`");
        return give_kind(GIVES_ERROR, a->call);
    }
    if (!tile_shape(c, a->at[1], &tile) || !view_tiles(c, view, a->at[0], &tile, &access))
        return give_kind(GIVES_ERROR, a->call);
    return build_load(c, a, view, tile, &access);
}

/* x.window([r, c], [BM, BN], step = [s, t]) */
Given method_window(Check *c, const Args *a, const View *view)
{
    Type tile = { .kind = TYPE_TILE };
    Access access;
    if (!tile_shape(c, a->at[1], &tile)) return give_kind(GIVES_ERROR, a->call);
    if (!view_window(c, view, a->at[0], a->named[ARG_STEP], &tile, &access))
        return give_kind(GIVES_ERROR, a->call);
    return build_load(c, a, view, tile, &access);
}
