/* shared.c -- tiles in shared memory: the arrays, and tiles written to them and read back */
/* needs: a body being written.  gives: CUDA C.  keeps: the plan. */
#include "mapping.h"
#include <string.h>

/* Bytes of shared memory through which op passes a tile; 0: it needs none. A body with such an op
   has the block to itself, since it waits at barriers. */
int64_t staged_bytes(const Op *op)
{
    switch (op->kind) {
    case OP_RELAYOUT: case OP_RESHAPE:
        return static_elements(&op->results[0]->type) * elem_info[op->results[0]->type.elem].bytes;
    default:
        return 0;
    }
}

/* Elements of a tile, a whole axis counted as 1. */
int64_t static_elements(const Type *t)
{
    int64_t n = 1, k;
    for (int a = 0; a < t->rank; a++)
        if (sym_const_of(t->dim[a], &k))
            n *= k;
    return n;
}

/* Declares an array of n elements in shared memory; its name. */
const char *shared_array(Emit *e, const char *wish, Elem elem, int64_t n)
{
    const char *name = fresh(e, wish);
    text_printf(e->shared, "    __shared__ %s %s[%lld];\n", device_type(elem), name, (long long)n);
    return name;
}

/* The place of the present element in v, row-major; extents are static. */
const char *linear_place(Emit *e, const Value *v)
{
    const char *text = NULL;
    for (int a = 0; a < v->type.rank; a++) {
        const Dim *d = map_of(v)->dim[a];
        if (!d)
            continue;
        const char *at = e->coordinate[d->id];
        if (has_lanes(e, d))
            at = arena_printf("%s + %s", at, e->lane);
        text = !text ? at : arena_printf("%s * %lld + %s",
                                         strchr(text, ' ') ? arena_printf("(%s)", text) : text,
                                         (long long)type_extent(&v->type, a), at);
    }
    return text ? text : "0";
}

/* Is the present place inside the tile? NULL: always. */
const char *inside_tile(Emit *e, const Value *v)
{
    const char *guard = NULL;
    for (int a = 0; a < v->type.rank; a++) {
        const Dim *d = map_of(v)->dim[a];
        if (!d || !overshoots(e, d))
            continue;
        const char *at = has_lanes(e, d) ? arena_printf("%s + %s", e->coordinate[d->id], e->lane)
                                         : e->coordinate[d->id];
        const char *one = arena_printf("%s < %lld", at, (long long)type_extent(&v->type, a));
        guard = guard ? arena_printf("%s && %s", guard, one) : one;
    }
    return guard;
}

/* Writes the tile to shared memory in row-major order, each element by a thread that holds it;
   op: for whose sake. */
void shared_put(Emit *e, const Op *op, Value *from, const char *buffer)
{
    const Dim *dims[MAX_NEST];
    int n = dims_of(from, dims);
    const char *one = one_thread(e, from);
    int bounds = e->hoisted.n, bases = e->bases.n;
    Phase p;
    if (one)
        open_block(e, "if (%s)", one);
    phase_open(e, &p, op, dims, n);
    phase_lazies(e, &p, &from, 1);
    phase_lanes(e, &p);
    const char *guard = inside_tile(e, from);
    if (guard)
        line(e, "if (%s)", guard);
    line(e, "%s%s[%s] = %s;", guard ? "    " : "", buffer, linear_place(e, from),
         element_text(e, from));
    phase_close(e, &p);
    if (one) {
        close_block(e, "");
        e->hoisted.n = bounds, e->bases.n = bases;
    }
}

/* Gives `to` its elements from a row-major array in shared memory, as its layout holds them. */
void shared_get(Emit *e, const Op *op, Value *to, const char *buffer)
{
    const Dim *dims[MAX_NEST];
    int n = dims_of(to, dims);
    Phase p;
    declare(e, to);
    phase_open(e, &p, op, dims, n);
    phase_lanes(e, &p);
    const char *guard = inside_tile(e, to), *name = map_of(web_root(to))->name,
               *index = index_suffix(e, to);
    if (guard)
        line(e, "if (%s)", guard);
    line(e, "%s%s%s = %s[%s];", guard ? "    " : "", name, index, buffer, linear_place(e, to));
    phase_close(e, &p);
}
