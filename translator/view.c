/* view.c -- what of a tensor a program may touch, and where a tile of it lies */
#include "lower.h"
#include "padding.h"

/* ---- the view of a name ---------------------------------------------------------------------- */

/* One axis of the tensor as the next axis of the view. */
static void add_axis(View *v, int axis, Sym size, Sym extent, Sym index)
{
    v->axis[v->rank] = axis;
    v->size[v->rank] = size;
    v->extent[v->rank] = extent;
    v->index[v->rank++] = index;
}

/* One axis of an owned part; false if its `by` was wrong, which has been reported. */
static bool cut_axis(const Kernel *k, View *v, int a)
{
    const struct Cut *cut = &v->param->cut[a];
    Sym dim = v->param->type.dim[a], zero = sym_const(0);
    if (!cut->size) return false;
    if (cut->kind == CUT_WHOLE || cut->kind == CUT_REGION) {
        v->region[v->rank] = cut->kind == CUT_REGION;
        add_axis(v, a, dim, dim, zero);
        return true;
    }
    if (cut->axis < 0 || cut->axis >= k->axes.n || !k->axes.at[cut->axis].index) return false;
    Sym index = sym_of_value(k->axes.at[cut->axis].index), origin = sym_mul(index, cut->size);
    v->start[a] = v->lo[a] = origin;
    v->hi[a] = sym_min(sym_add(origin, cut->size), dim);
    Sym extent = sym_max(zero, sym_min(cut->size, sym_sub(dim, origin)));
    if (cut->kind == CUT_TILES) add_axis(v, a, cut->size, extent, index);
    return true;
}

/* What a tensor's name stands for; false if its `by` was wrong, which has been reported. */
bool view_of(Check *c, const Given *tensor, View *v)
{
    if (tensor->view) {
        *v = *tensor->view;
        return true;
    }
    *v = (View){ .tensor = tensor->value };
    for (int i = 0; i < c->kernel->params.n; i++)
        if (c->kernel->params.at[i].value == tensor->value) v->param = &c->kernel->params.at[i];
    if (!v->param) return false;
    for (int a = 0; a < v->param->type.rank; a++) {
        Sym dim = v->param->type.dim[a];
        if (!dim || sym_is_bad(dim)) return false;
        v->start[a] = v->lo[a] = sym_const(0);
        v->hi[a] = dim;
        if (!v->param->has_by) add_axis(v, a, dim, dim, sym_const(0));
        else if (!cut_axis(c->kernel, v, a)) return false;
    }
    return true;
}

/* The axis of the view is all of the tensor's axis. */
bool view_whole(const View *v, int axis)
{
    int a = v->axis[axis];
    return sym_is(v->start[a], 0) && sym_is(v->lo[a], 0) && v->hi[a] == v->size[axis]
        && v->hi[a] == v->param->type.dim[a];
}

/* The type of the tile that is all of the view; false after a report if it is no tile. */
bool view_shape(Check *c, const View *v, Pos pos, Type *type)
{
    int64_t k, wholes = 0;
    *type = (Type){ .kind = TYPE_TILE, .elem = v->param->type.elem, .rank = v->rank };
    for (int i = 0; i < v->rank; i++) {
        type->dim[i] = v->size[i];
        bool fits = i < MAX_TILE_RANK && !v->region[i]
                    && (sym_const_of(v->size[i], &k) ? k > 0 : view_whole(v, i) && ++wholes < 2);
        if (fits) continue;
        mistake(c, pos, "E0713", "all of `%s` is no tile: its axis %d %s", v->param->name->text, i,
                i >= MAX_TILE_RANK ? arena_printf("is one more than a tile has")
                : v->region[i] ? "is a region"
                               : arena_printf("has an extent of %s", formula_words(v->size[i])));
        note(v->param->pos, "it is declared here");
        help("a tile's extents are static, but for one whole axis: use pieces, `load([k, ..], "
             "[..])` and "
             "`store(t, [k, ..])`");
        return false;
    }
    return true;
}

