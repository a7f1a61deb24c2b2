/* shared.c -- tiles in shared memory: how they lie there, writing them and reading them back */
/* needs: a body being written.  gives: CUDA C.  keeps: the plan. */
#include "mapping.h"
#include <math.h>
#include <string.h>

/* ---- stages ---------------------------------------------------------------------------------- */

/* Sets the strides from the extents, the last axis innermost; those of padded axes are made odd. */
static void set_strides(Stage *s)
{
    int64_t k = 1, more = 0;
    bool whole = false;
    for (int a = s->rank - 1; a >= 0; a--) {
        if (s->padded >> a & 1 && (whole || (k + more) % 2 == 0))
            more++;
        s->stride[a] = k, s->more[a] = more, s->whole[a] = whole;
        if (s->extent[a] < 0)
            k += more, more = 0, whole = true;
        else
            k *= s->extent[a], more *= s->extent[a];
        if (a == s->rank - 1)
            more += s->gap;
    }
    s->count = k, s->extra = more, s->count_whole = whole;
}

/* A tile in row-major order, without gaps. */
Stage stage_rows(const Type *t)
{
    Stage s = { .rank = t->rank, .elem = t->elem };
    for (int a = 0; a < t->rank; a++)
        s.extent[a] = type_extent(t, a);           /* -1: a whole axis */
    set_strides(&s);
    return s;
}

/* Makes the stride of the axis odd: then the threads of a warp that go along it, one element each,
   meet different banks. */
void stage_pad(Stage *s, int axis)
{
    if (axis < 0 || (s->stride[axis] == 1 && !s->whole[axis]))
        return;
    s->padded |= 1u << axis;
    set_strides(s);
}

/* Puts 8 elements between rows, which are static and a multiple of as much, but at least 16 bytes:
   then rows of four pairs that are touched at once begin in different banks, and vectors stay
   whole. */
void stage_gap(Stage *s)
{
    s->gap = elem_info[s->elem].bytes == 1 ? 16 : 8;
    set_strides(s);
}

/* Bytes of the array, where whole axes are so long. */
int64_t stage_bytes(const Stage *s, int64_t whole)
{
    return (s->count * (s->count_whole ? whole : 1) + s->extra) * elem_info[s->elem].bytes;
}

/* Elements along the whole axis for which a body has room: THREADS * VECS * W. */
static const char *capacity(const Emit *e, const Dim *d)
{
    const char *n = d->whole && e->body->kind == BODY_BLOCK ? e->threads
        : arena_printf("%d", spread_of(e, d)->threads);
    if (e->body->kind == BODY_BLOCK && spread_of(e, d)->shift)
        n = arena_printf("(%s / %d)", n, 1 << spread_of(e, d)->shift);
    const char *repeats = repeats_text(e, d);
    return arena_printf("%s%s%s%s%s", n, repeats ? " * " : "", repeats ? repeats : "",
                        has_lanes(e, d) ? " * " : "", has_lanes(e, d) ? e->w : "");
}

/* k * (the capacity) + more, as text. */
static const char *size_text(Emit *e, const Stage *s, int64_t k, int64_t more, bool whole)
{
    if (!whole)
        return arena_printf("%lld", (long long)(k + more));
    const char *n = capacity(e, s->along);
    const char *product = k == 1 ? n : arena_printf("%lld * %s", (long long)k, n);
    return more ? arena_printf("%s + %lld", product, (long long)more) : product;
}

/* How far apart elements along an axis lie. */
const char *stride_text(Emit *e, const Stage *s, int axis)
{
    return size_text(e, s, s->stride[axis], s->more[axis], s->whole[axis]);
}

/* The elements of the array: 32 * 33. */
static const char *count_text(Emit *e, const Stage *s)
{
    int outer = 0;
    while (outer < s->rank - 1 && s->extent[outer] == 1)
        outer++;
    if (!s->padded || s->extent[outer] < 0 || s->whole[outer])
        return size_text(e, s, s->count, s->extra, s->count_whole);
    return arena_printf("%lld * %s", (long long)s->extent[outer], stride_text(e, s, outer));
}

/* Declares an array of n of a C type in shared memory, needed by the op at work; its name. */
const char *shared_array_of(Emit *e, const char *wish, const char *type, int64_t n, int64_t bytes)
{
    const char *name = fresh(e, wish);
    declare_array(e, (SharedArray){ .name = name, .type = type, .align = 16, .bytes = n * bytes,
                                    .dims = arena_printf("[%lld]", (long long)n),
                                    .first = e->root->number, .last = e->root->last_number });
    return name;
}

/* Declares the array of a stage in shared memory, needed until the last op that reads it; its
   name. */
