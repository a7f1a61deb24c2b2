/* stage.c -- operands of contractions in shared memory: which, from where to where, behind masks */
/* needs: placed values.  gives: e->staged, and each operand in shared memory before it is needed.
   keeps: the plan.
 *
 * An operand lies there as rows along its inner axis, which is the one that the threads read in
 * vectors: that of the result's fast Dim if the operand has it, otherwise k. The order of the
 * indices does the transposing, so that `t.t` costs nothing more. For tensor cores rows run as they
 * come from memory, but those of bytes along k: ldmatrix turns pairs of bytes alone. */
#include "contraction.h"
#include "padding.h"
#include <limits.h>
#include <string.h>

/* ---- which operands, where ------------------------------------------------------------------- */

/* The block in which v can be used: that of its op, or the region whose argument it is. */
static const Block *home(const Value *v)
{
    return v->def ? v->def->block : v->block;
}

/* The op before which an operand of `mma` is staged: mma itself, or the outermost loop around it
   that does not change the operand, so that it is staged once. */
static const Op *anchor_of(const Op *mma, const Value *v, bool stays)
{
    const Op *anchor = mma, *best = mma;
    while (!stays && anchor->block != home(v) && anchor->block->parent) {
        anchor = anchor->block->parent;
        if (anchor->kind == OP_FOR || anchor->kind == OP_WHILE)
            best = anchor;
    }
    return best;
}

/* The op around `inner`, or itself, that stands in the block of `anchor`. */
static const Op *beside(const Op *inner, const Op *anchor)
{
    while (inner->block != anchor->block)
        inner = inner->block->parent;
    return inner;
}

/* The axis of operand `side` of a contraction that runs along k; the one that does not. */
int k_axis(const Value *v, int side)
{
    return v->type.rank - (side ? 2 : 1);
}
static int free_axis(const Value *v, int side)
{
    return v->type.rank - (side ? 1 : 2);
}

/* Is what lies outside along k a finite number that is known? zero: it is 0. */
static bool pad_is_finite(const Value *v, int axis, bool *zero)
{
    const Pad pad = pad_along(v, 1u << axis, fill_of, NULL);
    const bool floats = elem_is_float(v->type.elem);
    *zero = pad.kind == PAD_CONST && (floats ? pad.value.f == 0 : pad.value.i == 0);
    return pad.kind == PAD_CONST && (!floats || (pad.value.f - pad.value.f == 0));
}

/* Is nothing padding? */
bool is_whole(const Valid *v, Sym extent)
{
    return v->kind == VALID_ANY
        || (v->kind == VALID_INTERVAL && sym_is(v->lo, 0) && v->hi == extent);
}

/* Are both valid at the same places along k? */
static bool same_part(const Valid *a, const Valid *b, Sym extent)
{
    return (is_whole(a, extent) && is_whole(b, extent))
        || (a->kind == VALID_INTERVAL && b->kind == VALID_INTERVAL && a->lo == b->lo
            && a->hi == b->hi);
}

/* Decides which masks the operand needs: 0 * inf is NaN, so that outside the valid part of either
   both sides must be finite, and one of them 0. */
static void choose_masks(Staged *s, const Op *mma, int side)
{
    const Value *v = mma->args[side], *w = mma->args[!side];
    const int k = k_axis(v, side), other = k_axis(w, !side);
    const bool floats = elem_is_float(v->type.elem);
    bool zero, its_zero;
    const bool finite = pad_is_finite(v, k, &zero) || !floats;
    const bool its_finite = pad_is_finite(w, other, &its_zero) || !floats;
    const bool same = same_part(&v->valid[k], &w->valid[other], v->type.dim[k]);
    const bool either = side == 0 && !zero && !its_zero && its_finite;   /* one of two will do */
    s->k = k;
    s->other = !same && floats && !is_whole(&w->valid[other], v->type.dim[k]) ? &w->valid[other]
                                                                            : NULL;
    s->own = !is_whole(&v->valid[k], v->type.dim[k])
        && (floats ? !finite || (same && either) : same ? either : !zero);
}

/* Does an operand need a mask along k? */
bool operand_is_masked(const Op *mma, int side)
{
    Staged s = { .v = mma->args[side] };
    choose_masks(&s, mma, side);
    return s.own || s.other;
}

/* Lanes of a warp that read different rows at once. */
static int rows_at_once(const Emit *e, const Dim *d)
{
    const Spread *s = d ? spread_of(e, d) : NULL;
    int rows = 1;
    for (int bit = 1; s && bit < 32; bit *= 2)
        rows *= ((s->threads - 1) << s->shift & bit) ? 2 : 1;
    return rows;
}

/* How rows lie: which axis is inner, and how far apart rows are, so that no two lanes of a warp
   read different rows from one bank. */
