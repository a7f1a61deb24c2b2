/* reduce.c -- reductions: a thread's own elements, then its warp's lanes, then the block's warps */
#include "mapping.h"
#include <string.h>

/* $a: the partial result, $x: one element. The functions are sections of templates/reduce.cu. */
typedef struct {
    const char *name;                              /* warp_sum, block_sum, across_sum */
    const char *start_float, *start_int;      /* the identity; NULL: the type's lowest or largest */
    const char *step_float, *step_int;
    const char *identity;                          /* in words, for the head */
} Way;
static const Way ways[] = {
    [REDUCE_SUM] = { "sum", "0.0f", "0", "$a += $x", "$a = add_wrap<$T>($a, $x)", "0" },
    [REDUCE_MEAN] = { "sum", "0.0f", "0", "$a += $x", "$a = add_wrap<$T>($a, $x)", "0" },
    [REDUCE_PROD] = { "product", "1.0f", "1", "$a *= $x", "$a = mul_wrap<$T>($a, $x)", "1" },
    [REDUCE_MAX] = { "max", "-INFINITY", NULL, "$a = max_nan($a, $x)",
                     "$a = max_int<$T>($a, $x)", "the lowest" },
    [REDUCE_MIN] = { "min", "INFINITY", NULL, "$a = min_nan($a, $x)",
                     "$a = min_int<$T>($a, $x)", "the largest" },
    [REDUCE_ARGMAX] = { "argmax", "-INFINITY", NULL, NULL, NULL, "none" },
    [REDUCE_ARGMIN] = { "argmin", "INFINITY", NULL, NULL, NULL, "none" },
    [REDUCE_ANY] = { "any", "0", "0", "$a |= $x", "$a |= $x", "false" },
    [REDUCE_ALL] = { "all", "1", "1", "$a &= $x", "$a &= $x", "true" },
};

/* Does the reduction give a place? */
static bool is_arg(ReduceKind kind)
{
    return kind == REDUCE_ARGMAX || kind == REDUCE_ARGMIN;
}

/* The element type of partial results: one that shuffles can carry and that loses nothing. */
static Elem accumulator(const Op *op)
{
    Elem from = op->args[0]->type.elem, to = op->results[0]->type.elem;
    bool adds = op->reduce == REDUCE_SUM || op->reduce == REDUCE_MEAN || op->reduce == REDUCE_PROD;
    Elem e = adds ? to : from;
    switch (e) {
    case EL_F16: case EL_BF16: case EL_F8E4M3: case EL_F8E5M2: case EL_TF32:
        return EL_F32;
    case EL_BOOL: case EL_I8: case EL_I16:
        return EL_I32;
    case EL_U8: case EL_U16:
        return EL_U32;
    default:
        return e;
    }
}

/* What a partial result starts with: the identity as C. */
static const char *start_text(const Op *op, Elem acc)
{
    const Way *w = &ways[op->reduce];
    if (elem_is_float(acc))
        return acc != EL_F64 ? w->start_float
             : !strcmp(w->start_float, "0.0f") ? "0.0"
             : !strcmp(w->start_float, "1.0f") ? "1.0" : w->start_float;
    if (w->start_int)
        return w->start_int;
    bool largest = op->reduce == REDUCE_MIN || op->reduce == REDUCE_ARGMIN;
    Elem e = op->args[0]->type.elem;
    int bits = 8 * elem_info[e].bytes;
    if (e == EL_BOOL)
        return largest ? "1" : "0";
    if (elem_info[e].class == CLASS_UNSIGNED)
        return largest ? arena_printf("UINT%d_MAX", bits) : "0u";
    return arena_printf("INT%d_%s", bits, largest ? "MAX" : "MIN");
}

/* The functions' name for partial results of this type: max, max_nan, max_nan_f64. */
static const char *way_name(const Op *op)
{
    Elem acc = accumulator(op);
    const char *name = ways[op->reduce].name;
    if ((op->reduce != REDUCE_MAX && op->reduce != REDUCE_MIN) || !elem_is_float(acc))
        return name;
    return arena_printf("%s_nan%s", name, acc == EL_F64 ? "_f64" : "");
}

/* One step, with holes filled: $a, $x, $T. */
static const char *step_text(const char *step, const char *a, const char *x, Elem acc)
{
    Text t = { 0 };
    for (const char *s = step; *s; s++) {
        const char *by = *s != '$' ? NULL : s[1] == 'a' ? a : s[1] == 'x' ? x : device_type(acc);
        if (by)
            text_add(&t, by, strlen(by));
        else
            text_add(&t, s, 1);
        s += by != NULL;
    }
    return t.at;
}

