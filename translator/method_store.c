/* method_store.c -- tiles into the owned part: store, put */
#include "lower.h"

/* The tile with the leading axes of extent 1 that it lacks. */
static Value *with_leading(Check *c, Value *v, int rank, Pos pos)
{
    int lead = rank - v->type.rank;
    if (lead <= 0 || rank > MAX_TILE_RANK) return v;
    Type type = { .kind = TYPE_TILE, .elem = v->type.elem, .rank = rank };
    for (int i = 0; i < rank; i++) type.dim[i] = i < lead ? sym_const(1) : v->type.dim[i - lead];
    Op *op;
    Value *r = build(c, OP_EXPAND, type, pos, 1, &v, &op);
    op->axes = (1u << lead) - 1;
    return r;
}

/* The tile to store, in the tensor's type; NULL after a report. */
static Value *stored(Check *c, const Args *a, const View *view)
{
    return widen(c, expr(c, a->at[0]), view->param->type.elem,
                 arena_printf("`%s`", view->param->name->text));
}

/* The tile as all of the part; NULL after a report. A scalar fills it. */
static Value *as_part(Check *c, const Args *a, const View *view, Value *v)
{
    Type part;
    Pos pos = node_pos(a->at[0]);
    if (!view_shape(c, view, node_pos(a->call), &part)) return NULL;
    if (v->type.rank == 0) return broadcast_value(c, v, &part, pos);
    Value *tile = with_leading(c, v, part.rank, pos);
    if (type_same_shape(&tile->type, &part)) return tile;
    mistake(c, pos, "E0711", "this is %s, and the part of `%s` is %s", type_text(&v->type),
            view->param->name->text, type_text(&part));
    note(view->param->pos, "it is declared here");
    if (v->type.rank > part.rank) help("`squeeze(t, axis)` drops an axis of extent 1");
    else
        help("`broadcast_to(t, [..])` repeats it; `%s.store(t, [k, 0])` stores piece k of the part",
             view->param->name->text);
    return NULL;
}

/* The op, with its mask if it has one. */
static Given build_store(Check *c, const Args *a, const View *view, Value *tile,
                         const Access *access)
{
    Value *args[3] = { view->tensor, tile };
    const Node *m = a->named[ARG_MASK];
    if (m) {
        Given g = tensor_test(c, expr(c, m));
        Value *mask = given_value(c, g, EL_ERROR);
        if (!mask) return give_kind(GIVES_ERROR, a->call);
        Value *both[] = { mask, tile };
        if (mask->type.elem != EL_BOOL) {
            mistake(c, g.pos, "E0407", "a mask is a bool tile, not %s", type_text(&mask->type));
            help("compare: `%s != 0`", node_source(m));
            return give_kind(GIVES_ERROR, a->call);
        }
        if (!broadcast_all(c, both, 2, g.pos)) return give_kind(GIVES_ERROR, a->call);
        if (!type_same_shape(&both[1]->type, &tile->type)) {
            mistake(c, g.pos, "E0711", "the mask is %s, and the tile %s", type_text(&mask->type),
                    type_text(&tile->type));
            return give_kind(GIVES_ERROR, a->call);
        }
        args[2] = both[0];
    }
    Op *op = build_effect(c, OP_STORE, node_pos(a->call), m ? 3 : 2, args);
    op->access = new(Access);
    *op->access = *access;
    op->access->covers = !m && covers(c, view, &tile->type, access);
    return give_kind(GIVES_NOTHING, a->call);
}

/* y.store(t), y.store(t, [k, 0]) */
Given method_store(Check *c, const Args *a, const View *view)
{
    Access access;
    Value *v = stored(c, a, view);
    if (v && a->n == 1) {
        v = as_part(c, a, view, v);
        view_access(view, &access);
        for (int i = 0; i < view->rank; i++) access.map[view->axis[i]] = i;
    } else if (v) {
        v = with_leading(c, v, view->rank, node_pos(a->at[0]));
        if (!view_tiles(c, view, a->at[1], &v->type, &access)) v = NULL;
    }
    if (!v) return give_kind(GIVES_ERROR, a->call);
    return build_store(c, a, view, v, &access);
}

/* y.put(t, [r, c]) */
Given method_put(Check *c, const Args *a, const View *view)
{
    Access access;
    Value *v = stored(c, a, view);
    if (!v) return give_kind(GIVES_ERROR, a->call);
    v = with_leading(c, v, view->rank, node_pos(a->at[0]));
    if (!view_window(c, view, a->at[1], NULL, &v->type, &access))
        return give_kind(GIVES_ERROR, a->call);
    return build_store(c, a, view, v, &access);
}