const char *shared_array(Emit *e, const char *wish, const Stage *s)
{
    const char *name = fresh(e, wish);
    const int64_t bytes = s->count_whole ? -1 : stage_bytes(s, 1);
    declare_array(e, (SharedArray){ .name = name, .type = device_type(s->elem), .align = 16,
                                    .dims = arena_printf("[%s]", count_text(e, s)), .bytes = bytes,
                                    .first = e->root->number, .last = last_piece(e->root) });
    return name;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* The text as an operand of a product. */
static const char *factor(const char *text)
{
    return strpbrk(text, " ") ? arena_printf("(%s)", text) : text;
}

/* Where the present element of v lies in its tile; without lanes, where its vector begins. */
Place place_in(Emit *e, const Value *v, bool lanes)
{
    Place p = { .guard = inside_tile(e, v, lanes) };
    for (int a = 0; a < v->type.rank; a++) {
        const Dim *d = map_of(v)->dim[a];
        p.at[a] = !d ? "0" : lanes && has_lanes(e, d)
            ? arena_printf("%s + %s", e->coordinate[d->id], e->lane) : e->coordinate[d->id];
    }
    return p;
}

/* The element of the array at a place. */
static const char *offset_of(Emit *e, const Stage *s, const Place *p)
{
    const char *text = NULL;
    for (int a = 0; a < s->rank; a++) {
        if (!strcmp(p->at[a], "0"))
            continue;
        const char *stride = stride_text(e, s, a);
        const char *one = !strcmp(stride, "1") ? p->at[a]
            : arena_printf("%s * %s", factor(p->at[a]), factor(stride));
        text = text ? arena_printf("%s + %s", text, one) : one;
    }
    return text ? text : "0";
}

/* Is the present place inside the tile along these axes? NULL: always. */
const char *inside_along(Emit *e, const Value *v, uint32_t axes, bool lanes)
{
    const char *guard = NULL;
    for (int a = 0; a < v->type.rank; a++) {
        const Dim *d = map_of(v)->dim[a];
        if (!d || !(axes >> a & 1) || !overshoots(e, d))
            continue;
        const char *at = lanes && has_lanes(e, d)
            ? arena_printf("%s + %s", e->coordinate[d->id], e->lane) : e->coordinate[d->id];
        const char *one = arena_printf("%s < %s", at, sym_c(e, v->type.dim[a]));
        guard = guard ? arena_printf("%s && %s", guard, one) : one;
    }
    return guard;
}

/* Is it inside along all axes? */
const char *inside_tile(Emit *e, const Value *v, bool lanes)
{
    return inside_along(e, v, ~0u, lanes);
}

/* Do the W neighbours that a thread holds of v lie side by side in the array, at a multiple of W?
   shift: where v begins along `axis`. Along others a piece of the array may begin anywhere. */
static bool in_vectors(const Emit *e, const Value *v, const Stage *s, int axis, int64_t shift)
{
    const Dim *dims[MAX_NEST];
    int n = dims_of(v, dims);
    if (!n || !has_lanes(e, dims[n - 1]) || s->rank != v->type.rank)
        return false;
    int64_t w = spread_of(e, dims[n - 1])->vector, extent;
    if (sym_const_of(dims[n - 1]->extent, &extent) ? extent % w : e->plan->vectors.n == 0)
        return false;
    for (int a = 0; a < s->rank; a++) {
        bool fast = map_of(v)->dim[a] == dims[n - 1];
        if (fast ? s->stride[a] + s->more[a] != 1 || s->whole[a]
                 : s->extent[a] != 1 && (s->stride[a] % w && !s->whole[a]))
            return false;
        if (s->more[a] % w || (a == axis && shift * (fast ? 1 : s->stride[a]) % w))
            return false;
    }
    return true;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The neighbours of the present place as the name of an array. */
static const char *vector_of(Emit *e, Phase *p, Value *from)
{
    if (map_of(from)->local && map_of(from)->local_lanes)
        return map_of(from)->local;
    if (map_of(from)->var && !map_of(from)->local)
        return arena_printf("%s%s", map_of(web_root(from))->name, vector_suffix(e, from));
    const char *out = fresh(e, "out");
    line(e, "%s %s[%s];", device_type(from->type.elem), out, p->width);
    phase_lanes(e, p);
    line(e, "%s[%s] = %s;", out, e->lane, element_text(e, from));
    phase_lanes_close(e, p);
    return out;
}

/* Writes a tile to shared memory, each element by one thread that holds it; op: for whose sake. */
void shared_put(Emit *e, const Op *op, Value *from, const Stage *s, const char *buffer, int axis,
                int64_t shift)
{
    const Dim *dims[MAX_NEST];
    int n = dims_of(from, dims), bounds = e->hoisted.n, bases = e->bases.n;
    const char *one = one_thread(e, from);
    bool vectors = in_vectors(e, from, s, axis, shift);
    Phase p;
    if (one)
        open_block(e, "if (%s)", one);
    phase_open(e, &p, op, dims, n);
    phase_lazies(e, &p, &from, 1);
    const char *vector = vectors ? vector_of(e, &p, from) : NULL;
    if (!vectors)
        phase_lanes(e, &p);
    Place at = place_in(e, from, !vectors);
    if (shift)
        at.at[axis] = strcmp(at.at[axis], "0") ? arena_printf("%lld + %s", (long long)shift,
                                                              at.at[axis])
                                               : arena_printf("%lld", (long long)shift);
    if (at.guard)
        line(e, "if (%s)", at.guard);
    const char *indent = at.guard ? "    " : "", *offset = offset_of(e, s, &at);
    if (vectors)
        line(e, "%sstore_vec(&%s[%s], %s);", indent, buffer, offset, vector);
    else
        line(e, "%s%s[%s] = %s;", indent, buffer, offset, element_text(e, from));
    phase_close(e, &p);
    if (one) {
        close_block(e, "");
        e->hoisted.n = bounds, e->bases.n = bases;
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

/* What the tile holds past its end along an axis, as padding.c has promised it; NULL: anything. */
static const char *past_end(const Value *v, int axis)
{
    Pad pad = pad_along(v, 1u << axis, fill_of, NULL);
    if (pad.kind == PAD_MINUS_INF_OR_NAN)
        pad = (Pad){ PAD_CONST, { .f = -INFINITY } };
    if (pad.kind == PAD_ZERO_OR_NAN)
        pad = (Pad){ PAD_CONST, { .f = 0 } };
    return pad.kind == PAD_CONST ? constant_text(v->type.elem, pad.value).s : NULL;
}

/* What the present place holds if it lies past the end of the tile; NULL: anything. */
static const char *past_text(Emit *e, const Value *v, bool lanes)
{
    const char *text = NULL;
    for (int a = v->type.rank - 1; a >= 0; a--) {
        const Dim *d = map_of(v)->dim[a];
        const char *pad = d && overshoots(e, d) ? past_end(v, a) : NULL;
        if (!pad || (text && !strcmp(pad, text)))
            continue;
        const char *at = d && lanes && has_lanes(e, d)
            ? arena_printf("%s + %s", e->coordinate[d->id], e->lane) : e->coordinate[d->id];
        text = !text ? pad : arena_printf("(%s < %s ? %s : %s)", at, sym_c(e, v->type.dim[a]), text,
                                          pad);
    }
    return text;
}

/* Reads the W neighbours of the present place at once. */
static void get_vector(Emit *e, const Value *to, const char *name, const char *buffer,
                       const char *offset, const Place *at, const char *past)
{
    const char *to_text = arena_printf("%s%s", name, vector_suffix(e, to));
    if (at->guard)
        line(e, "if (%s)", at->guard);
    line(e, "%sload_vec(%s, &%s[%s]);", at->guard ? "    " : "", to_text, buffer, offset);
    if (at->guard && past) {
        line(e, "else");
        line(e, "    fill_vec(%s, %s);", to_text, past);
    }
}

/* Reads one element; past: what it is where the guard does not hold. */
static void get_element(Emit *e, const char *to, const char *from, const char *guard,
                        const char *past)
{
    if (!guard) {
        line(e, "%s = %s;", to, from);
        return;
    }
    line(e, "if (%s)", guard);
    line(e, "    %s = %s;", to, from);
    if (past) {
        line(e, "else");
        line(e, "    %s = %s;", to, past);
    }
}

typedef struct { const Value *v; bool yes; } Seen;

/* Does an op other than a store use v? */
static void note_use(Op *op, void *arg)
{
    Seen *s = arg;
    for (int i = 0; op->kind != OP_STORE && i < op->nargs; i++)
        s->yes |= op->args[i] == s->v;
}

/* Does anything but a store, which leaves out what lies past the end of the tile, use v? */
static bool is_seen(const Emit *e, const Value *v)
{
    Seen s = { v, false };
    ir_walk(e->k->body, note_use, &s);
    return s.yes;
}

/* Gives `to` its elements, as its layout holds them; map: where in the stage a place of it lies. */
void shared_get(Emit *e, const Op *op, Value *to, const Stage *s, const char *buffer,
                PlaceMap *map, bool vectors)
{
    const Dim *dims[MAX_NEST];
    int n = dims_of(to, dims);
    Phase p;
    declare(e, to);
    phase_open(e, &p, op, dims, n);
    vectors = vectors && in_vectors(e, to, s, -1, 0);
    const char *name = map_of(web_root(to))->name;
    if (!vectors)
        phase_lanes(e, &p);
    Place at = place_in(e, to, !vectors);
    const char *past = at.guard && is_seen(e, to) ? past_text(e, to, !vectors) : NULL;
    Place in = map ? map(e, op, at) : at;
    const char *offset = offset_of(e, s, &in), *index = index_suffix(e, to);
    if (in.guard != at.guard)                      /* a piece that may lie outside of its tile */
        past = constant_text(to->type.elem, (Constant){ 0 }).s;
    if (vectors)
        get_vector(e, to, name, buffer, offset, &in, past);
    else
        get_element(e, arena_printf("%s%s", name, index), arena_printf("%s[%s]", buffer, offset),
                    in.guard, past);
    phase_close(e, &p);
}
