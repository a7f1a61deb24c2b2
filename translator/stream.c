/* stream.c -- can what goes along lines of a streamed axis come in the same pass as its users? */
/* needs: layouts.  gives: why not.  keeps: the IR, the Dims.
 *
 * In a streaming body a scan is no variable: each pass that uses it carries what came before from
 * chunk to chunk. So all scans of a pass must go through it in one direction. */
#include "mapping.h"

/* One pass: the op that makes it, its tile, and what was found on the way to its loads. */
typedef struct {
    const Op *root;
    const Value *tile;
    const Dim *along[MAX_NEST];
    bool reverse[MAX_NEST];
    int n;
    const char *why;
    enum { UNSEEN, NO_SCAN, SCAN } *seen;          /* by value id: on the way to its loads */
} Round;

/* Does v lie along a whole axis? */
static bool along_whole(const Value *v)
{
    for (int a = 0; a < MAX_TILE_RANK; a++)
        if (v->plan && map_of(v)->dim[a] && map_of(v)->dim[a]->whole)
            return true;
    return false;
}

/* Does the tile have this Dim? */
static bool has(const Value *tile, const Dim *d)
{
    for (int a = 0; a < tile->type.rank; a++)
        if (map_of(tile)->dim[a] == d)
            return true;
    return false;
}

/* Does the op stand in an arm or loop that the root is not in? */
static bool hidden(const Op *op, const Op *root)
{
    for (const Block *b = root->block; b; b = b->parent ? b->parent->block : NULL)
        if (b == op->block)
            return false;
    return true;
}

/* Adds a scan to the pass. */
static void add_scan(Round *r, const Op *op)
{
    const Value *from = op->args[0];
    const Dim *d = map_of(from)->dim[op_axis(op)];
    bool more = false, only_whole = true;
    if (hidden(op, r->root))
        r->why = "a scan along it stands in an arm of an `if`, so the axis must stay in registers";
    for (int a = 0; a < r->tile->type.rank; a++)
        more |= map_of(r->tile)->dim[a] && !has(from, map_of(r->tile)->dim[a]);
    for (int a = 0; a < from->type.rank; a++)
        only_whole &= !map_of(from)->dim[a] || map_of(from)->dim[a]->whole;
    if (more && !only_whole)
        r->why = "a scan meets a tile with more axes, so the whole axis must stay in registers";
    for (int i = 0; d && i < r->n; i++)
        if (r->along[i] == d ? r->reverse[i] != op->reverse : r->reverse[i] && op->reverse)
            r->why = "scans of two directions meet in one pass, so the axis must stay in registers";
    if (d && r->n < MAX_NEST)
        r->along[r->n] = d, r->reverse[r->n++] = op->reverse;
}

/* Goes from a value of the pass to what it is computed from, once; is there a scan on the way? */
static bool visit(Round *r, const Value *v)
{
    const Op *op = v->def;
    if (!op || r->why || !along_whole(v))
        return false;
    if (r->seen[v->id] != UNSEEN)
        return r->seen[v->id] == SCAN;
    bool scan = op->kind == OP_SCAN;
    if (scan)
        add_scan(r, op);
    for (int i = 0; i < op->nargs; i++)
        scan |= visit(r, op->args[i]);
    if (op->kind == OP_GATHER && scan)
        r->why = "a scan along it says what is read, so the whole axis must stay in registers";
    for (int k = 0; k < op->nregions && !op_combines(op); k++)
        for (int i = 0; op->region[k]->last && i < op->region[k]->last->nargs; i++)
            scan |= visit(r, op->region[k]->last->args[i]);
    r->seen[v->id] = scan ? SCAN : NO_SCAN;
    return scan;
}

typedef struct { const Kernel *k; const char *why; } Search;

/* Looks at the pass that an op makes, if it makes one. */
static void look(Op *op, void *arg)
{
    Search *s = arg;
    Round r = { .root = op };
    if (!op_writes(op) && op->kind != OP_REDUCE && op->kind != OP_FOLD)
        return;
    r.seen = arena_alloc((size_t)s->k->values.n * sizeof *r.seen);
    r.tile = op->args[op_writes(op) ? 1 : 0];
    if (op->kind == OP_FOLD && map_of(r.tile)->dim[op_axis(op)])
        r.along[r.n++] = map_of(r.tile)->dim[op_axis(op)];
    for (int i = op_writes(op) ? 1 : 0; i < op->nargs; i++)
        visit(&r, op->args[i]);
    if (op_writes(op) && op->kind != OP_STORE && r.n)
        r.why = "a scan along it is scattered, so the whole axis must stay in registers";
    if (r.why)
        s->why = r.why;
}

/* Why the passes of a streaming body could not make the scans that they need; NULL: they can. */
const char *why_no_pass(const Kernel *k)
{
    Search s = { k, NULL };
    ir_walk(k->body, look, &s);
    return s.why;
}
