/* access.c -- where tiles lie in memory: addresses, bounds, loads, stores */
#include "mapping.h"
#include "padding.h"
#include <string.h>

/* The parameter that a tensor is; NULL if it is none. */
const Param *param_of(const Kernel *k, const Value *tensor)
{
    for (int i = 0; i < k->params.n; i++)
        if (k->params.at[i].value == tensor)
            return &k->params.at[i];
    return NULL;
}

/* ---- what is known at translation ------------------------------------------------------------ */

/* Can op move `width` elements at once along the fast Dim, where its pointers
   and strides are aligned? */
bool access_is_vector(const Plan *p, const Op *op, int width)
{
    const Value *tile = op_tile(op);
    const Access *a = op->access;
    const Param *param = param_of(p->kernel, op->args[0]);
    int last = op->args[0]->type.rank - 1, axis = a->map[last];
    bool single = op->kind == OP_ATOMIC || (op->kind == OP_STORE && op->nargs > 2);
    if (!param || param->strided || axis < 0 || single)
        return false;
    const Dim *d = map_of(tile)->dim[axis];
    int64_t extent;
    if (!d || !d->fast || a->step[last] != 1 || !sym_divides(width, a->start[last])
        || !sym_divides(width, a->lo[last]))
        return false;
    if (sym_const_of(d->extent, &extent) && extent % width != 0)
        return false;
    Sym whole = op->args[0]->type.dim[last], hi = a->hi[last];
    if (hi == whole || sym_divides(width, hi))
        return true;
    return hi->kind == SYM_MIN && hi->n == 2
        && (hi->kid[0] == whole || sym_divides(width, hi->kid[0]))
        && (hi->kid[1] == whole || sym_divides(width, hi->kid[1]));
}

/* ---- bounds ---------------------------------------------------------------------------------- */

/* The name of a bound that this block has already; NULL if it has none. */
const char *find_hoisted(Emit *e, Sym s)
{
    for (int i = 0; i < e->hoisted.n; i++)
        if (e->hoisted.at[i].sym == s)
            return e->hoisted.at[i].name;
    return NULL;
}

/* Writes a line before the phase that is open, if one is. */
void hoist_line(Emit *e, const char *text)
{
    Text *out = e->out;
    int indent = e->indent;
    if (e->pending)
        e->out = e->pending, e->indent = e->pending_indent;
    line(e, "%s", text);
    e->out = out;
    e->indent = indent;
}

/* max(min(s, n), 0), as padding.c makes bounds: s, and n, which is positive; NULL if it has
   another form. */
static Sym clipped(Sym bound, int64_t *n)
{
    int64_t zero;
    Sym inner = bound;
    for (int i = 0; i < 2 && bound->kind == SYM_MAX && bound->n == 2; i++)
        if (sym_const_of(bound->kid[1 - i], &zero) && zero == 0)
            inner = bound->kid[i];
    for (int j = 0; j < 2 && inner != bound && inner->kind == SYM_MIN && inner->n == 2; j++)
        if (sym_const_of(inner->kid[j], n) && *n > 0)
            return inner->kid[1 - j];
    return NULL;
}

/* Such a bound by the function that says so; NULL if it has another form. */
static const char *clip_text(Emit *e, Sym bound)
{
    int64_t n;
    Sym inner = clipped(bound, &n);
    return inner ? arena_printf("tile_clip(%s, %lld)", sym_c(e, inner), (long long)n) : NULL;
}

/* The name of a bound along d, computed once before the loops: cols, rows.. clipped to the tile. */
static const char *bound_name(Emit *e, Sym bound, const Dim *d)
{
    int64_t k;
    if (sym_const_of(bound, &k))
        return arena_printf("%lld", (long long)k);
    const char *name = find_hoisted(e, bound);
    if (name)
        return name;
    if (d->whole && bound == d->extent && spread_of(e, d)->loops)
        return sym_c(e, bound);
    const char *value = clip_text(e, bound);
    bool is_int = value != NULL;
    value = is_int ? value : sym_c(e, bound);
    name = fresh(e, arena_printf("%ss", d->name));
    hoist_line(e, arena_printf(is_int ? "const int %s = %s;"
                               : strchr(value, ' ') ? "const int %s = (int)(%s);"
                               : "const int %s = (int)%s;", name, value));
    push(&e->hoisted, ((Hoisted){ bound, name }));
    return name;
}

