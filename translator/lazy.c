/* lazy.c -- what a phase computes again: late loads; in a streaming body all that lies along it */
/* needs: a phase that is open.  gives: CUDA C.  keeps: the plan. */
#include "mapping.h"
#include <string.h>

typedef struct { LIST(Value *) found; LIST(int) uses; } Gathered;

/* Finds what v is computed from in this phase, and how often each is used. */
static void gather(Emit *e, Gathered *g, Value *v)
{
    const Op *op = v->def;
    if (!op || map_of(v)->var || map_of(v)->local)
        return;
    for (int i = 0; i < g->found.n; i++)
        if (g->found.at[i] == v) {
            g->uses.at[i]++;
            return;
        }
    for (int i = 0; i < op->nargs && !op_combines(op); i++)
        gather(e, g, op->args[i]);                 /* a scan sees to its own operands */
    for (int r = 0; r < op->nregions && !op_combines(op); r++) {
        const Op *last = op->region[r]->last;
        for (int i = 0; last && last->kind == OP_YIELD && i < last->nargs; i++)
            if (op->results[i] == v)
                gather(e, g, last->args[i]);
    }
    push(&g->found, v);
    push(&g->uses, 1);
}

/* The conditions of the ifs around op that are not around the phase's root, as one C condition. */
static const char *conditions(Emit *e, const Op *op)
{
    const char *all = NULL;
    for (const Block *b = op->block; b->parent; b = b->parent->block) {
        bool around_root = false;
        for (const Block *r = e->root->block; r; r = r->parent ? r->parent->block : NULL)
            around_root |= r == b;
        if (around_root || b->parent->kind != OP_IF)
            break;
        Ex c = element(e, b->parent->args[0]);
        const char *one = b == b->parent->region[0] ? c.s : arena_printf("!(%s)", c.s);
        all = all ? arena_printf("%s && %s", one, all) : one;
    }
    return all;
}

/* A load of the place where the phase stands, into a local variable. */
static void local_load(Emit *e, Phase *p, Value *v)
{
    ValueMap *m = map_of(v);
    const Dim *dims[MAX_NEST];
    int n = dims_of(v, dims);
    const char *name =
        fresh(e, v->name ? c_name(v->name) : arena_printf("%s_v", tensor_name(v->def->args[0])));
    const char *condition = conditions(e, v->def);
    bool lanes = n && has_lanes(e, dims[n - 1]);
    quote(e, v->def->stmt);
    line(e, "%s %s%s%s;", device_type(v->type.elem), name,
         lanes ? arena_printf("[%s]", lanes_text(e, dims[n - 1])) : "", condition ? " = {}" : "");
    if (condition)
        open_block(e, "if (%s)", condition);
    load_into(e, v->def, name);
    if (condition)
        close_block(e, "");
    m->local = name;
    m->local_lanes = lanes;
    push(&p->locals, v);
}

/* Loads what the phase computes again from memory, at the innermost place outside the lanes;
   subterms with several uses will be named in the lane loop. */
void phase_lazies(Emit *e, Phase *p, Value **roots, int nroots)
{
    Gathered g = { 0 };
    p->root = nroots == 1 ? roots[0] : NULL;
    for (int i = 0; i < nroots; i++)
        if (roots[i]->type.kind == TYPE_TILE)
            gather(e, &g, roots[i]);
    for (int i = 0; i < g.found.n; i++) {
        Value *v = g.found.at[i];
        if (map_of(v)->local)
            continue;
        if (op_reads(v->def))
            local_load(e, p, v);
        else if (op_combines(v->def))
            local_combine(e, p, v->def);
        else if ((g.uses.at[i] > 1 || v->name) && !is_view(v) && v != p->root)
            push(&p->shared, v);
    }
}

/* Is a load, which only a phase can write, among what v is printed from? */
bool loads_again(Emit *e, Value *v)
{
    Gathered g = { 0 };
    const Op *op = v->def;
    for (int i = 0; op && i < op->nargs; i++)
        if (op->args[i]->type.kind == TYPE_TILE)
            gather(e, &g, op->args[i]);
    for (int i = 0; i < g.found.n; i++)
        if (op_reads(g.found.at[i]->def))
            return true;
    return false;
}

/* ---- scans of a streaming body --------------------------------------------------------------- */

/* Makes the loads and scans that a scan in phase p is computed from; what else it uses several
   times will be named in the loop over lanes of its `own`. */
