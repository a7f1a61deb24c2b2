/* mma.c -- contractions on CUDA cores: each thread its own elements, step by step along k */
/* needs: operands in shared memory.  gives: CUDA C.  keeps: the plan.
 *
 *            cols of the thread         For each k the thread reads its rows of a and its columns
 *                 b_k[..]               of b into registers, and adds all their products. Which
 *     rows       +-------+              elements are its own is the layout of the result, so that
 *     a_k[..]    |  acc  |              an accumulator that a loop carries stays where it is.
 *                +-------+
 */
#include "contraction.h"
#include <string.h>

/* The type in which the products are added. */
Elem mma_computes(const Op *op)
{
    const Elem to = op->results[0]->type.elem;
    return to == EL_F16 ? EL_F32 : to;
}

/* A tile that has axes of the result only where `axes` says, as the result is held. */
static Value *slice_of(const Value *like, uint32_t axes, Elem elem, const char *name)
{
    Value *v = new(Value);
    *v = *like;
    v->def = NULL, v->name = NULL;
    v->type.elem = elem;
    v->plan = new(ValueMap);
    *map_of(v) = (ValueMap){ .var = true, .web = v, .name = name, .declared = true };
    for (int a = 0; a < like->type.rank; a++)
        if (axes >> a & 1)
            map_of(v)->dim[a] = map_of(like)->dim[a];
        else
            v->type.dim[a] = sym_const(1);
    return v;
}

/* The axes of the result along which an operand has elements of its own. */
static uint32_t own_axes(const Op *op, int side)
{
    const Value *v = op->args[side];
    const int rank = op->results[0]->type.rank, more = rank - v->type.rank;
    uint32_t axes = 1u << (rank - (side ? 1 : 2));
    for (int a = 0; a < v->type.rank - 2; a++)
        if (!sym_is(v->type.dim[a], 1))
            axes |= 1u << (a + more);
    return axes;
}

/* ---- what a thread needs for one k ----------------------------------------------------------- */

/* One operand as it is read: where it lies, its axis along k, the name of the step along k. */
typedef struct { const Staged *staged; int axis; const char *k; } Side;

/* The place in shared memory of the operand's element for k, as the nest stands. */
static const char *place_text(Emit *e, const Side *side, const Value *part, bool lanes)
{
    const Staged *s = side->staged;
    const int more = part->type.rank - s->v->type.rank;
    const char *text = NULL;
    for (int a = 0; a < s->v->type.rank; a++) {
        const Dim *d = a == side->axis ? NULL : map_of(part)->dim[a + more];
        const int64_t stride = staged_stride(s, a);
        const char *at = a == side->axis ? sym_is(s->v->type.dim[a], 1) ? NULL : side->k
                       : d ? e->coordinate[d->id] : NULL;
        if (!at)
            continue;
        if (d && lanes && has_lanes(e, d))
            at = arena_printf(stride == 1 ? "%s + %s" : "(%s + %s)", at, e->lane);
        if (stride != 1)
            at = arena_printf("%s * %lld", at, (long long)stride);
        text = text ? arena_printf("%s + %s", text, at) : at;
    }
    return text ? text : "0";
}

/* Reads W neighbours at once, and converts them if they are added in another type. */
static void read_vector(Emit *e, Phase *p, const Side *side, const Value *part)
{
    const Staged *s = side->staged;
    const Elem from = s->v->type.elem, to = part->type.elem;
    const bool same = !strcmp(device_type(from), device_type(to));
    const char *at = arena_printf("&%s[%s]", s->name, place_text(e, side, part, false));
    const char *guard = inside_tile(e, part, false);
    const char *zero = constant_text(from, (Constant){ 0 }).s;
    const char *into = arena_printf("%s%s", map_of(part)->name, vector_suffix(e, part));
    if (!same) {
        into = fresh(e, arena_printf("%s_packed", s->base));
        line(e, "%s %s[%s];", device_type(from), into, e->w);
    }
    if (guard)
        line(e, "if (%s)", guard);
    line(e, "%sload_vec(%s, %s);", guard ? "    " : "", into, at);
    if (guard) {
        line(e, "else");
        line(e, "    fill_vec(%s, %s);", into, zero);
    }
    if (same)
        return;
    phase_lanes(e, p);
    line(e, "%s%s = %s;", map_of(part)->name, index_suffix(e, part),
         cast_text(from, to, (Ex){ arena_printf("%s[%s]", into, e->lane), 0 }).s);
}

