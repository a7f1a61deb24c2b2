/* at.c -- x[..]: views of tensors, which keep to their edges, and single elements */
#include "lower.h"
#include "padding.h"

/* What stands in brackets for one axis: an index, or a range whose end may be that of the axis. */
typedef struct {
    const Node *node;
    bool index;
    Sym from, to;                                  /* to NULL: as far as the axis goes */
    Sym length;                                    /* of a window c ..+ n, or NULL */
} Part;

/* ---- entries --------------------------------------------------------------------------------- */

/* An integer scalar by formula; bad after a report. */
static Sym place(Check *c, const Node *n)
{
    Value *v = index_value(c, n);
    return v ? sym_of_value(v) : sym_mul(sym_const(INT64_MAX), sym_const(2));
}

/* c ..+ n: n elements from c on. False after a report. */
static bool read_window(Check *c, const Node *n, Part *part)
{
    int64_t k;
    part->from = place(c, kid(n, 0));
    part->length = place(c, kid(n, 1));
    if (sym_is_bad(part->from) || sym_is_bad(part->length)) return false;
    part->to = sym_add(part->from, part->length);
    if (!sym_const_of(part->length, &k) || k > 0) return true;
    mistake(c, node_pos(kid(n, 1)), "E0317", "a window of %lld elements", (long long)k);
    help("`c ..+ n` is `c..c + n`: n is at least 1");
    return false;
}

/* Reads one entry; false after a report. */
static bool read_part(Check *c, const Node *n, Part *part)
{
    *part = (Part){ .node = n, .from = sym_const(0) };
    switch ((int)n->kind) {
    case N_ALL:    return true;
    case N_FROM:   part->from = place(c, kid(n, 0)); break;
    case N_TO:     part->to = place(c, kid(n, 0)); break;
    case N_RANGE:  part->from = place(c, kid(n, 0)); part->to = place(c, kid(n, 1)); break;
    case N_WINDOW: if (!read_window(c, n, part)) return false; break;
    default:       part->index = true; part->from = place(c, n); break;
    }
    return !sym_is_bad(part->from) && (!part->to || !sym_is_bad(part->to));
}

/* ---- one axis -------------------------------------------------------------------------------- */

/* The formula, or 0 where it is below: what cannot be is not written. */
static Sym not_below_zero(Check *c, Sym s)
{
    return provably_at_least(c->kernel, s, 0) ? s : sym_max(s, sym_const(0));
}

/* The less of both: what never decides is not written. */
static Sym least(Check *c, Sym a, Sym b)
{
    if (provably_at_least(c->kernel, sym_sub(a, b), 0)) return b;
    return provably_at_least(c->kernel, sym_sub(b, a), 0) ? a : sym_min(a, b);
}

enum { DEEPEST_WILD = 12 };
static bool is_wild(const Kernel *k, Sym s, int depth);

/* The same of an integer scalar, by what it is computed from. */
static bool value_is_wild(const Kernel *k, const Value *v, int depth)
{
    const Op *loop = v->block ? v->block->parent : NULL, *op = v->def;
    bool wild = false;
    if (elem_info[v->type.elem].bytes < 8) return false;
    if (loop && loop->kind == OP_FOR && v->block->args[0] == v)    /* it gets no further in time */
        return is_wild(k, sym_of_scalar(loop->args[0]), depth + 1)
            || is_wild(k, sym_of_scalar(loop->args[2]), depth + 1);
    if (provably_at_least(k, sym_value(v), 0)) return false;       /* the index of a program */
    if (!op || depth > DEEPEST_WILD || (op->kind != OP_ELEM && op->kind != OP_SELECT)) return true;
    for (int i = op->kind == OP_SELECT; i < op->nargs; i++)
        wild |= is_wild(k, sym_of_scalar(op->args[i]), depth + 1);
    return wild;
}

