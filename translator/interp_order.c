/* interp_order.c -- the interpreter's sort, topk, histogram and random */
#include <math.h>
#include <stdlib.h>
#include "interp.h"

/* ---- order ----------------------------------------------------------------------------------- */

/* a against b: less than 0, 0 or more. NaN is above all numbers, +0 above -0. */
static int compare(Elem e, Constant a, Constant b)
{
    if (elem_info[e].class == CLASS_UNSIGNED)
        return (a.u > b.u) - (a.u < b.u);
    if (!elem_is_float(e))
        return (a.i > b.i) - (a.i < b.i);
    if (isnan(a.f) || isnan(b.f))
        return (isnan(a.f) != 0) - (isnan(b.f) != 0);
    if (a.f == 0 && b.f == 0)
        return (signbit(a.f) == 0) - (signbit(b.f) == 0);
    return (a.f > b.f) - (a.f < b.f);
}

/* Puts the places of a line in order, equals as they were: sign 1 the smallest first. */
static void insertion_sort(const Held *a, int64_t first, int64_t step, int sign, int64_t *place,
                           int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        const int64_t p = place[i];
        int64_t to = i;
        for (; to > 0 && sign * compare(a->elem, a->at[first + step * p],
                                        a->at[first + step * place[to - 1]]) < 0; to--)
            place[to] = place[to - 1];
        place[to] = p;
    }
}

/* One line along the axis: `first` is where it begins in the operand, `to` in the results. */
static void sort_line(Run *r, const Op *op, int64_t first, int64_t to, int64_t step)
{
    const Held *a = held(r, op->args[0]);
    Held *values = held(r, op->results[0]);
    Held *places = op->nresults == 2 ? held(r, op->results[1]) : NULL;
    int64_t n = 0, *place = malloc((size_t)a->extent[op->axis] * sizeof *place);
    for (int64_t i = 0; i < a->extent[op->axis]; i++)
        if (range_has(&a->valid[op->axis], i))
            place[n++] = i;
    insertion_sort(a, first, step, places ? -1 : 1, place, n);
    for (int64_t i = 0; i < values->extent[op->axis]; i++) {
        values->at[to + step * i] = i < n ? a->at[first + step * place[i]] : (Constant){0};
        if (places)
            places->at[to + step * i] = (Constant){.i = i < n ? place[i] : 0};
    }
    free(place);
}

/* The valid part of a result: the other axes as they were, its own as many as fit. */
static void sort_valid(const Held *a, int axis, Held *result)
{
    for (int i = 0; i < a->rank; i++)
        result->valid[i] = a->valid[i];
    Range *v = &result->valid[axis];
    if (v->kind == VALID_INTERVAL) {
        const int64_t n = v->hi > v->lo ? v->hi - v->lo : 0;
        *v = (Range){VALID_INTERVAL, 0, n < result->extent[axis] ? n : result->extent[axis]};
    }
}

/* sort, topk: every line along the axis by itself. */
void run_sort(Run *r, const Op *op)
{
    const Held *a = held(r, op->args[0]);
    int64_t outer = 1, inner = 1;
    for (int i = 0; i < op->nresults; i++) {
        Held *result = held_new(r, op, op->results[i]);
        if (!result)
            return;
        sort_valid(a, op->axis, result);
    }
    if (a->valid[op->axis].kind == VALID_MIXED)
        fail(r, op, "a sort of mixed padding");
    for (int i = 0; i < a->rank; i++)
        *(i < op->axis ? &outer : &inner) *= i == op->axis ? 1 : a->extent[i];
    const int64_t k = held(r, op->results[0])->extent[op->axis];
    for (int64_t o = 0; o < outer && !r->failure; o++)
        for (int64_t i = 0; i < inner; i++)
            sort_line(r, op, o * a->extent[op->axis] * inner + i, o * k * inner + i, inner);
}

/* ---- histogram ------------------------------------------------------------------------------- */

/* histogram: how often each of 0 .. bins - 1 is among the valid elements. */
void run_histogram(Run *r, const Op *op)
{
    const Held *a = held(r, op->args[0]);
    Held *result = held_new(r, op, op->results[0]);
    int64_t place[MAX_TILE_RANK] = {0};
    if (!result)
        return;
    for (int i = 0; i < a->rank; i++)
        if (a->valid[i].kind == VALID_MIXED)
            fail(r, op, "a histogram of mixed padding");
    for (int64_t i = 0; i < result->count; i++)
        result->at[i] = (Constant){0};
    for (int64_t i = 0; i < a->count; i++) {
        if (held_valid(a, place, ~0u) && a->at[i].u < (uint64_t)result->count)
            result->at[a->at[i].u].i++;
        place_next(a, place);
    }
}

/* ---- random ---------------------------------------------------------------------------------- */

/* random: bits of each element's number; all of them are data. */
void run_random(Run *r, const Op *op)
{
    const uint64_t seed = held(r, op->args[0])->at[0].u;
    const Held *number = held(r, op->args[1]);
    Held *result = held_new(r, op, op->results[0]);
    for (int64_t i = 0; result && i < result->count; i++) {
        const uint64_t n = number->at[i].u;
        uint32_t c[4] = {(uint32_t)n, (uint32_t)(n >> 32), 0, 0};
        philox(c, (uint32_t)seed, (uint32_t)(seed >> 32));
        result->at[i] = (Constant){.u = c[0]};
    }
}