/* ---- masks ----------------------------------------------------------------------------------- */

/* Is what lies past the valid part already what changes nothing?  Then no mask is needed. */
static bool padding_is_identity(const Emit *e, const Op *op)
{
    const Value *v = op->args[0];
    for (int a = 0; a < v->type.rank; a++)
        if (op->reduce_axes >> a & 1 && map_of(v)->dim[a] && v->valid[a].kind == VALID_ANY
            && !(v->def && v->def->kind == OP_FILL))
            return false;
    Pad pad = pad_along(v, op->reduce_axes, fill_of, NULL);
    if ((pad.kind == PAD_MINUS_INF_OR_NAN || pad.kind == PAD_ZERO_OR_NAN) && e->plan->longest)
        return false;                     /* a length of 0 comes here too: then NaN would be seen */
    return pad_is_identity(pad, op->reduce, v->type.elem);
}

/* What the places outside the valid part hold, in words. */
static const char *pad_words(const Op *op)
{
    Pad pad = pad_along(op->args[0], op->reduce_axes, fill_of, NULL);
    switch (pad.kind) {
    case PAD_CONST:
        return constant_text(op->args[0]->type.elem, pad.value).s;
    case PAD_MINUS_INF_OR_NAN:
        return "-inf (NaN only in a row that is NaN anyway)";
    case PAD_ZERO_OR_NAN:
        return "0, as exp(-inf) is (NaN only in a row that is NaN anyway)";
    default:
        return "other values";
    }
}

/* The condition under which an element counts; NULL if all do, or what lies
   outside changes nothing. */
static const char *mask_of(Emit *e, const Op *op)
{
    const char *mask = valid_guard(e, op->args[0], op->reduce_axes, true);
    const char *name = map_of(web_root(op->results[0]))->name;
    if (!mask)
        return NULL;
    if (is_arg(op->reduce) || !padding_is_identity(e, op)) {
        note_padding(e,
                     arena_printf("%s: a mask, since %s may lie outside the valid part, and "
                                  "%s must not see it",
                                  name, pad_words(op), ways[op->reduce].name));
        return mask;
    }
    note_padding(e, arena_printf("%s: no mask, since outside the valid part lies %s, which "
                                 "changes no %s", name, pad_words(op), ways[op->reduce].name));
    return NULL;
}

/* ---- a thread's own elements ----------------------------------------------------------------- */

/* The place along the reduced axes as one number, row-major: what argmax gives. */
static const char *flat_place(Emit *e, const Op *op)
{
    const Value *v = op->args[0];
    const char *text = NULL;
    for (int a = 0; a < v->type.rank; a++) {
        const Dim *d = map_of(v)->dim[a];
        if (!(op->reduce_axes >> a & 1) || !d)
            continue;
        const char *at = e->coordinate[d->id];
        if (has_lanes(e, d))
            at = arena_printf("%s + %s", at, e->lane);
        if (spread_of(e, d)->loops)
            at = arena_printf("(int32_t)(%s)", at);
        text = text ? arena_printf("(%s) * %s + %s", text, sym_c(e, d->extent), at) : at;
    }
    return text ? text : "0";
}

/* An element of the operand in the type of partial results. */
static const char *as_accumulator(const Op *op, Ex x, Elem acc)
{
    Elem from = op->args[0]->type.elem;
    return cast_text(from, acc, x).s;
}

/* One step of an argmax or argmin: takes x with its place if it is better. */
static void step_arg(Emit *e, const Op *op, const char *best, const char *at, const char *x,
                     const char *mask)
{
    const char *name = op->reduce == REDUCE_ARGMAX ? "take_larger" : "take_smaller";
    if (mask)
        line(e, "if (%s)", mask);
    line(e, "%s%s(%s, %s, %s, %s);", mask ? "    " : "", name, best, at, x, flat_place(e, op));
}

