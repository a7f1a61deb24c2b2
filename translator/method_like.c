/* method_like.c -- x.load_like(y): the tile of x that lines up with this program's part of y */
#include "lower.h"

/* The axis of y, from `first` on, whose extent is this one; -1 if there is none. */
static int match(const Param *y, Sym dim, int first)
{
    for (int b = first; b < y->type.rank; b++)
        if (y->type.dim[b] == dim) return b;
    return -1;
}

/* What an axis of x's tensor is to `load_like`. */
typedef struct {
    bool gone, range;                              /* an index has dropped it; a range is left */
    Sym extent;                                    /* what it is found by; NULL: nothing can */
} Mark;

/* The axis of the view that is this axis of its tensor; -1 if it is gone. */
static int axis_in_view(const View *v, int axis)
{
    for (int i = 0; i < v->rank; i++)
        if (v->axis[i] == axis) return i;
    return -1;
}

/* An axis is found by the name of its extent; a range of one by its length, if that is static. */
static Mark mark_of(const View *x, const View *all, int axis)
{
    int64_t k;
    int i = axis_in_view(x, axis);
    bool same = x->start[axis] == all->start[axis] && x->lo[axis] == all->lo[axis]
                && x->hi[axis] == all->hi[axis];
    if (i < 0 && axis_in_view(all, axis) >= 0) return (Mark){ .gone = true };
    if (i >= 0 && !same)
        return (Mark){ .range = true, .extent = sym_const_of(x->size[i], &k) ? x->size[i] : NULL };
    return (Mark){ .extent = x->param->unnamed[axis] ? NULL : x->param->type.dim[axis] };
}

/* Reports an axis of x that no axis of y is left for. */
static void no_match(Check *c, const Args *a, const View *x, const Param *y, int axis, Sym extent)
{
    bool permuted = extent && match(y, extent, 0) >= 0;
    const char *xs = x->param->name->text, *ys = y->name->text;
    if (!extent)
        mistake(c, node_pos(a->call), "E0709", "axis %d of `%s` has no name to find it by in `%s`",
                axis, xs, ys);
    else if (permuted)
        mistake(c, node_pos(a->call), "E0709",
                "the axes of `%s` stand in another order than those of `%s`", xs, ys);
    else
        mistake(c, node_pos(a->call), "E0709", "axis %d of `%s` is %s, which `%s` has not", axis,
                xs, sym_text(extent), ys);
    note(x->param->pos, "`%s` is %s", xs, type_text(&x->param->type));
    note(y->pos, "`%s` is %s", ys, type_text(&y->type));
    help("say which tile: `%s.load([..], [..])`", xs);
}

/* For each axis of x's tensor the axis of y that it lines up with, and from where on; -1: an extent
   of 1, or gone. False after a report. */
static bool line_up(Check *c, const Args *a, const View *x, const Param *y, int *to, Sym *from)
{
    Given whole = { .kind = GIVES_TENSOR, .value = x->tensor };
    View all;
    int next = 0;
    if (!view_of(c, &whole, &all)) return false;
    for (int i = 0; i < x->param->type.rank; i++) {
        Mark m = mark_of(x, &all, i);
        from[i] = m.range ? x->start[i] : sym_const(0);
        bool one = m.gone || (m.extent && sym_is(m.extent, 1));
        to[i] = one || !m.extent ? -1 : match(y, m.extent, next);
        if (to[i] >= 0) next = to[i] + 1;
        else if (!one) {
            no_match(c, a, x, y, i, m.extent);
            return false;
        }
    }
    return true;
}

/* The owned tensor that the argument is; false after a report. */
static bool like_what(Check *c, const Args *a, View *y)
{
    Given g = expr(c, a->at[0]);
    if (g.kind == GIVES_ERROR) return false;
    if (g.kind == GIVES_TENSOR && !view_of(c, &g, y)) return false;
    if (g.kind == GIVES_TENSOR && y->param->kind == PARAM_MUT && y->param->has_by) return true;
    mistake(c, g.pos, "E0709", "`load_like` follows an owned part, and this is none");
    if (g.kind == GIVES_TENSOR) note(y->param->pos, "`%s` is declared here", y->param->name->text);
    help("name a `&mut tensor<..> by [..]`, or say which tile: `load([..], [..])`");
    return false;
}

/* x.load_like(y) */
Given method_like(Check *c, const Args *a, const View *x)
{
    View y;
    int to[MAX_RANK];
    Sym from[MAX_RANK];
    Type part, tile;
    Access access;
    if (!like_what(c, a, &y) || !line_up(c, a, x, y.param, to, from))
        return give_kind(GIVES_ERROR, a->call);
    if (!view_shape(c, &y, node_pos(a->call), &part)) return give_kind(GIVES_ERROR, a->call);
    tile = part;
    for (int i = 0; i < tile.rank; i++) tile.dim[i] = sym_const(1);
    view_access(x, &access);
    for (int i = 0; i < x->param->type.rank; i++) {
        if (to[i] < 0) continue;
        int at = axis_in_view(&y, to[i]);
        access.start[i] = sym_add(from[i], y.start[to[i]]);
        access.map[i] = at;
        if (at >= 0) tile.dim[at] = part.dim[at];
    }
    return build_load(c, a, x, tile, &access);
}
