/* order.c -- sort, topk and histogram, through shared memory */
#include "mapping.h"
#include <string.h>

/* Has the tile that is sorted a whole axis, beside the one along which it is? */
bool beside_whole(const Op *op)
{
    bool whole = false;
    for (int a = 0; a < op->args[0]->type.rank; a++)
        whole |= type_is_whole(&op->args[0]->type, a);
    return whole;
}

/* Elements of a tile, a whole axis counted as 1. */
int64_t static_elements(const Type *t)
{
    int64_t n = 1;
    for (int a = 0; a < t->rank; a++)
        n *= type_is_whole(t, a) ? 1 : type_extent(t, a);
    return n;
}

/* Bytes of shared memory for the keys of a sort, the bins of a histogram, the tiles of a print. */
int64_t order_bytes(const Op *op)
{
    int64_t bytes = 0;
    if (op->kind == OP_SORT)
        bytes = beside_whole(op) ? 0 : static_elements(&op->args[0]->type) * key_bytes(op);
    if (op->kind == OP_HISTOGRAM)
        bytes = static_elements(&op->results[0]->type) * elem_info[EL_I32].bytes;
    for (int i = 0; op->kind == OP_PRINT && i < op->nargs; i++)
        if (op->args[i]->type.rank)
            bytes += static_elements(&op->args[i]->type) * elem_info[op->args[i]->type.elem].bytes;
    return (bytes + 15) / 16 * 16;
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* A sort compares unsigned keys. Without places a key has the size of the element; a topk sorts
   pairs, the largest first: the key upside down above the place, in 64 bits, or LongRank. */

/* Does it give places? */
static bool has_places(const Op *op)
{
    return op->nresults > 1;
}

/* Bytes of one key in shared memory. */
int64_t key_bytes(const Op *op)
{
    int bytes = elem_info[op->args[0]->type.elem].bytes;
    return !has_places(op) ? bytes : bytes == 8 ? 16 : 8;
}

/* The unsigned type of an element's key. */
static const char *unsigned_type(Elem e)
{
    return arena_printf("uint%d_t", elem_info[e].bytes * 8);
}

/* The type of what is sorted. */
static const char *key_type(const Op *op)
{
    if (!has_places(op))
        return unsigned_type(op->args[0]->type.elem);
    return key_bytes(op) == 16 ? "LongRank" : "uint64_t";
}

/* The bits of +infinity, where the numbers of a float type end and NaN begins. */
static const char *infinity_bits(Elem e)
{
    switch ((int)e) {
    case EL_F16:  return "0x7c00";
    case EL_BF16: return "0x7f80";
    case EL_F32:  return "0x7f800000";
    }
    return "0x7ff0000000000000";
}

/* The key of an element; order_of_float and order_of_int are sections of templates/order.cu. */
static const char *key_text(Elem e, const char *x)
{
    const char *type = unsigned_type(e);
    if (elem_is_float(e))
        return arena_printf("order_of_float<%s, %s>(%s)", type, infinity_bits(e), x);
    if (elem_info[e].class == CLASS_SIGNED)
        return arena_printf("order_of_int<%s>(%s)", type, x);
    return x;
}

/* The element of a key. */
static const char *element_of_key(Elem e, const char *key)
{
    if (elem_is_float(e))
        return arena_printf("float_in_order<%s>(%s)", device_type(e), key);
    if (elem_info[e].class == CLASS_SIGNED)
        return arena_printf("int_in_order<%s>(%s)", device_type(e), key);
    return key;
}

/* The key that comes after all others. */
static const char *last_key(const Op *op)
{
    if (key_bytes(op) == 16)
        return "LongRank{ ~0ull, ~0u }";
    static const char *const last[] = { [1] = "0xffu", [2] = "0xffffu", [4] = "0xffffffffu",
                                        [8] = "~0ull" };
    return last[key_bytes(op)];
}

/* ---- places ---------------------------------------------------------------------------------- */

/* The present place along an axis. */
static const char *at_axis(Emit *e, const Value *v, int axis)
{
    const Dim *d = map_of(v)->dim[axis];
    if (!d)
        return "0";
    return has_lanes(e, d) ? arena_printf("%s + %s", e->coordinate[d->id], e->lane)
                           : e->coordinate[d->id];
}

/* The text as a factor. */
static const char *in_product(const char *text)
{
    return strchr(text, ' ') ? arena_printf("(%s)", text) : text;
}

/* The place of the present element among lines of n keys: the axis that is sorted runs fastest. */
static const char *line_place(Emit *e, const Value *v, int axis, int64_t n)
{
    const char *line = NULL, *at = at_axis(e, v, axis);
    for (int a = 0; a < v->type.rank; a++) {
        if (a == axis || !map_of(v)->dim[a])
            continue;
        const char *one = at_axis(e, v, a);
        line = !line ? one : arena_printf("%s * %lld + %s", in_product(line),
                                          (long long)type_extent(&v->type, a), one);
    }
    if (!line)
        return at;
    line = arena_printf("%s * %lld", in_product(line), (long long)n);
    return strcmp(at, "0") ? arena_printf("%s + %s", line, at) : line;
}

/* Is the present element valid along these axes of v? NULL: all of the tile is. What lies past the
   end of the tile is not asked for. */
static const char *padding_guard(Emit *e, const Value *v, uint32_t axes)
{
    uint32_t padded = 0;
    for (int a = 0; a < v->type.rank; a++) {
        const Valid *valid = &v->valid[a];
        bool complete = valid->kind != VALID_INTERVAL
            || (sym_is(valid->lo, 0) && valid->hi == v->type.dim[a]);
        padded |= (uint32_t)(!complete) << a & axes;
    }
    return padded ? valid_guard(e, v, padded, true) : NULL;
}

/* ---- sort ------------------------------------------------------------------------------------ */

/* What is sorted for the present element: its key, with its place if that is asked for. */
static const char *sorted_text(Emit *e, const Op *op)
{
    Value *from = op->args[0];
    Elem elem = from->type.elem;
    const char *key = key_text(elem, element_text(e, from)), *at = at_axis(e, from, op->axis);
    if (!has_places(op))
        return key;
    return arena_printf(key_bytes(op) == 16 ? "LongRank{ ~%s, (uint32_t)(%s) }" : "ranked(%s, %s)",
                        elem_is_float(elem) || elem_info[elem].class == CLASS_SIGNED
                            || key_bytes(op) != 16 ? key : arena_printf("(%s)", key), at);
}

/* Writes the keys to shared memory, the last one in place of padding. */
static void put_keys(Emit *e, const Op *op, const char *keys)
{
    Value *from = op->args[0];
    const Dim *dims[MAX_NEST];
    int n = dims_of(from, dims), bounds = e->hoisted.n, bases = e->bases.n;
    const char *one = one_thread(e, from);
    Phase p;
    if (one)
        open_block(e, "if (%s)", one);
    phase_open(e, &p, op, dims, n);
    phase_lazies(e, &p, &from, 1);
    phase_lanes(e, &p);
    const char *inside = inside_tile(e, from, true), *text = sorted_text(e, op);
    const char *valid = padding_guard(e, from, 1u << op->axis);
    if (inside)
        line(e, "if (%s)", inside);
    if (valid)
        text = arena_printf("%s ? %s : %s", valid, text, last_key(op));
    line(e, "%s%s[%s] = %s;", inside ? "    " : "", keys,
         line_place(e, from, op->axis, type_extent(&from->type, op->axis)), text);
    phase_close(e, &p);
    if (one) {
        close_block(e, "");
        e->hoisted.n = bounds, e->bases.n = bases;
    }
}

/* What a result holds, from the key at its place. */
static const char *result_text(const Op *op, const Value *to, const char *key)
{
    Elem e = op->args[0]->type.elem;
    bool wide = key_bytes(op) == 16;
    if (to != op->results[0])
        return arena_printf(wide ? "(int32_t)%s.place" : "(int32_t)%s", key);
    if (has_places(op))
        key = arena_printf(wide ? "~%s.key" : "key_of_rank<%s>(%s)", wide ? key : unsigned_type(e),
                           key);
    return element_of_key(e, key);
}

/* Gives each thread what it holds of a result, 0 where that is padding. */
static void get_sorted(Emit *e, const Op *op, Value *to, const char *keys)
{
    const Dim *dims[MAX_NEST];
    int n = dims_of(to, dims);
    Phase p;
    ValueMap *m = map_of(web_root(to));
    bool only = !*array_suffix(e, to) && alone(e, to) && !m->declared;
    if (!only)
        declare(e, to);
    m->declared = true;
    phase_open(e, &p, op, dims, n);
    phase_lanes(e, &p);
    const char *valid = padding_guard(e, to, 1u << op->axis);
    const char *guard = and_also(inside_along(e, to, valid ? ~(1u << op->axis) : ~0u, true), valid);
    int64_t line_length = type_extent(&op->args[0]->type, op->axis);
    const char *key = arena_printf("%s[%s]", keys, line_place(e, to, op->axis, line_length));
    const char *text = result_text(op, to, key);
    if (guard)
        text = arena_printf("%s ? %s : %s", guard, text,
                            constant_text(to->type.elem, (Constant){ 0 }).s);
    const char *type = only ? arena_printf("const %s ", device_type(to->type.elem)) : "";
    line(e, "%s%s%s = %s;", type, m->name, index_suffix(e, to), text);
    phase_close(e, &p);
}

/* ---- beside a whole axis --------------------------------------------------------------------- */

/* A loop over what the thread holds of v along the axis, which is all of it; false: one element. */
static bool open_axis(Emit *e, const Value *v, int axis)
{
    const Dim *d = map_of(v)->dim[axis];
    if (!d)
        return false;
    const char *at = e->coordinate[d->id];
    line(e, "#pragma unroll");
    open_block(e, "for (int %s = 0; %s < %lld; %s++)", at, at,
               (long long)type_extent(&v->type, axis), at);
    return true;
}

/* Gives the thread its results from its sorted keys. */
static void take_sorted(Emit *e, const Op *op, Value *to, const char *keys)
{
    const char *at = at_axis(e, to, op->axis), *name = map_of(web_root(to))->name;
    bool loop = open_axis(e, to, op->axis);
    const char *text = result_text(op, to, arena_printf("%s[%s]", keys, at));
    const char *valid = padding_guard(e, to, 1u << op->axis);
    if (valid)
        text = arena_printf("%s ? %s : %s", valid, text,
                            constant_text(to->type.elem, (Constant){ 0 }).s);
    line(e, "%s%s = %s;", name, index_suffix(e, to), text);
    if (loop)
        close_block(e, "");
}

/* Sorts the lines that a thread holds, one after the other. */
static void sort_in_thread(Emit *e, const Op *op)
{
    Value *from = op->args[0];
    const Dim *dims[MAX_NEST], *others[MAX_NEST];
    int n = dims_of(from, dims), kept = 0;
    int64_t length = type_extent(&from->type, op->axis);
    Phase p;
    for (int i = 0; i < n; i++)
        if (dims[i] != map_of(from)->dim[op->axis])
            others[kept++] = dims[i];
    for (int i = 0; i < op->nresults; i++)
        if (map_of(op->results[i])->var)
            declare(e, op->results[i]);
    phase_open(e, &p, op, others, kept);
    phase_lanes(e, &p);
    const char *keys = fresh(e, "keys");
    line(e, "%s %s[%lld];", key_type(op), keys, (long long)length);
    bool loop = open_axis(e, from, op->axis);
    const char *text = sorted_text(e, op), *valid = padding_guard(e, from, 1u << op->axis);
    if (valid)
        text = arena_printf("%s ? %s : %s", valid, text, last_key(op));
    line(e, "%s[%s] = %s;", keys, at_axis(e, from, op->axis), text);
    if (loop)
        close_block(e, "");
    line(e, "sort_here(%s);", keys);
    for (int i = 0; i < op->nresults; i++)
        if (map_of(op->results[i])->var)
            take_sorted(e, op, op->results[i], keys);
    phase_close(e, &p);
}

/* ---- any sort -------------------------------------------------------------------------------- */

/* Sorts the lines of op's operand along its axis into the variables of its results. */
void write_sort(Emit *e, const Op *op)
{
    const Type *type = &op->args[0]->type;
    int64_t n = type_extent(type, op->axis), half = power_above(n) / 2;
    const char *name = map_of(web_root(op->results[map_of(op->results[0])->var ? 0 : 1]))->name;
    if (padding_guard(e, op->results[0], 1u << op->axis))
        note_padding(e, arena_printf("%s: padding is sorted behind the rest, and then 0", name));
    if (beside_whole(op)) {
        sort_in_thread(e, op);
        return;
    }
    const char *keys = shared_array_of(e, arena_printf("%s_keys", name), key_type(op),
                                       static_elements(type), key_bytes(op));
    round_barrier(e, "the last round's keys have been read");
    put_keys(e, op, keys);
    note_barrier(e, "in sort_lines: all keys of a step are written before the next one reads them");
    line(e, "sort_lines<%lld, %lld, %lld, %s>(%s, %s);", (long long)n,
         (long long)(half ? half : 1), (long long)(static_elements(type) / n), threads_of_block(e),
         keys, e->thread);
    for (int i = 0; i < op->nresults; i++)
        if (map_of(op->results[i])->var)
            get_sorted(e, op, op->results[i], keys);
}

/* ---- histogram ------------------------------------------------------------------------------- */

/* Counts the valid elements that the threads hold; each element by one thread. */
static void count_elements(Emit *e, const Op *op, const char *counts, int64_t bins)
{
    Value *from = op->args[0];
    const Dim *dims[MAX_NEST];
    int n = dims_of(from, dims), bounds = e->hoisted.n, bases = e->bases.n;
    const char *one = one_thread(e, from);
    Phase p;
    if (one)
        open_block(e, "if (%s)", one);
    phase_open(e, &p, op, dims, n);
    phase_lazies(e, &p, &from, 1);
    phase_lanes(e, &p);
    const char *guard = valid_guard(e, from, ~0u, true);
    const char *step = arena_printf("count_in<%lld>(%s, %s);", (long long)bins, counts,
                                    element_text(e, from));
    if (guard)
        line(e, "if (%s)", guard);
    line(e, "%s%s", guard ? "    " : "", step);
    phase_close(e, &p);
    if (one) {
        close_block(e, "");
        e->hoisted.n = bounds, e->bases.n = bases;
    }
}

/* Counts op's operand in shared memory, then gives each thread its bins. */
void write_histogram(Emit *e, const Op *op)
{
    Value *to = op->results[0];
    int64_t bins = type_extent(&to->type, 0);
    const Stage stage = stage_rows(&to->type);
    const char *counts =
        shared_array(e, arena_printf("%s_shared", map_of(web_root(to))->name), &stage);
    round_barrier(e, "the last round's counts have been read");
    const char *b = fresh(e, "bin");
    line(e, "for (int %s = %s; %s < %lld; %s += %s)", b, e->thread, b, (long long)bins, b,
         threads_of_block(e));
    line(e, "    %s[%s] = 0;", counts, b);
    barrier(e, "the counts are 0 before anyone counts");
    count_elements(e, op, counts, bins);
    barrier(e, "everything is counted before the counts are read");
    shared_get(e, op, to, &stage, counts, NULL, true);
}
