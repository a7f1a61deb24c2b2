/* pad_value.c -- what a tile holds where it is not valid, as far as that is known at translation */
/* needs: valid parts.  gives: what each op leaves outside them.  keeps: the IR.
 *
 * A place lies outside along an axis if it is not in the valid part of that axis, or past the end
 * of the tile. What lies outside is known for each axis on its own: elementwise operations know it
 * if all their operands do, and those lie outside at the same places, or are one constant
 * everywhere. */
#include <math.h>
#include <string.h>
#include "padding.h"

/* ---- constants ------------------------------------------------------------------------------- */

static const Pad unknown = {.kind = PAD_UNKNOWN};

/* A pad that is a constant. */
static Pad pad_const(Constant c)
{
    return (Pad){PAD_CONST, c};
}

/* The same pad; constants bit by bit. */
static bool pad_same(Pad a, Pad b)
{
    return a.kind == b.kind && (a.kind != PAD_CONST || a.value.u == b.value.u);
}

/* What holds if either does. */
Pad pad_join(Pad a, Pad b)
{
    return pad_same(a, b) ? a : unknown;
}

/* One constant everywhere. */
static Holds holds_const(Constant c)
{
    Holds h = {.constant = true};
    for (int a = 0; a < MAX_TILE_RANK; a++)
        h.axis[a] = pad_const(c);
    return h;
}

/* What an `-inf or NaN`, `0 or NaN` is if it is no NaN. */
static Constant without_nan(Pad p)
{
    return p.kind == PAD_MINUS_INF_OR_NAN ? (Constant){.f = -INFINITY}
         : p.kind == PAD_ZERO_OR_NAN ? (Constant){.f = 0} : p.value;
}

/* The pad that is c, or NaN under the same condition. */
static Pad pad_or_nan(Constant c)
{
    if (c.f == 0)
        return (Pad){.kind = PAD_ZERO_OR_NAN};
    return (Pad){.kind = isinf(c.f) && c.f < 0 ? PAD_MINUS_INF_OR_NAN : PAD_UNKNOWN};
}

/* ---- where operands lie outside -------------------------------------------------------------- */

/* What an operand holds where the result lies outside along an axis. */
static Pad pad_where(Ask *q, const Value *v, const Value *result, int axis)
{
    const Holds h = holds_of(q, v);
    const Valid *mine = &v->valid[axis], *its = &result->valid[axis];
    if (h.constant)
        return h.axis[0];
    if (v->type.rank != result->type.rank || its->kind == VALID_MIXED || mine->kind == VALID_MIXED)
        return unknown;
    const bool same = valid_same(mine, its) || (valid_complete(mine, v->type.dim[axis])
                                                && valid_complete(its, result->type.dim[axis]));
    return same ? h.axis[axis] : unknown;
}

/* What is right of both. */
Holds holds_both(Holds a, const Holds *b)
{
    a.constant = a.constant && b->constant && pad_same(a.axis[0], b->axis[0]);
    for (int i = 0; i < MAX_TILE_RANK; i++)
        a.axis[i] = pad_join(a.axis[i], b->axis[i]);
    return a;
}

/* The same is known. */
bool holds_same(const Holds *a, const Holds *b)
{
    bool same = a->constant == b->constant;
    for (int i = 0; i < MAX_TILE_RANK; i++)
        same = same && pad_same(a->axis[i], b->axis[i]);
    return same;
}

/* What one of the values that lead to a result leaves in it. */
static Holds holds_in(Ask *q, const Value *v, const Value *result)
{
    Holds h = holds_of(q, v);
    for (int a = 0; a < result->type.rank; a++)
        h.axis[a] = pad_where(q, v, result, a);
    return h;
}

/* What is right of all values that lead to a result. */
Holds holds_joined(Ask *q, Value *const *values, int n, const Value *result)
{
    Holds h = {0};
    for (int i = 0; i < n; i++) {
        const Holds one = holds_in(q, values[i], result);
        h = i ? holds_both(h, &one) : one;
    }
    return h;
}

/* ---- elementwise ----------------------------------------------------------------------------- */

