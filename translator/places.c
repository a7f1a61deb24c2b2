/* places.c -- elements of a tensor by index tiles and windows: x.gather(rows, c ..+ 8) */
#include "lower.h"

/* ---- one argument ---------------------------------------------------------------------------- */

/* An integer scalar: the same element for all of the tile. False after a report. */
static bool scalar_place(const View *view, Places *p, int axis, Value *index, Pos pos, Check *c)
{
    const int a = view->axis[axis];
    p->access.start[a] = sym_add(view->start[a], sym_of_value(index));
    if (!sym_is_bad(p->access.start[a])) return true;
    mistake(c, pos, "E0707", "this element is out of the range of 64 bits");
    return false;
}

/* A tile of integers, or an integer scalar. False after a report. */
static bool index_place(Check *c, const View *view, Places *p, int axis, const Node *n)
{
    Given g = expr(c, n);
    if (!operand(c, &g)) return false;
    Value *v = g.kind == GIVES_LITERAL ? convert_literal(c, g, EL_I64) : g.value;
    if (!v) return false;
    if (!elem_is_int(v->type.elem)) {
        mistake(c, g.pos, "E0410", "an index is an integer or a tile of integers, not %s",
                type_text(&v->type));
        help("write `%s`", cast_source(g.node, "i32"));
        return false;
    }
    if (v->type.rank == 0)
        return scalar_place(view, p, axis, build_cast(c, v, EL_I64, g.pos), g.pos, c);
    for (int a = 0; a < v->type.rank; a++) {
        if (!type_is_whole(&v->type, a)) continue;
        mistake(c, g.pos, "E0705", "an index tile along a whole axis, %s", type_text(&v->type));
        help("loop over chunks of a static size: `for k in 0..ceil(%s, 64) { .. }`",
             sym_text(v->type.dim[a]));
        return false;
    }
    p->axis[p->n] = view->axis[axis];
    p->index[p->n++] = v;
    return true;
}

/* c ..+ n: its first element; what it takes is in `extent`. False after a report. */
static bool window_place(Check *c, const View *view, Places *p, int axis, const Node *n, Sym extent)
{
    const int a = view->axis[axis];
    Value *from = index_value(c, kid(n, 0));
    if (!from) return false;
    Sym at = sym_of_value(from);
    if (!view_whole_fits(c, view, axis, extent, at, kid(n, 0))) return false;
    p->access.start[a] = sym_add(view->start[a], at);
    p->access.map[a] = p->windows++;
    if (!sym_is_bad(p->access.start[a])) return true;
    mistake(c, node_pos(n), "E0707", "this element is out of the range of 64 bits");
    return false;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* The extents of all windows; false after a report. */
static bool window_extents(Check *c, const Args *a, int n, Type *type)
{
    Node copies[MAX_ARGS], list = { .kind = N_LIST }, **last = &list.kids;
    for (int i = 0; i < n; i++) {
        if (a->at[i]->kind != N_WINDOW || !kid(a->at[i], 1)) continue;
        copies[i] = *kid(a->at[i], 1);
        copies[i].next = NULL;
        *last = &copies[i];
        last = &copies[i].next;
    }
    *type = (Type){ .kind = TYPE_TILE };
    return !list.kids || tile_shape(c, &list, type);
}

/* The axes of the index tiles, then one for each window; false after a report. */
static bool join_axes(Check *c, const Args *a, Places *p, const Type *windows)
{
    Type index = { .kind = TYPE_TILE };
    Pos pos = node_pos(a->call);
    int64_t elements = 1, k;
    if (p->n && !common_shape(c, p->index, p->n, pos, &index)) return false;
    for (int i = 0; i < p->n; i++) p->index[i] = broadcast_value(c, p->index[i], &index, pos);
    p->shape = index;
    p->shape.rank += windows->rank;
    if (p->shape.rank > MAX_TILE_RANK) {
        mistake(c, pos, "E0318", "a tile has at most %d axes, and this has %d", MAX_TILE_RANK,
                p->shape.rank);
        note(a->at[0] ? node_pos(a->at[0]) : pos, "%d of the index tiles, and one a window",
             index.rank);
        return false;
    }
    for (int i = 0; i < windows->rank; i++) p->shape.dim[index.rank + i] = windows->dim[i];
    for (int i = 0; i < p->shape.rank; i++)
        if (sym_const_of(p->shape.dim[i], &k))
            elements = elements <= INT32_MAX / k ? elements * k : (int64_t)INT32_MAX + 1;
    for (int i = 0; i < MAX_RANK; i++) if (p->access.map[i] >= 0) p->access.map[i] += index.rank;
    if (elements <= INT32_MAX) return true;
    mistake(c, pos, "E0317", "a tile of more than 2147483647 elements");
    help("take smaller tiles and loop");
    return false;
}

/* Reads the first n arguments as places of a view, one for each axis; false after a report. */
bool read_places(Check *c, const Args *a, const View *view, int n, Places *p)
{
    Type windows;
    *p = (Places){ .windows = 0 };
    view_access(view, &p->access);
    for (int i = view->param->type.rank; i < MAX_RANK; i++) p->access.map[i] = -1;
    if (n != view->rank) {
        mistake(c, node_pos(a->call), "E0707", "`%s` has %d ind%s, and `%s` has %d ax%cs here",
                a->name, n, n == 1 ? "ex" : "ices", view->param->name->text, view->rank,
                view->rank == 1 ? 'i' : 'e');
        note(view->param->pos, "it is declared here");
        help("an index tile, an integer or a window `c ..+ n` for each axis");
        return false;
    }
    if (!window_extents(c, a, n, &windows)) return false;
    for (int i = 0; i < n; i++) {
        bool good = a->at[i]->kind == N_WINDOW
                        ? window_place(c, view, p, i, a->at[i], windows.dim[p->windows])
                        : index_place(c, view, p, i, a->at[i]);
        if (!good) return false;
    }
    return join_axes(c, a, p, &windows);
}

/* The places in a larger shape, in which their axes are the last. A window of one element that
   stretches is that element everywhere. */
void stretch_places(Check *c, Places *p, const Type *shape, Pos pos)
{
    const int more = shape->rank - p->shape.rank, first = p->shape.rank - p->windows;
    for (int a = 0; a < MAX_RANK; a++) {
        int t = p->access.map[a];
        if (t < 0) continue;
        p->access.map[a] = p->shape.dim[t] == shape->dim[t + more] ? t + more : -1;
    }
    Type index = *shape;
    index.rank = first + more;
    for (int i = 0; i < p->n; i++) p->index[i] = broadcast_value(c, p->index[i], &index, pos);
    p->shape = *shape;
}

/* The op that moves between these places and a tile; `second`: its pad, or the tile; result: the
   type of what it gives, or NULL. */
Op *build_places(Check *c, OpKind kind, const Args *a, const View *view, Value *second,
                 const Places *p, const Type *result)
{
    Value *args[2 + MAX_RANK] = { view->tensor, second };
    Op *op;
    for (int i = 0; i < p->n; i++) args[2 + i] = p->index[i];
    if (result) build(c, kind, *result, node_pos(a->call), 2 + p->n, args, &op);
    else op = build_effect(c, kind, node_pos(a->call), 2 + p->n, args);
    op->access = new(Access);
    *op->access = p->access;
    for (int i = 0; i < p->n; i++) op->access->index[p->axis[i]] = 2 + i;
    return op;
}