static void choose_rows(Emit *e, Staged *s, const Op *mma, int side)
{
    const Value *v = s->v, *r = mma->results[0];
    const Dim *d = map_of(r)->dim[r->type.rank - (side ? 1 : 2)];
    const int bytes = elem_info[v->type.elem].bytes, k = k_axis(v, side), own = free_axis(v, side);
    s->inner = d && d->fast ? own : k;
    const int64_t n = type_extent(&v->type, s->inner), vector = 16 / bytes;
    const int64_t rows = type_extent(&v->type, s->inner == k ? own : k);
    const int words = bytes < 4 ? 4 / bytes : 1;   /* elements of a bank */
    s->pitch = rows == 1 ? n : ((n + vector - 1) / vector + 1) * vector;
    s->wide = s->inner == k && rows_at_once(e, d) > 8;
    if (s->wide && rows > 1)
        s->pitch = ((n + words - 1) / words | 1) * words;
    s->size = s->pitch * rows;
    for (int a = 0; a < v->type.rank - 2; a++)
        s->size *= type_extent(&v->type, a);
}

/* Does an operand come from memory in rows across k? */
static bool comes_across(const Value *v, int side)
{
    const Dim *d = map_of(v)->dim[free_axis(v, side)];
    return d && d->fast;
}

/* The same for tensor cores: rows of bytes run along k; f8 that does not come so is widened to f16
   on the way, on both sides, so that both have k in the same order. Rows lie so far apart that
   those that are read at once begin in different banks. */
static void choose_fragments(Staged *s, const Op *mma, int side)
{
    const Value *v = s->v;
    const bool across = comes_across(v, side), f8 = elem_is_float(s->elem);
    if (elem_info[s->elem].bytes == 1 && f8 && (across || comes_across(mma->args[!side], !side)))
        s->elem = EL_F16;
    const int bytes = elem_info[s->elem].bytes, own = free_axis(v, side);
    s->inner = across && bytes > 1 ? own : s->k;
    const int64_t n = type_extent(&v->type, s->inner), vector = 16 / bytes;
    const int64_t rows = type_extent(&v->type, s->inner == own ? s->k : own);
    s->pitch = read_as_matrices(s) ? (n / vector | 1) * vector : bytes == 8 ? n | 4 : n + 8;
    s->size = s->pitch * rows;
}

/* The same for boxes: rows of 128 bytes, as they come. */
static void choose_boxes(Emit *e, Staged *s, int side)
{
    s->box = box_of_operand(e->plan, s->v);
    s->inner = s->box->along == map_of(s->v)->dim[s->k] ? s->k : free_axis(s->v, side);
    s->pitch = box_width(s->elem);
    s->size = s->box->rows * s->box->across;
}

/* Do both need the same masks? */
static bool same_masks(const Staged *a, const Staged *b)
{
    const Valid *x = a->other, *y = b->other;
    if (!a->own && !b->own && !x && !y)
        return true;
    return a->k == b->k && a->own == b->own
        && (x == y || (x && y && x->lo == y->lo && x->hi == y->hi));
}

/* Is it what is staged already? */
static bool same_stage(const Staged *a, const Staged *b)
{
    return a->v == b->v && a->elem == b->elem && a->inner == b->inner && a->pitch == b->pitch
        && same_masks(a, b)
        && a->anchor->block == b->anchor->block;
}

/* Adds one operand, or another reader of one that is there. */
static void add_operand(Emit *e, const Op *mma, int side)
{
    Staged s = { .v = mma->args[side], .elem = mma->args[side]->type.elem };
    choose_masks(&s, mma, side);
    if (e->body->boxes)
        choose_boxes(e, &s, side);
    else if (e->plan->tensor)
        choose_fragments(&s, mma, side);
    else
        choose_rows(e, &s, mma, side);
    s.anchor = anchor_of(mma, s.v, s.other != NULL);
    const Op *last = beside(mma, s.anchor);
    s.last = last->last_number;
    for (int i = 0; i < e->staged.n; i++)
        if (same_stage(&e->staged.at[i], &s)) {
            if (s.last > e->staged.at[i].last)
                e->staged.at[i].last = s.last;
            push(&e->readers, ((StagedFor){ mma, side, i }));
            return;
        }
    push(&e->staged, s);
    push(&e->readers, ((StagedFor){ mma, side, e->staged.n - 1 }));
}

/* Finds the operands of one contraction. */
static void find_operands(Op *op, void *arg)
{
    if (op->kind != OP_MMA)
        return;
    add_operand(arg, op, 0);
    add_operand(arg, op, 1);
}

/* Finds what is staged in a body, and where. */
void find_staged(Emit *e)
{
    ir_walk(e->k->body, find_operands, e);
}

