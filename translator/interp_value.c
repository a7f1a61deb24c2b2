/* interp_value.c -- what values hold while a kernel runs: elements, valid parts, formulas */
#include <stdlib.h>
#include <string.h>
#include "interp.h"

/* ---- failures -------------------------------------------------------------------------------- */

/* The run ends: the IR asks for something that the passes before should have refused. */
void fail(Run *r, const Op *op, const char *what)
{
    if (r->failure)
        return;
    if (op && op->pos.source)
        r->failure = arena_printf("%s:%d: %s", op->pos.source->path, source_line(op->pos), what);
    else
        r->failure = arena_printf("%s", what);
}

/* ---- formulas -------------------------------------------------------------------------------- */

/* The number that a name stands for in this launch. */
bool names_find(const Names *names, Name name, int64_t *number)
{
    for (int i = 0; i < names->bound.n; i++)
        if (names->bound.at[i].name == name) {
            *number = names->bound.at[i].number;
            return true;
        }
    return false;
}

/* The number of an atom: a name, or a scalar that has been computed. */
static bool atom_number(Sym atom, int64_t *k, void *arg)
{
    const Run *r = arg;
    if (atom->kind == SYM_NAME)
        return names_find(r->names, atom->name, k);
    if (atom->kind != SYM_VALUE)
        return false;
    const Held *h = &r->held[((const Value *)atom->value)->id];
    if (h->count != 1)
        return false;
    *k = h->at[0].i;
    return true;
}

/* The number of a formula; false if no i64 holds it. */
bool run_eval(const Run *r, Sym s, int64_t *k)
{
    return s && sym_eval(s, atom_number, (void *)r, k);
}

/* The number of a formula; 0 and a failure if it has none. */
int64_t sym_number(Run *r, const Op *op, Sym s)
{
    int64_t k = 0;
    if (!run_eval(r, s, &k))
        fail(r, op, arena_printf("%s is not a number", s ? sym_text(s) : "a missing formula"));
    return k;
}

/* ---- tiles ----------------------------------------------------------------------------------- */

enum { MOST_ELEMENTS = 1 << 28 };                  /* of one tile: 2 GiB here */

/* What a value holds. */
Held *held(Run *r, const Value *v)
{
    return &r->held[v->id];
}

/* Sets the count from the extents and makes room for so many elements. */
static bool make_room(Held *h)
{
    h->count = 1;
    for (int a = 0; a < h->rank; a++)
        if (__builtin_mul_overflow(h->count, h->extent[a], &h->count) || h->count > MOST_ELEMENTS)
            return false;
    if (h->count <= h->room)
        return true;
    free(h->at);
    h->room = h->count;
    h->at = malloc((size_t)h->room * sizeof *h->at);
    return h->at != NULL;
}

/* Room for a value, all of it valid; NULL after a failure. Its own operands stay as they are. */
Held *held_new(Run *r, const Op *op, const Value *v)
{
    Held *h = held(r, v);
    h->elem = v->type.elem;
    h->rank = v->type.rank;
    for (int a = 0; a < h->rank; a++) {
        h->extent[a] = sym_number(r, op, v->type.dim[a]);
        h->valid[a] = (Range){VALID_ANY, 0, 0};
        if (h->extent[a] < 0)
            fail(r, op, "a tile has a negative extent");
    }
    if (!r->failure && !make_room(h))
        fail(r, op, "a tile is too large for the reference interpreter");
    return r->failure ? NULL : h;
}

/* Makes one value a copy of another. */
void held_copy(Held *to, const Held *from)
{
    Constant *at = to->at;
    int64_t room = to->room;
    if (room < from->count) {
        free(at);
        room = from->count;
        at = malloc((size_t)room * sizeof *at);
    }
    *to = *from;
    to->at = at;
    to->room = room;
    if (from->count)
        memcpy(at, from->at, (size_t)from->count * sizeof *at);
}

/* A scalar integer. */
int64_t held_int(Run *r, const Value *v)
{
    return held(r, v)->at[0].i;
}

/* ---- valid parts ----------------------------------------------------------------------------- */

/* Rule 2: any takes the other's, equal intervals stay, everything else is mixed. */
Range range_join(Range a, Range b)
{
    if (a.kind == VALID_ANY)
        return b;
    if (b.kind == VALID_ANY || (a.kind == b.kind && a.lo == b.lo && a.hi == b.hi))
        return a;
    return (Range){VALID_MIXED, 0, 0};
}

/* The nearest to i in 0 .. most. */
static int64_t clamp(int64_t i, int64_t most)
{
    return i < 0 ? 0 : i > most ? most : i;
}

/* keep: an interval is intersected, everything else becomes [lo, hi). */
Range range_cut(const Range *r, int64_t lo, int64_t hi, int64_t extent)
{
    Range cut = {VALID_INTERVAL, clamp(lo, extent), clamp(hi, extent)};
    if (r->kind == VALID_INTERVAL) {
        cut.lo = cut.lo > r->lo ? cut.lo : r->lo;
        cut.hi = cut.hi < r->hi ? cut.hi : r->hi;
    }
    return cut;
}

/* The place i is valid. */
bool range_has(const Range *r, int64_t i)
{
    return r->kind != VALID_INTERVAL || (r->lo <= i && i < r->hi);
}

/* Nothing is padding along an axis of this extent. */
bool range_complete(const Range *r, int64_t extent)
{
    return r->kind == VALID_ANY || (r->kind == VALID_INTERVAL && r->lo <= 0 && r->hi >= extent);
}

/* The element at a place is valid on the axes of the mask. */
bool held_valid(const Held *h, const int64_t *place, uint32_t axes)
{
    for (int a = 0; a < h->rank; a++)
        if (axes >> a & 1 && !range_has(&h->valid[a], place[a]))
            return false;
    return true;
}

/* Moves to the next place in row-major order; false after the last, the first one again. */
bool place_next(const Held *h, int64_t *place)
{
    for (int a = h->rank - 1; a >= 0; a--) {
        if (++place[a] < h->extent[a])
            return true;
        place[a] = 0;
    }
    return false;
}

/* A value that an if or a loop joins has one valid part, whichever way was taken: a loop without a
   trip leaves the first value, all of it data, but a reader of the program sees an interval. */
void join_static(Run *r, const Op *op, const Value *v)
{
    Held *h = held(r, v);
    for (int a = 0; a < h->rank; a++) {
        const Valid *valid = &v->valid[a];
        if (valid->kind == VALID_INTERVAL)
            h->valid[a] = (Range){VALID_INTERVAL, sym_number(r, op, valid->lo),
                                  sym_number(r, op, valid->hi)};
        else if (valid->kind == VALID_MIXED)
            h->valid[a] = (Range){VALID_MIXED, 0, 0};
    }
}
