/* call_make.c -- making tiles, and what is valid of them: full, iota, fill, keep, select, casts */
#include "lower.h"

/* A bad call, already reported. */
static Given bad(const Args *a)
{
    return give_kind(GIVES_ERROR, a->call);
}

/* ---- full, zeros, ones, iota ----------------------------------------------------------------- */

/* A shape and an element type that tiles can be made of; false after a report. */
static bool shape_and_type(Check *c, const Node *shape, const Node *elem, Type *type)
{
    Elem e;
    bool ok = tile_shape(c, shape, type);
    if (!type_elem(c, elem, &e) || !ok) return false;
    type->kind = TYPE_TILE;
    type->elem = e;
    return true;
}

/* full([..], v, T) */
Given lower_full(Check *c, const Args *a, int what)
{
    (void)what;
    Type type;
    if (!shape_and_type(c, a->at[0], a->at[2], &type)) return bad(a);
    Given g = expr(c, a->at[1]);
    Value *v = widen(c, g, type.elem, "the tile");
    if (!v) return bad(a);
    if (v->type.rank) {
        mistake(c, g.pos, "E0408", "`full` repeats a scalar, and this is %s", type_text(&v->type));
        help("write `broadcast_to(%s, ..)`", node_source(a->at[1]));
        return bad(a);
    }
    return give(broadcast_value(c, v, &type, node_pos(a->call)), a->call);
}

/* zeros([..], T), ones([..], T): what is the number. */
Given lower_constant(Check *c, const Args *a, int what)
{
    Type type;
    if (!shape_and_type(c, a->at[0], a->at[1], &type)) return bad(a);
    Constant k = { .i = what };
    if (elem_is_float(type.elem)) k.f = what;
    Value *v = build_const(c, type.elem, k, node_pos(a->call));
    return give(broadcast_value(c, v, &type, node_pos(a->call)), a->call);
}

/* The shape of iota(n, ..): one extent. */
static bool iota_type(Check *c, const Args *a, Type *type)
{
    Elem e;
    Node list = *a->at[0];
    const Node *shape = a->at[0];
    if (shape->kind == N_LIST) {
        mistake(c, node_pos(shape), "E0714", "`iota` takes one extent, not a list");
        help("write `%s`", "iota(n, i32)");
        return false;
    }
    Node only = *shape;
    only.next = NULL;
    list.kind = N_LIST;
    list.kids = &only;
    if (!tile_shape(c, &list, type) || !type_elem(c, a->at[1], &e)) return false;
    type->elem = e;
    if (elem_is_int(e) || e == EL_F16 || e == EL_BF16 || e == EL_F32 || e == EL_F64) return true;
    mistake(c, node_pos(a->at[1]), "E0404", "`iota` makes numbers, not %s", elem_info[e].name);
    return false;
}

/* iota(n, T, from = e) */
Given lower_iota(Check *c, const Args *a, int what)
{
    Type type;
    if (!iota_type(c, a, &type)) return bad(a);
    Pos pos = node_pos(a->call);
    const Node *from = a->named[ARG_FROM];
    Given g = from ? expr(c, from) : literal_int(what, a->call);
    Value *v = widen(c, g, type.elem, "the tile");
    if (!v) return bad(a);
    if (v->type.rank) {
        mistake(c, g.pos, "E0408", "`from` is a scalar, and this is %s", type_text(&v->type));
        return bad(a);
    }
    return give(build(c, OP_IOTA, type, pos, 1, &v, NULL), a->call);
}

/* ---- what is valid --------------------------------------------------------------------------- */

/* fill(t, v) */
Given lower_fill(Check *c, const Args *a, int what)
{
    (void)what;
    Value *args[2] = { expr_value(c, a->at[0], EL_ERROR) };
    Given g = expr(c, a->at[1]);
    if (!args[0] || !(args[1] = widen(c, g, args[0]->type.elem, "the tile"))) return bad(a);
    if (args[1]->type.rank) {
        mistake(c, g.pos, "E0408", "`fill` puts one value into the padding, and this is %s",
                type_text(&args[1]->type));
        help("`select(valid(t), t, u)` takes the padding from another tile");
        return bad(a);
    }
    return give(build(c, OP_FILL, args[0]->type, node_pos(a->call), 2, args, NULL), a->call);
}

/* keep(t, lo, hi, axis = a) */
Given lower_keep(Check *c, const Args *a, int what)
{
    uint32_t axes;
    Op *op;
    Value *args[3] = { expr_value(c, a->at[0], EL_ERROR) };
    args[1] = index_value(c, a->at[1]);
    args[2] = index_value(c, a->at[2]);
    if (!args[0] || !args[1] || !args[2]) return bad(a);
    if (!a->named[ARG_AXIS]) {
        mistake(c, node_pos(a->call), "E0702", "`keep` needs its axis");
        help("write `keep(t, lo, hi, axis = 1)`");
        return bad(a);
    }
    if (!axis_list(c, a->named[ARG_AXIS], args[0]->type.rank, &axes)) return bad(a);
    if (axes & (axes - 1)) {
        mistake(c, node_pos(a->named[ARG_AXIS]), "E0703", "`keep` works along one axis");
        help("call it once for each");
        return bad(a);
    }
    Value *v = build(c, OP_KEEP, args[0]->type, node_pos(a->call), 3, args, &op);
    for (what = 0; !(axes & 1u << what); what++) { }
    op->axis = what;
    return give(v, a->call);
}