/* A function of bounded error is exact at these in every implementation. */
static bool plain(Elem e, Constant c)
{
    return !elem_is_float(e) || c.f == 0 || c.f == 1 || !isfinite(c.f);
}

/* Operations that give NaN if any operand is NaN. */
static bool keeps_nan(const OpRow *row)
{
    static const char *const rows[] = {"add", "sub", "mul", "div", "neg", "exp", "exp2", "abs",
                                       "sigmoid", "max", "min", "sqrt"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!strcmp(row->name, rows[i]))
            return true;
    return false;
}

/* The row at known pads. */
static Pad elem_pad(const OpRow *row, Elem e, int n, const Pad *pads)
{
    Constant c[3] = {{0}, {0}, {0}};
    int or_nan = 0;
    for (int i = 0; i < n; i++) {
        c[i] = without_nan(pads[i]);
        or_nan += pads[i].kind == PAD_MINUS_INF_OR_NAN || pads[i].kind == PAD_ZERO_OR_NAN;
        if (pads[i].kind == PAD_UNKNOWN || (row->ulp > 0 && !plain(e, c[i])))
            return unknown;
    }
    if (or_nan > 1 || (or_nan && !keeps_nan(row)))
        return unknown;
    const Constant r = op_reference(row, e, c);
    return or_nan ? pad_or_nan(r) : pad_const(r);
}

/* t - max(t): is b the maximum of a along the axis, stretched? */
static bool is_maximum(const Value *a, const Value *b, int axis)
{
    while (b->def && (b->def->kind == OP_BROADCAST || b->def->kind == OP_EXPAND
                      || b->def->kind == OP_RELAYOUT))
        b = b->def->args[0];
    const Op *op = b->def;
    if (!op || op->kind != OP_REDUCE || op->reduce != REDUCE_MAX || op->args[0] != a
        || !(op->reduce_axes >> axis & 1))
        return false;
    const Valid *v = &a->valid[axis];
    const bool whole = type_is_whole(&a->type, axis) && valid_complete(v, a->type.dim[axis]);
    return whole || (v->kind == VALID_INTERVAL && v->some);
}

/* Elementwise, along one axis. */
static Pad elem_along(Ask *q, const Op *op, int axis)
{
    const Value *result = op->results[0];
    const Elem e = op->args[0]->type.elem;
    Pad pads[3];
    for (int i = 0; i < op->nargs; i++)
        pads[i] = pad_where(q, op->args[i], result, axis);
    if (elem_is_float(e) && !strcmp(op->row->name, "sub") && pads[0].kind == PAD_CONST
        && pads[0].value.f == -INFINITY && is_maximum(op->args[0], op->args[1], axis))
        return (Pad){.kind = PAD_MINUS_INF_OR_NAN};
    return elem_pad(op->row, e, op->nargs, pads);
}

/* A cast, along one axis. */
static Pad cast_along(Ask *q, const Op *op, int axis)
{
    const Elem from = op->args[0]->type.elem, to = op->results[0]->type.elem;
    const Pad pad = pad_where(q, op->args[0], op->results[0], axis);
    if (pad.kind == PAD_CONST)
        return pad_const(round_reference(from, to, pad.value, op->rounding));
    return elem_is_float(to) && elem_info[to].bytes > 1 ? pad : unknown;
}

/* select, along one axis: one arm if the condition is known, else both must agree. A NaN of one arm
   says nothing of valid elements, which may come from the other. */
static Pad select_along(Ask *q, const Op *op, int axis)
{
    const Value *result = op->results[0];
    const Pad c = pad_where(q, op->args[0], result, axis);
    const Pad yes = pad_where(q, op->args[1], result, axis);
    const Pad no = pad_where(q, op->args[2], result, axis);
    const Pad pad = c.kind != PAD_CONST ? pad_join(yes, no) : c.value.i ? yes : no;
    return pad.kind == PAD_CONST ? pad : unknown;
}