/* Takes all elements that the thread holds into acc (and place). */
static void own_elements(Emit *e, const Op *op, Elem acc_elem, const char *acc, const char *place)
{
    const Dim *dims[MAX_NEST];
    int n = dims_of(op->args[0], dims);
    Phase p;
    phase_open(e, &p, op, dims, n);
    phase_lazies(e, &p, op->args, 1);
    const char *mask = mask_of(e, op);
    bool whole_vectors = mask && p.lanes && !mentions(mask, e->lane);
    if (whole_vectors)
        open_block(e, "if (%s)", mask);
    phase_lanes(e, &p);
    if (whole_vectors)
        mask = NULL;
    const char *index = index_suffix(e, op->results[0]);
    const char *a = arena_printf("%s%s", acc, index);
    Ex x = element(e, op->args[0]);
    const char *text = as_accumulator(op, x, acc_elem);
    if (is_arg(op->reduce)) {
        step_arg(e, op, a, arena_printf("%s%s", place, index), text, mask);
    } else {
        const Way *w = &ways[op->reduce];
        if (mask)
            text = arena_printf("%s ? %s : %s", mask,
                                x.prec == PREC_COND ? arena_printf("(%s)", text) : text,
                                start_text(op, acc_elem));
        const char *step =
            !elem_is_float(acc_elem) ? w->step_int
            : acc_elem == EL_F64 && op->reduce == REDUCE_MAX ? "$a = max_nan_f64($a, $x)"
            : acc_elem == EL_F64 && op->reduce == REDUCE_MIN ? "$a = min_nan_f64($a, $x)"
            : w->step_float;
        line(e, "%s;", step_text(step, a, text, acc_elem));
    }
    phase_close(e, &p);
}

/* ---- other threads' elements ----------------------------------------------------------------- */

/* The bits of the thread's number along which op's reduced Dims are spread; is one a whole axis? */
static int reduced_bits(const Emit *e, const Op *op, bool *whole)
{
    int bits = 0;
    for (int a = 0; a < op->args[0]->type.rank; a++) {
        const Dim *d = map_of(op->args[0])->dim[a];
        if (d && op->reduce_axes >> a & 1)
            bits |= spread_bits(spread_of(e, d)), *whole |= d->whole;
    }
    return bits;
}

/* Runs f over each element of the result that the thread holds; f writes one line. */
static void each_result(Emit *e, const Op *op, void (*f)(Emit *, const Op *, const char *, void *),
                        void *arg)
{
    const Dim *dims[MAX_NEST];
    int n = dims_of(op->results[0], dims);
    Phase p;
    phase_open(e, &p, op, dims, n);
    phase_lanes(e, &p);
    f(e, op, index_suffix(e, op->results[0]), arg);
    phase_close(e, &p);
}

typedef struct { const char *acc, *place, *call, *buffer; bool whole; } Meeting;

/* The call by which one partial result meets those of other threads. */
static void meet(Emit *e, const Op *op, const char *index, void *arg)
{
    const Meeting *m = arg;
    const char *extra = m->buffer ? arena_printf(", %s%s", m->buffer, index) : "";
    if (is_arg(op->reduce))
        line(e, "%s(%s%s, %s%s%s%s);", m->call, m->acc, index, m->place, index, extra,
             m->buffer ? arena_printf(", %s_at%s", m->buffer, index) : "");
    else
        line(e, "%s%s = %s(%s%s%s);", m->acc, index, m->call, m->acc, index, extra);
}

/* The template arguments of a meeting within a warp, by the bits of the lane that it spans. */
static const char *group_text(int low)
{
    int step = low & -low, span = low / step + 1;
    if (low == 31)
        return "";
    return step == 1 ? arena_printf("<%d>", span) : arena_printf("<%d, %d>", span, step);
}

/* Results meet across these bits of the lane, neighbouring bits in one call. */
static void meet_in_warp(Emit *e, const Op *op, Meeting *m, int low)
{
    while (low) {
        int bits = 0;
        for (int bit = low & -low; low & bit; bit <<= 1)
            bits |= bit;
        m->call = arena_printf("warp_%s%s", way_name(op), group_text(bits));
        m->buffer = NULL;
        each_result(e, op, meet, m);
        low &= ~bits;
    }
}

/* The threads of a program as C. */
const char *threads_of_block(const Emit *e)
{
    return e->body->kind == BODY_BLOCK ? e->threads : arena_printf("%d", e->body->threads);
}

/* The most that a thread of the body holds along a whole axis, in any of its entries. */
static int64_t held_along(const Emit *e)
{
    int64_t most = 1;
    for (int i = 0; i < e->plan->entries.n; i++) {
        const Entry *n = &e->plan->entries.at[i];
        if (n->body == e->body && (int64_t)n->vecs * n->width > most)
            most = (int64_t)n->vecs * n->width;
    }
    return most;
}