/* valid(t) */
Given lower_valid(Check *c, const Args *a, int what)
{
    (void)what;
    Value *v = expr_value(c, a->at[0], EL_ERROR);
    if (!v) return bad(a);
    return give(
        build(c, OP_VALID, type_with_elem(v->type, EL_BOOL), node_pos(a->call), 1, &v, NULL),
        a->call);
}

/* ---- select, bitcast ------------------------------------------------------------------------- */

/* select(c, a, b) */
Given lower_select(Check *c, const Args *a, int what)
{
    (void)what;
    Elem e;
    Pos pos = node_pos(a->call);
    Given g[3];
    for (int i = 0; i < 3; i++) g[i] = tensor_test(c, expr(c, a->at[i]));
    Value *v[3] = { given_value(c, g[0], EL_ERROR) };
    bool ok = v[0] != NULL;
    for (int i = 1; i < 3; i++) ok = operand(c, &g[i]) && ok;
    if (!ok || !unify(c, g + 1, 2, "select", pos, &e)) return bad(a);
    if (v[0]->type.elem != EL_BOOL) {
        mistake(c, g[0].pos, "E0407", "the first argument of `select` is a bool tile, not %s",
                type_text(&v[0]->type));
        help("compare: `%s != 0`", node_source(a->at[0]));
        return bad(a);
    }
    for (int i = 1; i < 3; i++) {
        v[i] = given_value(c, g[i], e);
        if (!v[i]) return bad(a);
        v[i] = build_cast(c, v[i], e, g[i].pos);
    }
    if (!broadcast_all(c, v, 3, pos)) return bad(a);
    return give(build(c, OP_SELECT, v[1]->type, pos, 3, v, NULL), a->call);
}

/* bitcast(t, T) */
Given lower_bitcast(Check *c, const Args *a, int what)
{
    (void)what;
    Elem e;
    Value *v = expr_value(c, a->at[0], EL_ERROR);
    if (!type_elem(c, a->at[1], &e) || !v) return bad(a);
    const ElemInfo *from = &elem_info[v->type.elem], *to = &elem_info[e];
    if (from->bytes != to->bytes || e == EL_BOOL) {
        mistake(c, node_pos(a->call), "E0719", "`bitcast` of %s to %s", from->name, to->name);
        if (e == EL_BOOL) help("compare: `%s != 0`", node_source(a->at[0]));
        else
            help("both need as many bits; here they have %d and %d", from->bytes * 8,
                 to->bytes * 8);
        return bad(a);
    }
    if (v->type.elem == e) return give(v, a->call);
    return give(build(c, OP_BITCAST, type_with_elem(v->type, e), node_pos(a->call), 1, &v, NULL),
                a->call);
}

/* ---- round_to -------------------------------------------------------------------------------- */

/* rn, rz, ru, rd; false after a report. */
static bool rounding_mode(Check *c, const Node *n, Rounding *mode)
{
    for (*mode = ROUND_RN; *mode <= ROUND_RD; ++*mode)
        if (word_is_name(n) && node_is(n, rounding_names[*mode])) return true;
    mistake(c, node_pos(n), "E0725", "`%s` is no way to round", node_source(n));
    help("it is rn (to nearest, ties to even), rz (toward zero), ru (up) or rd (down)");
    return false;
}

/* Reports a cast in which nothing is rounded. */
static bool rounds(Check *c, const Args *a, Elem from, Elem to)
{
    if (from != EL_BOOL && to != EL_BOOL && (elem_is_float(from) || elem_is_float(to))) return true;
    mistake(c, node_pos(a->call), "E0725", "from %s to %s nothing is rounded", elem_info[from].name,
            elem_info[to].name);
    help("write `%s`", cast_source(a->at[0], elem_info[to].name));
    return false;
}

/* round_to(t, T, mode) */
Given lower_round_to(Check *c, const Args *a, int what)
{
    (void)what;
    Elem e;
    Op *op;
    Rounding mode;
    Value *v = expr_value(c, a->at[0], EL_ERROR);
    bool known = rounding_mode(c, a->at[2], &mode);
    if (!type_elem(c, a->at[1], &e) || !v || !known || !rounds(c, a, v->type.elem, e))
        return bad(a);
    if (v->type.elem == e) return give(v, a->call);
    Value *r =
        build(c, OP_CAST, type_with_elem(v->type, e), node_pos(a->call), 1, &v, &op);
    op->rounding = mode;
    return give(r, a->call);
}
