/* simplify.c -- constants folded, equal scalars computed once, what nobody needs dropped */
/* needs: padding().  gives: fewer ops.  keeps: valid parts, pads, names, positions, the order of
   loads and stores.
 *
 * One walk in program order: each op sees its operands simplified, and says which value takes the
 * place of its result, if any. Then unused.c drops what is not used. Nothing is moved out of loops:
 * the C compiler does that, and the output keeps the order of the program. */
#include <math.h>
#include <string.h>
#include "ir.h"

/* A scalar op that was seen, and the block in which its result can be used. */
typedef struct { Op *op; uint32_t hash; } Seen;

typedef struct {
    Kernel *k;
    Value **by;                                    /* by value id: what took its place, or NULL */
    int room;                                      /* of by */
    bool replaced;                                 /* some value has been */
    LIST(Seen) seen;                               /* a stack, as blocks begin and end */
    LIST(int) next;                                /* of each: the one before it with a like hash */
    int *head;                                     /* by hash: the last one */
} Simplify;

enum { HEADS = 1024 };

/* ---- replacing ------------------------------------------------------------------------------- */

/* What stands for a value now. */
static Value *now(Simplify *s, Value *v)
{
    while (v->id < s->room && s->by[v->id])
        v = s->by[v->id];
    return v;
}

/* Can `by` stand for v? Not if a reduction would see another valid part. */
static bool can_replace(Simplify *s, const Value *v, Value *by)
{
    by = now(s, by);
    for (int a = 0; a < v->type.rank; a++) {
        const Valid *mine = &v->valid[a], *its = &by->valid[a];
        const bool interval = mine->kind == VALID_INTERVAL;
        if (mine->kind != its->kind || (interval && (mine->lo != its->lo || mine->hi != its->hi)))
            return false;
    }
    return by != v;
}

/* From now on `by` stands for v; it takes over the user's name if it has none. */
static void replace(Simplify *s, Value *v, Value *by)
{
    by = now(s, by);
    s->by[v->id] = by;
    s->replaced = true;
    if (!by->name && !(by->def && by->def->kind == OP_CONST))
        by->name = v->name;
}

/* The formula of what stands for an atom. */
static Sym now_atom(Sym atom, void *arg)
{
    if (atom->kind != SYM_VALUE)
        return atom;
    const Value *v = now(arg, (Value *)atom->value);
    if (v == atom->value)
        return atom;
    if (v->def && v->def->kind == OP_CONST && elem_is_int(v->type.elem))
        return sym_const(v->def->constant.i);
    if (v->def && v->def->kind == OP_SYM)
        return v->def->sym;
    return sym_value(v);
}

/* A formula with what stands for its atoms. */
static void renew(Simplify *s, Sym *sym)
{
    if (*sym && s->replaced)
        *sym = sym_replace(*sym, now_atom, s);
}

/* The formulas of a value. */
static void renew_value(Simplify *s, Value *v)
{
    renew(s, &v->sym);
    for (int a = 0; a < v->type.rank && a < MAX_TILE_RANK; a++)
        if (v->valid[a].kind == VALID_INTERVAL) {
            renew(s, &v->valid[a].lo);
            renew(s, &v->valid[a].hi);
        }
}

/* Operands and formulas of an op. */
static void renew_op(Simplify *s, Op *op)
{
    for (int i = 0; i < op->nargs; i++)
        op->args[i] = now(s, op->args[i]);
    if (op->kind == OP_SYM)
        renew(s, &op->sym);
    for (int a = 0; op->access && a < MAX_RANK; a++) {
        renew(s, &op->access->start[a]);
        renew(s, &op->access->lo[a]);
        renew(s, &op->access->hi[a]);
    }
    for (int i = 0; i < op->nresults; i++)
        renew_value(s, op->results[i]);
    for (int r = 0; r < op->nregions; r++)
        for (int i = 0; i < op->region[r]->nargs; i++)
            renew_value(s, op->region[r]->args[i]);
}

/* ---- folding --------------------------------------------------------------------------------- */

/* The constant that a value is everywhere, or NULL. */
static const Constant *constant_of(const Value *v)
{
    return v->def && v->def->kind == OP_CONST ? &v->def->constant : NULL;
}

/* Makes the op a constant: its result, name and place stay. */
static void become_const(Op *op, Constant c)
{
    op->kind = OP_CONST;
    op->constant = c;
    op->nargs = 0;
    op->access = NULL;
}

/* A number that prints and computes the same everywhere: no NaN, whose bits differ. */
static bool foldable(Elem e, Constant c)
{
    return !elem_is_float(e) || !isnan(c.f);
}

/* An elementwise operation on scalar constants, if it is correctly rounded on every target. */
static bool fold_elem(Op *op)
{
    Constant a[3] = {{0}, {0}, {0}};
    const Elem e = op->args[0]->type.elem;
    for (int i = 0; i < op->nargs; i++) {
        const Constant *c = constant_of(op->args[i]);
        if (!c || !foldable(e, *c))
            return false;
        a[i] = *c;
    }
    if (op->row->ulp > 0)
        return false;
    const Constant r = op_reference(op->row, e, a);
    if (!foldable(op->results[0]->type.elem, r))
        return false;
    become_const(op, r);
    return true;
}

