/* regroup.c -- a reshape of which each thread holds its part already, so that registers do */
/* needs: layouts.  gives: CUDA C.  keeps: the plan.
 *
 * A thread's elements of a tile stand in its array in some order. If they stand in the order of
 * the result too, in every thread, the reshape is a copy from array to array:
 *
 *     tk[2 * plane + r][v][c] = k_tile[plane][r][v][c]                                           */
#include "mapping.h"
#include <string.h>

/* ---- who holds what -------------------------------------------------------------------------- */

enum { MOST_HELD = 1024 };                         /* elements of a tile in one thread */

/* One loop over what a thread holds of a tile: along a Dim, or the W neighbours. */
typedef struct { int64_t count, step; } Way;

/* The loops over the elements of v that a thread holds, in the order of its array, and the number
   (row-major, in the tile) of the first. w: elements an access. -1: not told at translation, or
   some threads reach past the end. */
static int ways_of(const Body *b, const Value *v, int w, int thread, Way *ways, int64_t *first)
{
    int64_t stride[MAX_TILE_RANK], k = 1;
    int n = 0;
    Way lanes = { 1, 0 };
    *first = 0;
    for (int a = v->type.rank - 1; a >= 0; a--)
        stride[a] = k, k *= type_is_whole(&v->type, a) ? 0 : type_extent(&v->type, a);
    for (int fast = 0; fast < 2; fast++)
        for (int a = 0; a < v->type.rank; a++) {
            const Dim *d = map_of(v)->dim[a];
            if (!d || d->fast != (bool)fast)
                continue;
            const Spread *s = &b->spread.at[d->id];
            int64_t extent, own = d->fast && s->vector > 1 ? w : 1, step = own * s->threads;
            if (s->loops || s->pair || !sym_const_of(d->extent, &extent) || extent % step)
                return -1;
            *first += own * (thread >> s->shift & (s->threads - 1)) * stride[a];
            ways[n++] = (Way){ extent / step, step * stride[a] };
            if (own > 1)
                lanes = (Way){ own, stride[a] };
        }
    ways[n++] = lanes;
    return k ? n : -1;
}

/* The numbers of the elements that the ways lead to, in order; how many there are. */
static int numbers(const Way *ways, int n, int64_t first, int64_t *at)
{
    int count = 1;
    at[0] = first;
    for (int i = 0; i < n; i++) {
        if (count * ways[i].count > MOST_HELD)
            return MOST_HELD + 1;
        for (int k = count - 1; k >= 0; k--)
            for (int64_t j = ways[i].count - 1; j >= 0; j--)
                at[k * ways[i].count + j] = at[k] + j * ways[i].step;
        count *= (int)ways[i].count;
    }
    return count;
}

/* Has each thread the same elements of both tiles in the same order, W being w? */
static bool held_alike(const Body *b, const Value *x, const Value *y, int w)
{
    Way ways[MAX_TILE_RANK + 1];
    int64_t one[MOST_HELD], other[MOST_HELD], first;
    for (int thread = 0; thread < b->threads; thread++) {
        int n = ways_of(b, x, w, thread, ways, &first);
        int count = n < 0 ? -1 : numbers(ways, n, first, one);
        n = ways_of(b, y, w, thread, ways, &first);
        if (count < 0 || n < 0 || count > MOST_HELD || numbers(ways, n, first, other) != count
            || memcmp(one, other, count * sizeof *one))
            return false;
    }
    return true;
}

/* ---- the loops ------------------------------------------------------------------------------- */

/* The Dims of v that its array has an index for; lanes: has it one for the lanes? */
static int indexed(const Body *b, const Value *v, const Dim **dims, bool *lanes)
{
    const Dim *all[MAX_NEST];
    int n = 0, count = dims_of(v, all);
    *lanes = false;
    for (int i = 0; i < count; i++) {
        const Spread *s = &b->spread.at[all[i]->id];
        *lanes |= all[i]->fast && s->vector > 1;
        if (s->repeats != 1)
            dims[n++] = all[i];
    }
    return n;
}

