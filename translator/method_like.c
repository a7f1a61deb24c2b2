/* method_like.c -- x.load_like(y): the tile of x that lines up with this program's part of y */
#include "lower.h"

/* The axis of y, from `first` on, whose extent is this one; -1 if there is none. */
static int match(const Param *y, Sym dim, int first)
{
    for (int b = first; b < y->type.rank; b++)
        if (y->type.dim[b] == dim) return b;
    return -1;
}

/* Reports an axis of x that no axis of y is left for. */
static void no_match(Check *c, const Args *a, const Param *x, const Param *y, int axis)
{
    Sym dim = x->type.dim[axis];
    bool permuted = !x->unnamed[axis] && match(y, dim, 0) >= 0;
    const char *xs = x->name->text, *ys = y->name->text;
    if (x->unnamed[axis])
        mistake(c, node_pos(a->call), "E0709", "axis %d of `%s` has no name to find it by in `%s`",
                axis, xs, ys);
    else if (permuted)
        mistake(c, node_pos(a->call), "E0709",
                "the axes of `%s` stand in another order than those of `%s`", xs, ys);
    else
        mistake(c, node_pos(a->call), "E0709", "axis %d of `%s` is %s, which `%s` has not", axis,
                xs, sym_text(dim), ys);
    note(x->pos, "`%s` is %s", xs, type_text(&x->type));
    note(y->pos, "`%s` is %s", ys, type_text(&y->type));
    help("say which tile: `%s.load([..], [..])`", xs);
}

/* For each axis of x the axis of y that it lines up with; -1: an extent of 1. False after a
   report. */
static bool line_up(Check *c, const Args *a, const Param *x, const Param *y, int *to)
{
    int next = 0;
    for (int i = 0; i < x->type.rank; i++) {
        bool one = sym_is(x->type.dim[i], 1) && !x->unnamed[i];
        to[i] = x->unnamed[i] || one ? -1 : match(y, x->type.dim[i], next);
        if (to[i] >= 0) next = to[i] + 1;
        else if (!one) {
            no_match(c, a, x, y, i);
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

/* The axis of the view y that is this axis of its tensor; -1 if it is gone. */
static int axis_in_part(const View *y, int axis)
{
    for (int i = 0; i < y->rank; i++)
        if (y->axis[i] == axis) return i;
    return -1;
}

/* x.load_like(y) */
Given method_like(Check *c, const Args *a, const View *x)
{
    View y;
    int to[MAX_RANK];
    Type part, tile;
    Access access;
    if (!like_what(c, a, &y) || !line_up(c, a, x->param, y.param, to))
        return give_kind(GIVES_ERROR, a->call);
    if (!view_shape(c, &y, node_pos(a->call), &part)) return give_kind(GIVES_ERROR, a->call);
    tile = part;
    for (int i = 0; i < tile.rank; i++) tile.dim[i] = sym_const(1);
    view_access(x, &access);
    for (int i = 0; i < x->param->type.rank; i++) {
        if (to[i] < 0) continue;
        int at = axis_in_part(&y, to[i]);
        access.start[i] = y.start[to[i]];
        access.map[i] = at;
        if (at >= 0) tile.dim[at] = part.dim[at];
    }
    return build_load(c, a, x, tile, &access);
}