/* The place of the present element along d. */
static const char *place_text(Emit *e, const Dim *d, bool lanes)
{
    const char *at = e->coordinate[d->id];
    return lanes && has_lanes(e, d) ? arena_printf("%s + %s", at, e->lane) : at;
}

typedef struct { const Emit *e; int width; } Vectors;

/* An extent as a number of vectors: the launch function has checked that rows are whole ones. */
static Sym in_vectors(Sym atom, void *arg)
{
    const Emit *e = ((const Vectors *)arg)->e;
    for (int i = 0; i < e->plan->vectors.n; i++) {
        const Type *t = &e->k->params.at[e->plan->vectors.at[i].param].type;
        if (t->dim[t->rank - 1] == atom)
            return sym_mul(sym_const(((const Vectors *)arg)->width), atom);
    }
    return atom;
}

/* Does the bound lie between vectors, so that all lanes of one are on the same side? */
static bool between_vectors(Emit *e, const Dim *d, Sym bound)
{
    Vectors v = { e, spread_of(e, d)->vector };
    return has_lanes(e, d) && !spread_of(e, d)->pair
        && sym_divides(v.width, sym_replace(bound, in_vectors, &v));
}

/* lo <= place < hi along d, as far as it must be asked; NULL if it always holds. */
static const char *interval_guard(Emit *e, const Dim *d, Sym lo, Sym hi, bool lanes)
{
    lanes = lanes && !(between_vectors(e, d, lo) && between_vectors(e, d, hi));
    const char *guard = NULL, *at = place_text(e, d, lanes);
    int64_t k, extent;
    if (!provably_at_least(e->k, sym_sub(sym_const(0), lo), 0))
        guard = arena_printf("%s >= %s", at, bound_name(e, lo, d));
    bool complete = sym_const_of(hi, &k) && sym_const_of(d->extent, &extent) && k >= extent;
    complete |= d->extent == hi && !d->whole;
    if (d->whole && spread_of(e, d)->loops && hi == d->extent && e->rounds != d)
        return guard;
    if (complete && !overshoots(e, d))
        return guard;
    Sym end = complete ? d->extent : hi;
    return and_also(guard, arena_printf("%s < %s", at, bound_name(e, end, d)));
}

/* Is the one element that the access takes along tensor axis a inside? NULL: always. */
static const char *single_guard(Emit *e, const Access *a, int axis)
{
    const char *guard = NULL;
    Sym at = a->start[axis];
    if (!provably_at_least(e->k, sym_sub(at, a->lo[axis]), 0))
        guard = arena_printf("%s >= %s", sym_c(e, at), sym_c(e, a->lo[axis]));
    if (!provably_at_least(e->k, sym_sub(a->hi[axis], at), 1))
        guard = and_also(guard, arena_printf("%s < %s", sym_c(e, at), sym_c(e, a->hi[axis])));
    return guard;
}

/* Is the one element of an axis of extent 1 in the valid part? NULL: always. */
static const char *sole_guard(Emit *e, const Valid *valid)
{
    int64_t n;
    const char *guard = NULL;
    Sym lo = clipped(valid->lo, &n), hi = clipped(valid->hi, &n);
    lo = lo ? lo : valid->lo;
    hi = hi ? hi : valid->hi;
    if (!provably_at_least(e->k, sym_sub(sym_const(0), lo), 0))
        guard = arena_printf("%s <= 0", sym_c(e, lo));
    if (!provably_at_least(e->k, hi, 1))
        guard = and_also(guard, arena_printf("%s > 0", sym_c(e, hi)));
    return guard;
}

/* Is it in a part along one axis? NULL: always. */
const char *part_guard(Emit *e, const Value *v, int axis, const Valid *valid, bool lanes)
{
    const Dim *d = map_of(v)->dim[axis];
    return d ? interval_guard(e, d, valid->lo, valid->hi, lanes) : sole_guard(e, valid);
}

/* Is the present element in the valid part of v along these axes? NULL: always. */
const char *valid_guard(Emit *e, const Value *v, uint32_t axes, bool lanes)
{
    const char *guard = NULL;
    for (int a = 0; a < v->type.rank; a++) {
        const Valid all = { .lo = sym_const(0), .hi = v->type.dim[a] };
        const bool interval = v->valid[a].kind == VALID_INTERVAL;
        if (axes >> a & 1 && (interval || map_of(v)->dim[a]))
            guard = and_also(guard, part_guard(e, v, a, interval ? &v->valid[a] : &all, lanes));
    }
    return guard;
}

