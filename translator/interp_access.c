/* interp_access.c -- the interpreter's loads and stores */
#include "interp.h"

/* An access with its formulas computed: element start + step * place along each tensor axis, if it
   lies in [lo, hi). */
typedef struct {
    const Tensor *tensor;
    char *data;
    int64_t start[MAX_RANK], lo[MAX_RANK], hi[MAX_RANK], step[MAX_RANK];
    int map[MAX_RANK];
} Window;

/* The tensor that a value stands for: a parameter's argument. NULL after a failure. */
static const Tensor *tensor_of(Run *r, const Op *op, const Value *v)
{
    for (int p = 0; p < r->kernel->params.n; p++)
        if (r->kernel->params.at[p].value == v) {
            if (r->args[p].tensor.present)
                return &r->args[p].tensor;
            fail(r, op, "an optional tensor that was left out is used");
            return NULL;
        }
    fail(r, op, "a tensor that is no parameter");
    return NULL;
}

/* Where an access starts; what no i64 holds lies outside of every tensor. */
static int64_t start_number(const Run *r, Sym s)
{
    int64_t k;
    return run_eval(r, s, &k) ? k : INT64_MAX;
}

/* Computes the formulas of an access; false after a failure. */
static bool open_window(Run *r, const Op *op, Window *w)
{
    const Access *access = op->access;
    w->tensor = tensor_of(r, op, op->args[0]);
    if (!w->tensor || !access)
        return false;
    w->data = w->tensor->data;
    for (int a = 0; a < w->tensor->rank; a++) {
        w->start[a] = start_number(r, access->start[a]);
        w->lo[a] = sym_number(r, op, access->lo[a]);
        w->hi[a] = sym_number(r, op, access->hi[a]);
        w->step[a] = access->step[a];
        w->map[a] = access->map[a];
        if (w->lo[a] < 0)
            w->lo[a] = 0;
        if (w->hi[a] > w->tensor->extent[a])
            w->hi[a] = w->tensor->extent[a];
    }
    return !r->failure;
}

/* The address of the element at a place of the tile; NULL if it does not exist. */
static char *address(const Window *w, const int64_t *place)
{
    const Tensor *t = w->tensor;
    int64_t offset = 0;
    for (int a = 0; a < t->rank; a++) {
        int64_t index, moved = 0;
        if (w->map[a] >= 0 && __builtin_mul_overflow(w->step[a], place[w->map[a]], &moved))
            return NULL;
        if (__builtin_add_overflow(w->start[a], moved, &index) || index < w->lo[a]
            || index >= w->hi[a])
            return NULL;
        offset += index * t->stride[a];
    }
    return w->data + offset * elem_info[t->elem].bytes;
}

/* How many places before `bound` lie along an axis that starts at `start`, in 0 .. extent. */
static int64_t places_before(int64_t bound, int64_t start, int64_t step, int64_t extent)
{
    if (start >= bound)
        return 0;
    const uint64_t n = ((uint64_t)bound - (uint64_t)start - 1) / (uint64_t)step + 1;
    return n > (uint64_t)extent ? extent : (int64_t)n;
}

/* Rule 1: the valid part of a tile axis that was loaded along a tensor axis. */
static Range loaded_range(const Window *w, int axis, int64_t extent)
{
    const int64_t step = w->step[axis];
    const Range r = {VALID_INTERVAL, places_before(w->lo[axis], w->start[axis], step, extent),
                     places_before(w->hi[axis], w->start[axis], step, extent)};
    return r.lo > r.hi ? (Range){VALID_INTERVAL, r.lo, r.lo} : r;
}

/* load: elements that do not exist read as the pad. */
void run_load(Run *r, const Op *op)
{
    Window w;
    Held *result = held_new(r, op, op->results[0]);
    int64_t place[MAX_TILE_RANK] = {0};
    if (!result || !open_window(r, op, &w))
        return;
    const Constant pad = held(r, op->args[1])->at[0];
    for (int a = 0; a < w.tensor->rank; a++)
        if (w.map[a] >= 0 && w.map[a] < result->rank)
            result->valid[w.map[a]] = loaded_range(&w, a, result->extent[w.map[a]]);
    for (int64_t i = 0; i < result->count; i++) {
        const char *at = address(&w, place);
        result->at[i] = at ? elem_load(w.tensor->elem, at) : pad;
        place_next(result, place);
    }
}

/* store: elements that do not exist are dropped, and so is what the mask leaves out. */
void run_store(Run *r, const Op *op)
{
    Window w;
    const Held *tile = held(r, op->args[1]);
    const Held *mask = op->nargs > 2 ? held(r, op->args[2]) : NULL;
    int64_t place[MAX_TILE_RANK] = {0};
    if (!open_window(r, op, &w))
        return;
    if (mask && mask->count != tile->count) {
        fail(r, op, "a mask of another shape");
        return;
    }
    for (int64_t i = 0; i < tile->count; i++) {
        char *at = address(&w, place);
        if (at && (!mask || mask->at[i].i))
            elem_store(w.tensor->elem, at, cast_reference(tile->elem, w.tensor->elem, tile->at[i]));
        place_next(tile, place);
    }
}

/* coord: the coordinates start, start + 1, .. of an axis; those past its edges are padding. */
void run_coord(Run *r, const Op *op)
{
    Held *result = held_new(r, op, op->results[0]);
    if (!result)
        return;
    Window w = {.start = {sym_number(r, op, op->access->start[0])},
                .lo = {sym_number(r, op, op->access->lo[0])},
                .hi = {sym_number(r, op, op->access->hi[0])},
                .step = {op->access->step[0] > 0 ? op->access->step[0] : 1}};
    for (int64_t i = 0; i < result->count; i++)
        result->at[i].i = w.start[0] + w.step[0] * i;
    if (result->rank == 1)
        result->valid[0] = loaded_range(&w, 0, result->extent[0]);
}
