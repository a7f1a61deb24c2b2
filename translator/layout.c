/* layout.c -- which tile axes go together, and along which of them memory runs */
/* needs: valid IR.  gives: Dims, v->plan for each value, OP_RELAYOUT where a layout must change.
   keeps: what the program means. */
#include "layout.h"
#include <stdlib.h>
#include <string.h>

enum { ASSUMED_WHOLE = 4096 };                /* elements, where a length is known at launch only */

/* The number of an axis of a value, for the classes. */
int node_of(const Value *v, int axis)
{
    return v->id * MAX_TILE_RANK + axis;
}

/* The root of the class of an axis. */
int find(Classes *c, int n)
{
    while (c->parent[n] != n)
        n = c->parent[n] = c->parent[c->parent[n]];
    return n;
}

/* Makes room for the values that the kernel has now; new ones start in classes of their own. */
static void grow(Classes *c)
{
    int want = c->k->values.n * MAX_TILE_RANK;
    if (want <= c->room)
        return;
    int room = want * 2;
    int *parent = new_array(int, room);
    Sym *extent = new_array(Sym, room);
    void *members = arena_alloc((size_t)room * sizeof *c->members);
    if (c->room) {
        memcpy(parent, c->parent, (size_t)c->room * sizeof *parent);
        memcpy(extent, c->extent, (size_t)c->room * sizeof *extent);
        memcpy(members, c->members, (size_t)c->room * sizeof *c->members);
    }
    for (int n = c->room; n < room; n++)
        parent[n] = n;
    c->parent = parent, c->extent = extent, c->members = members, c->room = room;
}

/* Has the axis a Dim? Those of extent 1 have none. */
bool has_dim(const Type *t, int axis)
{
    return !sym_is(t->dim[axis], 1);
}

/* Enters a new tile value: each axis longer than 1 is a class of its own. */
static void enter(Classes *c, Value *v)
{
    if (!v->plan)
        v->plan = new(ValueMap);
    map_of(v)->web = v;
    grow(c);
    if (v->type.kind != TYPE_TILE)
        return;
    for (int a = 0; a < v->type.rank; a++) {
        int n = node_of(v, a);
        c->extent[n] = v->type.dim[a];
        if (has_dim(&v->type, a))
            push(&c->members[n], v->id);
    }
}

/* Would one class then hold two axes of one value?  That tile cannot be held by any layout. */
static bool would_clash(Classes *c, int a, int b)
{
    int small = c->members[a].n <= c->members[b].n ? a : b, other = small == a ? b : a;
    for (int i = 0; i < c->members[small].n; i++) {
        const Value *v = c->k->values.at[c->members[small].at[i]];
        for (int axis = 0; axis < v->type.rank; axis++)
            if (has_dim(&v->type, axis) && find(c, node_of(v, axis)) == other)
                return true;
    }
    return false;
}

/* Ties axis a of v to axis b of w; false if that would make a clash. */
bool tie(Classes *c, const Value *v, int a, const Value *w, int b)
{
    if (!has_dim(&v->type, a) || !has_dim(&w->type, b))
        return true;
    int x = find(c, node_of(v, a)), y = find(c, node_of(w, b));
    if (x == y)
        return true;
    if (would_clash(c, x, y))
        return false;
    if (c->members[x].n < c->members[y].n) {
        int t = x; x = y; y = t;
    }
    c->parent[y] = x;
    for (int i = 0; i < c->members[y].n; i++)
        push(&c->members[x], c->members[y].at[i]);
    c->members[y].n = 0;
    return true;
}

/* A change of layout of `from`, made before op. */
Op *relayout_of(Classes *c, Op *op, Value *from)
{
    Op *change = new(Op);
    change->kind = OP_RELAYOUT;
    change->pos = op->pos, change->stmt = op->stmt;
    change->nargs = change->nresults = 1;
    change->args = new_array(Value *, 1);
    change->results = new_array(Value *, 1);
    change->args[0] = from;
    Value *to = ir_value(c->k, from->type, from->pos);
    memcpy(to->valid, from->valid, sizeof to->valid);
    to->pad = from->pad, to->name = from->name, to->def = change;
    change->results[0] = to;
    ir_insert_before(op, change);
    enter(c, to);
    return change;
}

/* Puts the change of layout of arg number i before op. */
void relayout(Classes *c, Op *op, int i)
{
    op->args[i] = relayout_of(c, op, op->args[i])->results[0];
}

/* Ties all axes of arg i of op to those of v, changing the layout of the arg where
   that cannot be. */
