/* fills.c -- what loads put past the end of a whole axis, so that reductions need no mask */
#include "mapping.h"
#include <math.h>

typedef struct { const Plan *plan; int masks; Op *load; } Trying;

/* What a load puts past the end of a whole axis; NULL: the pad that the program says. */
const Constant *fill_of(const Op *load, void *arg)
{
    (void)arg;
    const ValueMap *m = map_of(load->results[0]);
    return m->has_fill ? &m->fill : NULL;
}

/* Does v lie along a whole axis, one of these? */
static bool along_whole(const Value *v, uint32_t axes)
{
    for (int a = 0; a < v->type.rank; a++)
        if (axes >> a & 1 && map_of(v)->dim[a] && map_of(v)->dim[a]->whole)
            return true;
    return false;
}

/* Is what lies past the end of a member of a fold or scan its init? */
static bool is_init_of(const Op *op, int i)
{
    const Op *init = op->args[op_members(op) + i]->def;
    Pad pad = pad_along(op->args[i], op->reduce_axes, fill_of, NULL);
    return init && init->kind == OP_CONST && pad.kind == PAD_CONST
           && pad.value.u == init->constant.u;
}

/* Counts a reduction that would need a mask with the fills of now. */
static void count_masks(Op *op, void *arg)
{
    Trying *t = arg;
    if (op->kind == OP_REDUCE && along_whole(op->args[0], op->reduce_axes))
        t->masks += !pad_is_identity(pad_along(op->args[0], op->reduce_axes, fill_of, NULL),
                                     op->reduce, op->args[0]->type.elem);
    if (op_combines(op) && along_whole(op->args[0], op->reduce_axes))
        for (int i = 0; i < op_members(op); i++)
            t->masks += !is_init_of(op, i);
}

/* How many reductions need a mask with the fills of now. */
static int masks(const Plan *p)
{
    Trying t = { .plan = p };
    ir_walk(p->kernel->body, count_masks, &t);
    return t.masks;
}

/* The values worth trying: identities of sum, max, min and prod. */
static Constant candidate(Elem e, int i)
{
    if (elem_is_float(e))
        return (Constant){ .f = i == 0 ? 0 : i == 1 ? -INFINITY : i == 2 ? INFINITY : 1 };
    int64_t high =
        elem_info[e].class == CLASS_UNSIGNED ? -1 : INT64_MAX >> (64 - 8 * elem_info[e].bytes);
    int64_t low = elem_info[e].class == CLASS_UNSIGNED || e == EL_BOOL ? 0 : -high - 1;
    Constant c = { .i = i == 0 ? 0 : i == 1 ? low : i == 2 ? (e == EL_BOOL ? 1 : high) : 1 };
    return elem_info[e].class == CLASS_UNSIGNED ? round_to_elem(e, c) : c;
}

/* Gives a load along a whole axis its best fill, the others as they are. */
static void choose(Op *op, void *arg)
{
    const Plan *p = arg;
    if (!op_reads(op) || !along_whole(op->results[0], ~0u))
        return;
    ValueMap *m = map_of(op->results[0]);
    int best = -1, fewest = 0;
    m->has_fill = true;
    for (int i = 0; i < 4; i++) {
        m->fill = candidate(op->results[0]->type.elem, i);
        int n = masks(p);
        if (best < 0 || n < fewest)
            best = i, fewest = n;
    }
    m->fill = candidate(op->results[0]->type.elem, best);
}

/* Counts the reductions along a whole axis. */
static void count_needs(Op *op, void *arg)
{
    Trying *t = arg;
    t->masks += (op->kind == OP_REDUCE || op_combines(op))
                && along_whole(op->args[0], op->reduce_axes);
}

/* Chooses for each load along a whole axis the fill that leaves the fewest reductions
   with a mask. */
void choose_fills(const Plan *p)
{
    Trying t = { .plan = p };
    ir_walk(p->kernel->body, count_needs, &t);
    for (int i = 0; i < p->kernel->values.n; i++)
        if (p->kernel->values.at[i]->plan)
            map_of(p->kernel->values.at[i])->has_fill = false;
    if (t.masks)
        ir_walk(p->kernel->body, choose, (void *)p);
}