/* A cast of a scalar constant. */
static bool fold_cast(Op *op)
{
    const Elem from = op->args[0]->type.elem, to = op->results[0]->type.elem;
    const Constant *c = constant_of(op->args[0]);
    if (!c || !foldable(from, *c))
        return false;
    become_const(op, round_reference(from, to, *c, op->rounding));
    return true;
}

/* A formula that is a number. */
static bool fold_sym(Op *op)
{
    int64_t k;
    if (!sym_const_of(op->sym, &k))
        return false;
    become_const(op, (Constant){.i = k});
    return true;
}

/* select with a constant condition, stretched or not: the arm. */
static Value *fold_select(const Op *op)
{
    const Value *c = op->args[0];
    while (c->def && c->def->kind == OP_BROADCAST)
        c = c->def->args[0];
    const Constant *known = constant_of(c);
    if (!known)
        return op->args[1] == op->args[2] ? op->args[1] : NULL;
    return op->args[known->i ? 1 : 2];
}

/* broadcast of a broadcast is one; of nothing, none. */
static Value *fold_broadcast(Op *op)
{
    const Op *inner = op->args[0]->def;
    if (inner && inner->kind == OP_BROADCAST)
        op->args[0] = inner->args[0];
    return type_same_shape(&op->args[0]->type, &op->results[0]->type) ? op->args[0] : NULL;
}

/* squeeze of the axes that expand made: what was there before. (Not the other way round: what
   squeeze drops may be padding, what expand makes is data.) */
static Value *fold_squeeze(const Op *op)
{
    const Op *inner = op->args[0]->def;
    return inner && inner->kind == OP_EXPAND && inner->axes == op->axes ? inner->args[0] : NULL;
}

/* The value that already is the op's result, or NULL; the op may become a simpler one. */
static Value *fold(Op *op)
{
    switch (op->kind) {
    case OP_ELEM:
        fold_elem(op);
        return NULL;
    case OP_SYM:
        fold_sym(op);
        return NULL;
    case OP_CAST:
        if (op->args[0]->type.elem == op->results[0]->type.elem)
            return op->args[0];
        fold_cast(op);
        return NULL;
    case OP_SELECT:    return fold_select(op);
    case OP_BROADCAST: return fold_broadcast(op);
    case OP_SQUEEZE:   return fold_squeeze(op);
    case OP_RESHAPE: case OP_BITCAST:
        return type_same(&op->args[0]->type, &op->results[0]->type) ? op->args[0] : NULL;
    case OP_CONST: case OP_HAS: case OP_EXPAND: case OP_PERMUTE: case OP_FLIP:
    case OP_EXTRACT: case OP_CAT: case OP_IOTA: case OP_COORD:
    case OP_FILL: case OP_KEEP: case OP_VALID: case OP_REDUCE: case OP_FOLD: case OP_SCAN:
    case OP_MMA: case OP_LOAD: case OP_STORE: case OP_GATHER: case OP_SCATTER: case OP_ATOMIC:
    case OP_SORT: case OP_HISTOGRAM: case OP_RANDOM: case OP_PRINT: case OP_ASSERT:
    case OP_IF: case OP_FOR: case OP_WHILE: case OP_YIELD: case OP_BREAK: case OP_CONTINUE:
    case OP_RETURN: case OP_RELAYOUT: case OP_KIND_COUNT:
        break;
    }
    return NULL;
}

/* ---- equal scalars --------------------------------------------------------------------------- */

/* A scalar that depends on its operands alone. */
static bool is_pure_scalar(const Op *op)
{
    return op->nresults == 1 && op->results[0]->type.rank == 0
           && (op->kind == OP_CONST || op->kind == OP_SYM || op->kind == OP_ELEM
               || op->kind == OP_CAST || op->kind == OP_SELECT || op->kind == OP_HAS);
}

/* What tells one such op from another, as a number. */
static uint64_t detail(const Op *op)
{
    return op->kind == OP_CONST ? op->constant.u
         : op->kind == OP_SYM   ? (uint64_t)(uintptr_t)op->sym
         : op->kind == OP_ELEM  ? (uint64_t)(op->row - op_rows)
         : op->kind == OP_CAST  ? (uint64_t)op->rounding : 0;
}

/* A number that equal ops share. */
static uint32_t hash_of(const Op *op)
{
    uint64_t h = (uint64_t)op->kind * 31 + (uint64_t)op->results[0]->type.elem;
    h = (h ^ detail(op)) * 0x9E3779B97F4A7C15u;
    for (int i = 0; i < op->nargs; i++)
        h = (h ^ h >> 29 ^ (uint64_t)op->args[i]->id) * 0xBF58476D1CE4E5B9u;
    return (uint32_t)(h ^ h >> 32);
}

