/* place.c -- which values become C variables, and their names */
/* needs: layouts.  gives: var, web and name of every value, for one body.  keeps: the IR. */
#include "mapping.h"
#include <string.h>

/* Numbers ops in program order, from n on; an op's regions come between its number and its last. */
static int number_block(const Block *b, int n)
{
    for (Op *op = b->first; op; op = op->next) {
        op->number = n++;
        for (int r = 0; r < op->nregions; r++)
            n = number_block(op->region[r], n);
        op->last_number = n - 1;
    }
    return n;
}

/* ---- what must have a name ------------------------------------------------------------------- */

/* Notes a value that a Sym mentions. */
static bool mark_atom(Sym atom, void *arg)
{
    (void)arg;
    if (atom->kind == SYM_VALUE && ((Value *)atom->value)->plan)
        map_of(atom->value)->in_sym = true;
    return false;
}

/* Notes the values that formulas of op mention. */
static void mark_syms(Op *op, void *arg)
{
    op_atoms(op, mark_atom, arg);
}

/* Notes the tensor of which a value is an index tile. */
static void mark_indices(Op *op, void *arg)
{
    (void)arg;
    for (int i = 2; i < op->nargs && op_is_index(op, i); i++) {
        const Value *v = op->args[i];
        while (v->def && is_view(v) && v->def->nargs)
            v = v->def->args[0];
        if (v->plan)
            map_of(v)->places_of = op->args[0];
    }
}

/* Is op the elementwise operation of that name? */
bool is_row(const Op *op, const char *name)
{
    return op && op->kind == OP_ELEM && !strcmp(op->row->name, name);
}

/* Marks v, or what it is printed from, as reaching a sum. */
static void mark_feeding(Value *v)
{
    Op *op = v->def;
    if (!op || !v->plan || map_of(v)->feeds_sum)
        return;
    map_of(v)->feeds_sum = true;
    bool through = op->kind == OP_BROADCAST || op->kind == OP_EXPAND || op->kind == OP_SQUEEZE
                   || op->kind == OP_KEEP || op->kind == OP_FILL || op->kind == OP_SELECT
                   || op->kind == OP_RELAYOUT || op->kind == OP_RESHAPE || is_row(op, "neg")
                   || op->kind == OP_PERMUTE || op->kind == OP_FLIP || op->kind == OP_EXTRACT
                   || op->kind == OP_CAT
                   || op->kind == OP_FOR || op->kind == OP_WHILE;
    for (int i = 0; through && i < op->nargs; i++)
        mark_feeding(op->args[i]);
    for (int r = 0; op->kind != OP_ELEM && r < op->nregions; r++) {
        Op *last = op->region[r]->last;
        for (int i = 0; last && last->kind == OP_YIELD && i < last->nargs; i++)
            mark_feeding(last->args[i]);
    }
}

/* A product that reaches an addition is written with an intrinsic that the compiler cannot fuse. */
static void mark_sums(Op *op, void *arg)
{
    (void)arg;
    bool adds = is_row(op, "add") || is_row(op, "sub")
        || (op->kind == OP_REDUCE && (op->reduce == REDUCE_SUM || op->reduce == REDUCE_MEAN))
        || op_combines(op);
    for (int i = 0; adds && i < op->nargs; i++)
        mark_feeding(op->args[i]);
    for (int i = 0; op_combines(op) && i < op->region[0]->last->nargs; i++)
        mark_feeding(op->region[0]->last->args[i]);    /* of the next application */
    Block *body = op->kind == OP_FOR || op->kind == OP_WHILE ? op->region[op->nregions - 1] : NULL;
    if (body && body->last && body->last->kind == OP_YIELD)
        for (int i = 0; i < body->last->nargs; i++)
            if (!body->last->args[i]->type.rank || elem_is_float(body->last->args[i]->type.elem))
                mark_feeding(body->last->args[i]);
}

/* ---- variables ------------------------------------------------------------------------------- */

/* Is v printed through to its operand, or as a number or coordinate? */
bool is_view(const Value *v)
{
    if (!v->def)
        return false;
    switch (v->def->kind) {
    case OP_CONST: case OP_HAS: case OP_BROADCAST: case OP_EXPAND: case OP_SQUEEZE:
    case OP_KEEP: case OP_COORD: case OP_IOTA:
        return true;
    case OP_PERMUTE: case OP_RESHAPE:
        return v->def->renames;
    default:
        return false;
    }
}

/* Is v, in a streaming body, computed again in each phase? */
bool is_lazy(const Emit *e, const Value *v)
{
    if (!e->stream || !v->plan || v->type.kind != TYPE_TILE)
        return false;
    for (int a = 0; a < v->type.rank; a++)
        if (map_of(v)->dim[a] && spread_of(e, map_of(v)->dim[a])->loops)
            return true;
    return false;
}

