/* scatter.c -- elements by index tiles: their addresses and bounds; scatter and atomics */
/* needs: a body being written.  gives: CUDA C.  keeps: the plan. */
#include "mapping.h"
#include <string.h>

/* ---- index tiles ----------------------------------------------------------------------------- */

/* The index along a tensor axis, counted from where the part begins, as a factor in C. */
const char *indexed_place(Emit *e, const Op *op, int axis)
{
    Value *index = op->args[op->access->index[axis]];
    const char *text = element_text(e, index);
    if (strchr(text, ' '))
        text = arena_printf("(%s)", text);
    return index->type.elem == EL_U64 ? arena_printf("(int64_t)%s", text) : text;
}

/* A bound for comparisons: a number, a name of the program, or a new name before the loops. */
static const char *bound_text(Emit *e, Sym bound, const char *wish)
{
    const char *text = sym_c(e, bound);
    if (!strpbrk(text, " ("))
        return text;
    const char *name = find_hoisted(e, bound);
    if (name)
        return name;
    name = fresh(e, wish);
    hoist_line(e, arena_printf("const int64_t %s = %s;", name, text));
    push(&e->hoisted, ((Hoisted){ bound, name }));
    return name;
}

/* The largest number that an index of this type can be; -1: no i64 holds it. */
static int64_t largest_index(Elem e)
{
    int bits = elem_info[e].bytes * 8 - (elem_info[e].class == CLASS_SIGNED);
    return bits == 64 ? -1 : bits == 63 ? INT64_MAX : ((int64_t)1 << bits) - 1;
}

/* Does the indexed element exist in its tensor? NULL: always. What the type of the index cannot
   hold is not asked, which compilers would warn of. */
const char *indexed_guard(Emit *e, const Op *op, int axis)
{
    const Access *a = op->access;
    Elem elem = op->args[a->index[axis]]->type.elem;
    Sym low = sym_sub(a->lo[axis], a->start[axis]), high = sym_sub(a->hi[axis], a->start[axis]);
    const char *at = indexed_place(e, op, axis), *guard = NULL;
    int64_t k, largest = largest_index(elem);
    bool is_signed = elem_info[elem].class == CLASS_SIGNED || elem == EL_U64;
    if (sym_const_of(high, &k) && k <= 0)
        return "false";
    if (!sym_const_of(low, &k) || (k > 0 || is_signed))
        guard = arena_printf("%s >= %s", at, bound_text(e, low, "first"));
    if (sym_const_of(high, &k) && largest >= 0 && largest < k)
        return guard;
    return and_also(guard, arena_printf("%s < %s", at, bound_text(e, high, "end")));
}

/* ---- what is written ------------------------------------------------------------------------- */

/* Both conditions, without those terms of `more` that `all` has. */
static const char *and_new(const char *all, const char *more)
{
    while (more && *more) {
        const char *end = strstr(more, " && ");
        const char *one = end ? arena_printf("%.*s", (int)(end - more), more) : more;
        if (!all || !mentions_condition(all, one))
            all = and_also(all, one);
        more = end ? end + 4 : NULL;
    }
    return all;
}

/* Is the present element there, in its tensor, and no padding of the tile or of an index?
   NULL: always. */
static const char *update_guard(Emit *e, const Op *op)
{
    const char *guard = NULL;
    for (int i = 1; i < op->nargs; i++)
        guard = and_new(guard, valid_guard(e, op->args[i], ~0u, true));
    return and_new(guard, access_guard(e, op, true));
}

/* A line for the head, if something of the tile may be padding. */
static void note_padded(Emit *e, const Op *op)
{
    bool padded = false;
    for (int i = 1; i < op->nargs; i++)
        for (int a = 0; a < op->args[i]->type.rank; a++)
            padded |= op->args[i]->valid[a].kind == VALID_INTERVAL;
    if (padded)
        note_padding(e, arena_printf("%s of %s leaves out what is padding: its conditions say so",
                                     op->kind == OP_ATOMIC ? atomic_names[op->atomic] : "scatter",
                                     tensor_name(op->args[0])));
}

/* A line under a condition, if there is one. */
static void guarded_line(Emit *e, const char *guard, const char *text)
{
    if (guard)
        line(e, "if (%s)", guard);
    e->indent += guard != NULL;
    line(e, "%s", text);
    e->indent -= guard != NULL;
}

/* A line for the head: what an index outside of the tensor reads. */
void note_gather(Emit *e, const Op *op)
{
    note_padding(e, arena_printf("an index outside of %s reads the pad, %s, which is data then",
                                 tensor_name(op->args[0]), element_text(e, op->args[1])));
}

/* An element that is read where it exists: guards of indices are too long for one expression. */
void load_or_pad(Emit *e, const char *guard, const char *to, const char *from, const char *pad)
{
    line(e, "if (%s)", guard);
    line(e, "    %s = %s;", to, from);
    line(e, "else");
    line(e, "    %s = %s;", to, pad);
}

typedef struct { Phase phase; const char *one; int bounds, bases; } Writing;