/* An axis of the view by number, from the end if negative; false after a report. */
bool view_axis(Check *c, const View *v, const Node *n, int *axis)
{
    int64_t k;
    if (!static_int(c, n, &k)) return false;
    *axis = (int)(k < 0 ? k + v->rank : k);
    if (k >= -v->rank && k < v->rank) return true;
    mistake(c, node_pos(n), "E0703", "`%s` has no axis %lld here", v->param->name->text,
            (long long)k);
    note(v->param->pos, "it has %d%s", v->rank,
         v->rank < v->param->type.rank ? ": axes cut in elements are gone" : "");
    return false;
}

/* ---- where a tile lies ----------------------------------------------------------------------- */

/* The first element of the view, and its bounds. */
void view_access(const View *v, Access *access)
{
    *access = (Access){ .part = v->param->has_by };
    for (int a = 0; a < v->param->type.rank; a++) {
        access->start[a] = v->start[a];
        access->lo[a] = v->lo[a];
        access->hi[a] = v->hi[a];
        access->step[a] = 1;
        access->map[a] = -1;
    }
}

/* A list of as many expressions as the view has axes; false after a report. */
static bool one_an_axis(Check *c, const View *v, const Node *list, int n, const char *what)
{
    if (list && list->kind == N_LIST && kid_count(list) == v->rank && n == v->rank) return true;
    Pos pos = list ? node_pos(list) : c->stmt;
    if (list && list->kind != N_LIST)
        mistake(c, pos, "E0707", "the %s stands in brackets: `[%s]`", what, node_source(list));
    else if (list && kid_count(list) != v->rank)
        mistake(c, pos, "E0707", "%d for the %s, and `%s` has %d ax%cs here", kid_count(list), what,
                v->param->name->text, v->rank, v->rank == 1 ? 'i' : 'e');
    else
        mistake(c, pos, "E0707", "a tile of rank %d, and `%s` has %d ax%cs here", n,
                v->param->name->text, v->rank, v->rank == 1 ? 'i' : 'e');
    note(v->param->pos, "it is declared here");
    return false;
}

/* Whole axes: the tensor's own extent, from its start. False after a report. */
bool view_whole_fits(Check *c, const View *v, int i, Sym extent, Sym at, const Node *n)
{
    int64_t k;
    Pos pos = node_pos(n);
    if (sym_const_of(extent, &k)) return true;
    const char *name = v->param->name->text;
    if (!view_whole(v, i) || extent != v->size[i]) {
        mistake(c, pos, "E0708", "axis %d of `%s` is %s, and the tile takes %s of it", i, name,
                formula_words(v->size[i]), formula_words(extent));
        note(v->param->pos, "it is declared here");
        help("an extent that is not static is a whole axis: exactly the extent of the tensor");
        return false;
    }
    if (sym_is(at, 0)) return true;
    mistake(c, pos, "E0708", "a whole axis has the index 0, not %s", node_source(n));
    help("the tile takes all of axis %d; pieces of it have a static extent", i);
    return false;
}

/* Does an expression ask for the origin of a part? */
static bool from_origin(const Node *n)
{
    if (n->kind == N_CALL && kid(n, 0) && kid(n, 0)->kind == N_DOT
        && node_is(kid(kid(n, 0), 1), "origin"))
        return true;
    for (const Node *k = n->kids; k; k = k->next)
        if (from_origin(k)) return true;
    return false;
}

/* Warns of an index that looks like a number of an element. */
static void warn_elements(const Node *n, Sym at, Sym extent)
{
    int64_t k, e;
    bool number = sym_const_of(at, &k),
         multiple = sym_const_of(extent, &e) && e > 1 && sym_divides(e, at);
    if (number || (!multiple && !from_origin(n))) return;
    warn(node_pos(n), "elements",
         "this index counts tiles, and looks like the number of an element");
    if (multiple && !from_origin(n))
        help("tile k begins at element k * %lld: write the index without the factor", (long long)e);
    else help("`y.index(a)` is the number of the part; `window` takes elements");
}