/* The same kind, type and operands. */
static bool same_op(const Op *a, const Op *b)
{
    if (a->kind != b->kind || a->nargs != b->nargs || detail(a) != detail(b)
        || a->results[0]->type.elem != b->results[0]->type.elem)
        return false;
    return a->nargs == 0 || !memcmp(a->args, b->args, sizeof *a->args * (size_t)a->nargs);
}

/* The op that computed the same before, where this one stands; or NULL, and this one is noted. */
static Op *seen_before(Simplify *s, Op *op)
{
    const uint32_t hash = hash_of(op);
    for (int i = s->head[hash % HEADS]; i >= 0; i = s->next.at[i])
        if (s->seen.at[i].hash == hash && same_op(s->seen.at[i].op, op))
            return s->seen.at[i].op;
    push(&s->seen, ((Seen){op, hash}));
    push(&s->next, s->head[hash % HEADS]);
    s->head[hash % HEADS] = s->seen.n - 1;
    return NULL;
}

/* Forgets the ops after the first n: their block has ended. */
static void forget_after(Simplify *s, int n)
{
    while (s->seen.n > n) {
        s->head[s->seen.at[s->seen.n - 1].hash % HEADS] = s->next.at[s->next.n - 1];
        s->seen.n--;
        s->next.n--;
    }
}

/* ---- an if that is decided ------------------------------------------------------------------- */

/* Moves the ops of a block to before `at`. */
static void splice_before(Op *at, Block *from)
{
    for (Op *op = from->first, *next; op; op = next) {
        next = op->next;
        ir_remove(op);
        ir_insert_before(at, op);
    }
}

/* Drops all ops from `op` on to the end of its block. */
static void drop_rest(Op *op)
{
    for (Op *next; op; op = next) {
        next = op->next;
        ir_remove(op);
    }
}

/* Can the arm's values stand for what the if gives? (The other arm may have narrowed their valid
   part.) */
static bool can_inline(Simplify *s, const Op *op, bool truth)
{
    const int arm = truth ? 0 : 1;
    const Op *end = arm < op->nregions ? op->region[arm]->last : NULL;
    for (int i = 0; end && end->kind == OP_YIELD && i < op->nresults; i++)
        if (!can_replace(s, op->results[i], end->args[i]))
            return false;
    return true;
}

/* The arm of an if with a constant condition takes its place; what comes next, or NULL at the end.
   An arm that leaves takes the ops after it along. */
static Op *inline_if(Simplify *s, Op *op, bool truth)
{
    const int arm = truth ? 0 : 1;
    Op *before = op->prev, *next = op->next;
    Block *into = op->block;
    if (arm < op->nregions) {
        Op *end = op->region[arm]->last;
        const bool leaves = !end || end->kind != OP_YIELD;
        for (int i = 0; i < op->nresults && !leaves; i++)
            replace(s, op->results[i], end->args[i]);
        if (end && !leaves)
            ir_remove(end);
        const bool ends = end && leaves;
        splice_before(op, op->region[arm]);
        if (ends)
            drop_rest(next);
    }
    ir_remove(op);
    return before ? before->next : into->first;
}

/* ---- the walk in program order --------------------------------------------------------------- */

static void simplify_block(Simplify *s, Block *b);

/* One op; the next to look at. */
static Op *simplify_op(Simplify *s, Op *op)
{
    renew_op(s, op);
    const Constant *c = op->kind == OP_IF ? constant_of(op->args[0]) : NULL;
    if (c && can_inline(s, op, c->i != 0))
        return inline_if(s, op, c->i != 0);
    Value *same = fold(op);
    if (same && !can_replace(s, op->results[0], same))
        same = NULL;
    const Op *before = !same && is_pure_scalar(op) ? seen_before(s, op) : NULL;
    Op *next = op->next;
    if (before)
        same = before->results[0];
    if (same) {
        replace(s, op->results[0], same);
        ir_remove(op);
    }
    for (int r = 0; r < op->nregions; r++)
        simplify_block(s, op->region[r]);
    return next;
}

/* The ops of a block; what they compute is known in the blocks inside. */
static void simplify_block(Simplify *s, Block *b)
{
    const int known = s->seen.n;
    for (Op *op = b->first; op; )
        op = simplify_op(s, op);
    forget_after(s, known);
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* One kernel. */
static void simplify_kernel(Kernel *k)
{
    Simplify s = {.k = k, .room = k->values.n};
    s.by = new_array(Value *, k->values.n + 1);
    s.head = new_array(int, HEADS);
    for (int i = 0; i < HEADS; i++)
        s.head[i] = -1;
    simplify_block(&s, k->body);
    drop_unused(k);
}

/* Every kernel: the same results, bit for bit, with fewer ops. */
void simplify(Program *p)
{
    for (int f = 0; f < p->functions.n; f++)
        for (int i = 0; i < p->functions.at[f]->kernels.n; i++)
            simplify_kernel(p->functions.at[f]->kernels.at[i]);
}
