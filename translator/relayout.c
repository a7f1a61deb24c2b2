/* relayout.c -- a tile to other threads: through shared memory, in row-major order */
#include "mapping.h"
#include <string.h>

/* The place of the present element in v, row-major; extents are static. */
static const char *linear_place(Emit *e, const Value *v)
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
static const char *inside(Emit *e, const Value *v)
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

/* Writes the tile to shared memory, as its threads hold it. */
static void put(Emit *e, const Op *op, const char *buffer)
{
    Value *from = op->args[0];
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
    const char *guard = inside(e, from);
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

/* Reads the tile from shared memory, as the other layout holds it. */
static void get(Emit *e, const Op *op, const char *buffer)
{
    Value *to = op->results[0];
    const Dim *dims[MAX_NEST];
    int n = dims_of(to, dims);
    Phase p;
    declare(e, to);
    phase_open(e, &p, op, dims, n);
    phase_lanes(e, &p);
    const char *guard = inside(e, to), *name = map_of(web_root(to))->name,
               *index = index_suffix(e, to);
    if (guard)
        line(e, "if (%s)", guard);
    line(e, "%s%s%s = %s[%s];", guard ? "    " : "", name, index, buffer, linear_place(e, to));
    phase_close(e, &p);
}

/* Gives each thread the elements that the layout of the result wants from it. */
void write_relayout(Emit *e, const Op *op)
{
    Value *to = op->results[0];
    int64_t n = 1;
    for (int a = 0; a < to->type.rank; a++)
        n *= type_extent(&to->type, a);
    const char *buffer = fresh(e, arena_printf("%s_shared", map_of(web_root(to))->name));
    text_printf(e->shared, "    __shared__ %s %s[%lld];\n", device_type(to->type.elem), buffer,
                (long long)n);
    if (e->loop_depth)
        barrier(e, "the last round's tile has been read");
    put(e, op, buffer);
    barrier(e, "the tile is written before other threads read it");
    get(e, op, buffer);
}
