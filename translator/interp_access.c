/* interp_access.c -- the interpreter's accesses: load, store, gather, scatter, atomics */
#include "interp.h"

/* An access with its formulas computed: element start + step * place along each tensor axis, if it
   lies in [lo, hi); or element start + index. */
typedef struct {
    const Tensor *tensor;
    char *data;
    int64_t start[MAX_RANK], lo[MAX_RANK], hi[MAX_RANK], step[MAX_RANK];
    int map[MAX_RANK];
    const Held *index[MAX_RANK];                   /* NULL: the axis has no index tile */
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
        w->index[a] = access->index[a] ? held(r, op->args[access->index[a]]) : NULL;
        if (w->lo[a] < 0)
            w->lo[a] = 0;
        if (w->hi[a] > w->tensor->extent[a])
            w->hi[a] = w->tensor->extent[a];
    }
    return !r->failure;
}

/* The element of an index tile at a place of the larger tile; what no i64 holds is in no tensor. */
static int64_t index_at(const Held *index, const int64_t *place)
{
    int64_t at = 0;
    for (int a = 0; a < index->rank; a++)
        at = at * index->extent[a] + place[a];
    const bool large = index->elem == EL_U64 && index->at[at].u > INT64_MAX;
    return large ? INT64_MAX : index->at[at].i;
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
        if (w->index[a])
            moved = index_at(w->index[a], place);
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

/* Rule 2 for the axes of a gather's index tiles. */
static void index_ranges(const Window *w, Held *result)
{
    for (int a = 0; a < w->tensor->rank; a++)
        for (int t = 0; w->index[a] && t < w->index[a]->rank; t++)
            result->valid[t] = range_join(result->valid[t], w->index[a]->valid[t]);
}

/* What is valid of a tile that is read: the axes of windows, and of index tiles. */
static void read_ranges(const Window *w, Held *result)
{
    for (int t = 0; t < result->rank; t++)
        result->valid[t] = (Range){VALID_ANY, 0, 0};
    for (int a = 0; a < w->tensor->rank; a++)
        if (w->map[a] >= 0 && w->map[a] < result->rank)
            result->valid[w->map[a]] = loaded_range(w, a, result->extent[w->map[a]]);
    index_ranges(w, result);
}

/* load, gather: elements that do not exist read as the pad. */
void run_load(Run *r, const Op *op)
{
    Window w;
    Held *result = held_new(r, op, op->results[0]);
    int64_t place[MAX_TILE_RANK] = {0};
    if (!result || !open_window(r, op, &w))
        return;
    const Constant pad = held(r, op->args[1])->at[0];
    read_ranges(&w, result);
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

/* The element at a place is valid in the tile and in all index tiles. */
static bool all_valid(Run *r, const Op *op, const int64_t *place)
{
    for (int i = 1; i < op->nargs; i++)
        if (!held_valid(held(r, op->args[i]), place, ~0u))
            return false;
    return true;
}

/* scatter: padding, and what does not exist, is dropped. */
void run_scatter(Run *r, const Op *op)
{
    Window w;
    const Held *tile = held(r, op->args[1]);
    int64_t place[MAX_TILE_RANK] = {0};
    if (!open_window(r, op, &w))
        return;
    for (int64_t i = 0; i < tile->count; i++) {
        char *at = address(&w, place);
        if (at && all_valid(r, op, place))
            elem_store(w.tensor->elem, at, tile->at[i]);
        place_next(tile, place);
    }
}

/* What an element becomes. */
static Constant updated(AtomicKind kind, Elem e, Constant old, Constant v)
{
    static const char *const rows[ATOMIC_COUNT] = {
        [ATOMIC_ADD] = "add", [ATOMIC_MIN] = "min", [ATOMIC_MAX] = "max", [ATOMIC_AND] = "and",
        [ATOMIC_OR] = "or", [ATOMIC_XOR] = "xor",
    };
    const Constant both[3] = {old, v};
    return kind == ATOMIC_EXCHANGE ? v : op_reference(op_row(rows[kind]), e, both);
}

/* The atomics: one element after the other; 0 is given where nothing was done. */
void run_atomic(Run *r, const Op *op)
{
    Window w;
    const Held *tile = held(r, op->args[1]);
    Held *old = op->nresults ? held_new(r, op, op->results[0]) : NULL;
    int64_t place[MAX_TILE_RANK] = {0};
    if ((op->nresults && !old) || !open_window(r, op, &w))
        return;
    const Elem e = w.tensor->elem;
    if (old)
        read_ranges(&w, old);
    for (int a = 0; old && a < old->rank; a++)
        old->valid[a] = range_join(old->valid[a], tile->valid[a]);
    for (int64_t i = 0; i < tile->count; i++) {
        char *at = address(&w, place);
        const bool done = at && all_valid(r, op, place);
        const Constant was = done ? elem_load(e, at) : (Constant){0};
        if (done)
            elem_store(e, at, updated(op->atomic, e, was, tile->at[i]));
        if (old)
            old->at[i] = was;
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
