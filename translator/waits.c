/* waits.c -- which accesses of a program wait for earlier ones of its other threads */
/* needs: a body being written.  gives: barriers.  keeps: the plan. */
#include "mapping.h"
#include <stdlib.h>
#include <string.h>

/* ---- loads and stores ------------------------------------------------------------------------ */

/* Zero for what a loop changes, the atom itself for what it does not. */
static Sym without_varying(Sym atom, void *arg)
{
    (void)arg;
    if (atom->kind != SYM_VALUE)
        return atom;
    const Value *v = atom->value;
    for (const Block *b = v->def ? v->def->block : v->block; b && b->parent; b = b->parent->block)
        if (b->parent->kind != OP_IF)
            return sym_const(0);
    return atom;
}

/* Are the elements of the access in any two rounds of a loop the same, or none the same? Windows
   that a loop moves by less than their extent overlap. */
static bool rounds_apart(const Op *op)
{
    const Access *a = op->access;
    for (int axis = 0; axis < op->args[0]->type.rank; axis++) {
        Sym moves = sym_sub(a->start[axis], sym_replace(a->start[axis], without_varying, NULL));
        int64_t n = 1;
        if (a->map[axis] >= 0)
            sym_const_of(op_tile(op)->type.dim[a->map[axis]], &n);
        if (!sym_divides(n * a->step[axis], moves))
            return false;
    }
    return true;
}

/* Does each thread touch the same elements in both? Then program order is enough. Threads that hold
   copies of a tile all load it, and one of them stores it. */
static bool same_threads(Emit *e, const Op *a, const Op *b)
{
    const Access *x = a->access, *y = b->access;
    for (int i = 0; i < 2; i++)
        if ((i ? b : a)->kind != OP_LOAD && (i ? b : a)->kind != OP_STORE)
            return false;                          /* whose element that is, the indices say */
    if (a->kind != b->kind && one_thread(e, op_tile(a)))
        return false;
    return rounds_apart(a) && !memcmp(x->start, y->start, sizeof x->start)
        && !memcmp(x->step, y->step, sizeof x->step) && !memcmp(x->map, y->map, sizeof x->map)
        && !memcmp(map_of(op_tile(a))->dim, map_of(op_tile(b))->dim,
                   sizeof map_of(op_tile(a))->dim);
}

/* What of a formula a loop changes. */
static Sym varying(Sym s)
{
    return sym_sub(s, sym_replace(s, without_varying, NULL));
}

/* Along one axis, do both never touch the same element: in one round of all loops around them, or
   in any two? */
static bool apart_along(const Op *a, const Op *b, int axis, bool one_round)
{
    int64_t span[2] = { 1, 1 }, n, k;
    const Op *const ops[] = { a, b };
    for (int i = 0; i < 2; i++)
        if (ops[i]->access->map[axis] >= 0) {
            if (!sym_const_of(op_tile(ops[i])->type.dim[ops[i]->access->map[axis]], &n))
                return false;
            span[i] = ops[i]->access->step[axis] * n;
        }
    if (!sym_const_of(sym_sub(b->access->start[axis], a->access->start[axis]), &k))
        return false;
    return (one_round || sym_is(varying(a->access->start[axis]), 0))
        && (k >= span[0] || -k >= span[1]);
}

/* Do both touch different parts of the tensor? Then neither waits for the other. */
static bool apart(const Op *a, const Op *b, bool one_round)
{
    for (int axis = 0; axis < a->args[0]->type.rank; axis++)
        if (apart_along(a, b, axis, one_round))
            return true;
    return false;
}

/* Is the atom made anew in each round of the loop? Its index is not meant. */
bool made_inside(Sym atom, void *arg)
{
    const Op *loop = arg;
    if (atom->kind != SYM_VALUE || atom->value == loop->region[0]->args[0])
        return false;
    const Value *v = atom->value;
    for (const Block *b = v->def ? v->def->block : v->block; b && b->parent; b = b->parent->block)
        if (b->parent == loop)
            return true;
    return false;
}

/* The index of the loop, one further: rounds are at least that far apart. */
static Sym one_further(Sym atom, void *arg)
{
    const Op *loop = arg;
    if (atom->kind != SYM_VALUE || atom->value != loop->region[0]->args[0])
        return atom;
    return sym_add(atom, sym_const(1));
}

/* Do both touch the same part in a round of the loop, and another one in every other round? */
static bool rounds_differ(const Op *loop, const Op *a, const Op *b)
{
    const Op *step = loop->kind == OP_FOR ? loop->args[2]->def : NULL;
    const int64_t by = step && step->kind == OP_CONST ? step->constant.i : 1;
    for (int axis = 0; loop->kind == OP_FOR && axis < a->args[0]->type.rank; axis++) {
        Sym start = a->access->start[axis];
        int64_t span[2] = { 1, 1 }, k, n;
        const Op *const ops[] = { a, b };
        for (int i = 0; i < 2; i++)
            if (ops[i]->access->map[axis] >= 0)
                span[i] = sym_const_of(op_tile(ops[i])->type.dim[ops[i]->access->map[axis]], &n)
                              ? ops[i]->access->step[axis] * n : INT64_MAX;
        if (start != b->access->start[axis] || sym_mentions(start, made_inside, (void *)loop))
            continue;
        if (sym_const_of(sym_sub(sym_replace(start, one_further, (void *)loop), start), &k)
            && llabs(k * by) >= (span[0] > span[1] ? span[0] : span[1]))
            return true;
    }
    return false;
}

