/* call_order.c -- order and chance: sort, topk, histogram, random */
#include "lower.h"

/* A bad call, already reported. */
static Given bad(const Args *a)
{
    return give_kind(GIVES_ERROR, a->call);
}

/* ---- sort, topk ------------------------------------------------------------------------------ */

/* Does the type have an order? False after a report. */
static bool has_order(Check *c, const Args *a, Elem e)
{
    bool narrow = e == EL_F8E4M3 || e == EL_F8E5M2 || e == EL_TF32;
    if (elem_is_int(e) || (elem_is_float(e) && !narrow)) return true;
    mistake(c, node_pos(a->at[0]), "E0404", "`%s` takes numbers, not %s", a->name,
            elem_info[e].name);
    help("write `%s`", cast_source(a->at[0], narrow ? "f32" : "i32"));
    return false;
}

/* The tile that is put in order, and along which axis; NULL after a report. */
static Value *to_order(Check *c, const Args *a, int *axis)
{
    Value *v = expr_value(c, a->at[0], EL_ERROR);
    if (!v || !has_order(c, a, v->type.elem)) return NULL;
    if (!v->type.rank) {
        mistake(c, node_pos(a->call), "E0408", "`%s` of a scalar, which has no axis", a->name);
        return NULL;
    }
    if (!one_axis_of(c, a, v->type.rank, axis)) return NULL;
    if (!type_is_whole(&v->type, *axis)) return v;
    mistake(c, node_pos(a->call), "E0705", "`%s` along a whole axis, %s", a->name,
            type_text(&v->type));
    help("its extent is known at launch only: loop over chunks of a static size");
    return NULL;
}

/* sort(t, axis = a) */
Given lower_sort(Check *c, const Args *a, int what)
{
    Op *op;
    Value *v = to_order(c, a, &what);
    if (!v) return bad(a);
    Value *r = build(c, OP_SORT, type_with_elem(v->type, v->type.elem), node_pos(a->call), 1, &v,
                     &op);
    op->axis = what;
    return give(r, a->call);
}

/* topk(t, k, axis = a) -> (values, places) */
Given lower_topk(Check *c, const Args *a, int what)
{
    int64_t k;
    Value *v = to_order(c, a, &what);
    if (!static_int(c, a->at[1], &k) || !v) return bad(a);
    if (k < 1 || k > type_extent(&v->type, what)) {
        mistake(c, node_pos(a->at[1]), "E0724", "the %lld largest of %lld", (long long)k,
                (long long)type_extent(&v->type, what));
        note(node_pos(a->at[0]), "this is %s", type_text(&v->type));
        help("k is 1 to the extent of the axis; that fewer are valid is no error");
        return bad(a);
    }
    Type types[2] = { type_with_elem(v->type, v->type.elem) };
    types[0].dim[what] = sym_const(k);
    types[1] = type_with_elem(types[0], EL_I32);
    Op *op = ir_op(c->kernel, c->block, OP_SORT, node_pos(a->call), c->stmt, 1, &v, 2, types);
    op->axis = what;
    Given g = give_kind(GIVES_TUPLE, a->call);
    g.n = 2;
    g.members = new_array(Given, 2);
    for (int i = 0; i < 2; i++) g.members[i] = give(op->results[i], a->call);
    return g;
}

/* ---- histogram ------------------------------------------------------------------------------- */

/* histogram(t, bins) */
Given lower_histogram(Check *c, const Args *a, int what)
{
    int64_t bins;
    Value *v = expr_value(c, a->at[0], EL_ERROR);
    if (!static_int(c, a->at[1], &bins) || !v) return bad(a);
    if (!elem_is_int(v->type.elem)) {
        mistake(c, node_pos(a->at[0]), "E0404", "`histogram` takes integers, not %s",
                elem_info[v->type.elem].name);
        help("say which number counts where: `%s`", cast_source(a->at[0], "i32"));
        return bad(a);
    }
    if (bins < 1 || bins > INT32_MAX) {
        mistake(c, node_pos(a->at[1]), "E0317", "a histogram of %lld bins", (long long)bins);
        help("there are 1 or more");
        return bad(a);
    }
    what = 1;
    Type type = { .kind = TYPE_TILE, .elem = EL_I32, .rank = what, .dim = { sym_const(bins) } };
    return give(build(c, OP_HISTOGRAM, type, node_pos(a->call), 1, &v, NULL), a->call);
}

/* ---- random ---------------------------------------------------------------------------------- */

/* random(seed, index) */
Given lower_random(Check *c, const Args *a, int what)
{
    (void)what;
    Given seed = expr(c, a->at[0]), index = expr(c, a->at[1]);
    Value *args[2] = { widen(c, seed, EL_U64, "the seed") };
    args[1] = widen(c, index, EL_U64, "an element's number");
    if (!args[0] || !args[1]) return bad(a);
    if (args[0]->type.rank) {
        mistake(c, seed.pos, "E0408", "the seed is a scalar, and this is %s",
                type_text(&args[0]->type));
        help("what differs from element to element belongs to its number");
        return bad(a);
    }
    Type type = type_with_elem(args[1]->type, EL_U32);
    return give(build(c, OP_RANDOM, type, node_pos(a->call), 2, args, NULL), a->call);
}