/* How many axes of v are spread over threads or repeats. */
int dim_count(const Value *v)
{
    int n = 0;
    for (int a = 0; a < v->type.rank; a++)
        n += map_of(v)->dim[a] != NULL;
    return n;
}

/* Does v have as many Dims as the largest tile of its space? Others take few registers. */
bool is_full(const Emit *e, const Value *v)
{
    int mine = dim_count(v), all = 0, space = -1;
    for (int a = 0; a < v->type.rank; a++)
        if (map_of(v)->dim[a])
            space = map_of(v)->dim[a]->space;
    for (int i = 0; i < e->plan->dims.n; i++)
        all += e->plan->dims.at[i]->space == space;
    return mine > 0 && mine == all;
}

/* Is v used in another block, or once for each place of a longer tile? */
static bool used_often(Placing *p, const Value *v, const Value *through)
{
    Users *users = &p->users[through->id];
    for (int i = 0; i < users->at.n; i++) {
        const Op *op = users->at.at[i];
        if (op->block != v->def->block)
            return true;
        if (op->nresults == 1 && is_view(op->results[0])
            && (dim_count(op->results[0]) > dim_count(v) || used_often(p, v, op->results[0])))
            return true;
    }
    return false;
}

/* How many places print v, through views. */
static int printed(Placing *p, const Value *v)
{
    int n = 0;
    Users *users = &p->users[v->id];
    for (int i = 0; i < users->at.n; i++) {
        const Op *op = users->at.at[i];
        n += op->nresults == 1 && is_view(op->results[0]) ? printed(p, op->results[0]) : 1;
        for (int j = 2; j < op->nargs && op_is_index(op, j); j++)
            n += op->args[j] == v;                 /* in its address, and in its guard */
    }
    return n;
}

/* What a value that is computed again would take: operations, and the narrow tiles
   that it reads. */
typedef struct { int ops; const Value *from; bool no; } Again;

/* Adds what v takes to compute again; a->no: it is not worth it. */
static void count_again(const Emit *e, const Value *v, Again *a)
{
    const Op *op = v->def;
    if (op && op_reads(op) && !map_of(v)->var) {
        a->no |= a->from != NULL;                /* loaded late: with it comes what is made of it */
        a->from = v;
        return;
    }
    if (map_of(v)->var || !op) {
        bool narrow = op && elem_info[v->type.elem].bytes <= 2 && is_full(e, v);
        a->no |= is_full(e, v) && (!narrow || (a->from && a->from != v));
        a->from = narrow ? v : a->from;
        return;
    }
    static const char *const quick[] = { "add", "sub", "mul", "neg" };
    bool easy = is_view(v) || op->kind == OP_CAST;
    for (int i = 0; i < 4; i++)
        easy |= is_row(op, quick[i]);
    a->ops += !is_view(v);
    a->no |= !easy;
    for (int i = 0; i < op->nargs && !a->no; i++)
        count_again(e, op->args[i], a);
}

/* Is v worth computing again in each phase, from a 16-bit tile that stays packed in registers? It
   takes half of them, so that twice as many loads are in flight. */
static bool better_again(const Emit *e, const Value *v)
{
    Again a = { 0 };
    if (v->type.elem != EL_F32 || !is_full(e, v) || map_of(v)->in_sym)
        return false;
    for (int i = 0; i < v->def->nargs; i++)
        count_again(e, v->def->args[i], &a);
    return !a.no && a.from && a.ops < 3 && (v->def->kind == OP_CAST || is_row(v->def, "sub")
                                            || is_row(v->def, "add") || is_row(v->def, "mul"));
}

/* The op that prints v, through views and what is not a variable; NULL if there are several. */
static const Op *only_printer(Placing *p, const Value *v)
{
    Users *users = &p->users[v->id];
    if (users->at.n != 1)
        return NULL;
    const Op *op = users->at.at[0];
    bool through = op->nresults == 1 && !op->nregions && op->kind != OP_REDUCE && !is_move(op)
                   && op->kind != OP_GATHER && op->kind != OP_ATOMIC && op->kind != OP_MMA
                   && !op_combines(op->block->parent);
    return through ? only_printer(p, op->results[0]) : op;
}

/* Is v a load that one statement reads after a reduction, like the weights of a norm? It is loaded
   there: held through the reduction it would only take registers (layernorm bf16 8192x8192 on an
   H200: 3850 GB/s so, 2900 if it is loaded first). Nobody writes a shared tensor meanwhile. */
static bool is_late_load(Placing *p, const Value *v)
{
    const Op *printer = only_printer(p, v);
    if (!dim_count(v) || !printer || is_move(printer) || printer->block != v->def->block
        || used_often(p, v, v) || !is_shared(p->e->k, v->def->args[0]))
        return false;
    for (const Op *op = v->def->block->first; op && op != printer; op = op->next)
        if (op->kind == OP_REDUCE || op_combines(op))
            return true;
    return false;
}

