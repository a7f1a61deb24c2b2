/* unused.c -- drops operations whose results nobody uses */
/* needs: valid IR.  gives: fewer ops, uses counted.  keeps: everything else. */
#include "ir.h"

/* ---- what an op uses ------------------------------------------------------------------------- */

/* Adds `by` to the uses of the values that a formula mentions. */
typedef struct { int by; } Count;
/* Counts a value that a Sym mentions as used, or no longer used. */
static bool count_atom(Sym atom, void *arg)
{
    if (atom->kind == SYM_VALUE)
        ((Value *)atom->value)->uses += ((Count *)arg)->by;
    return false;
}

/* What a dropped op used is used less. */
static void unuse(Op *op)
{
    Count count = {-1};
    for (int i = 0; i < op->nargs; i++)
        op->args[i]->uses--;
    if (op->kind == OP_SYM)
        sym_mentions(op->sym, count_atom, &count);
    for (int a = 0; op->access && a < MAX_RANK; a++) {
        const Sym syms[] = {op->access->start[a], op->access->lo[a], op->access->hi[a]};
        for (int i = 0; i < 3; i++)
            if (syms[i])
                sym_mentions(syms[i], count_atom, &count);
    }
}

/* ---- what must stay -------------------------------------------------------------------------- */

/* Notes an effect: a store, a print, or a way out of more than the op's own regions. */
static void find_effect(Op *op, void *found)
{
    if (op_writes(op) || op->kind == OP_RETURN || op->kind == OP_WHILE || op->kind == OP_PRINT
        || op->kind == OP_ASSERT)
        *(bool *)found = true;
}

/* Does a block break or continue a loop around it? */
static bool jumps(const Block *b)
{
    for (const Op *op = b->first; op; op = op->next) {
        if (op->kind == OP_BREAK || op->kind == OP_CONTINUE)
            return true;
        for (int r = 0; op->kind == OP_IF && r < op->nregions; r++)
            if (jumps(op->region[r]))
                return true;
    }
    return false;
}

/* Must the op stay even if nobody uses its results? A while may never end. */
static bool has_effect(Op *op)
{
    bool found = false;
    switch ((int)op->kind) {
    case OP_SYM:
        return op->names;
    case OP_STORE: case OP_SCATTER: case OP_ATOMIC: case OP_YIELD: case OP_BREAK:
    case OP_CONTINUE: case OP_RETURN: case OP_WHILE: case OP_PRINT: case OP_ASSERT:
        return true;
    case OP_IF: case OP_FOR:
        for (int r = 0; r < op->nregions; r++) {
            ir_walk(op->region[r], find_effect, &found);
            found = found || (op->kind == OP_IF && jumps(op->region[r]));
        }
    }
    return found;
}

/* Is some result used? */
static bool is_used(const Op *op)
{
    for (int i = 0; i < op->nresults; i++)
        if (op->results[i]->uses > 0)
            return true;
    return false;
}

/* ---- dropping -------------------------------------------------------------------------------- */

/* What an op that is dropped has in its regions is not used any more either. */
static void unuse_inside(Op *op, void *arg)
{
    (void)arg;
    unuse(op);
}

/* An atomic whose old values nobody uses gives none: memory need not send them back. */
static void drop_old(Op *op)
{
    if (op->kind == OP_ATOMIC && !is_used(op))
        op->nresults = 0;
}

/* Drops the ops of a block whose results nobody uses, from the last to the first. */
static void sweep(Block *b)
{
    for (Op *op = b->last, *before; op; op = before) {
        before = op->prev;
        if (!is_used(op) && !has_effect(op)) {
            unuse(op);
            for (int r = 0; r < op->nregions; r++)
                ir_walk(op->region[r], unuse_inside, NULL);
            ir_remove(op);
            continue;
        }
        drop_old(op);
        for (int r = op->nregions - 1; r >= 0; r--)
            sweep(op->region[r]);
    }
}

/* Drops from a kernel what neither a store nor the way through the program needs. */
void drop_unused(Kernel *k)
{
    ir_count_uses(k);
    sweep(k->body);
    ir_count_uses(k);
}