/* Tile `index` of the view in tiles of this shape. False after a report. */
bool view_tiles(Check *c, const View *v, const Node *index, const Type *tile, Access *access)
{
    if (!one_an_axis(c, v, index, tile->rank, "index")) return false;
    view_access(v, access);
    bool ok = true;
    for (int i = 0; i < v->rank; i++) {
        const Node *n = kid(index, i);
        Value *value = index_value(c, n);
        if (!value) return false;
        Sym at = sym_of_value(value);
        ok = view_whole_fits(c, v, i, tile->dim[i], at, n) && ok;
        warn_elements(n, at, tile->dim[i]);
        int a = v->axis[i];
        at = view_near(c, v, i, at, tile->dim[i], 1, node_pos(n));
        access->start[a] = sym_add(v->start[a], sym_mul(at, tile->dim[i]));
        if (sym_is_bad(access->start[a])) {
            mistake(c, node_pos(n), "E0707", "this index is out of the range of 64 bits");
            return false;
        }
        access->map[a] = i;
    }
    return ok;
}

/* The steps of a window, static and positive; false after a report. */
static bool window_step(Check *c, const Node *n, int64_t *step)
{
    *step = 1;
    if (!n) return true;
    if (!static_int(c, n, step)) return false;
    if (*step > 0) return true;
    mistake(c, node_pos(n), "E0804", "a step of %lld", (long long)*step);
    help("the step of a window is at least 1");
    return false;
}

/* Is this launch-time extent that of a tensor? Then it is never negative. */
static bool is_tensor_extent(const Check *c, Sym extent)
{
    int64_t k;
    for (int i = 0; i < c->kernel->params.n; i++) {
        const Type *t = &c->kernel->params.at[i].value->type;
        for (int a = 0; t->kind == TYPE_TENSOR && a < t->rank; a++)
            if (t->dim[a] == extent)
                return !sym_const_of(extent, &k);
    }
    return false;
}

/* Does all of it lie inside of the view from element `at` on, whatever its length? Then it has no
   edge there. */
static bool lies_inside(Check *c, const View *v, int i, Sym extent, Sym at)
{
    int64_t first, rest;
    return is_tensor_extent(c, extent) && sym_const_of(at, &first) && first >= 0
        && sym_const_of(sym_sub(v->size[i], sym_add(at, extent)), &rest) && rest >= 0;
}

/* The tile whose first element is `index`. False after a report. */
bool view_window(Check *c, const View *v, const Node *index, const Node *step, const Type *tile,
                 Access *access)
{
    if (!one_an_axis(c, v, index, tile->rank, "first element")) return false;
    if (step && !one_an_axis(c, v, step, tile->rank, "step")) return false;
    view_access(v, access);
    for (int i = 0; i < v->rank; i++) {
        const Node *n = kid(index, i);
        int a = v->axis[i];
        Value *value = index_value(c, n);
        if (!value || !window_step(c, step ? kid(step, i) : NULL, &access->step[a])) return false;
        Sym at = sym_of_value(value);
        if (access->step[a] != 1 && tile->dim[i] == v->size[i]) at = sym_const(access->step[a]);
        if ((access->step[a] != 1 || !lies_inside(c, v, i, tile->dim[i], at))
            && !view_whole_fits(c, v, i, tile->dim[i], at, n))
            return false;
        int64_t extent, reach = 1;
        if (sym_const_of(tile->dim[i], &extent)) reach += (extent - 1) * access->step[a];
        at = view_near(c, v, i, sym_of_value(value), sym_const(1), reach, node_pos(n));
        access->start[a] = sym_add(v->start[a], at);
        if (sym_is_bad(access->start[a])) {
            mistake(c, node_pos(n), "E0707", "this element is out of the range of 64 bits");
            return false;
        }
        access->map[a] = i;
    }
    return true;
}