/* Can it be any number of 64 bits, so that sums with it could overflow? */
static bool is_wild(const Kernel *k, Sym s, int depth)
{
    bool wild = false;
    switch (s->kind) {
    case SYM_NAME:
        for (int i = 0; i < k->params.n; i++)
            if (k->params.at[i].kind == PARAM_SCALAR && k->params.at[i].name == s->name)
                wild = elem_info[k->params.at[i].type.elem].bytes == 8;
        return wild;
    case SYM_VALUE:
        return value_is_wild(k, s->value, depth);
    case SYM_DIV: case SYM_CEIL:                   /* no larger than what is divided */
        return is_wild(k, s->kid[0], depth);
    case SYM_MOD:
        return is_wild(k, s->kid[0], depth) && is_wild(k, s->kid[1], depth);
    case SYM_CONST: case SYM_SUM: case SYM_PRODUCT: case SYM_MIN: case SYM_MAX: case SYM_BAD:
        break;
    }
    for (int i = 0; i < s->n; i++) wild |= is_wild(k, s->kid[i], depth);
    return wild;
}

/* A place of a range held within 0 .. extent as far as it must be: below 0 always, and beyond the
   extent where sums could overflow. */
static Sym held_within(Check *c, Sym place, Sym extent, bool from)
{
    if (is_wild(c->kernel, place, 0)) return not_below_zero(c, least(c, place, extent));
    return from ? not_below_zero(c, place) : least(c, place, extent);
}

/* Moves a window that lies outside to where it just does: its end is a number then. */
static void near_enough(Part *part, Sym extent)
{
    part->from = sym_max(sym_min(part->from, extent), sym_sub(sym_const(0), part->length));
    part->to = sym_add(part->from, part->length);
}

/* Is it, or is it made with, the less or the larger of two? */
static bool is_clipped(Sym atom)
{
    bool yes = atom->kind == SYM_MIN || atom->kind == SYM_MAX;
    for (int i = 0; i < atom->n && !yes; i++) yes = is_clipped(atom->kid[i]);
    return yes;
}

/* Names a formula that a range has made, for those who read it in C: x_from. */
static void name_formula(Check *c, Sym s, const View *v, const char *what, Pos pos)
{
    if (!is_clipped(s)) return;
    Value *value = build_sym(c, s, pos);
    value->name = name_of(arena_printf("%s_%s", v->param->name->text, what));
    value->def->names = true;
    sym_of_value(value);
}

/* Where the view ends: at an edge if that can be proven to be a formula of little, for accesses of
   several elements; otherwise as far behind its start as it is long. */
static Sym end_of(Check *c, const View *v, int a, const Part *part, Sym start, Sym extent)
{
    bool known = provably_at_least(c->kernel, part->from, 0)
                 && (!part->to || provably_at_least(c->kernel, part->to, 0));
    if (!known) return sym_add(start, extent);
    return part->to ? least(c, v->hi[a], sym_add(v->start[a], part->to)) : v->hi[a];
}

/* Keeps of axis i of the view what the range has of it: it is clipped to what exists, and its ends
   are edges. */
static void clip(Check *c, View *v, int i, Part *part)
{
    int64_t k;
    int a = v->axis[i];
    Pos pos = node_pos(part->node);
    bool far = part->length && is_wild(c->kernel, part->from, 0);
    if (far) near_enough(part, v->extent[i]);
    Sym from = held_within(c, part->from, v->extent[i], true);
    Sym end = part->to ? held_within(c, part->to, v->extent[i], false) : v->extent[i];
    Sym start = sym_add(v->start[a], from), extent = not_below_zero(c, sym_sub(end, from));
    if (sym_is(from, 0) && end == v->extent[i]) return;
    Sym length = sym_sub(part->to ? part->to : v->size[i], part->from);
    bool fixed = sym_const_of(length, &k) && k > 0
                 && (part->to || sym_const_of(v->size[i], &k));
    name_formula(c, start, v, "from", pos);
    name_formula(c, extent, v, "extent", pos);
    v->hi[a] = end_of(c, v, a, part, start, extent);
    v->start[a] = v->lo[a] = start;
    v->extent[i] = extent;
    v->size[i] = fixed ? length : extent;
    v->region[i] = false;
}

/* A place along axis i of the view, counted in pieces: where a tile that reaches over `reach` of
   them begins. One so far off that sums with it could overflow becomes the nearest from where the
   tile lies outside altogether. */