/* Elementwise operations, casts, select: constant if all operands are. */
static Holds elementwise(Ask *q, const Op *op)
{
    Holds h = {.constant = true};
    const int rank = op->results[0]->type.rank;
    for (int i = 0; i < op->nargs; i++)
        h.constant = h.constant && holds_of(q, op->args[i]).constant;
    for (int a = 0; a < (rank ? rank : 1); a++)
        if (rank || h.constant)
            h.axis[a] = op->kind == OP_ELEM ? elem_along(q, op, a)
                      : op->kind == OP_CAST ? cast_along(q, op, a)
                      : op->kind == OP_SELECT ? select_along(q, op, a) : unknown;
    h.constant = h.constant && h.axis[0].kind == PAD_CONST;
    return h.constant ? holds_const(h.axis[0].value) : h;
}

/* ---- shape, reductions, loads ---------------------------------------------------------------- */

/* Axes that move: each of the result has the pad of its source. */
static Holds move_axes(Ask *q, const Op *op)
{
    const Value *result = op->results[0], *from = op->args[0];
    const Holds h = holds_of(q, from);
    Holds moved = {0};
    const int more = result->type.rank - from->type.rank;
    int next = 0;
    if (h.constant)
        return h;
    for (int a = 0; a < from->type.rank; a++)
        if (op->kind == OP_SQUEEZE && !(op->axes >> a & 1))
            moved.axis[next++] = h.axis[a];
    for (int a = 0; a < result->type.rank; a++)
        if (op->kind == OP_PERMUTE)
            moved.axis[a] = h.axis[op->perm[a]];
        else if (op->kind == OP_EXPAND && !(op->axes >> a & 1))
            moved.axis[a] = h.axis[next++];
        else if (op->kind == OP_BROADCAST && a >= more
                 && from->type.dim[a - more] == result->type.dim[a])
            moved.axis[a] = h.axis[a - more];
    return moved;
}

/* reshape: what lies outside lay outside along some axis before. */
static Holds reshaped(Ask *q, const Op *op)
{
    const Value *from = op->args[0];
    const Holds h = holds_of(q, from);
    Holds result = {0};
    bool first = true;
    Pad pad = unknown;
    for (int a = 0; a < from->type.rank; a++) {
        if (sym_is(from->type.dim[a], 1) && valid_complete(&from->valid[a], from->type.dim[a]))
            continue;
        pad = first ? h.axis[a] : pad_join(pad, h.axis[a]);
        first = false;
    }
    for (int a = 0; a < op->results[0]->type.rank; a++)
        result.axis[a] = pad;
    return h.constant ? h : result;
}

/* extract: what the tile holds outside; 0 too where a piece may lie past its end. */
static Holds extracted(Ask *q, const Op *op)
{
    const Value *from = op->args[0];
    Holds h = holds_of(q, from);
    const Constant zero = {0};
    for (int a = 0; a < from->type.rank; a++)
        if (!op->args[1 + a]->def || op->args[1 + a]->def->kind != OP_CONST) {
            h.constant = false;                    /* a number was checked to be inside */
            for (int b = 0; b < from->type.rank; b++)
                h.axis[b] = pad_join(h.axis[b], pad_const(zero));
            if (from->valid[a].kind == VALID_ANY)
                h.axis[a] = pad_const(zero);
        }
    return h;
}

/* cat: along its axis what b holds past its end, and a before its data; elsewhere what both do. */
static Holds concatenated(Ask *q, const Op *op)
{
    const Value *a = op->args[0];
    const Holds x = holds_of(q, a), y = holds_of(q, op->args[1]);
    Holds h = holds_joined(q, op->args, 2, op->results[0]);
    const Valid *v = &a->valid[op->axis];
    h.constant = x.constant && y.constant && pad_same(x.axis[0], y.axis[0]);
    h.axis[op->axis] = v->kind == VALID_ANY || (v->kind == VALID_INTERVAL && sym_is(v->lo, 0))
        ? y.axis[op->axis] : pad_join(x.axis[op->axis], y.axis[op->axis]);
    return h;
}