/* An upper bound of the elements that a thread holds of the result. */
static int64_t held(const Emit *e, const Value *v)
{
    int64_t n = 1, k;
    for (int a = 0; a < v->type.rank; a++) {
        const Dim *d = map_of(v)->dim[a];
        if (d && d->whole)
            n *= held_along(e);
        else if (d && sym_const_of(d->extent, &k))
            n *= (k + spread_of(e, d)->threads - 1) / spread_of(e, d)->threads
                + spread_of(e, d)->vector - 1;
    }
    return n;
}

/* Declares the slots through which partial results meet, and those of their places. */
static void declare_parts_of(Emit *e, const Op *op, const Meeting *m, Elem acc, const char *sizes,
                             int64_t n)
{
    SharedArray a = { .name = m->buffer, .type = device_type(acc), .dims = sizes,
                      .bytes = n * elem_info[acc].bytes, .first = e->root->number,
                      .last = e->root->last_number };
    declare_array(e, a);
    if (!is_arg(op->reduce))
        return;
    a.name = arena_printf("%s_at", m->buffer), a.type = "int32_t", a.bytes = 4 * n;
    declare_array(e, a);
}

/* Warps of a block that all hold parts of one result: block_sum and the like. */
static void meet_in_block(Emit *e, const Op *op, Meeting *m, Elem acc)
{
    const char *warps = arena_printf("%s / 32", threads_of_block(e));
    if (e->body->kind != BODY_BLOCK)
        warps = arena_printf("%d", e->body->threads / 32);
    const char *sizes = arena_printf("%s[%s]", array_suffix(e, op->results[0]), warps);
    m->buffer = fresh(e, arena_printf("%s_parts", m->acc));
    m->call = arena_printf("block_%s<%s>", way_name(op), warps);
    declare_parts_of(e, op, m, acc, sizes, held(e, op->results[0]) * 32);
    round_barrier(e, "the last round's parts have been read");
    note_barrier(e, arena_printf("in %s: every warp's part is written before anyone reads the "
                                 "parts", m->call));
    each_result(e, op, meet, m);
}

/* Puts a thread's partial result where the others of its group can read it. */
static void put_part(Emit *e, const Op *op, const char *index, void *arg)
{
    const Meeting *m = arg;
    line(e, "%s%s[%s] = %s%s;", m->buffer, index, e->thread, m->acc, index);
    if (is_arg(op->reduce))
        line(e, "%s_at%s[%s] = %s%s;", m->buffer, index, e->thread, m->place, index);
}

enum { PARTS_BYTES = 16 * 1024 };              /* more than that, and the results meet one by one */

/* One by one through one slot a thread: two barriers each. */
static void meet_one(Emit *e, const Op *op, const char *index, void *arg)
{
    Meeting *m = arg;
    barrier(e, "the last result's parts have been read");
    line(e, "%s[%s] = %s%s;", m->buffer, e->thread, m->acc, index);
    if (is_arg(op->reduce))
        line(e, "%s_at[%s] = %s%s;", m->buffer, e->thread, m->place, index);
    barrier(e, "the parts are written before anyone reads them");
    if (is_arg(op->reduce))
        line(e, "%s(%s%s, %s%s, %s, %s_at);", m->call, m->acc, index, m->place, index, m->buffer,
             m->buffer);
    else
        line(e, "%s%s = %s(%s%s, %s);", m->acc, index, m->call, m->acc, index, m->buffer);
}

/* Warps that hold parts of different results: every thread puts its part, then
   reads those of its group. */
static void meet_across(Emit *e, const Op *op, Meeting *m, Elem acc, int high)
{
    int step = high & -high, count = high / step + 1;
    bool all = held(e, op->results[0]) * e->body->threads * elem_info[acc].bytes <= PARTS_BYTES;
    const char *sizes =
        arena_printf("%s[%s]", all ? array_suffix(e, op->results[0]) : "", threads_of_block(e));
    const char *n = m->whole && e->body->kind == BODY_BLOCK    /* it has all threads of an entry */
        ? arena_printf("%s / %d", e->threads, step) : arena_printf("%d", count);
    m->buffer = fresh(e, arena_printf("%s_parts", m->acc));
    m->call = arena_printf("across_%s<%s, %d>", way_name(op), n, step);
    declare_parts_of(e, op, m, acc, sizes,
                     (all ? held(e, op->results[0]) : 1) * e->body->threads);
    if (!all) {
        each_result(e, op, meet_one, m);
        return;
    }
    round_barrier(e, "the last round's parts have been read");
    each_result(e, op, put_part, m);
    barrier(e, "the parts are written before anyone reads them");
    each_result(e, op, meet, m);
}

