/* method_part.c -- where an owned part is: extent, origin, index, coord */
#include "lower.h"
#include "padding.h"

/* x.extent(a): what exists of it. */
Given method_extent(Check *c, const Args *a, const View *view)
{
    int axis;
    if (!view_axis(c, view, a->at[0], &axis)) return give_kind(GIVES_ERROR, a->call);
    return give(build_sym(c, view->extent[axis], node_pos(a->call)), a->call);
}

/* y.origin(a): its first element. */
Given method_origin(Check *c, const Args *a, const View *view)
{
    int axis;
    if (!view_axis(c, view, a->at[0], &axis)) return give_kind(GIVES_ERROR, a->call);
    return give(build_sym(c, view->start[view->axis[axis]], node_pos(a->call)), a->call);
}

/* y.index(a): its number. */
Given method_index(Check *c, const Args *a, const View *view)
{
    int axis;
    if (!view_axis(c, view, a->at[0], &axis)) return give_kind(GIVES_ERROR, a->call);
    return give(build_sym(c, view->index[axis], node_pos(a->call)), a->call);
}

/* y.coord(a): the coordinates of its elements. */
Given method_coord(Check *c, const Args *a, const View *view)
{
    int axis;
    int64_t k;
    Pos pos = node_pos(a->call);
    if (!view_axis(c, view, a->at[0], &axis)) return give_kind(GIVES_ERROR, a->call);
    if (view->region[axis] || (!sym_const_of(view->size[axis], &k) && !view_whole(view, axis))) {
        mistake(c, pos, "E0713", "the part has an extent of %s, which is no tile",
                formula_words(view->size[axis]));
        note(view->param->pos, "it is declared here");
        help("count from its start: `y.origin(a) + k * BM + iota(BM, i64)`");
        return give_kind(GIVES_ERROR, a->call);
    }
    Type type = { .kind = TYPE_TILE, .elem = EL_I64, .rank = 1, .dim = { view->size[axis] } };
    Value *tensor = view->tensor;
    Op *op;
    Value *v = build(c, OP_COORD, type, pos, 1, &tensor, &op);
    op->axis = view->axis[axis];
    op->access = new(Access);
    *op->access = (Access){ .part = true };
    op->access->start[0] = view->start[op->axis];
    op->access->lo[0] = view->lo[op->axis];
    op->access->hi[0] = view->hi[op->axis];
    op->access->step[0] = 1;
    return give(v, a->call);
}