/* Does the body read v again in each phase, rather than hold it? */
static bool is_read_again(const Emit *e, const Value *v)
{
    return e->body && e->body->rereads && is_full(e, v) && is_shared(e->k, v->def->args[0]);
}

/* Is v a load that only contractions read, as it is? Then it goes from global memory to shared
   memory without a stop, whenever that is filled. Nobody writes a shared tensor meanwhile. */
static bool is_operand(Placing *p, const Value *v, const Value *through)
{
    Users *users = &p->users[through->id];
    bool all = users->at.n > 0 && is_shared(p->e->k, v->def->args[0]);
    for (int i = 0; i < users->at.n && all; i++) {
        const Op *op = users->at.at[i];
        const bool moves = (op->kind == OP_PERMUTE && op->renames) || op->kind == OP_KEEP
                           || op->kind == OP_EXPAND || op->kind == OP_SQUEEZE
                           || (users->at.n == 1 && (op->kind == OP_CAST || op->kind == OP_FILL));
        all = op->kind == OP_MMA ? op->nargs < 3 || op->args[2] != through
                                 : moves && op->args[0] == through
                                   && is_operand(p, v, op->results[0]);
    }
    return all;
}

/* A cast that is as quick as reading a variable, in the block where its value is used. */
static bool is_quick_cast(Placing *p, const Value *v)
{
    if (v->def->kind != OP_CAST || elem_info[v->def->args[0]->type.elem].bytes > 2)
        return false;
    Users *users = &p->users[v->id];
    for (int i = 0; i < users->at.n; i++)
        if (users->at.at[i]->block != v->def->block)
            return false;
    return true;
}

/* Does a thread sort what it holds of v, through views? It reads it element by element. */
static bool is_sorted_here(Placing *p, const Value *v)
{
    Users *users = &p->users[v->id];
    for (int i = 0; i < users->at.n; i++) {
        const Op *op = users->at.at[i];
        if ((op->kind == OP_SORT && beside_whole(op))
            || (op->nresults == 1 && is_view(op->results[0]) && op->args[0] == v
                && is_sorted_here(p, op->results[0])))
            return true;
    }
    return false;
}

/* Does v become a variable? Otherwise it is printed where it is used. */
static bool wants_variable(Placing *p, const Value *v)
{
    if (is_lazy(p->e, v) || v->type.kind != TYPE_TILE)
        return false;
    if (!v->def)
        return v->block != NULL && !op_combines(v->block->parent);
    if (op_combines(v->def))
        return p->users[v->id].at.n > 0;
    if (!is_view(v) && is_sorted_here(p, v))
        return true;
    switch (v->def->kind) {
    case OP_LOAD:
        return map_of(v)->places_of
            || (!is_late_load(p, v) && !is_operand(p, v, v) && !is_read_again(p->e, v));
    case OP_REDUCE: case OP_GATHER: case OP_ATOMIC: case OP_IF: case OP_FOR: case OP_WHILE:
    case OP_MMA:
        return true;
    case OP_HISTOGRAM:
        return true;
    case OP_SORT:
        return v->uses > 0;
    case OP_SYM:
        return v->name != NULL;
    default:
        return map_of(v)->in_sym || is_move(v->def)
            || (!is_view(v) && !better_again(p->e, v)
                && (v->name || printed(p, v) > 1
                    || (used_often(p, v, v) && !is_quick_cast(p, v))));
    }
}

/* Collects the integers with a name of the user, for formulas in which they stand. */
static void note_formulas(Emit *e)
{
    e->formulas.n = 0;
    for (int i = 0; i < e->k->values.n; i++) {
        const Value *v = e->k->values.at[i];
        bool integer = v->type.kind == TYPE_TILE && v->type.rank == 0 && v->type.elem == EL_I64;
        if (integer && v->def && v->name && v->plan && v->sym && v->sym->kind != SYM_CONST)
            push(&e->formulas, v);
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Forgets what another body knew of the values; each is its own web. */
static void forget(Emit *e)
{
    for (int i = 0; i < e->k->values.n; i++) {
        Value *v = e->k->values.at[i];
        if (!v->plan)
            continue;
        ValueMap *m = map_of(v);
        m->feeds_sum = m->in_sym = m->var = m->declared = m->local_lanes = false;
        m->web = m->next = v;
        m->places_of = NULL;
        m->name = m->local = NULL;
    }
}

/* Decides for each value of the body whether it is a variable, which web it is in, and its name. */
void place(Emit *e)
{
    Placing p = { .e = e };
    forget(e);
    number_block(e->k->body, 1);
    p.users = users_of(e->k);
    ir_walk(e->k->body, mark_syms, NULL);
    ir_walk(e->k->body, mark_indices, NULL);
    ir_walk(e->k->body, mark_sums, NULL);
    for (int i = 0; i < e->k->values.n; i++) {
        Value *v = e->k->values.at[i];
        if (v->plan)
            map_of(v)->var = wants_variable(&p, v);
    }
    share_variables(&p);
    name_webs(e);
    note_formulas(e);
}