void scan_operands(Emit *e, Phase *p, Phase *own, const Op *op)
{
    Gathered g = { 0 };
    for (int i = 0; i < op_members(op); i++)
        gather(e, &g, op->args[i]);
    for (int i = 0; i < g.found.n; i++) {
        Value *v = g.found.at[i];
        if (map_of(v)->local)
            continue;
        if (op_reads(v->def))
            local_load(e, p, v);
        else if (op_combines(v->def))
            local_combine(e, p, v->def);
        else if ((g.uses.at[i] > 1 || v->name) && !is_view(v))
            push(&own->shared, v);
    }
}

/* The Dim of the whole axis that a value lies along and that comes in chunks; NULL: none. */
static const Dim *streamed(Emit *e, const Value *v)
{
    for (int a = 0; a < v->type.rank; a++)
        if (map_of(v)->dim[a] && spread_of(e, map_of(v)->dim[a])->loops)
            return map_of(v)->dim[a];
    return NULL;
}

/* Notes how a phase goes through the chunks for the scans that v is computed from; seen, by value
   id: those it has been to. */
static void note_rounds(Emit *e, const Value *v, bool *seen)
{
    const Op *op = v->def;
    if (!op || !v->plan || v->type.kind != TYPE_TILE || map_of(v)->var || map_of(v)->local
        || seen[v->id])
        return;
    seen[v->id] = true;
    if (op_combines(op)) {
        const Dim *d = map_of(op->args[0])->dim[op_axis(op)];
        if (d && (spread_of(e, d)->loops || spread_of(e, d)->threads > 1))
            e->rounds = streamed(e, op->args[0]);
        if (d && op->reverse)
            e->backwards = d;
    }
    for (int i = 0; i < op->nargs; i++)
        note_rounds(e, op->args[i], seen);
    for (int r = 0; r < op->nregions && !op_combines(op); r++)
        for (int i = 0; op->region[r]->last && i < op->region[r]->last->nargs; i++)
            note_rounds(e, op->region[r]->last->args[i], seen);
}

/* Sets rounds and backwards for the phase that an op makes. */
void find_rounds(Emit *e, const Op *root)
{
    bool *seen = new_array(bool, e->k->values.n);
    for (int i = 0; i < root->nargs; i++)
        if (root->args[i]->type.kind == TYPE_TILE)
            note_rounds(e, root->args[i], seen);
}

/* Does the nest go round along a Dim that the scan's operand does not have? */
static bool goes_round(Emit *e, const Op *op, const Dim **dims, int n)
{
    for (int i = 0; i < n; i++) {
        bool mine = false;
        for (int a = 0; a < op->args[0]->type.rank; a++)
            mine |= map_of(op->args[0])->dim[a] == dims[i];
        if (!mine && repeats_text(e, dims[i]))
            return true;
    }
    return false;
}

/* Makes the scans of shorter tiles before the loops over what they lack: once for each chunk. */
void early_scans(Emit *e, Phase *p, const Op *root, const Dim **dims, int n)
{
    Gathered g = { 0 };
    for (int i = 0; i < root->nargs; i++)
        if (root->args[i]->type.kind == TYPE_TILE)
            gather(e, &g, root->args[i]);
    for (int i = 0; i < g.found.n; i++) {
        const Value *v = g.found.at[i];
        if (op_combines(v->def) && !map_of(v)->local && goes_round(e, v->def, dims, n))
            local_combine(e, p, v->def);
    }
}

/* Do threads meet in the pass that a store makes? Then none stays away from it. */
bool meets_in_pass(Emit *e, const Op *store)
{
    const Dim *rounds = e->rounds, *backwards = e->backwards;
    if (e->stream)
        find_rounds(e, store);
    bool meets = e->rounds != NULL;
    e->rounds = rounds, e->backwards = backwards;
    return meets;
}

/* Declares the variables that an op makes. */
static void declare_inside(Op *op, void *arg)
{
    Emit *e = arg;
    for (int i = 0; i < op->nresults; i++)
        if (map_of(op->results[i])->var)
            declare(e, op->results[i]);
}

/* What an if gives along a streamed axis is computed after it, from what its arms made: their
   variables are declared before it. */
void declare_for_later(Emit *e, const Op *op)
{
    bool later = false;
    for (int i = 0; i < op->nresults; i++)
        later |= is_lazy(e, op->results[i]);
    for (int r = 0; later && r < op->nregions; r++)
        ir_walk(op->region[r], declare_inside, e);
}