/* Lets partial results meet with those of the other threads that hold the same result. */
static void other_threads(Emit *e, const Op *op, Elem acc, const char *name, const char *place)
{
    Meeting m = { .acc = name, .place = place };
    int bits = reduced_bits(e, op, &m.whole), all = e->body->threads - 1;
    if (bits == all && all > 31) {
        meet_in_block(e, op, &m, acc);
        return;
    }
    meet_in_warp(e, op, &m, bits & 31);
    if (bits & ~31)
        meet_across(e, op, &m, acc, bits & ~31);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* How many elements a mean is over: those of the valid part. */
static const char *count_text(Emit *e, const Op *op)
{
    const Value *v = op->args[0];
    Sym n = sym_const(1);
    for (int a = 0; a < v->type.rank; a++)
        if (op->reduce_axes >> a & 1)
            n = sym_mul(n,
                        v->valid[a].kind == VALID_INTERVAL ? sym_sub(v->valid[a].hi, v->valid[a].lo)
                                                           : v->type.dim[a]);
    int64_t k;
    const char *type = device_type(op->results[0]->type.elem);
    if (sym_const_of(n, &k) && k < 1 << 24)
        return arena_printf(op->results[0]->type.elem == EL_F64 ? "%lld.0" : "%lld.0f",
                            (long long)k);
    const char *text = sym_c(e, n);
    return arena_printf(strchr(text, ' ') ? "(%s)(%s)" : "(%s)%s", type, text);
}

/* Starts one partial result of several. */
static void start_one(Emit *e, const Op *op, const char *index, void *arg)
{
    const Meeting *m = arg;
    line(e, "%s%s = %s;", m->acc, index, start_text(op, accumulator(op)));
    if (is_arg(op->reduce))
        line(e, "%s%s = INT32_MAX;", m->place, index);
}

/* Declares the partial results, each at the identity. */
static void declare_parts(Emit *e, const Op *op, const Meeting *m, Elem acc, const char *array)
{
    if (*array) {
        line(e, "%s %s%s;", device_type(acc), m->acc, array);
        if (is_arg(op->reduce))
            line(e, "int32_t %s%s;", m->place, array);
        each_result(e, op, start_one, (void *)m);
        return;
    }
    line(e, "%s %s = %s;", device_type(acc), m->acc, start_text(op, acc));
    if (is_arg(op->reduce))
        line(e, "int32_t %s = INT32_MAX;", m->place);
}

/* Makes a result of its accumulator: a mean, a place, the type of the result. */
static void finish_one(Emit *e, const Op *op, const char *index, void *arg)
{
    const Meeting *m = arg;
    Value *r = op->results[0];
    Elem acc = accumulator(op);
    const char *to = map_of(web_root(r))->name, *from = arena_printf("%s%s", m->acc, index);
    if (op->reduce == REDUCE_MEAN)
        from = arena_printf("%s / %s", from, count_text(e, op));
    if (is_arg(op->reduce))
        from = arena_printf("%s%s == INT32_MAX ? 0 : %s%s", m->place, index, m->place, index);
    else
        from =
            cast_text(acc, r->type.elem, (Ex){ from, op->reduce == REDUCE_MEAN ? PREC_MUL : 0 }).s;
    bool is_const = !*array_suffix(e, r) && !map_of(web_root(r))->declared;
    const char *type = arena_printf(alone(e, r) ? "const %s " : "%s ", device_type(r->type.elem));
    line(e, "%s%s%s = %s;", is_const ? type : "",
         to, is_const ? "" : index, from);
}

/* Reduces op's operand over its axes into the variable of the result. */
void write_reduce(Emit *e, const Op *op)
{
    Value *r = op->results[0];
    Elem acc = accumulator(op);
    const char *array = array_suffix(e, r), *name = map_of(web_root(r))->name;
    ValueMap *m = map_of(web_root(r));
    bool direct = acc == r->type.elem && op->reduce != REDUCE_MEAN && !is_arg(op->reduce)
        && !m->declared;
    Meeting parts = { .acc = direct ? name : fresh(e, arena_printf("%s_%s", name, is_arg(op->reduce)
                                                                   ? "best" : "part")) };
    parts.place = is_arg(op->reduce) ? fresh(e, arena_printf("%s_at", name)) : NULL;
    declare_parts(e, op, &parts, acc, array);
    own_elements(e, op, acc, parts.acc, parts.place);
    other_threads(e, op, acc, parts.acc, parts.place);
    if (!direct) {
        if (*array)
            declare(e, r);
        each_result(e, op, finish_one, &parts);
    }
    m->declared = true;
}