/* ---- addresses ------------------------------------------------------------------------------- */

/* s * stride, with parentheses where s is a sum; NULL: a stride of 1. */
static const char *times(Emit *e, Sym s, const char *stride)
{
    if (sym_is(s, 1) && stride)
        return stride;
    const char *text = sym_c(e, s);
    bool sum = (strstr(text, " + ") || strstr(text, " - ")) && stride;
    const char *factor = sum ? arena_printf("(%s)", text) : text;
    return stride ? arena_printf("%s * %s", factor, stride) : factor;
}

/* The C name of the stride of an axis; NULL: it is 1. */
static const char *stride_of(const Param *p, const Type *t, int axis)
{
    return axis == t->rank - 1 && !p->strided ? NULL : c_stride(p, axis);
}

/* How far into its tensor the tile begins: i * x_stride + 8 * k; NULL: at its first element. */
static const char *begin_text(Emit *e, const Op *op)
{
    const Param *p = param_of(e->k, op->args[0]);
    const Type *t = &op->args[0]->type;
    const char *text = NULL;
    for (int a = 0; a < t->rank; a++) {
        if (sym_is(op->access->start[a], 0))
            continue;
        const char *one = times(e, op->access->start[a], stride_of(p, t, a));
        text = text ? arena_printf("%s + %s", text, one) : one;
    }
    return text;
}

/* Where the tile begins: the pointer, hoisted under a name of its own if that needs arithmetic. */
const char *tile_base(Emit *e, const Op *op)
{
    const Param *p = param_of(e->k, op->args[0]);
    const Type *t = &op->args[0]->type;
    const char *name = tensor_name(op->args[0]), *begin = begin_text(e, op);
    if (!begin)
        return name;
    const char *value = arena_printf("%s + %s", name, begin);
    for (int i = 0; i < e->bases.n; i++)
        if (!strcmp(e->bases.at[i].value, value))
            return e->bases.at[i].name;
    const char *base = fresh(e, arena_printf("%s_at", name));
    hoist_line(e, arena_printf("%s%s *const %s = %s;", p->kind == PARAM_SHARED ? "const " : "",
                               device_type(t->elem), base, value));
    push(&e->bases, ((HoistedBase){ value, base }));
    return base;
}

/* Does a tile with this step reach further than an int can count? */
static bool far_apart(const Dim *d, int64_t step)
{
    int64_t n;
    return !sym_const_of(d->extent, &n) || n > INT32_MAX / step;
}

/* The element's place from there: row * x_stride + col. */
const char *offset_text(Emit *e, const Op *op, const Value *tile, bool lanes)
{
    const Param *p = param_of(e->k, op->args[0]);
    const Access *a = op->access;
    const char *text = NULL;
    for (int axis = 0; axis < op->args[0]->type.rank; axis++) {
        const Dim *d = a->map[axis] >= 0 ? map_of(tile)->dim[a->map[axis]] : NULL;
        if (!d && !a->index[axis])
            continue;
        const char *at = d ? place_text(e, d, lanes) : indexed_place(e, op, axis);
        const char *stride = stride_of(p, &op->args[0]->type, axis);
        if ((stride || a->step[axis] != 1) && strchr(at, ' '))
            at = arena_printf("(%s)", at);
        if (a->step[axis] != 1)
            at = arena_printf(far_apart(d, a->step[axis]) ? "%lldll * %s" : "%lld * %s",
                              (long long)a->step[axis], at);
        if (stride)
            at = arena_printf("%s * %s", at, stride);
        text = text ? arena_printf("%s + %s", text, at) : at;
    }
    return text ? text : "0";
}

/* The element at the present place: x_at[row * x_stride + col], or x[i] where there is but one. */
static const char *element_at(Emit *e, const Op *op, const Value *tile, bool lanes)
{
    const Dim *dims[MAX_NEST];
    if (dims_of(tile, dims) > 0 || op->kind == OP_GATHER)
        return arena_printf("%s[%s]", tile_base(e, op), offset_text(e, op, tile, lanes));
    const char *begin = begin_text(e, op);
    return arena_printf("%s[%s]", tensor_name(op->args[0]), begin ? begin : "0");
}

