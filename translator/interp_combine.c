/* interp_combine.c -- the interpreter's folds and scans: a function of scalars along one axis */
#include <stdlib.h>
#include "interp.h"

/* One line of elements: from `first`, `step` apart; those in [lo, hi) are data. so_far: what they
   gave, one value a member, from `any` element; a sum is kept in `wide`. */
typedef struct {
    int64_t first, step, n, lo, hi;
    Constant *so_far;
    bool sum;
    long double wide;
    bool skips_init, any;                          /* init may not be combined with itself: then it
                                                      is not combined at all */
} Line;

/* Is the function a sum of floats? It is kept wider than any type, so that each output is rounded
   once, as those of `sum` are. */
static bool is_sum(const Op *op)
{
    const OpRow *row = op_lambda_row(op);
    return row && row == op_row("add") && elem_is_float(op->args[0]->type.elem);
}

/* Sets a scalar that the function takes. */
static void set(Run *r, const Op *op, const Value *v, Constant c)
{
    Held *h = held_new(r, op, v);
    if (h)
        h->at[0] = c;
}

/* Takes in the element at `place`: so_far = f(so_far, it). */
static void apply(Run *r, const Op *op, Line *line, int64_t place)
{
    const int n = op_members(op);
    const Block *f = op->region[0];
    const bool takes = line->skips_init && !line->any;
    line->any = true;
    if (takes) {
        for (int i = 0; i < n; i++)
            line->so_far[i] = held(r, op->args[i])->at[place];
        line->wide = line->so_far[0].f;
        return;
    }
    if (line->sum) {
        line->wide += held(r, op->args[0])->at[place].f;
        const Constant c = {.f = (double)line->wide};
        line->so_far[0] = round_to_elem(op->args[0]->type.elem, c);
        return;
    }
    for (int i = 0; i < n; i++) {
        set(r, op, f->args[i], line->so_far[i]);
        set(r, op, f->args[n + i], held(r, op->args[i])->at[place]);
    }
    Value **yields = run_function(r, op);
    for (int i = 0; yields && i < n; i++)
        line->so_far[i] = held(r, yields[i])->at[0];
}

/* Goes along one line, in its order or from its end: a fold's result at `to`, a scan's beside each
   element. What is no data changes nothing. */
static void run_line(Run *r, const Op *op, Line *line, int64_t to)
{
    const int n = op_members(op);
    for (int i = 0; i < n; i++)
        line->so_far[i] = held(r, op->args[n + i])->at[0];
    line->wide = line->so_far[0].f;
    line->any = false;
    for (int64_t k = 0; k < line->n && !r->failure; k++) {
        const int64_t at = op->reverse ? line->n - 1 - k : k;
        const int64_t place = line->first + at * line->step;
        if (line->lo <= at && at < line->hi)
            apply(r, op, line, place);
        for (int i = 0; op->kind == OP_SCAN && i < n; i++)
            held(r, op->results[i])->at[place] = line->so_far[i];
    }
    for (int i = 0; op->kind == OP_FOLD && i < n; i++)
        held(r, op->results[i])->at[to] = line->so_far[i];
}

/* The valid parts of all members together: rule 2. */
static Range joined(Run *r, const Op *op, int axis)
{
    Range all = {VALID_ANY, 0, 0};
    for (int i = 0; i < op_members(op); i++)
        all = range_join(all, held(r, op->args[i])->valid[axis]);
    return all;
}

/* Room for the results, with their valid parts; false after a failure. */
static bool make_results(Run *r, const Op *op, int axis)
{
    for (int i = 0; i < op->nresults; i++) {
        Held *h = held_new(r, op, op->results[i]);
        if (!h)
            return false;
        for (int a = 0, to = 0; a < held(r, op->args[0])->rank; a++)
            if (op->kind == OP_SCAN || a != axis)
                h->valid[to++] = joined(r, op, a);
    }
    return true;
}

/* fold, scan: what is valid along the axis, the other axes as they are. */
void run_combine(Run *r, const Op *op)
{
    const int axis = op_axis(op);
    const Held *a = held(r, op->args[0]);
    const Range part = joined(r, op, axis);
    if (part.kind == VALID_MIXED)
        fail(r, op, "a fold or scan of mixed padding");
    if (r->failure || !make_results(r, op, axis))
        return;
    Line line = {.step = 1, .n = a->extent[axis], .lo = 0, .hi = a->extent[axis]};
    if (part.kind == VALID_INTERVAL)
        line.lo = part.lo, line.hi = part.hi;
    int64_t lines = 1;
    int member;
    Constant got;
    line.skips_init = op_identity(op, &member, &got) != IDENTITY_YES;
    line.sum = is_sum(op);
    line.so_far = calloc((size_t)op_members(op), sizeof *line.so_far);
    for (int i = 0; i < a->rank; i++) {
        line.step *= i > axis ? a->extent[i] : 1;
        lines *= i != axis ? a->extent[i] : 1;
    }
    for (int64_t k = 0; k < lines && !r->failure; k++) {
        line.first = k / line.step * line.step * line.n + k % line.step;
        run_line(r, op, &line, k);
    }
    free(line.so_far);
}
