/* place.c -- which values become C variables, which of them share one, and their names */
/* needs: layouts.  gives: var, web and name of every value, for one body.  keeps: the IR. */
#include "mapping.h"
#include <string.h>

typedef struct { LIST(Op *) at; } Users;

typedef struct {
    Emit *e;
    Users *users;                                  /* by value id */
} Placing;

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

static void note_users(Op *op, void *arg)
{
    Users *users = arg;
    for (int i = 0; i < op->nargs; i++)
        push(&users[op->args[i]->id].at, op);
}

/* ---- what must have a name ------------------------------------------------------------------------ */

static bool mark_atom(Sym atom, void *arg)
{
    (void)arg;
    if (atom->kind == SYM_VALUE && ((Value *)atom->value)->plan)
        map_of(atom->value)->in_sym = true;
    return false;
}

static void mark_sym(Sym s)
{
    if (s)
        sym_mentions(s, mark_atom, NULL);
}

static void mark_syms(Op *op, void *arg)
{
    (void)arg;
    if (op->kind == OP_SYM)
        mark_sym(op->sym);
    for (int a = 0; op->access && a < MAX_RANK; a++)
        mark_sym(op->access->start[a]), mark_sym(op->access->lo[a]), mark_sym(op->access->hi[a]);
    for (int i = 0; i < op->nresults; i++)
        for (int a = 0; a < op->results[i]->type.rank && a < MAX_TILE_RANK; a++)
            mark_sym(op->results[i]->valid[a].lo), mark_sym(op->results[i]->valid[a].hi);
}

static bool is_row(const Op *op, const char *name)
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
                || (op->kind == OP_REDUCE && (op->reduce == REDUCE_SUM || op->reduce == REDUCE_MEAN));
    for (int i = 0; adds && i < op->nargs; i++)
        mark_feeding(op->args[i]);
    Block *body = op->kind == OP_FOR || op->kind == OP_WHILE ? op->region[op->nregions - 1] : NULL;
    if (body && body->last && body->last->kind == OP_YIELD)
        for (int i = 0; i < body->last->nargs; i++)
            if (!body->last->args[i]->type.rank || elem_is_float(body->last->args[i]->type.elem))
                mark_feeding(body->last->args[i]);
}

/* ---- variables ---------------------------------------------------------------------------------------- */

bool is_view(const Value *v)
{
    if (!v->def)
        return false;
    switch (v->def->kind) {
    case OP_CONST: case OP_HAS: case OP_BROADCAST: case OP_EXPAND: case OP_SQUEEZE: case OP_PERMUTE:
    case OP_KEEP: case OP_COORD: case OP_IOTA:
        return true;
    default:
        return false;
    }
}

bool is_lazy(const Emit *e, const Value *v)
{
    if (!e->stream || !v->plan || v->type.kind != TYPE_TILE)
        return false;
    for (int a = 0; a < v->type.rank; a++)
        if (map_of(v)->dim[a] && spread_of(e, map_of(v)->dim[a])->loops)
            return true;
    return false;
}

static int dim_count(const Value *v)
{
    int n = 0;
    for (int a = 0; a < v->type.rank; a++)
        n += map_of(v)->dim[a] != NULL;
    return n;
}

/* Does v have as many Dims as the largest tile of its space? Others take few registers. */
static bool is_full(const Emit *e, const Value *v)
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
    }
    return n;
}

/* What a value that is computed again would take: operations, and the narrow tiles that it reads. */
typedef struct { int ops; const Value *from; bool no; } Again;