static void tie_arg(Classes *c, Op *op, int i, const Value *v)
{
    for (int again = 0; again < 2; again++) {
        Value *arg = op->args[i];
        bool fits = arg->type.kind == TYPE_TILE;
        for (int a = 0; fits && a < arg->type.rank; a++) {
            int b = result_axis(op, arg, a);
            fits = b < 0 || tie(c, arg, a, v, b);
        }
        if (fits || arg->type.kind != TYPE_TILE)
            return;
        relayout(c, op, i);
    }
}

/* Does an op of this kind tie its axes to those of its operands? */
static bool ties_operands(OpKind kind)
{
    switch (kind) {
    case OP_ELEM: case OP_CAST: case OP_BITCAST: case OP_SELECT: case OP_BROADCAST: case OP_EXPAND:
    case OP_SQUEEZE: case OP_FILL: case OP_KEEP: case OP_VALID: case OP_REDUCE: case OP_RANDOM:
        return true;
    default:
        return false;
    }
}

static void tie_block(Classes *c, Block *b, const Value *const *carried, int ncarried);

/* Ties what a loop carries or an if decides: results, region arguments,
   initial and yielded values. */
static void tie_regions(Classes *c, Op *op)
{
    int first = op->kind == OP_FOR ? 3 : 0, skip = op->kind == OP_FOR ? 1 : 0;
    for (int r = 0; r < op->nregions; r++) {
        Block *b = op->region[r];
        for (int i = 0; i < b->nargs; i++)
            enter(c, b->args[i]);
        for (int i = skip; i < b->nargs; i++)
            for (int a = 0; a < op->results[i - skip]->type.rank; a++)
                tie(c, b->args[i], a, op->results[i - skip], a);
    }
    for (int i = 0; op->kind != OP_IF && i < op->nresults; i++)
        tie_arg(c, op, first + i, op->results[i]);
    for (int r = 0; r < op->nregions; r++)
        tie_block(c, op->region[r], (const Value *const *)op->results, op->nresults);
}

/* A sort goes through shared memory, so nothing must be tied; what can be saves threads the way.
   Beside a whole axis it stays in the thread. Values and places lie alike. */
static void tie_sort(Classes *c, Op *op)
{
    const Value *v = op->results[0], *from = op->args[0];
    bool tied = true;
    for (int a = 0; a < v->type.rank; a++) {
        if (op->nresults > 1)
            tie(c, op->results[1], a, v, a);
        if (from->type.dim[a] == v->type.dim[a])
            tied = tie(c, from, a, v, a) && tied;
    }
    if (tied || !beside_whole(op))
        return;
    error(op->pos, "E1001", "not yet: this sort needs another layout of a tile along a whole axis, "
          "%s", type_text(&from->type));
    help("loop over chunks of it");
}

/* Ties the tiles that go through a function of scalars together: all axes of all operands, and
   those that are left of the results. */
static void tie_members(Classes *c, Op *op)
{
    for (int i = 1; i < op->nresults; i++)
        for (int a = 0; a < op->results[0]->type.rank; a++)
            tie(c, op->results[i], a, op->results[0], a);
    tie_arg(c, op, 0, op->results[0]);
    for (int i = 1; i < op_members(op); i++) {
        bool fits = true;
        for (int a = 0; a < op->args[i]->type.rank; a++)
            fits = fits && tie(c, op->args[i], a, op->args[0], a);
        if (fits)
            continue;
        relayout(c, op, i);
        for (int a = 0; a < op->args[i]->type.rank; a++)
            tie(c, op->args[i], a, op->args[0], a);
    }
    for (int i = 0; i < op->region[0]->nargs; i++)
        enter(c, op->region[0]->args[i]);
    tie_block(c, op->region[0], NULL, 0);
}

/* Ties the axes that op needs held alike; carried: those of the innermost loop or if. */
static void tie_op(Classes *c, Op *op, const Value *const *carried, int ncarried)
{
    for (int i = 0; i < op->nresults; i++)
        enter(c, op->results[i]);
    if (ties_operands(op->kind)) {
        int n = op->kind == OP_FILL || op->kind == OP_KEEP ? 1 : op->nargs;
        for (int i = 0; i < n; i++)
            tie_arg(c, op, i, op->results[0]);
    }
    for (int i = 2; i < op->nargs && op_is_index(op, i); i++)
        tie_arg(c, op, i, op_tile(op));
    if (op->kind == OP_ATOMIC && op->nresults)
        tie_arg(c, op, 1, op->results[0]);
    if (op->kind == OP_MMA && op->nargs > 2)       /* its operands pass through shared memory */
        tie_arg(c, op, 2, op->results[0]);
    if (op->kind == OP_SORT)
        tie_sort(c, op);
    if (op->kind == OP_STORE && op->nargs > 2)
        tie_arg(c, op, 2, op->args[1]);
    if (op->kind == OP_YIELD || op->kind == OP_BREAK || op->kind == OP_CONTINUE) {
        int skip = op->nargs - ncarried;           /* a while condition yields its bool first */
        for (int i = skip > 0 ? skip : 0; i < op->nargs; i++)
            tie_arg(c, op, i, carried[i - (skip > 0 ? skip : 0)]);
    }
    if (op_combines(op))
        tie_members(c, op);
    else if (op->nregions)
        tie_regions(c, op);
}