/* reduce: where all that is reduced is the identity, so is the result. */
static Holds reduce(Ask *q, const Op *op)
{
    const Value *from = op->args[0];
    const Holds h = holds_of(q, from);
    const Elem e = from->type.elem, to = op->results[0]->type.elem;
    Holds result = {0};
    if (op->reduce == REDUCE_MEAN)                 /* of nothing: NaN */
        return result;
    for (int a = 0, next = 0; a < from->type.rank; a++) {
        if (op->reduce_axes >> a & 1)
            continue;
        if (h.axis[a].kind == PAD_CONST && pad_is_identity(h.axis[a], op->reduce, e))
            result.axis[next] = pad_const(cast_reference(e, to, h.axis[a].value));
        next++;
    }
    return result;
}

/* keep: what is cut off holds data; the other axes stay. */
static Holds keep(Ask *q, const Op *op)
{
    Holds h = holds_of(q, op->args[0]);
    const int a = op->axis;
    if (!h.constant && !valid_same(&op->args[0]->valid[a], &op->results[0]->valid[a]))
        h.axis[a] = unknown;
    return h;
}

/* fill: its value, past the end of the tile too. */
static Holds filled(Ask *q, const Op *op)
{
    const Holds v = holds_of(q, op->args[1]), t = holds_of(q, op->args[0]);
    Holds h = v;
    h.constant = v.constant && t.constant && pad_same(v.axis[0], t.axis[0]);
    return v.constant ? h : (Holds){0};
}

/* load: its pad, or what the asker puts past the end of whole axes. */
static Holds load(Ask *q, const Op *op)
{
    const Holds v = holds_of(q, op->args[1]);
    const Pad pad = v.constant ? v.axis[0] : unknown;
    const Constant *other = q->fill ? q->fill(op, q->arg) : NULL;
    Holds h = {0};
    for (int a = 0; a < op->results[0]->type.rank; a++)
        if (!other)
            h.axis[a] = pad;
        else if (type_is_whole(&op->results[0]->type, a) || pad_same(pad, pad_const(*other)))
            h.axis[a] = pad_const(*other);
    return h;
}

/* gather: what is left of a window reads the pad; what a padded index reads is not known. */
static Holds gather(Ask *q, const Op *op)
{
    Holds h = load(q, op);
    for (int i = 2; i < op->nargs; i++)
        for (int a = 0; a < op->args[i]->type.rank; a++)
            h.axis[a] = unknown;
    return h;
}

/* sort: 0 behind the valid ones; what the others hold is in another order. */
static Holds sorted(const Op *op)
{
    Holds h = {0};
    h.axis[op->axis] = pad_const((Constant){0});
    return h;
}

/* ---- all ops --------------------------------------------------------------------------------- */

/* What the result of an op without regions holds. */
Holds holds_made(Ask *q, const Op *op)
{
    switch (op->kind) {
    case OP_CONST:
        return holds_const(op->constant);
    case OP_ELEM: case OP_CAST: case OP_SELECT:
        return elementwise(q, op);
    case OP_BROADCAST: case OP_EXPAND: case OP_SQUEEZE: case OP_PERMUTE:
        return move_axes(q, op);
    case OP_RELAYOUT: case OP_FLIP:
        return holds_of(q, op->args[0]);
    case OP_RESHAPE: return reshaped(q, op);
    case OP_EXTRACT: return extracted(q, op);
    case OP_CAT:     return concatenated(q, op);
    case OP_FILL:   return filled(q, op);
    case OP_KEEP:   return keep(q, op);
    case OP_SORT:   return sorted(op);
    case OP_REDUCE: return reduce(q, op);
    case OP_LOAD:   return load(q, op);
    case OP_GATHER: return gather(q, op);
    case OP_IF: case OP_FOR: case OP_WHILE: case OP_SYM: case OP_HAS: case OP_BITCAST:
    case OP_IOTA: case OP_COORD: case OP_VALID: case OP_MMA: case OP_HISTOGRAM: case OP_RANDOM:
    case OP_FOLD: case OP_SCAN:
    case OP_PRINT: case OP_ASSERT: case OP_STORE: case OP_SCATTER: case OP_ATOMIC:
    case OP_YIELD: case OP_BREAK: case OP_CONTINUE: case OP_RETURN:
    case OP_KIND_COUNT:
        break;
    }
    return (Holds){0};
}
