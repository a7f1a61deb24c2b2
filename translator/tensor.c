/* tensor.c -- contractions on tensor cores: which can be, and what their results are tied to */
/* needs: ties of axes.  gives: OP_RELAYOUT around loads and stores; the side of Dims.  keeps: what
   the program means.
 *
 * The tensor cores of a warp hold 16 rows of a result in one way alone: see `pair` in plan.h. All
 * that is tied to a result is held so too. Loads and stores would move pieces of 8 bytes so; a tile
 * on its way from or to global memory gets a layout of its own, and changes through shared memory.
 */
#include "contraction.h"
#include "layout.h"

enum { SIDE_ROWS = 1, SIDE_COLS = 2 };

/* ---- which contractions ---------------------------------------------------------------------- */

/* Is the extent of an axis a multiple of n? */
static bool multiple(const Type *t, int axis, int64_t n)
{
    return type_extent(t, axis) > 0 && type_extent(t, axis) % n == 0;
}

/* Can tensor cores compute it? All but f32, which they would round; a result of two axes in
   fragments of 16 by 16, and whole products along k. */
static bool fits_tensor_cores(const Op *mma)
{
    const Type *a = &mma->args[0]->type, *r = &mma->results[0]->type;
    if (a->elem == EL_F32)
        return false;
    for (int axis = 0; axis < r->rank - 2; axis++)
        if (!sym_is(r->dim[axis], 1))
            return false;
    return multiple(r, r->rank - 2, 16) && multiple(r, r->rank - 1, 16)
        && multiple(a, a->rank - 1, product_depth(a->elem));
}

/* ---- sides ----------------------------------------------------------------------------------- */

typedef struct { Classes *c; int *side; bool any, no; } Sides;

/* The side of the class of an axis: rows or columns of a result; 0: neither. */
static int side_of(const Sides *s, const Value *v, int axis)
{
    return has_dim(&v->type, axis) ? s->side[find(s->c, node_of(v, axis))] : 0;
}

/* The sides that v has axes of. */
static int sides(const Sides *s, const Value *v)
{
    int all = 0;
    for (int a = 0; v->type.kind == TYPE_TILE && a < v->type.rank; a++)
        all |= side_of(s, v, a);
    return all;
}

/* Notes the axes of one result. */
static void note_sides(Op *op, void *arg)
{
    Sides *s = arg;
    if (op->kind != OP_MMA)
        return;
    const Value *r = op->results[0];
    s->any = true;
    s->no |= !fits_tensor_cores(op);
    for (int i = 0; i < 2; i++)
        s->side[find(s->c, node_of(r, r->type.rank - 2 + i))] |= i ? SIDE_COLS : SIDE_ROWS;
}

/* Does op want its elements in the order of their axis, or all of them in one thread? */
static void note_orders(Op *op, void *arg)
{
    Sides *s = arg;
    bool ordered = op_combines(op) || op->kind == OP_SORT || op->kind == OP_HISTOGRAM
                   || op->kind == OP_PRINT || (op->kind == OP_ATOMIC && op->nresults);
    for (int i = 0; i < op->nargs && ordered; i++)
        s->no |= sides(s, op->args[i]) != 0;
    for (int i = 0; i < op->nresults; i++)
        s->no |= sides(s, op->results[i]) != 0 && ordered;
}

/* Finds the sides of all classes; false: the kernel contracts on CUDA cores. */
static bool find_sides(Sides *s)
{
    const Kernel *k = s->c->k;
    int64_t n;
    ir_walk(k->body, note_sides, s);
    for (int i = 0; i < k->values.n && s->any && !s->no; i++) {
        const Value *v = k->values.at[i];
        for (int a = 0; v->plan && v->type.kind == TYPE_TILE && a < v->type.rank; a++)
            s->no |= !sym_const_of(v->type.dim[a], &n)
                || side_of(s, v, a) == (SIDE_ROWS | SIDE_COLS);
    }
    if (s->any && !s->no)
        ir_walk(k->body, note_orders, s);
    return s->any && !s->no;
}

/* ---- ways to global memory ------------------------------------------------------------------- */

typedef struct { const Value *from; Value *to; } Swap;

/* Makes op use the other value. */
static void use_other(Op *op, void *arg)
{
    const Swap *swap = arg;
    for (int i = 0; i < op->nargs && op != swap->to->def; i++)
        if (op->args[i] == swap->from)
            op->args[i] = swap->to;
}

/* Puts a change of layout between a load or a store and what lies as a result does. */
static void part_access(Op *op, void *arg)
{
    Sides *s = arg;
    if ((!op_reads(op) && !op_writes(op)) || sides(s, op_tile(op)) != (SIDE_ROWS | SIDE_COLS))
        return;
    if (op_writes(op)) {                           /* the tile, and its mask or indices with it */
        for (int i = 1; i < op->nargs; i++)
            if (sides(s, op->args[i]))
                relayout(s->c, op, i);
        return;
    }
    Value *v = op->results[0];
    Op *next = op->next;                           /* there is one: v is tied to something */
    if (!next)
        return;
    Op *change = relayout_of(s->c, next, v);
    ir_walk(s->c->k->body, use_other, &(Swap){ v, change->results[0] });
}

/* Changes the layouts around loads and stores of what is tied to results on tensor cores; false:
   nothing is computed there. All has to be tied again. */
bool part_from_memory(Classes *c)
{
    Sides s = { .c = c, .side = new_array(int, c->room) };
    if (!find_sides(&s))
        return false;
    ir_walk(c->k->body, part_access, &s);
    return true;
}

/* ---- Dims ------------------------------------------------------------------------------------ */

/* Gives the Dims of one result their sides. */
static void mark_result(Op *op, void *arg)
{
    bool *clash = arg;
    if (op->kind != OP_MMA)
        return;
    const Value *r = op->results[0];
    Dim *rows = map_of(r)->dim[r->type.rank - 2], *cols = map_of(r)->dim[r->type.rank - 1];
    *clash |= rows->side == TENSOR_COLS || cols->side == TENSOR_ROWS;
    rows->side = TENSOR_ROWS, cols->side = TENSOR_COLS;
}

/* Gives the Dims of results on tensor cores their sides; false: they clash. */
bool mark_tensor_dims(Plan *p)
{
    bool clash = false;
    ir_walk(p->kernel->body, mark_result, &clash);
    return !clash;
}

/* ---- without them after all ------------------------------------------------------------------ */

/* Takes a change of layout away: its operand serves. */
static void drop_relayout(Op *op, void *arg)
{
    Kernel *k = arg;
    if (op->kind != OP_RELAYOUT)
        return;
    ir_walk(k->body, use_other, &(Swap){ op->results[0], op->args[0] });
    ir_remove(op);
}

/* Takes all changes of layout away, so that layouts can be chosen once more. */
void drop_relayouts(Kernel *k)
{
    ir_walk(k->body, drop_relayout, k);
}