/* Opens the loops over the elements that a thread holds, for one thread of those that hold them. */
static void open_writing(Emit *e, Writing *w, const Op *op)
{
    const Dim *dims[MAX_NEST];
    int n = dims_of(op->args[1], dims);
    *w = (Writing){ .one = one_thread(e, op->args[1]), .bounds = e->hoisted.n,
                    .bases = e->bases.n };
    if (w->one)
        open_block(e, "if (%s)", w->one);
    phase_open(e, &w->phase, op, dims, n);
    note_padded(e, op);
}

/* Closes them. */
static void close_writing(Emit *e, Writing *w)
{
    phase_lanes_close(e, &w->phase);
    phase_close(e, &w->phase);
    if (!w->one)
        return;
    close_block(e, "");
    e->hoisted.n = w->bounds, e->bases.n = w->bases;
}

/* y.scatter(rows, c ..+ n, t): whole accesses where the window is the last axis. */
void write_scatter(Emit *e, const Op *op)
{
    Writing w;
    int width = body_vector(e, op->args[1]);
    open_writing(e, &w, op);
    const char *guard = update_guard(e, op);
    bool vector = width > 1 && access_is_vector(e->plan, op, width)
                  && !(guard && mentions(guard, e->lane));
    if (vector) {
        store_vector(e, &w.phase, op, guard);
    } else {
        phase_lazies(e, &w.phase, op->args + 1, op->nargs - 1);
        phase_lanes(e, &w.phase);
        guard = update_guard(e, op);
        guarded_line(e, guard, arena_printf("%s[%s] = %s;", tile_base(e, op),
                                            offset_text(e, op, op->args[1], true),
                                            element_text(e, op->args[1])));
    }
    close_writing(e, &w);
}

/* ---- atomics --------------------------------------------------------------------------------- */

/* The function that does it: CUDA's own where it has one for the type. */
static const char *atomic_function(AtomicKind kind, Elem e)
{
    static const struct { const char *whole, *wide, *f16, *f32, *f64; } names[ATOMIC_COUNT] = {
        [ATOMIC_ADD] = { "atomicAdd", "atomic_add_64", "atomicAdd", "atomicAdd", "atomicAdd" },
        [ATOMIC_MIN] = { "atomicMin", "atomic_min_64", "atomic_min_16", "atomic_min_f32",
                         "atomic_min_f64" },
        [ATOMIC_MAX] = { "atomicMax", "atomic_max_64", "atomic_max_16", "atomic_max_f32",
                         "atomic_max_f64" },
        [ATOMIC_AND] = { "atomicAnd", "atomic_and_64", NULL, NULL, NULL },
        [ATOMIC_OR] = { "atomicOr", "atomic_or_64", NULL, NULL, NULL },
        [ATOMIC_XOR] = { "atomicXor", "atomic_xor_64", NULL, NULL, NULL },
        [ATOMIC_EXCHANGE] = { "atomicExch", "atomic_exchange_64", "atomic_exchange_16",
                              "atomicExch", "atomic_exchange_64" },
    };
    int bytes = elem_info[e].bytes;
    const char *name = !elem_is_float(e) ? bytes == 8 ? names[kind].wide : names[kind].whole
                     : bytes == 2 ? names[kind].f16 : bytes == 4 ? names[kind].f32
                                                                 : names[kind].f64;
    bool is_template = strstr(name, "_64") || strstr(name, "_16");
    return is_template ? arena_printf("%s<%s>", name, device_type(e)) : name;
}

/* h.atomic_add(rows, c ..+ n, t): a call for each element; what was there, if that is used. Where
   several threads hold copies of an element, one updates it and tells the others. In a loop every
   such update waits for the one before it (must_order), and so for those who read its array. */
void write_atomic(Emit *e, const Op *op)
{
    Writing w;
    Value *old = op->nresults ? op->results[0] : NULL;
    if (old)
        declare(e, old);
    open_writing(e, &w, op);
    phase_lazies(e, &w.phase, op->args + 1, op->nargs - 1);
    phase_lanes(e, &w.phase);
    const char *guard = update_guard(e, op);
    Elem elem = op->args[0]->type.elem;
    const char *update = arena_printf("%s(&%s[%s], %s)", atomic_function(op->atomic, elem),
                                      tile_base(e, op), offset_text(e, op, op->args[1], true),
                                      element_text(e, op->args[1]));
    const char *to = !old ? NULL : arena_printf("%s%s", map_of(web_root(old))->name,
                                                index_suffix(e, old));
    if (old && guard)
        load_or_pad(e, guard, to, update, constant_text(elem, (Constant){ .i = 0 }).s);
    else
        guarded_line(e, guard, arena_printf(old ? "%s = %s;" : "%s%s;", old ? to : "", update));
    close_writing(e, &w);
    if (!old || !w.one)
        return;
    const Stage stage = stage_rows(&old->type);
    const char *buffer = shared_array(e, arena_printf("%s_shared", map_of(web_root(old))->name),
                                      &stage);
    shared_put(e, op, old, &stage, buffer, 0, 0);  /* the last round waited before its update */
    barrier(e, "the old values are there before other threads read them");
    shared_get(e, op, old, &stage, buffer, NULL, true);
}