static void count_again(const Emit *e, const Value *v, Again *a)
{
    const Op *op = v->def;
    if (op && op->kind == OP_LOAD && !map_of(v)->var) {
        a->no |= a->from != NULL;                  /* loaded late: with it comes what is made of it */
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

/* Is v worth computing again in each phase, from a 16-bit tile that stays packed in registers? It takes half
   of them, so that twice as many loads are in flight (layernorm bf16 on an H200: 2690 to GB/S). */
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

static bool is_shared(const Kernel *k, const Value *tensor)
{
    for (int i = 0; i < k->params.n; i++)
        if (k->params.at[i].value == tensor)
            return k->params.at[i].kind == PARAM_SHARED;
    return false;
}

/* The op that prints v, through views and what is not a variable; NULL if there are several. */
static const Op *only_printer(Placing *p, const Value *v)
{
    Users *users = &p->users[v->id];
    if (users->at.n != 1)
        return NULL;
    const Op *op = users->at.at[0];
    bool through = op->nresults == 1 && !op->nregions && op->kind != OP_REDUCE;
    return through ? only_printer(p, op->results[0]) : op;
}

/* Is v a load that one statement reads after a reduction, like the weights of a norm? It is loaded there: held
   through the reduction it would only take registers (layernorm bf16 8192x8192 on an H200: 3850 GB/s so, 2900
   if it is loaded first). Nobody writes a shared tensor meanwhile. */
static bool is_late_load(Placing *p, const Value *v)
{
    const Op *printer = only_printer(p, v);
    if (!dim_count(v) || !printer || printer->block != v->def->block || used_often(p, v, v)
        || !is_shared(p->e->k, v->def->args[0]))
        return false;
    for (const Op *op = v->def->block->first; op && op != printer; op = op->next)
        if (op->kind == OP_REDUCE)
            return true;
    return false;
}

static bool wants_variable(Placing *p, const Value *v)
{
    if (is_lazy(p->e, v) || v->type.kind != TYPE_TILE)
        return false;
    if (!v->def)
        return v->block != NULL;
    switch (v->def->kind) {
    case OP_LOAD:
        return !is_late_load(p, v);
    case OP_REDUCE: case OP_RELAYOUT: case OP_RESHAPE: case OP_IF: case OP_FOR: case OP_WHILE:
        return true;
    case OP_SYM:
        return v->name != NULL;
    default:
        return !is_view(v) && !better_again(p->e, v) && (v->name || map_of(v)->in_sym || printed(p, v) > 1 || used_often(p, v, v));
    }
}

/* ---- sharing --------------------------------------------------------------------------------------------- */

Value *web_root(Value *v)
{
    while (map_of(v)->web != v)
        v = map_of(v)->web = map_of(map_of(v)->web)->web;
    return v;
}

/* When v is made, on a scale of two steps an op: a loop's or if's results after its regions. */
static int made_at(const Value *v)
{
    if (v->def)
        return v->def->nregions ? 2 * v->def->last_number + 1 : 2 * v->def->number;
    return v->block && v->block->parent ? 2 * v->block->parent->number : 0;
}

/* The loop around op that does not hold the making of v, outermost; NULL if there is none. */
static const Op *loop_between(const Op *op, const Value *v)
{
    const Op *found = NULL;
    for (const Op *o = op->block->parent; o; o = o->block->parent) {
        if (made_at(v) >= 2 * o->number && made_at(v) <= 2 * o->last_number)
            break;
        if (o->kind == OP_FOR || o->kind == OP_WHILE)
            found = o;
    }
    return found;
}

/* Are a and b in different arms of one if? */
static bool exclusive(const Op *a, const Op *b)
{
    for (const Op *x = a; x; x = x->block->parent) {
        const Op *up = x->block->parent;
        if (!up || up->kind != OP_IF)
            continue;
        for (const Op *y = b; y; y = y->block->parent)
            if (y->block->parent == up)
                return x->block != y->block;
    }
    return false;
}

/* Is a still needed after the point where b is made?  users: of a, through what is printed in place. */
static bool live_at(Placing *p, const Value *a, const Value *through, const Value *b)
{
    int made = made_at(b);
    const Op *maker = b->def ? b->def : b->block->parent;
    Users *users = &p->users[through->id];
    for (int i = 0; i < users->at.n; i++) {
        const Op *op = users->at.at[i];
        if (op->nresults == 1 && !op->nregions && !map_of(op->results[0])->var) {
            if (live_at(p, a, op->results[0], b))
                return true;
            continue;
        }
        const Op *loop = loop_between(op, a);
        if (loop && made >= 2 * loop->number && made <= 2 * loop->last_number)
            return true;
        if (op == maker && op->nregions)
            continue;                              /* a first value, copied before the region runs */
        bool aligned = op->kind == OP_ELEM || op->kind == OP_CAST || op->kind == OP_SELECT
                       || op->kind == OP_FILL || op->kind == OP_YIELD;
        int until = 2 * op->number;
        if (until > made || (until == made && !(aligned && op == b->def)))
            if (!exclusive(op, maker) && made_at(a) <= made)
                return true;
    }
    return false;
}

static bool interfere(Placing *p, Value *a, Value *b)
{
    for (int i = 0; i < p->e->k->values.n; i++) {
        Value *v = p->e->k->values.at[i];
        if (!v->plan || !map_of(v)->var || web_root(v) != web_root(a))
            continue;
        for (int j = 0; j < p->e->k->values.n; j++) {
            Value *w = p->e->k->values.at[j];
            if (!w->plan || !map_of(w)->var || web_root(w) != web_root(b))
                continue;
            if (live_at(p, v, v, w) || live_at(p, w, w, v))
                return true;
        }
    }
    return false;
}

static bool same_place(const Value *a, const Value *b)
{
    if (!type_same(&a->type, &b->type))
        return false;
    return !memcmp(map_of(a)->dim, map_of(b)->dim, sizeof map_of(a)->dim);
}

static void unite(Value *a, Value *b)
{
    map_of(web_root(b))->web = web_root(a);
}

/* Lets `other` share the variable of `keep` if both are variables and never needed at once. */
static void share(Placing *p, Value *keep, Value *other)
{
    if (!map_of(keep)->var || !map_of(other)->var || web_root(keep) == web_root(other))
        return;
    if (other->def && (other->def->kind == OP_SYM || other->def->kind == OP_CONST))
        return;
    if (!other->def && (!other->block || !other->block->parent))
        return;
    if (same_place(keep, other) && !interfere(p, keep, other))
        unite(keep, other);
}

static void share_yields(Placing *p, Op *op, const Block *b, int skip)
{
    for (const Op *o = b->first; o; o = o->next)
        if (o->kind == OP_YIELD)
            for (int i = skip; i < o->nargs && i - skip < op->nresults; i++)
                share(p, op->results[i - skip], o->args[i]);
}

/* The variables of a loop are those of its results; an if's arms write straight into its results. */
static void share_op(Op *op, void *arg)
{
    Placing *p = arg;
    bool loop = op->kind == OP_FOR || op->kind == OP_WHILE;
    if (!op->nresults || !op->nregions)
        return;
    int first = op->kind == OP_FOR ? 3 : 0, skip = op->kind == OP_FOR ? 1 : 0;
    for (int r = 0; loop && r < op->nregions; r++)
        for (int i = skip; i < op->region[r]->nargs; i++)
            if (map_of(op->results[i - skip])->var)
                unite(op->results[i - skip], op->region[r]->args[i]);
    for (int r = 0; r < op->nregions; r++)
        share_yields(p, op, op->region[r], op->kind == OP_WHILE && r == 0 ? 1 : 0);
    for (int i = 0; loop && i < op->nresults; i++)
        share(p, op->results[i], op->args[first + i]);
}

/* ---- names ------------------------------------------------------------------------------------------------- */

const char *fresh(Emit *e, const char *wish)
{
    const char *name = wish;
    for (int n = 2; ; n++) {
        bool taken = c_reserved(name);
        if (taken && n > 3)
            wish = arena_printf("a_%s", wish);     /* its beginning is reserved */
        for (int i = 0; i < e->names.used.n && !taken; i++)
            taken = !strcmp(e->names.used.at[i], name);
        if (!taken)
            break;
        size_t len = strlen(wish);
        name = arena_printf(len && wish[len - 1] >= '0' && wish[len - 1] <= '9' ? "%s_%d" : "%s%d",
                            wish, n);
    }
    push(&e->names.used, name);
    return name;
}

static const char *base_name(const Value *v)
{
    for (; v; v = v->def && v->def->nargs ? v->def->args[0] : NULL) {
        if (v->plan && map_of(web_root((Value *)v))->name)
            return map_of(web_root((Value *)v))->name;
        if (v->name)
            return c_name(v->name);
    }
    return "t";
}

static const char *wish_for(const Value *v)
{
    static const char *const reduced[] = {
        [REDUCE_SUM] = "sum", [REDUCE_PROD] = "product", [REDUCE_MAX] = "max", [REDUCE_MIN] = "min",
        [REDUCE_MEAN] = "mean", [REDUCE_ARGMAX] = "argmax", [REDUCE_ARGMIN] = "argmin",
        [REDUCE_ANY] = "any", [REDUCE_ALL] = "all",
    };
    if (v->name)
        return c_name(v->name);
    if (!v->def)
        return "carried";
    switch (v->def->kind) {
    case OP_LOAD:
        return arena_printf("%s_tile", tensor_name(v->def->args[0]));
    case OP_REDUCE:
        if (v->def->args[0]->name)
            return arena_printf("%s_%s", c_name(v->def->args[0]->name), reduced[v->def->reduce]);
        return arena_printf("%s_%s", dim_count(v) ? "row" : "whole", reduced[v->def->reduce]);
    case OP_IF: case OP_FOR: case OP_WHILE:
        return "joined";
    default:
        return v->def->nargs ? arena_printf("%s_next", base_name(v->def->args[0])) : "value";
    }
}

/* The user's name for any value of the web of v, or what its making suggests. */
static const char *web_wish(const Emit *e, Value *root)
{
    for (int i = 0; i < e->k->values.n; i++) {
        Value *v = e->k->values.at[i];
        if (v->plan && map_of(v)->var && web_root(v) == root && v->name)
            return c_name(v->name);
    }
    return wish_for(root);
}

static void name_webs(Emit *e)
{
    for (int i = 0; i < e->k->values.n; i++) {
        Value *v = e->k->values.at[i];
        if (v->plan && map_of(v)->var && !map_of(web_root(v))->name)
            map_of(web_root(v))->name = fresh(e, web_wish(e, web_root(v)));
    }
}

static void forget(Emit *e)
{
    for (int i = 0; i < e->k->values.n; i++) {
        Value *v = e->k->values.at[i];
        if (!v->plan)
            continue;
        ValueMap *m = map_of(v);
        m->feeds_sum = m->in_sym = m->var = m->declared = m->local_lanes = false;
        m->web = v;
        m->name = m->local = NULL;
    }
}

void place(Emit *e)
{
    Placing p = { .e = e, .users = new_array(Users, e->k->values.n + 1) };
    forget(e);
    number_block(e->k->body, 1);
    ir_walk(e->k->body, note_users, p.users);
    ir_walk(e->k->body, mark_syms, NULL);
    ir_walk(e->k->body, mark_sums, NULL);
    for (int i = 0; i < e->k->values.n; i++) {
        Value *v = e->k->values.at[i];
        if (v->plan)
            map_of(v)->var = wants_variable(&p, v);
    }
    ir_walk(e->k->body, share_op, &p);
    name_webs(e);
}

/* ---- registers -------------------------------------------------------------------------------------------------- */

/* The largest number of bytes that tiles need at once for each element that a thread holds. */
int live_bytes(Emit *e)
{
    Placing p = { .e = e, .users = new_array(Users, e->k->values.n + 1) };
    int most = 1;
    ir_walk(e->k->body, note_users, p.users);
    for (int i = 0; i < e->k->values.n; i++) {
        const Value *b = e->k->values.at[i];
        if (!b->plan || !map_of(b)->var || !is_full(e, b) || (!b->def && !b->block))
            continue;
        int bytes = 0;
        for (int j = 0; j < e->k->values.n; j++) {
            Value *a = e->k->values.at[j];
            if (a->plan && map_of(a)->var && is_full(e, a) && web_root(a) == a
                && (a == b || live_at(&p, a, a, b)))
                bytes += elem_info[a->type.elem].bytes;
        }
        most = bytes > most ? bytes : most;
    }
    return most;
}
