/* web.c -- webs: the values that share one C variable, and what is needed at once */
/* needs: numbered ops, var of every value.  gives: the webs; bytes live at once.  keeps: the IR. */
#include "mapping.h"
#include <string.h>

/* Asks is() of each atom of the bounds of v. */
static void tile_atoms(const Value *v, bool (*is)(Sym atom, void *arg), void *arg)
{
    for (int a = 0; a < v->type.rank && a < MAX_TILE_RANK; a++) {
        if (v->valid[a].lo)
            sym_mentions(v->valid[a].lo, is, arg);
        if (v->valid[a].hi)
            sym_mentions(v->valid[a].hi, is, arg);
    }
}

/* Asks is() of each atom of the formulas that op needs: its own, where it reads or
   writes memory, the bounds of its tiles. */
void op_atoms(const Op *op, bool (*is)(Sym atom, void *arg), void *arg)
{
    if (op->kind == OP_SYM)
        sym_mentions(op->sym, is, arg);
    for (int a = 0; op->access && a < MAX_RANK; a++) {
        const Sym all[] = { op->access->start[a], op->access->lo[a], op->access->hi[a] };
        for (int i = 0; i < 3; i++)
            if (all[i])
                sym_mentions(all[i], is, arg);
    }
    for (int i = 0; i < op->nargs; i++)
        tile_atoms(op->args[i], is, arg);
    for (int i = 0; i < op->nresults; i++)
        tile_atoms(op->results[i], is, arg);
}

typedef struct { Users *users; Op *op; } Noting;

/* Adds the op to the users of a value that a formula mentions. */
static bool note_atom(Sym atom, void *arg)
{
    const Noting *n = arg;
    if (atom->kind != SYM_VALUE)
        return false;
    Users *u = &n->users[((const Value *)atom->value)->id];
    if (!u->at.n || u->at.at[u->at.n - 1] != n->op)
        push(&u->at, n->op);
    return false;
}

/* Adds op to the users of its arguments and of what its formulas mention. */
static void note_users(Op *op, void *arg)
{
    Noting n = { arg, op };
    for (int i = 0; i < op->nargs; i++)
        push(&n.users[op->args[i]->id].at, op);
    op_atoms(op, note_atom, &n);
}

/* The ops that use each value of a kernel, by value id. */
Users *users_of(const Kernel *k)
{
    Users *users = new_array(Users, k->values.n + 1);
    ir_walk(k->body, note_users, users);
    return users;
}

/* ---- what is needed at once ------------------------------------------------------------------ */

/* When v is made, on a scale of two steps an op: a loop's or if's results after its regions. */
static int made_at(const Value *v)
{
    if (v->def)
        return v->def->nregions && !op_combines(v->def) ? 2 * v->def->last_number + 1
                                                        : 2 * v->def->number;
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
    const Op *x = a, *up = a->block->parent;
    while (up && (b->number <= up->number || b->number > up->last_number))
        x = up, up = up->block->parent;
    if (!up || up->kind != OP_IF)                  /* the innermost that has both decides */
        return false;
    const Op *y = b;
    while (y->block->parent != up)
        y = y->block->parent;
    return x->block != y->block;
}

/* Is a still needed after the point where b is made?  users: of a, through
   what is printed in place. */
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
        if (op == maker && op->nregions && !op_combines(op))
            continue;                             /* a first value, copied before the region runs */
        bool aligned = op->kind == OP_ELEM || op->kind == OP_CAST || op->kind == OP_SELECT
                       || op->kind == OP_FILL || op->kind == OP_YIELD || op->kind == OP_MMA
                       || op->kind == OP_RESHAPE
                       || (is_move(op) && !moves_in_registers(p->e->body, op));
        int until = 2 * op->number;
        if (until > made || (until == made && !(aligned && op == b->def)))
            if (!exclusive(op, maker) && made_at(a) <= made)
                return true;
    }
    return false;
}

/* Is any value of one web needed where one of the other is made? */
static bool interfere(Placing *p, Value *a, Value *b)
{
    Value *v = a;
    do {
        Value *w = b;
        do {
            bool variables = map_of(v)->var && map_of(w)->var;
            if (variables && (live_at(p, v, v, w) || live_at(p, w, w, v)))
                return true;
            w = map_of(w)->next;
        } while (w != b);
        v = map_of(v)->next;
    } while (v != a);
    return false;
}

/* Does v lie along a whole axis without being as large as the tiles beside it: weights, sums over
   rows? */
static bool is_slim(const Emit *e, const Value *v)
{
    bool whole = false;
    for (int a = 0; a < v->type.rank; a++)
        whole |= map_of(v)->dim[a] && map_of(v)->dim[a]->whole;
    return whole && !is_full(e, v);
}

/* The bytes that slim tiles take for each element of a row: mostly sums and weights, which live
   all the time. */
