/* identity.c -- does a first value change nothing, as far as translation can tell? */
/* needs: valid IR.  gives: an answer.  keeps: everything. */
#include <math.h>
#include "ir.h"

/* The function of an op being computed on constants; steps: how many ops may still be looked at. */
typedef struct { const Op *op; int steps; } Trial;

static bool value_of(Trial *t, const Value *v, Constant *c);

/* Which operand of the function v is; -1: none. */
static int argument_number(const Trial *t, const Value *v)
{
    const Block *f = t->op->region[0];
    for (int i = 0; i < f->nargs; i++)
        if (f->args[i] == v)
            return i % op_members(t->op);
    return -1;
}

/* What an elementwise operation, a cast or a select gives; false if that is not known. */
static bool op_value(Trial *t, const Op *op, Constant *c)
{
    Constant a[3] = {{0}, {0}, {0}};
    if (op->kind == OP_CONST) {
        *c = op->constant;
        return true;
    }
    if (op->kind != OP_ELEM && op->kind != OP_CAST && op->kind != OP_SELECT)
        return false;
    if (!value_of(t, op->args[0], &a[0]))
        return false;
    if (op->kind == OP_SELECT)
        return value_of(t, op->args[a[0].i ? 1 : 2], c);
    for (int i = 1; i < op->nargs; i++)
        if (!value_of(t, op->args[i], &a[i]))
            return false;
    const Elem e = op->args[0]->type.elem;
    *c = op->kind == OP_CAST ? cast_reference(e, op->results[0]->type.elem, a[0])
                             : op_reference(op->row, e, a);
    return true;
}

/* A scalar where both arguments are the first values; false if that is not known. */
static bool value_of(Trial *t, const Value *v, Constant *c)
{
    const int n = argument_number(t, v);
    if (t->steps-- <= 0)
        return false;
    if (n >= 0)
        return value_of(t, t->op->args[op_members(t->op) + n], c);
    return v->def && op_value(t, v->def, c);
}

/* f(init, init): init again, something else, or not known at translation. NaN counts as not known:
   it comes of 0 / 0 and inf - inf, where init changes no true element. */
Identity op_identity(const Op *op, int *member, Constant *got)
{
    const Block *f = op->region[0];
    Identity answer = IDENTITY_YES;
    for (int i = 0; i < op_members(op); i++) {
        Trial t = {op, 1000};
        Constant init, c;
        const Elem e = op->args[i]->type.elem;
        if (!value_of(&t, op->args[op_members(op) + i], &init)
            || !value_of(&t, f->last->args[i], &c) || (elem_is_float(e) && isnan(c.f))) {
            answer = IDENTITY_UNKNOWN;
            continue;
        }
        if (elem_is_float(e) ? c.f == init.f : c.u == init.u)
            continue;
        *member = i;
        *got = c;
        return IDENTITY_NO;
    }
    return answer;
}