/* Reads what the thread needs of one operand for k into a register array, and returns that. */
static const Value *read_part(Emit *e, const Op *op, int side, const char *k)
{
    const Staged *s = staged_of(e, op, side);
    const Side read = { s, k_axis(s->v, side), k };
    const Elem from = s->v->type.elem, to = mma_computes(op);
    const char *name = fresh(e, arena_printf("%s_%s", s->base, k));
    const Value *part = slice_of(op->results[0], own_axes(op, side), to, name);
    const Dim *dims[MAX_NEST];
    int n = dims_of(part, dims);
    Phase p;
    line(e, "%s %s%s;", device_type(to), name, array_suffix(e, part));
    phase_open(e, &p, op, dims, n);
    const Dim *inner = s->inner == read.axis ? NULL : dims[n - 1];
    const int64_t extent = type_extent(&s->v->type, s->inner);
    if (inner && has_lanes(e, inner) && extent % spread_of(e, inner)->vector == 0) {
        read_vector(e, &p, &read, part);
    } else {
        phase_lanes(e, &p);
        const char *guard = inside_tile(e, part, true);
        const char *x = cast_text(from, to, (Ex){ arena_printf("%s[%s]", s->name,
                                  place_text(e, &read, part, true)), 0 }).s;
        const char *zero = constant_text(to, (Constant){ 0 }).s;
        line(e, guard ? "%s%s = %s ? %s : %s;" : "%s%s = %.0s%s;", name, index_suffix(e, part),
             guard ? guard : "", x, zero);
    }
    phase_close(e, &p);
    return part;
}

/* ---- the products ---------------------------------------------------------------------------- */

/* acc + a * b: one rounding for floats, which mma may, wrapping for integers. */
static const char *step_text(Elem elem, const char *acc, const char *a, const char *b)
{
    if (elem_is_float(elem))
        return arena_printf(elem == EL_F64 ? "fma(%s, %s, %s)" : "fmaf(%s, %s, %s)", a, b, acc);
    return arena_printf("add_wrap<%s>(%s, %s * %s)", device_type(elem), acc, a, b);
}

/* How many steps along k are written out in a row: few enough that nvcc stays quick, and that
   what they read fits the registers beside the rest. */
static int steps_in_a_row(const Emit *e, const Op *op)
{
    enum { PRODUCTS = 256 };
    int64_t held = elements_held(e->body, op->results[0]), k = contracted(op);
    int steps = e->body->threads > 512 ? 2 : 8;
    while (steps > 1 && (held * steps > PRODUCTS || k % steps != 0))
        steps /= 2;
    return steps;
}

/* Asks nvcc to write out that many steps; fewer in the fallback of single elements, whose long code
   would take nvcc longest. */
static void unroll_steps(Emit *e, int steps)
{
    if (e->plan->vectors.n && steps > 2)
        line(e, "#pragma unroll (%s > 1 ? %d : 2)", e->w, steps);
    else
        line(e, "#pragma unroll %d", steps);
}

/* The loop along k. */
static void write_steps(Emit *e, const Op *op, const Value *acc)
{
    const Dim *dims[MAX_NEST];
    int n = dims_of(acc, dims), scope = e->names.used.n;
    const char *k = fresh(e, "k");
    Phase p;
    line(e, "// for each %s: this thread's rows of %s times its columns of %s", k,
         staged_of(e, op, 0)->base, staged_of(e, op, 1)->base);
    unroll_steps(e, steps_in_a_row(e, op));
    open_block(e, "for (int %s = 0; %s < %lld; %s++)", k, k, (long long)contracted(op), k);
    const Value *a = read_part(e, op, 0, k), *b = read_part(e, op, 1, k);
    phase_open(e, &p, op, dims, n);
    phase_lanes(e, &p);
    const char *sum = arena_printf("%s%s", map_of(acc)->name, index_suffix(e, acc));
    line(e, "%s = %s;", sum,
         step_text(acc->type.elem, sum, arena_printf("%s%s", map_of(a)->name, index_suffix(e, a)),
                   arena_printf("%s%s", map_of(b)->name, index_suffix(e, b))));
    phase_close(e, &p);
    close_block(e, "");
    e->names.used.n = scope;
}

/* Gives each element of `to` that of `from` in its own type; NULL: zero. */
static void convert(Emit *e, const Op *op, const Value *to, Value *from)
{
    const Dim *dims[MAX_NEST];
    int n = dims_of(to, dims);
    const Elem elem = to->type.elem;
    Phase p;
    phase_open(e, &p, op, dims, n);
    if (from)
        phase_lazies(e, &p, &from, 1);
    phase_lanes(e, &p);
    const char *x = from ? cast_text(from->type.elem, elem, element(e, from)).s
                         : constant_text(elem, (Constant){ 0 }).s;
    line(e, "%s%s = %s;", map_of(to)->name, index_suffix(e, to), x);
    phase_close(e, &p);
}

/* Adds the products to the accumulator, in the variable of the result. */
void write_mma(Emit *e, const Op *op)
{
    Value *r = op->results[0], *from = op->nargs > 2 ? op->args[2] : NULL;
    const Elem elem = mma_computes(op);
    const char *name = map_of(web_root(r))->name;
    const bool wider = elem != r->type.elem;
    const bool in_place = from && map_of(from)->var && web_root(from) == web_root(r);
    declare(e, r);
    if (wider) {
        name = fresh(e, arena_printf("%s_sum", name));
        line(e, "%s %s%s;", device_type(elem), name, array_suffix(e, r));
    }
    Value *acc = slice_of(r, ~0u, elem, name);
    if (wider || !in_place)
        convert(e, op, acc, from);
    if (e->body->boxes)
        write_wgmma(e, op, acc);
    else if (e->plan->tensor)
        write_fragments(e, op, acc);
    else
        write_steps(e, op, acc);
    if (wider) {
        Value *to = slice_of(r, ~0u, r->type.elem, map_of(web_root(r))->name);
        convert(e, op, to, acc);
    }
}