int slim_bytes(const Emit *e)
{
    int bytes = 0;
    for (int i = 0; i < e->k->values.n; i++) {
        Value *v = e->k->values.at[i];
        if (v->plan && map_of(v)->var && is_slim(e, v) && web_root(v) == v)
            bytes += elem_info[v->type.elem].bytes;
    }
    return bytes;
}

/* The largest sum of weights of tiles that are needed at once; those of weight 0 do not count. */
int live_weight(Emit *e, int (*weight)(const Emit *e, const Value *v))
{
    Placing p = { .e = e, .users = users_of(e->k) };
    int most = 1;
    for (int i = 0; i < e->k->values.n; i++) {
        const Value *b = e->k->values.at[i];
        if (!b->plan || !map_of(b)->var || !weight(e, b) || (!b->def && !b->block))
            continue;
        int sum = 0;
        for (int j = 0; j < e->k->values.n; j++) {
            Value *a = e->k->values.at[j];
            if (a->plan && map_of(a)->var && weight(e, a) && web_root(a) == a
                && (a == b || live_at(&p, a, a, b)))
                sum += weight(e, a);
        }
        most = sum > most ? sum : most;
    }
    return most;
}

/* The bytes of one element of a tile that has all axes of its space. */
static int element_weight(const Emit *e, const Value *v)
{
    return is_full(e, v) ? elem_info[v->type.elem].bytes : 0;
}

/* The largest number of bytes that tiles need at once for each element that a thread holds. */
int live_bytes(Emit *e)
{
    return live_weight(e, element_weight);
}

/* ---- sharing --------------------------------------------------------------------------------- */

/* The value that stands for the web of v. */
Value *web_root(Value *v)
{
    while (map_of(v)->web != v)
        v = map_of(v)->web = map_of(map_of(v)->web)->web;
    return v;
}

/* Have they one type and one layout? */
static bool same_place(const Value *a, const Value *b)
{
    if (!type_same(&a->type, &b->type))
        return false;
    return !memcmp(map_of(a)->dim, map_of(b)->dim, sizeof map_of(a)->dim);
}

/* Makes one web of two; its root is that of a. */
static void unite(Value *a, Value *b)
{
    if (web_root(a) == web_root(b))
        return;
    Value *next = map_of(a)->next;
    map_of(a)->next = map_of(b)->next;
    map_of(b)->next = next;
    map_of(web_root(b))->web = web_root(a);
}

/* Is v the variable of a for, which its head alone writes? */
static bool is_loop_index(const Value *v)
{
    return v->block->parent->kind == OP_FOR && v->block->args[0] == v;
}

/* Lets `other` share the variable of `keep` if both are variables and never needed at once. */
static void share(Placing *p, Value *keep, Value *other)
{
    if (!map_of(keep)->var || !map_of(other)->var || web_root(keep) == web_root(other))
        return;
    if (other->def && (other->def->kind == OP_SYM || other->def->kind == OP_CONST))
        return;
    if (!other->def && (!other->block || !other->block->parent || is_loop_index(other)))
        return;
    if (same_place(keep, other) && !interfere(p, keep, other))
        unite(keep, other);
}

/* Lets what a region yields, from its operand `skip` on, share the variables of the results. */
static void share_yields(Placing *p, Op *op, const Block *b, int skip)
{
    for (const Op *o = b->first; o; o = o->next)
        if (o->kind == OP_YIELD)
            for (int i = skip; i < o->nargs && i - skip < op->nresults; i++)
                share(p, op->results[i - skip], o->args[i]);
}

/* The variables of a loop are those of its results. */
static void unite_loop(Op *op, void *arg)
{
    (void)arg;
    if ((op->kind != OP_FOR && op->kind != OP_WHILE) || !op->nresults)
        return;
    int skip = op->kind == OP_FOR ? 1 : 0;
    for (int r = 0; r < op->nregions; r++)
        for (int i = skip; i < op->region[r]->nargs; i++)
            if (map_of(op->results[i - skip])->var)
                unite(op->results[i - skip], op->region[r]->args[i]);
}

/* A loop starts in the variables of its first values; an if's arms write straight into its
   results. */
static void share_op(Op *op, void *arg)
{
    Placing *p = arg;
    bool loop = op->kind == OP_FOR || op->kind == OP_WHILE;
    if (!op->nresults || !op->nregions || op_combines(op))
        return;
    int first = op->kind == OP_FOR ? 3 : 0;
    for (int r = 0; r < op->nregions; r++)
        share_yields(p, op, op->region[r], op->kind == OP_WHILE && r == 0 ? 1 : 0);
    for (int i = 0; loop && i < op->nresults; i++)
        share(p, op->results[i], op->args[first + i]);
}

/* Makes webs of the values that can share a variable: a loop's, the arms' of an if. Those of loops
   come first: who shares with a loop's result shares with what it carries, from its first round. */
void share_variables(Placing *p)
{
    ir_walk(p->e->k->body, unite_loop, NULL);
    ir_walk(p->e->k->body, share_op, p);
}