/* carried: what YIELD (of an if, its results), BREAK and CONTINUE give values to. */
static void tie_block(Classes *c, Block *b, const Value *const *carried, int ncarried)
{
    for (Op *op = b->first, *next; op; op = next) {
        next = op->next;
        if (op->kind == OP_BREAK || op->kind == OP_CONTINUE) {
            Op *loop = b->parent;
            while (loop && loop->kind == OP_IF)
                loop = loop->block->parent;
            tie_op(c, op, loop ? (const Value *const *)loop->results : carried,
                   loop ? loop->nresults : 0);
        } else {
            tie_op(c, op, carried, ncarried);
        }
    }
}

/* ---- Dims ------------------------------------------------------------------------------------ */

/* An extent for comparisons, where the true one may be known at launch only. */
int64_t assumed(Sym extent)
{
    int64_t k;
    return sym_const_of(extent, &k) ? k : ASSUMED_WHOLE;
}

/* Gives each class of axes its Dim, in order of appearance. */
static void make_dims(Classes *c, Plan *p)
{
    Dim **dim = new_array(Dim *, c->room);
    for (int i = 0; i < c->k->values.n; i++) {
        Value *v = c->k->values.at[i];
        if (!v->plan || v->type.kind != TYPE_TILE)
            continue;
        for (int a = 0; a < v->type.rank; a++) {
            if (!has_dim(&v->type, a))
                continue;
            int root = find(c, node_of(v, a));
            if (!dim[root]) {
                Dim *d = dim[root] = new(Dim);
                int64_t k;
                d->extent = v->type.dim[a];
                d->whole = !sym_const_of(d->extent, &k);
                d->id = d->space = p->dims.n;
                push(&p->dims, d);
            }
            map_of(v)->dim[a] = dim[root];
        }
    }
}

/* Is it so short that one thread can hold all of it, or an extent of 1? */
static bool is_short(const Dim *d)
{
    enum { KEPT = 8 };
    int64_t k;
    return !d || (!d->fast && sym_const_of(d->extent, &k) && k <= KEPT);
}

/* Notes the Dims along which op moves elements, if each is so short that none need go to another
   thread. */
static void mark_moved(Op *op, void *arg)
{
    (void)arg;
    if (op->kind != OP_FLIP && op->kind != OP_EXTRACT && op->kind != OP_CAT)
        return;
    Value *const all[] = { op->results[0], op->args[0], op->args[op->kind == OP_CAT] };
    for (int mark = 0; mark < 2; mark++)
        for (int i = 0; i < 3; i++)
            for (int a = 0; a < all[i]->type.rank; a++) {
                Dim *d = map_of(all[i])->dim[a];
                if (moves_along(op, a) && !is_short(d))
                    return;
                if (mark && d && moves_along(op, a))
                    d->moved = true;
            }
}

/* Dims that some tile has together are one space: the smallest id of them. */
static void make_spaces(Plan *p)
{
    for (bool again = true; again; ) {
        again = false;
        for (int i = 0; i < p->kernel->values.n; i++) {
            const Value *v = p->kernel->values.at[i];
            int least = p->dims.n;
            for (int a = 0; v->plan && a < MAX_TILE_RANK; a++)
                if (map_of(v)->dim[a] && map_of(v)->dim[a]->space < least)
                    least = map_of(v)->dim[a]->space;
            for (int a = 0; v->plan && a < MAX_TILE_RANK; a++)
                if (map_of(v)->dim[a] && map_of(v)->dim[a]->space != least)
                    map_of(v)->dim[a]->space = least, again = true;
        }
    }
}

/* Counts the bytes that loads and stores move along each Dim in the order of memory. */
static void weigh(Op *op, void *arg)
{
    (void)arg;
    if (!op_reads(op) && !op_writes(op))
        return;
    const Value *tile = op_tile(op);
    int last = op->args[0]->type.rank - 1, axis = op->access->map[last];
    int64_t bytes = elem_info[tile->type.elem].bytes;
    if (axis < 0 || !map_of(tile)->dim[axis])
        return;
    for (int a = 0; a < tile->type.rank; a++) {
        int64_t n = assumed(tile->type.dim[a]);
        bytes = bytes > INT64_MAX / (n + 1) ? bytes : bytes * n;
    }
    map_of(tile)->dim[axis]->weight += bytes;
}