/* ---- loads, stores --------------------------------------------------------------------------- */

/* The guard of the tensor axes whose Dims are whole, or of the others. */
static const char *guard_of(Emit *e, const Op *op, bool whole, bool lanes)
{
    const Access *a = op->access;
    const Value *tile = op_tile(op);
    const char *guard = NULL;
    for (int axis = 0; axis < op->args[0]->type.rank; axis++) {
        const Dim *d = a->map[axis] >= 0 ? map_of(tile)->dim[a->map[axis]] : NULL;
        Valid v = d ? valid_of_load(e->k, a, axis, d->extent) : (Valid){ 0 };
        if ((d && d->whole) != whole)
            continue;
        if (d && v.kind != VALID_INTERVAL)
            v = (Valid){ .kind = VALID_INTERVAL, .lo = sym_const(0), .hi = d->extent };
        guard =
            and_also(guard, d ? interval_guard(e, d, v.lo, v.hi, lanes)
                          : a->index[axis] ? indexed_guard(e, op, axis) : single_guard(e, a, axis));
    }
    return guard;
}

/* Does the element at the present place exist in its tensor? NULL: always. */
const char *access_guard(Emit *e, const Op *op, bool lanes)
{
    return and_also(guard_of(e, op, false, lanes), guard_of(e, op, true, lanes));
}

/* What a load gives where nothing exists: the pad that the program says; past the end of a whole
   axis, which has no padding, what suits the reductions. */
static const char *pad_text(Emit *e, const Op *load, bool lanes)
{
    const ValueMap *m = map_of(load->results[0]);
    const char *pad = element_text(e, load->args[1]);
    const char *past = m->has_fill ? guard_of(e, load, true, lanes) : NULL;
    if (!past)
        return pad;
    const char *fill = constant_text(load->args[0]->type.elem, m->fill).s;
    bool padded = guard_of(e, load, false, lanes) != NULL && strcmp(fill, pad);
    return padded ? arena_printf("%s ? %s : %s", past, pad, fill) : fill;
}

/* Elements side by side that a thread of this body holds of the tile: its widest access. */
int body_vector(const Emit *e, const Value *tile)
{
    const Dim *dims[MAX_NEST];
    int n = dims_of(tile, dims);
    return n && has_lanes(e, dims[n - 1]) && !spread_of(e, dims[n - 1])->pair
               ? spread_of(e, dims[n - 1])->vector : 1;
}

/* Loads what the present place of the nest has of the tile (W elements where it has
   lanes) to `to`. */
void load_into(Emit *e, const Op *load, const char *to)
{
    const Value *tile = load->results[0];
    int width = body_vector(e, tile);
    if (load->kind == OP_GATHER)
        note_gather(e, load);
    if (width > 1 && access_is_vector(e->plan, load, width) && e->body->rereads) {
        const char *base = tile_base(e, load);
        const char *guard = access_guard(e, load, false);
        line(e, "%s(%s, &%s[%s], %s, %s);", hinted_load(e, load), to, base,
             offset_text(e, load, tile, false), guard ? guard : "true", pad_text(e, load, false));
        return;
    }
    if (width > 1 && access_is_vector(e->plan, load, width)) {
        const char *base = tile_base(e, load);
        const char *guard = beyond_assumed(e, access_guard(e, load, false));
        if (guard)
            line(e, "if (%s)", guard);
        line(e, "%sload_vec(%s, &%s[%s]);", guard ? "    " : "", to, base,
             offset_text(e, load, tile, false));
        if (guard) {
            line(e, "else");
            line(e, "    fill_vec(%s, %s);", to, pad_text(e, load, false));
        }
        return;
    }
    const Dim *dims[MAX_NEST];
    const int n = dims_of(tile, dims);
    const bool lanes = n && has_lanes(e, dims[n - 1]);
    if (lanes) {
        line(e, "#pragma unroll");
        line(e, "for (int %s = 0; %s < %s; %s++)", e->lane, e->lane, lanes_text(e, dims[n - 1]),
             e->lane);
        e->indent++;
    }
    const char *guard = beyond_assumed(e, access_guard(e, load, true));
    const char *from = element_at(e, load, tile, true);
    const char *at = lanes ? arena_printf("%s[%s]", to, e->lane) : to;
    if (guard && load->kind == OP_GATHER)
        load_or_pad(e, guard, at, from, pad_text(e, load, true));
    else if (guard)
        line(e, "%s = %s ? %s : %s;", at, guard, from, pad_text(e, load, true));
    else
        line(e, "%s = %s;", at, from);
    e->indent -= lanes;
}