/* The operand of a contraction as it was staged. */
const Staged *staged_of(const Emit *e, const Op *mma, int side)
{
    for (int i = 0; i < e->readers.n; i++)
        if (e->readers.at[i].mma == mma && e->readers.at[i].side == side)
            return &e->staged.at[e->readers.at[i].stage];
    return NULL;
}

/* Elements from one place to the next along an axis of the operand. */
int64_t staged_stride(const Staged *s, int axis)
{
    const Type *t = &s->v->type;
    int64_t stride = s->size;
    if (axis == s->inner)
        return 1;
    if (axis >= t->rank - 2)
        return s->pitch;
    for (int a = 0; a <= axis; a++)
        stride /= type_extent(t, a);
    return stride;
}

/* ---- writing it there ------------------------------------------------------------------------ */

/* The place of the present element, without its lane if `lanes` is false. */
static const char *place_of(Emit *e, const Staged *s, bool lanes)
{
    const char *text = NULL;
    for (int a = 0; a < s->v->type.rank; a++) {
        const Dim *d = map_of(s->v)->dim[a];
        if (!d)
            continue;
        const char *at = e->coordinate[d->id];
        const int64_t stride = staged_stride(s, a);
        if (lanes && has_lanes(e, d))
            at = arena_printf(stride == 1 ? "%s + %s" : "(%s + %s)", at, e->lane);
        if (stride != 1)
            at = arena_printf("%s * %lld", at, (long long)stride);
        text = text ? arena_printf("%s + %s", text, at) : at;
    }
    return text ? text : "0";
}

/* The condition under which the element counts along k; NULL: always, or the padding does no
   harm. */
static const char *mask_of(Emit *e, const Staged *s, bool lanes)
{
    const int k = s->k;
    const char *mask = s->own ? valid_guard(e, s->v, 1u << k, lanes) : NULL;
    const char *its = s->other ? part_guard(e, s->v, k, s->other, lanes) : NULL;
    return !mask ? its : !its ? mask : arena_printf("%s && %s", mask, its);
}

/* The place of the present W neighbours. */
const char *staged_place(Emit *e, const Staged *s)
{
    return place_of(e, s, false);
}

/* Can a thread write its W neighbours at once? */
bool staged_in_vectors(Emit *e, const Staged *s)
{
    const Dim *d = map_of(s->v)->dim[s->inner];
    return d && has_lanes(e, d) && !s->wide
        && type_extent(&s->v->type, s->inner) % spread_of(e, d)->vector == 0;
}

/* The array of W elements that holds the present ones of v already; NULL if there is none. */
static const char *held_vector(Emit *e, const Value *v)
{
    while (v->def && !map_of(v)->var && !map_of(v)->local && is_view(v)
           && (v->def->kind == OP_PERMUTE || v->def->kind == OP_KEEP
               || v->def->kind == OP_SQUEEZE || v->def->kind == OP_EXPAND))
        v = v->def->args[0];
    if (map_of(v)->local)
        return map_of(v)->local_lanes ? map_of(v)->local : NULL;
    return map_of(v)->var ? arena_printf("%s%s", map_of(web_root((Value *)v))->name,
                                         vector_suffix(e, v)) : NULL;
}

/* An element, or 0 where the mask does not hold. */
static const char *masked(Emit *e, const Staged *s, bool lanes)
{
    const char *mask = mask_of(e, s, lanes), *zero = constant_text(s->elem, (Constant){ 0 }).s;
    const Ex x = cast_text(s->v->type.elem, s->elem, element(e, (Value *)s->v));
    if (!mask)
        return x.s;
    return arena_printf(x.prec >= PREC_LOR ? "%s ? (%s) : %s" : "%s ? %s : %s", mask, x.s, zero);
}

/* Writes W neighbours at once. */
static void put_vector(Emit *e, Phase *p, const Staged *s)
{
    const char *to = arena_printf("&%s[%s]", s->name, place_of(e, s, false));
    const bool as_it_is = s->elem == s->v->type.elem && !mask_of(e, s, true);
    const char *from = as_it_is ? held_vector(e, s->v) : NULL;
    const char *inside = inside_tile(e, s->v, false);
    if (inside)
        open_block(e, "if (%s)", inside);
    if (!from) {
        from = fresh(e, "out");
        line(e, "%s %s[%s];", device_type(s->elem), from, p->width);
        phase_lanes(e, p);
        line(e, "%s[%s] = %s;", from, e->lane, masked(e, s, true));
        phase_lanes_close(e, p);
    }
    line(e, "store_vec(%s, %s);", to, from);
    if (inside)
        close_block(e, "");
}