/* Do both stand in some tile? Then their threads are told apart by different bits. */
bool dims_meet(const Plan *p, const Dim *a, const Dim *b)
{
    return p->meets[a->id * p->dims.n + b->id];
}

/* Notes which Dims stand together in some tile. */
static void make_meets(Plan *p)
{
    p->meets = new_array(bool, p->dims.n * p->dims.n + 1);
    for (int i = 0; i < p->kernel->values.n; i++) {
        const Value *v = p->kernel->values.at[i];
        for (int a = 0; v->plan && a < MAX_TILE_RANK; a++)
            for (int b = 0; b < MAX_TILE_RANK; b++)
                if (a != b && map_of(v)->dim[a] && map_of(v)->dim[b])
                    p->meets[map_of(v)->dim[a]->id * p->dims.n + map_of(v)->dim[b]->id] = true;
    }
}

/* Gives to each thread all of the axes along which a tile beside a whole axis is sorted. */
static void leave_alone(Op *op, void *arg)
{
    (void)arg;
    if (op->kind != OP_SORT || !beside_whole(op))
        return;
    Dim *of[] = { map_of(op->args[0])->dim[op->axis], map_of(op->results[0])->dim[op->axis] };
    for (int i = 0; i < 2; i++)
        if (of[i])
            of[i]->alone = true;
}

/* Does a go before b where one of both is the fast one? Columns of a result on tensor cores go
   before all; otherwise that along which most bytes run does, or the later one. */
static bool goes_before(const Dim *a, const Dim *b)
{
    const bool first = a->side == TENSOR_COLS, other = b->side == TENSOR_COLS;
    return first != other ? first : a->weight >= b->weight;
}

/* A tile has at most one fast Dim. */
static void choose_fast(Plan *p)
{
    bool *done = new_array(bool, p->dims.n + 1);
    for (;;) {
        Dim *best = NULL;
        for (int i = 0; i < p->dims.n; i++)
            if (!done[i] && !p->dims.at[i]->alone && p->dims.at[i]->side != TENSOR_ROWS
                && (!best || goes_before(p->dims.at[i], best)))
                best = p->dims.at[i];
        if (!best)
            return;
        done[best->id] = true;
        best->fast = true;
        for (int i = 0; i < p->dims.n; i++)
            if (p->dims.at[i]->fast && p->dims.at[i] != best && dims_meet(p, best, p->dims.at[i]))
                best->fast = false;
    }
}

/* Names the coordinates: col for fast Dims, row for the next, then plane, cube.. */
static void name_dims(Plan *p)
{
    static const char *const slow[] = { "row", "plane", "cube", "outer" };
    for (int i = 0; i < p->dims.n; i++) {
        Dim *d = p->dims.at[i];
        int slower = 0;                         /* slow Dims that come after it in a tile with it */
        for (int j = i + 1; j < p->dims.n; j++)
            slower += dims_meet(p, d, p->dims.at[j]) && !p->dims.at[j]->fast;
        d->name = d->fast ? "col" : slow[slower < 3 ? slower : 3];
    }
}

/* Ties what has to be held alike, from the beginning. */
static Classes tie_all(Plan *p)
{
    Classes c = { .k = p->kernel };
    for (int i = 0; i < c.k->values.n; i++)
        c.k->values.at[i]->plan = NULL;
    grow(&c);
    for (int i = 0; i < c.k->params.n; i++)
        if (c.k->params.at[i].value)
            enter(&c, c.k->params.at[i].value);
    for (int i = 0; i < c.k->axes.n; i++)
        if (c.k->axes.at[i].index)
            enter(&c, c.k->axes.at[i].index);
    tie_block(&c, c.k->body, NULL, 0);
    tie_moves(&c);
    return c;
}

/* Gives every value its layout and the plan its Dims; tensor: for tensor cores, if they can do all
   contractions. */
void layout(Plan *p, bool tensor)
{
    Classes c = tie_all(p);
    p->dims.n = 0;
    p->tensor = tensor && part_from_memory(&c);
    if (p->tensor)
        c = tie_all(p);
    merge_alike(&c);
    make_dims(&c, p);
    if (p->tensor && !mark_tensor_dims(p)) {
        drop_relayouts(p->kernel);
        layout(p, false);
        return;
    }
    make_spaces(p);
    make_meets(p);
    ir_walk(c.k->body, weigh, NULL);
    ir_walk(c.k->body, leave_alone, NULL);
    choose_fast(p);
    ir_walk(c.k->body, mark_moved, NULL);
    name_dims(p);
}