/* One element into a variable that nothing else shares: const int first = off[r]; */
static void load_one(Emit *e, const Op *load)
{
    Value *tile = load->results[0];
    ValueMap *m = map_of(web_root(tile));
    const char *guard = access_guard(e, load, false), *from = element_at(e, load, tile, false);
    m->declared = true;
    if (guard)
        from = arena_printf("%s ? %s : %s", guard, from, pad_text(e, load, false));
    line(e, "const %s %s = %s;", device_type(tile->type.elem), m->name, from);
}

/* A load into the variable of its tile: one phase. */
void write_load(Emit *e, const Op *load)
{
    Value *tile = load->results[0];
    const Dim *dims[MAX_NEST];
    int n = dims_of(tile, dims);
    Phase p;
    const char *name = map_of(web_root(tile))->name;
    if (n == 0 && alone(e, tile) && !map_of(web_root(tile))->declared) {
        load_one(e, load);
        return;
    }
    declare(e, tile);
    phase_open(e, &p, load, dims, n);
    load_into(e, load, arena_printf("%s%s", name, vector_suffix(e, tile)));
    phase_close(e, &p);
}

/* Stores the W elements of the present place; what they are computed from is
   loaded under the same guard. */
void store_vector(Emit *e, Phase *p, const Op *store, const char *guard)
{
    Value *tile = store->args[1];
    const char *to =
        arena_printf("&%s[%s]", tile_base(e, store), offset_text(e, store, tile, false));
    /* hinted loads ask for themselves; where threads meet, none stays away */
    bool around = guard && !e->body->rereads && !e->rounds;
    if (around)
        open_block(e, "if (%s)", guard);
    e->assumed = around ? guard : NULL;
    phase_lazies(e, p, store->args + 1, store->nargs - 1);
    e->assumed = NULL;
    const char *from = arena_printf("%s%s", map_of(web_root(tile))->name,
                                    vector_suffix(e, tile));
    if (map_of(tile)->local && map_of(tile)->local_lanes) {
        from = map_of(tile)->local;
    } else if (!map_of(tile)->var) {
        from = fresh(e, "out");
        line(e, "%s %s[%s];", device_type(tile->type.elem), from, e->w);
        write_neighbours(e, p, tile, from);
    }
    if (guard && !around)
        line(e, "if (%s)", guard);
    line(e, "%sstore_vec(%s, %s);", guard && !around ? "    " : "", to, from);
    if (around)
        close_block(e, "");
}

/* A store: one phase, by one thread where several hold the same elements. */
void write_store(Emit *e, const Op *store)
{
    Value *tile = store->args[1];
    const Dim *dims[MAX_NEST];
    int n = dims_of(tile, dims), width = body_vector(e, tile);
    const char *one = one_thread(e, tile);
    int bounds = e->hoisted.n, bases = e->bases.n;
    bool together = meets_in_pass(e, store);
    if (one && !together)
        open_block(e, "if (%s)", one);
    Phase p;
    phase_open(e, &p, store, dims, n);
    if (width > 1 && access_is_vector(e->plan, store, width)) {
        store_vector(e, &p, store,
                     and_also(together ? one : NULL, access_guard(e, store, false)));
    } else {
        phase_lazies(e, &p, store->args + 1, store->nargs - 1);
        phase_lanes(e, &p);
        const char *guard = and_also(together ? one : NULL, access_guard(e, store, true));
        if (store->nargs > 2)
            guard = and_also(guard, arena_printf("(%s)", element_text(e, store->args[2])));
        if (guard)
            line(e, "if (%s)", guard);
        line(e, "%s%s = %s;", guard ? "    " : "", element_at(e, store, tile, true),
             element_text(e, tile));
        phase_lanes_close(e, &p);
    }
    phase_close(e, &p);
    if (one && !together) {
        close_block(e, "");
        e->hoisted.n = bounds, e->bases.n = bases;
    }
}
