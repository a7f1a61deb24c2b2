/* spread.c -- how a body's threads hold the elements of a Dim, as text */
#include "mapping.h"
#include <string.h>

/* How this body spreads a Dim. */
const Spread *spread_of(const Emit *e, const Dim *d)
{
    return &e->body->spread.at[d->id];
}

/* Does a thread hold W elements of d side by side, or a pair? */
bool has_lanes(const Emit *e, const Dim *d)
{
    return d->fast && spread_of(e, d)->vector > 1;
}

/* How many: a pair is 2, also where single elements are loaded and stored. */
const char *lanes_text(const Emit *e, const Dim *d)
{
    return spread_of(e, d)->pair ? "2" : e->w;
}

/* Does the number of times that a thread comes round along d follow from W? */
static bool counts_vectors(const Emit *e, const Dim *d)
{
    return has_lanes(e, d) && !spread_of(e, d)->pair;
}

/* The repeats along a Dim with lanes: a parameter of the template for the whole axis, otherwise a
   constant of the body, VECS if it is the only one. */
const char *vecs_name(const Emit *e, const Dim *d)
{
    int others = 0;
    for (int i = 0; i < e->plan->dims.n; i++)
        others += e->plan->dims.at[i] != d
            && (e->plan->dims.at[i]->whole || counts_vectors(e, e->plan->dims.at[i]));
    return d->whole || !others ? e->vecs : arena_printf("%s_%s", e->vecs, e->coordinate[d->id]);
}

/* The number of times that a thread comes round along d, as text; NULL if once, without a loop. */
const char *repeats_text(const Emit *e, const Dim *d)
{
    const Spread *s = spread_of(e, d);
    if (s->loops)
        return NULL;
    if (s->repeats == 0)
        return vecs_name(e, d);
    return s->repeats == 1 ? NULL : arena_printf("%d", s->repeats);
}

/* Can a thread's place be past the static extent of d? */
bool overshoots(const Emit *e, const Dim *d)
{
    const Spread *s = spread_of(e, d);
    int64_t k, step = (int64_t)spread_over(s) * (s->vector > 0 ? s->vector : 1);
    if (!sym_const_of(d->extent, &k))
        return true;
    return k % step != 0 || (s->repeats > 0 && k != step * s->repeats);
}

/* The Dims of v in the order of loops: slow ones first, the fast one last. */
int dims_of(const Value *v, const Dim *dims[MAX_NEST])
{
    int n = 0;
    for (int a = 0; a < v->type.rank; a++)
        if (map_of(v)->dim[a] && !map_of(v)->dim[a]->fast)
            dims[n++] = map_of(v)->dim[a];
    for (int a = 0; a < v->type.rank; a++)
        if (map_of(v)->dim[a] && map_of(v)->dim[a]->fast)
            dims[n++] = map_of(v)->dim[a];
    return n;
}

/* The bits of a thread's number that tell elements of v apart. */
int thread_bits(const Emit *e, const Value *v)
{
    const Dim *dims[MAX_NEST];
    int bits = 0, n = dims_of(v, dims);
    for (int i = 0; i < n; i++)
        bits |= spread_bits(spread_of(e, dims[i]));
    return bits;
}

/* "thread == 0" and the like: one thread among those that hold the same
   elements; NULL if each is alone. */
const char *one_thread(Emit *e, const Value *tile)
{
    int all = e->body->threads - 1, mine = thread_bits(e, tile), missing = all & ~mine;
    if (!missing)
        return NULL;
    if (missing == all)
        return arena_printf("%s == 0", e->thread);
    if ((missing & (missing + 1)) == 0)
        return arena_printf("%s %% %d == 0", e->thread, missing + 1);
    if ((mine & (mine + 1)) == 0)
        return arena_printf("%s < %d", e->thread, mine + 1);
    return arena_printf("(%s & %d) == 0", e->thread, missing);
}

/* Declares the array that a thread holds of v: "[4][VECS][W]"; "" for one element. */
const char *array_suffix(Emit *e, const Value *v)
{
    const Dim *dims[MAX_NEST];
    int n = dims_of(v, dims);
    const char *s = "";
    for (int i = 0; i < n; i++)
        if (repeats_text(e, dims[i]))
            s = arena_printf("%s[%s]", s, repeats_text(e, dims[i]));
    if (n && has_lanes(e, dims[n - 1]))
        s = arena_printf("%s[%s]", s, lanes_text(e, dims[n - 1]));
    return s;
}

/* Its element at the present place of the nest, without the lane if `lane` is false. */
static const char *index_text(Emit *e, const Value *v, bool lane)
{
    const Dim *dims[MAX_NEST];
    int n = dims_of(v, dims);
    const char *s = "";
    for (int i = 0; i < n; i++)
        if (repeats_text(e, dims[i]))
            s = arena_printf("%s[%s]", s, e->repeat[dims[i]->id]);
    if (lane && n && has_lanes(e, dims[n - 1]))
        s = arena_printf("%s[%s]", s, e->lane);
    return s;
}

/* [r][v][c] of the place where the nest stands. */
const char *index_suffix(Emit *e, const Value *v)
{
    return index_text(e, v, true);
}

/* The same without the lane: where a vector begins. */
const char *vector_suffix(Emit *e, const Value *v)
{
    return index_text(e, v, false);
}

/* The name of an element type in device code. */
const char *device_type(Elem elem)
{
    return elem_info[elem].device;
}