/* Writes the elements one by one. */
static void put_elements(Emit *e, Phase *p, const Staged *s)
{
    phase_lanes(e, p);
    const char *inside = inside_tile(e, s->v, true);
    if (inside)
        line(e, "if (%s)", inside);
    line(e, "%s%s[%s] = %s;", inside ? "    " : "", s->name, place_of(e, s, true),
         masked(e, s, true));
}

/* Writes the operand to its array, each element by one thread that holds it. */
static void put(Emit *e, const Staged *s)
{
    Value *v = (Value *)s->v;
    const Dim *dims[MAX_NEST];
    int n = dims_of(v, dims), bounds = e->hoisted.n, bases = e->bases.n;
    const char *one = one_thread(e, v);
    Phase p;
    quote(e, v->def ? v->def->stmt : s->anchor->stmt);
    if (one)
        open_block(e, "if (%s)", one);
    e->sparing = e->plan->tensor && e->plan->vectors.n && plain_load(v);
    phase_open(e, &p, s->anchor, dims, n);
    e->sparing = false;
    phase_lazies(e, &p, &v, 1);
    if (staged_in_vectors(e, s))
        put_vector(e, &p, s);
    else
        put_elements(e, &p, s);
    phase_close(e, &p);
    if (one) {
        close_block(e, "");
        e->hoisted.n = bounds, e->bases.n = bases;
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* A name for the operand's array: what the user calls it, or the tensor that it comes from. */
static const char *operand_name(const Value *v, const char *otherwise)
{
    for (; v; v = v->def && v->def->nargs && v->def->kind != OP_MMA ? v->def->args[0] : NULL) {
        if (v->name)
            return c_name(v->name);
        if (v->def && v->def->kind == OP_LOAD)
            return tensor_name(v->def->args[0]);
    }
    return otherwise;
}

/* The array of an operand that is staged before op. */
static SharedArray array_of(const Emit *e, const Staged *s, const Op *op)
{
    const Elem elem = s->elem;
    const int64_t n = s->size * (s->loop ? s->rounds : 1);
    SharedArray a = { .name = s->name, .type = device_type(elem), .align = 16,
                      .dims = arena_printf("[%lld]", (long long)n),
                      .bytes = n * elem_info[elem].bytes, .first = op->number,
                      .last = s->loop ? op->last_number : s->last };
    if (s->box) {                                  /* filled from the start on; in turns always */
        a.ring = true, a.align = 1024, a.first = 0;
        a.last = e->body->turns ? INT_MAX : a.last;
    }
    return a;
}

/* a_shared and b_shared: what is staged before op; a word for them where a line has no room. */
static const char *arrays_text(const Emit *e, const Op *op)
{
    const char *text = NULL;
    for (int i = 0; i < e->staged.n; i++)
        if (e->staged.at[i].anchor == op && !e->staged.at[i].loop)
            text = text ? arena_printf("%s and %s", text, e->staged.at[i].name)
                        : e->staged.at[i].name;
    return strlen(text) < 22 ? text : "the operands";
}

/* Names the array of an operand. */
void name_staged(Emit *e, Staged *s)
{
    s->base = operand_name(s->v, s->k == s->v->type.rank - 1 ? "a" : "b");
    s->name = s->array = fresh(e, arena_printf("%s_shared", s->base));
}

/* Declares the array of an operand that is needed from op on. */
void declare_staged(Emit *e, const Staged *s, const Op *op)
{
    declare_array(e, array_of(e, s, op));
    note_staged(e, s);
}

/* Is the operand staged before op, rather than fetched ahead? */
static bool staged_here(const Staged *s, const Op *op)
{
    return s->anchor == op && !s->loop;
}

/* Names and declares the arrays of what is staged before op. */
static void declare_arrays(Emit *e, const Op *op)
{
    for (int i = 0; i < e->staged.n; i++)
        if (staged_here(&e->staged.at[i], op))
            name_staged(e, &e->staged.at[i]);
    if (!staging_waits_later(e, op))
        round_barrier(e, "the last round is done with shared memory");
    for (int i = 0; i < e->staged.n; i++)
        if (staged_here(&e->staged.at[i], op))
            declare_staged(e, &e->staged.at[i], op);
}

/* Stages what must lie in shared memory before op. */
void stage_before(Emit *e, const Op *op)
{
    bool any = false;
    for (int i = 0; i < e->staged.n && !any; i++)
        any = staged_here(&e->staged.at[i], op);
    if (!any)
        return;
    e->root = op;
    declare_arrays(e, op);
    for (int i = 0; i < e->staged.n; i++)
        if (staged_here(&e->staged.at[i], op))
            put(e, &e->staged.at[i]);
    const char *arrays = arrays_text(e, op);
    if (staging_ends_in_barrier(e, op))
        barrier(e, arena_printf("%s %s written before anyone reads", arrays,
                                strchr(arrays, ' ') ? "are" : "is"));
}