/* Adds op to what was touched; loop: in an earlier round of this one, or NULL. */
static void touch(Touched *t, const Op *op, const Op *loop)
{
    for (int i = 0; i < t->at.n; i++)
        if (t->at.at[i].op == op && t->at.at[i].loop == loop)
            return;
    push(&t->at, ((struct Touch){ op, loop }));
}

/* Both: what was touched on either of two ways to here. */
Touched either_way(Touched a, Touched b)
{
    Touched all = { 0 };
    for (int i = 0; i < a.at.n; i++)
        touch(&all, a.at.at[i].op, a.at.at[i].loop);
    for (int i = 0; i < b.at.n; i++)
        touch(&all, b.at.at[i].op, b.at.at[i].loop);
    return all;
}

/* A barrier before op if another thread of the program may have touched the same elements. */
void wait_for_others(Emit *e, const Op *op)
{
    bool clash = false;
    for (int i = 0; i < e->touched.at.n; i++) {
        const Op *other = e->touched.at.at[i].op, *loop = e->touched.at.at[i].loop;
        clash |= must_order(other, op) && !same_threads(e, other, op) && !apart(other, op, !loop)
                 && !(loop && rounds_differ(loop, other, op));
    }
    if (clash) {
        if (e->body->threads > 32)
            barrier(e, "the program's earlier accesses to this tensor are done");
        else if (e->body->threads > 1)
            line(e, "__syncwarp();   // the program's earlier accesses to this tensor are done");
        e->touched = (Touched){ 0 };
    }
    touch(&e->touched, op, NULL);
}

typedef struct { Emit *e; const Op *loop; } Rounds;

static void touch_before(Op *op, void *arg)
{
    const Rounds *r = arg;
    if (op_reads(op) || op_writes(op))
        touch(&r->e->touched, op, r->loop);
}

/* Takes the accesses of a loop for ones since the last barrier: they come round again. */
void touch_rounds(Emit *e, const Op *loop)
{
    Rounds r = { e, loop };
    for (int i = 0; i < loop->nregions; i++)
        ir_walk(loop->region[i], touch_before, &r);
}

/* ---- operands of contractions, staged in shared memory --------------------------------------- */

/* Is there a contraction that reads what is staged before op, and just before which nothing else is
   staged? Otherwise all of them read after another barrier, the one that ends their own staging. */
bool staging_ends_in_barrier(const Emit *e, const Op *op)
{
    for (int i = 0; i < e->readers.n; i++) {
        const StagedFor *r = &e->readers.at[i];
        bool later = false;
        for (int k = 0; k < e->staged.n; k++)
            later |= r->mma != op && e->staged.at[k].anchor == r->mma;
        if (e->staged.at[r->stage].anchor == op && !e->staged.at[r->stage].loop && !later)
            return true;
    }
    return false;
}

/* Until which op is needed what is staged before op? 0: nothing is. */
static int needed_until(const Emit *e, const Op *op)
{
    int last = 0;
    for (int i = 0; i < e->staged.n; i++)
        if (e->staged.at[i].anchor == op && !e->staged.at[i].loop && e->staged.at[i].last > last)
            last = e->staged.at[i].last;
    return last;
}

/* Have all who read the operand that lies in this array been at another staging's barrier since, in
   the same block, and those who wrote it? A loop that ran no round has no barrier, and what is
   being staged now has none yet. */
bool staging_is_over(const Emit *e, const char *array)
{
    bool over = false;
    for (int i = 0; i < e->readers.n; i++) {
        const StagedFor *r = &e->readers.at[i];
        const char *name = e->staged.at[r->stage].array;
        if (!name || strcmp(name, array))
            continue;
        over = false;
        if (!e->staged.at[r->stage].loop && e->staged.at[r->stage].anchor->block != r->mma->block)
            return false;
        const Op *at = r->mma->next;
        for (; at && at->number < e->root->number && !over; at = at->next)
            over = needed_until(e, at) && staging_ends_in_barrier(e, at);
        if (!over)
            return false;
    }
    return over;
}

/* Sets *arg, a bool, if op leaves a round early. */
void note_leave(Op *op, void *arg)
{
    bool *leaves = arg;
    *leaves |= op->kind == OP_BREAK || op->kind == OP_CONTINUE;
}

/* Does whoever read what is staged before op always come to a later barrier, of another staging?
   Then the next round may write at once. */
bool staging_waits_later(const Emit *e, const Op *op)
{
    const int last = needed_until(e, op);
    for (const Op *at = op; at; at = at->next) {
        bool leaves = false;
        if (at->number > last && needed_until(e, at) && staging_ends_in_barrier(e, at))
            return true;
        for (int r = 0; r < at->nregions; r++)
            ir_walk(at->region[r], note_leave, &leaves);
        note_leave((Op *)at, &leaves);
        if (leaves)
            return false;
    }
    return false;
}