Sym view_near(Check *c, const View *v, int i, Sym place, Sym piece, int64_t reach, Pos pos)
{
    const bool sums = !sym_is(piece, 1) || reach != 1 || !sym_is(v->start[v->axis[i]], 0);
    if (!sums || !is_wild(c->kernel, place, 0)) return place;
    const Sym last = sym_is(piece, 1) ? v->extent[i] : sym_ceil(v->extent[i], piece);
    const Sym near = sym_min(sym_max(place, sym_const(-reach)), last);
    name_formula(c, near, v, "index", pos);
    return near;
}

/* Moves the view to one element of axis i. */
static void pick(Check *c, View *v, int i, const Part *part)
{
    const Sym at = view_near(c, v, i, part->from, sym_const(1), 1, node_pos(part->node));
    v->start[v->axis[i]] = sym_add(v->start[v->axis[i]], at);
}

/* The view without the axes that an index drops. */
static void drop(View *v, const bool *gone)
{
    int n = 0;
    for (int i = 0; i < v->rank; i++) {
        if (gone[i]) continue;
        v->axis[n] = v->axis[i];
        v->size[n] = v->size[i];
        v->extent[n] = v->extent[i];
        v->index[n] = v->index[i];
        v->region[n++] = v->region[i];
    }
    v->rank = n;
}

/* Is a bound of the view no number of 64 bits? */
static bool out_of_range(const View *v)
{
    for (int a = 0; a < v->param->type.rank; a++)
        if (sym_is_bad(v->start[a]) || sym_is_bad(v->lo[a]) || sym_is_bad(v->hi[a])) return true;
    for (int i = 0; i < v->rank; i++)
        if (sym_is_bad(v->extent[i]) || sym_is_bad(v->size[i])) return true;
    return false;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Reports more entries than the view has axes. */
static void too_many(Check *c, const View *v, const Node *n, int count)
{
    mistake(c, node_pos(n), "E0726", "%d entries in the brackets, and `%s` has %d ax%cs here",
            count, v->param->name->text, v->rank, v->rank == 1 ? 'i' : 'e');
    note(v->param->pos, "it is declared here");
    help("one for each axis, missing ones are whole: `[i]` an element, `[a..b]` a range, `[..]` "
         "all");
}

/* Applies the entries to the view; *indices: how many are an index. False after a report. */
static bool apply(Check *c, const Node *n, View *v, int *indices)
{
    const Node *list = kid(n, 1);
    bool gone[MAX_RANK] = { false }, good = true;
    int count = list ? kid_count(list) : 0;
    *indices = 0;
    if (count > v->rank) return too_many(c, v, n, count), false;
    for (int i = 0; i < count; i++) {
        Part part;
        if (!read_part(c, kid(list, i), &part)) {
            good = false;
            continue;
        }
        gone[i] = part.index;
        *indices += part.index;
        if (part.index) pick(c, v, i, &part);
        else clip(c, v, i, &part);
    }
    drop(v, gone);
    if (!good || !out_of_range(v)) return good;
    mistake(c, node_pos(n), "E0707", "this lies out of the range of 64 bits");
    return false;
}

/* One element as a scalar; 0 if it does not exist. */
static Given one_element(Check *c, const Node *n, const View *v)
{
    Args args = { .call = n };
    Type scalar = type_scalar(v->param->type.elem);
    Access access;
    view_access(v, &access);
    return build_load(c, &args, v, scalar, &access);
}

/* x[..] of a tensor: an element if an index stands for each axis, otherwise a view. */
Given tensor_at(Check *c, const Node *n, Given tensor)
{
    View *v = new(View);
    int before, indices;
    if (!is_there(c, &tensor) || !view_of(c, &tensor, v)) return give_kind(GIVES_ERROR, n);
    before = v->rank;
    if (!apply(c, n, v, &indices)) return give_kind(GIVES_ERROR, n);
    if (before > 0 && indices == before)
        return may_read(c, n, v) ? one_element(c, n, v) : give_kind(GIVES_ERROR, n);
    Given g = give_kind(GIVES_TENSOR, n);
    g.value = v->tensor;
    g.view = v;
    return g;
}
