/* again.c -- rows that are read again after their reduction, rather than held in registers */
/* needs: a body being written.  gives: how each load asks the caches.  keeps: the plan. */
#include "mapping.h"

typedef struct { const Value *tile; int last; } Reader;

/* Is v printed from the tile, through what is no variable? */
static bool printed_from(const Value *v, const Value *tile)
{
    if (v == tile)
        return true;
    if (!v->def || v->type.kind != TYPE_TILE || map_of(v)->var)
        return false;
    for (int i = 0; i < v->def->nargs; i++)
        if (printed_from(v->def->args[i], tile))
            return true;
    return false;
}

/* Notes the last op that a phase is written for and that reads the tile. */
static void note_reader(Op *op, void *arg)
{
    Reader *r = arg;
    bool phase = op->kind == OP_STORE || (op->nresults && map_of(op->results[0])->var);
    for (int i = 0; phase && i < op->nargs; i++)
        if (printed_from(op->args[i], r->tile) && op->number > r->last)
            r->last = op->number;
}

/* A formula over what a program computes, or its place in the grid. */
static bool is_value(Sym atom, void *arg)
{
    (void)arg;
    return atom->kind == SYM_VALUE;
}

/* Do all programs load the same elements? */
static bool same_for_all(const Access *a, int rank)
{
    for (int axis = 0; axis < rank; axis++)
        if (sym_mentions(a->start[axis], is_value, NULL))
            return false;
    return true;
}

/* The function by which a body that reads a row again loads: the caches keep what is still to be
   read, and what all programs read, such as weights; at the last time they give it up. */
const char *hinted_load(Emit *e, const Op *load)
{
    Reader r = { load->results[0], 0 };
    ir_walk(e->k->body, note_reader, &r);
    bool keep = e->root->number < r.last
        || same_for_all(load->access, load->args[0]->type.rank);
    return keep ? "load_keep" : "load_last";
}
