/* call_reduce.c -- sum, max, argmax..: over which axes, and in which type */
#include "lower.h"

/* One axis of a rank, counted from the end if negative; false after a report. */
static bool one_axis(Check *c, const Node *n, int rank, int *axis)
{
    int64_t k;
    if (!static_int(c, n, &k)) return false;
    *axis = (int)(k < 0 ? k + rank : k);
    if (k >= -rank && k < rank) return true;
    mistake(c, node_pos(n), "E0703", "there is no axis %lld", (long long)k);
    if (rank == 1) help("the only axis is 0, or -1 from the end");
    else if (rank) help("the axes are 0 to %d, or -%d to -1 from the end", rank - 1, rank);
    else help("a scalar has no axes");
    return false;
}

/* axis = 1, of the one axis that a call works along; without it the last. */
bool one_axis_of(Check *c, const Args *a, int rank, int *axis)
{
    const Node *n = a->named[ARG_AXIS];
    *axis = rank - 1;
    if (!n) return true;
    if (n->kind != N_LIST) return one_axis(c, n, rank, axis);
    mistake(c, node_pos(n), "E0703", "`%s` works along one axis", a->name);
    help("it is `%s`", "axis = 1");
    return false;
}

/* `1` or `[0, 2]` as a bit mask; false after a report. */
bool axis_list(Check *c, const Node *n, int rank, uint32_t *axes)
{
    const Node *first = n->kind == N_LIST ? n->kids : n;
    int axis;
    *axes = 0;
    if (!first) {
        mistake(c, node_pos(n), "E0703", "no axis is named");
        help("leave out `axis` for all of them");
        return false;
    }
    for (const Node *k = first; k; k = n->kind == N_LIST ? k->next : NULL) {
        if (!one_axis(c, k, rank, &axis)) return false;
        if (*axes & 1u << axis) {
            mistake(c, node_pos(k), "E0703", "axis %d is named twice", axis);
            return false;
        }
        *axes |= 1u << axis;
    }
    return true;
}

/* The type in which a reduction counts. */
Elem reduce_accumulator(ReduceKind kind, Elem e)
{
    bool adds = kind == REDUCE_SUM || kind == REDUCE_PROD || kind == REDUCE_MEAN;
    if (kind == REDUCE_ARGMAX || kind == REDUCE_ARGMIN) return EL_I32;
    if (!adds) return e;
    if (e == EL_F16 || e == EL_BF16) return EL_F32;
    if (e == EL_BOOL) return EL_I32;
    if (elem_is_int(e) && elem_info[e].bytes < 4)
        return elem_info[e].class == CLASS_UNSIGNED ? EL_U32 : EL_I32;
    return e;
}

/* The type of the result: the operand's again, if that is a float. */
static Elem result_elem(ReduceKind kind, Elem e)
{
    return elem_is_float(e) && kind != REDUCE_ARGMAX && kind != REDUCE_ARGMIN
               ? e
               : reduce_accumulator(kind, e);
}

/* Reports a type that the reduction does not take. */
bool reduce_takes(Check *c, const Args *a, ReduceKind kind, const Given *g, Elem e)
{
    bool bools = kind == REDUCE_ANY || kind == REDUCE_ALL,
         adds = kind == REDUCE_SUM || kind == REDUCE_PROD;
    bool computes = elem_is_float(e) && elem_info[e].bytes > 1 && e != EL_TF32;
    if (bools ? e == EL_BOOL : computes) return true;
    if (!bools && kind != REDUCE_MEAN && (elem_is_int(e) || (adds && e == EL_BOOL))) return true;
    mistake(c, g->pos, "E0404", "`%s` takes %s, not %s", a->name,
            bools ? "bools" : kind == REDUCE_MEAN ? "floats" : "numbers", elem_info[e].name);
    if (bools) help("compare: `%s(%s != 0)`", a->name, node_source(g->node));
    else if (e == EL_BOOL && kind != REDUCE_MEAN) help("`any` and `all` are for bools");
    else help("write `%s`", cast_source(g->node, "f32"));
    return false;
}

/* keepdims = ..; false after a report. */
bool keepdims(Check *c, const Args *a, bool *keep)
{
    *keep = false;
    return !a->named[ARG_KEEPDIMS] || static_bool(c, a->named[ARG_KEEPDIMS], keep);
}

/* The type without the axes of a bit mask. */
Type without_axes(Type t, uint32_t axes)
{
    int rank = 0;
    for (int i = 0; i < t.rank; i++)
        if (!(axes & 1u << i)) t.dim[rank++] = t.dim[i];
    t.rank = rank;
    return t;
}

/* The type with an extent of 1 at each axis of a bit mask. */
static Type with_ones(Type t, uint32_t axes, int rank)
{
    Type out = { .kind = TYPE_TILE, .elem = t.elem, .rank = rank };
    for (int i = 0, from = 0; i < rank; i++)
        out.dim[i] = axes & 1u << i ? sym_const(1) : t.dim[from++];
    return out;
}

/* The value with an extent of 1 again at each axis of a bit mask. */
Value *keep_axes(Check *c, Value *v, uint32_t axes, int rank, Pos pos)
{
    Op *op;
    v = build(c, OP_EXPAND, with_ones(v->type, axes, rank), pos, 1, &v, &op);
    op->axes = axes;
    return v;
}

/* A reduction over no axes: of a scalar. */
static Value *of_scalar(Check *c, ReduceKind kind, Value *v, Pos pos)
{
    if (kind == REDUCE_ARGMAX || kind == REDUCE_ARGMIN)
        return build_const(c, EL_I32, (Constant){ .i = 0 }, pos);
    return build_cast(c, v, result_elem(kind, v->type.elem), pos);
}

/* Is all of a bool tile true? The tile itself if it is a scalar. */
Value *build_all(Check *c, Value *v, Pos pos)
{
    Op *op;
    if (!v->type.rank) return v;
    Value *r = build(c, OP_REDUCE, type_scalar(EL_BOOL), pos, 1, &v, &op);
    op->reduce = REDUCE_ALL;
    op->reduce_axes = (1u << v->type.rank) - 1;
    return r;
}

/* sum(t, axis = .., keepdims = ..) and its kin. */
Given reduction(Check *c, const Args *a, int what)
{
    ReduceKind kind = (ReduceKind)what;
    Given g = tensor_test(c, expr(c, a->at[0]));
    Value *v = given_value(c, g, EL_ERROR);
    Pos pos = node_pos(a->call);
    bool keep;
    if (!v || !reduce_takes(c, a, kind, &g, v->type.elem) || !keepdims(c, a, &keep))
        return give_kind(GIVES_ERROR, a->call);
    int rank = v->type.rank;
    Elem e = v->type.elem;
    uint32_t axes = (1u << rank) - 1;
    if (a->named[ARG_AXIS] && !axis_list(c, a->named[ARG_AXIS], rank, &axes))
        return give_kind(GIVES_ERROR, a->call);
    if (!axes) return give(of_scalar(c, kind, v, pos), a->call);
    Op *op;
    Type type = without_axes(type_with_elem(v->type, reduce_accumulator(kind, e)), axes);
    Value *r = build(c, OP_REDUCE, type, pos, 1, &v, &op);
    op->reduce = kind;
    op->reduce_axes = axes;
    r = build_cast(c, r, result_elem(kind, e), pos);
    return give(keep ? keep_axes(c, r, axes, rank, pos) : r, a->call);
}