/* Have the Dims as many repeats? */
static bool as_many(const Body *b, const Dim *x, const Dim *y)
{
    const Spread *s = &b->spread.at[x->id], *t = &b->spread.at[y->id];
    int64_t k, l;
    return s->repeats == t->repeats
        && (s->repeats || (sym_const_of(x->extent, &k) && sym_const_of(y->extent, &l)
                           && k * t->threads == l * s->threads));
}

/* The indices that stand for each other, from the last one on; what is left in front are n of one
   side and m of the other. */
typedef struct { const Dim *from[MAX_NEST], *to[MAX_NEST]; int n, m, same; } Regroup;

/* Finds them; false: one side has lanes alone. */
static bool regroup(const Body *b, const Op *op, Regroup *r)
{
    bool lanes, others;
    r->n = indexed(b, op->args[0], r->from, &lanes);
    r->m = indexed(b, op->results[0], r->to, &others);
    for (r->same = 0; r->n && r->m && as_many(b, r->from[r->n - 1], r->to[r->m - 1]); r->same++)
        r->n--, r->m--;
    return lanes == others;
}

/* Does a reshape leave each element in its thread? */
bool regroups(const Body *b, const Op *op)
{
    Regroup r;
    int w = 1;
    if (!regroup(b, op, &r))
        return false;
    for (int a = 0; a < op->results[0]->type.rank; a++) {
        const Dim *d = map_of(op->results[0])->dim[a];
        if (d && d->fast)
            w = b->spread.at[d->id].vector;
    }
    return held_alike(b, op->args[0], op->results[0], 1)
        && held_alike(b, op->args[0], op->results[0], w);
}

/* "2 * plane + r": the number of the place in the loops over several Dims. */
static const char *counted_on(Emit *e, const Dim *const *dims, int n)
{
    const char *at = n ? e->repeat[dims[0]->id] : "0";
    for (int i = 1; i < n; i++)
        at = arena_printf(i > 1 ? "%s * (%s) + %s" : "%s * %s + %s", repeats_text(e, dims[i]), at,
                          e->repeat[dims[i]->id]);
    return at;
}

/* Sets the repeats of several Dims to the digits of the place with that number: r / 4, r % 4. */
static void set_digits(Emit *e, const Dim *const *dims, int n, const char *number)
{
    const char *after = NULL;
    const char *whole = strchr(number, ' ') ? arena_printf("(%s)", number) : number;
    for (int i = n - 1; i >= 0; i--) {
        const char *count = repeats_text(e, dims[i]);
        const char *at = after ? arena_printf(strchr(after, ' ') ? "%s / (%s)" : "%s / %s", whole,
                                              after)
                               : n > 1 ? whole : number;
        e->repeat[dims[i]->id] = i ? arena_printf("%s %% %s", at, count) : at;
        after = after ? arena_printf("%s * %s", count, after) : count;
    }
}

/* Copies the operand of a reshape to its result. */
void write_regrouped(Emit *e, const Op *op)
{
    Value *from = op->args[0], *to = op->results[0];
    const char *kept[MAX_NEST];
    const Dim *dims[MAX_NEST];
    Regroup r;
    Phase p;
    declare(e, to);
    regroup(e->body, op, &r);
    phase_open(e, &p, op, dims, dims_of(from, dims));
    phase_lazies(e, &p, &from, 1);
    phase_lanes(e, &p);
    const char *text = element_text(e, from);
    for (int i = 0; i < r.m + r.same; i++)
        kept[i] = e->repeat[r.to[i]->id];
    for (int i = 0; i < r.same; i++)
        e->repeat[r.to[r.m + i]->id] = e->repeat[r.from[r.n + i]->id];
    set_digits(e, r.to, r.m, counted_on(e, r.from, r.n));
    const char *index = index_suffix(e, to);
    for (int i = 0; i < r.m + r.same; i++)
        e->repeat[r.to[i]->id] = kept[i];
    line(e, "%s%s = %s;", map_of(web_root(to))->name, index, text);
    phase_close(e, &p);
}
