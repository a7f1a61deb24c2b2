/* memory.c -- shared memory: barriers, arrays, and which of them lie at the same place */
/* needs: a body being written.  gives: declarations, barriers, places.  keeps: the plan. */
#include "mapping.h"
#include <string.h>

/* ---- barriers -------------------------------------------------------------------------------- */

/* Is the last line a barrier? Then another one would wait for nothing. */
static bool after_barrier(const Emit *e)
{
    const char *s = e->out->at + e->out->n - (e->out->n > 0);
    while (s > e->out->at && s[-1] != '\n')
        s--;
    s += strspn(s, " ");
    return e->out->n > 0 && (!strncmp(s, "__syncthreads();", 16)
                             || !strncmp(s, "named_barrier_sync(", 19));
}

/* A line with a remark behind it. */
void remark(Emit *e, const char *code, const char *text)
{
    const int gap = 44 - 4 * e->indent - (int)strlen(code);
    line(e, "%s%*s// %s", code, gap > 2 ? gap : 2, "", text);
}

/* __syncthreads() with its reason, which also goes to the head. All accesses before it are done.
   Where a warp brings boxes the others meet without it. */
void barrier(Emit *e, const char *why)
{
    note_barrier(e, why);
    e->synced = true;
    e->touched = (Touched){ 0 };
    if (after_barrier(e))
        return;
    const char *wait = !e->body->boxes ? "__syncthreads();"
        : e->body->turns ? arena_printf("named_barrier_sync(1 + %s, %d);", e->ring.group,
                                        e->body->threads)
                         : arena_printf("named_barrier_sync(1, %d);", e->body->threads);
    remark(e, wait, why);
}

/* The same in a loop, before memory is written that was read in the last round; none if this round
   has been at a barrier already. */
void round_barrier(Emit *e, const char *why)
{
    if (e->loop_depth && !e->synced)
        barrier(e, why);
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static bool meet_in_space(const SharedArray *a, const SharedArray *b);

/* May threads still be reading what lies at the place of the array that is declared now? In a loop
   that may be from the last round; elsewhere what has been declared before, if its readers have not
   been at a barrier since. */
static bool others_read(const Emit *e)
{
    const SharedArray *all = e->places;
    for (int i = 0; i < e->arrays.n && !e->loop_depth; i++)
        if (meet_in_space(&all[i], &all[e->arrays.n]) && !staging_is_over(e, e->arrays.at[i].name))
            return true;
    return e->loop_depth > 0;
}

/* Declares an array in front of the body: one of its own, or a place in the memory that arrays
   share. Then others may still be reading what lies there. */
void declare_array(Emit *e, SharedArray a)
{
    const bool twice = e->body->turns && !a.ring;  /* each group has its own */
    const int64_t each = (a.bytes + 127) / 128 * 128;
    a.bytes = twice ? 2 * each : a.bytes;
    const char *rest = strchr(a.dims + 1, '[');
    const SharedArray *place = e->places && a.bytes >= 0 ? &e->places[e->arrays.n] : NULL;
    const char *from = !place || !place->at ? e->memory
        : arena_printf("(%s + %lld)", e->memory, (long long)place->at);
    if (twice)
        from = arena_printf("(%s + %lld + %s * %lld)", e->memory,
                            (long long)(place ? place->at : 0), e->ring.group, (long long)each);
    if (!place)
        text_printf(e->shared, "    __shared__ %s%s %s%s;\n",
                    a.align ? arena_printf("__align__(%d) ", a.align) : "", a.type, a.name,
                    a.dims);
    else if (rest)
        text_printf(e->shared, "    %s (*const %s)%s = (%s (*)%s)%s;\n", a.type, a.name, rest,
                    a.type, rest, from);
    else
        text_printf(e->shared, "    %s *const %s = (%s *)%s;   // %s\n", a.type, a.name, a.type,
                    from, a.dims);
    if (place && place->reuses && others_read(e))
        barrier(e, "what lay in this memory before has been read");
    push(&e->arrays, a);
}

/* Bytes of the arrays of a body, each on its own; those that are known at launch only have been
   counted by the ladder. */
int64_t array_bytes(const Emit *e)
{
    int64_t sum = 0;
    for (int i = 0; i < e->arrays.n; i++)
        if (e->arrays.at[i].bytes > 0)
            sum += (e->arrays.at[i].bytes + 15) / 16 * 16;
    return sum;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Are both needed by one op, or across one? */
static bool meet_in_time(const SharedArray *a, const SharedArray *b)
{
    return a->first <= b->last && b->first <= a->last;
}

/* Do both lie in some byte? */
static bool meet_in_space(const SharedArray *a, const SharedArray *b)
{
    return a->bytes >= 0 && b->bytes >= 0 && a->at < b->at + b->bytes && b->at < a->at + a->bytes;
}

/* The next multiple of an array's alignment; places are multiples of 16. */
static int64_t rounded(int64_t at, int align)
{
    align = align < 16 ? 16 : align;
    return (at + align - 1) / align * align;
}

/* The lowest place where no array of the first n that is needed with it lies. */
static int64_t lowest_place(const SharedArray *all, int n, const SharedArray *a)
{
    SharedArray tried = *a;
    tried.at = 0;
    for (bool moved = true; moved; ) {
        moved = false;
        for (int i = 0; i < n; i++)
            if (meet_in_time(&all[i], &tried) && meet_in_space(&all[i], &tried)) {
                tried.at = rounded(all[i].at + all[i].bytes, tried.align);
                moved = true;
            }
    }
    return tried.at;
}

/* Gives each array the lowest place that is free while it is needed, in the order of the program;
   the bytes of all. */
int64_t place_arrays(SharedArray *arrays, int n)
{
    int64_t most = 0;
    for (int i = 0; i < n; i++) {
        if (arrays[i].bytes < 0)
            continue;
        arrays[i].at = lowest_place(arrays, i, &arrays[i]);
        if (arrays[i].at + arrays[i].bytes > most)
            most = arrays[i].at + arrays[i].bytes;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            arrays[i].reuses |= i != j && meet_in_space(&arrays[i], &arrays[j]);
    return most;
}
