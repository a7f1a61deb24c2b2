/* ir.c -- tile operations: making, walking, replacing */
#include "ir.h"

/* ---- making ---------------------------------------------------------------------------------- */

/* A new value of the kernel, with the next number; whoever calls says what defines it. */
Value *ir_value(Kernel *k, Type type, Pos pos)
{
    Value *v = new(Value);
    v->type = type;
    v->pos = pos;
    v->id = k->values.n;
    push(&k->values, v);
    return v;
}

/* Puts an op at the end of a block. */
static void append(Block *b, Op *op)
{
    op->block = b;
    op->prev = b->last;
    op->next = NULL;
    if (b->last)
        b->last->next = op;
    else
        b->first = op;
    b->last = op;
}

/* A new op at the end of b (b NULL: nowhere yet), with a new value for each of its result types. */
Op *ir_op(Kernel *k, Block *b, OpKind kind, Pos pos, Pos stmt, int nargs, Value **args,
          int nresults, const Type *types)
{
    Op *op = new(Op);
    op->kind = kind;
    op->pos = pos;
    op->stmt = stmt;
    op->nargs = nargs;
    op->args = new_array(Value *, nargs);
    for (int i = 0; i < nargs; i++)
        op->args[i] = args[i];
    op->nresults = nresults;
    op->results = new_array(Value *, nresults);
    for (int i = 0; i < nresults; i++) {
        op->results[i] = ir_value(k, types[i], pos);
        op->results[i]->def = op;
    }
    if (b)
        append(b, op);
    return op;
}

/* A new empty region of an op; without an op, a kernel's body. */
Block *ir_block(Op *parent)
{
    Block *b = new(Block);
    b->parent = parent;
    if (parent)
        parent->region[parent->nregions++] = b;
    return b;
}

/* One more argument of a region. */
Value *ir_block_arg(Kernel *k, Block *b, Type type, Pos pos)
{
    Value *v = ir_value(k, type, pos);
    Value **args = new_array(Value *, b->nargs + 1);
    for (int i = 0; i < b->nargs; i++)
        args[i] = b->args[i];
    args[b->nargs++] = v;
    b->args = args;
    v->block = b;
    return v;
}

/* Puts op, which stands nowhere, right before another one. */
void ir_insert_before(Op *at, Op *op)
{
    op->block = at->block;
    op->prev = at->prev;
    op->next = at;
    if (at->prev)
        at->prev->next = op;
    else
        at->block->first = op;
    at->prev = op;
}

/* Takes an op out of its block; it may be inserted elsewhere. */
void ir_remove(Op *op)
{
    if (op->prev)
        op->prev->next = op->next;
    else
        op->block->first = op->next;
    if (op->next)
        op->next->prev = op->prev;
    else
        op->block->last = op->prev;
    op->prev = op->next = NULL;
    op->block = NULL;
}

/* ---- functions of scalars -------------------------------------------------------------------- */

/* Is the op's region a function of scalars that it applies, not a way through the program? */
bool op_combines(const Op *op)
{
    return op && (op->kind == OP_FOLD || op->kind == OP_SCAN);
}

/* How many tiles go in: operands are the tiles, then as many first values. */
int op_members(const Op *op)
{
    return op->nargs / 2;
}

/* The one axis of the bit mask. */
int op_axis(const Op *op)
{
    int axis = 0;
    while (axis < MAX_TILE_RANK - 1 && !(op->reduce_axes >> axis & 1))
        axis++;
    return axis;
}

/* The elementwise operation that |a, b| op(a, b) is; NULL: the function is more than that. */
const OpRow *op_lambda_row(const Op *op)
{
    const Block *b = op->region[0];
    const Op *only = b->first;
    bool plain = op_members(op) == 1 && only && only->kind == OP_ELEM && only->nargs == 2
                 && only->next == b->last && b->last->args[0] == only->results[0];
    plain = plain && only->args[0] == b->args[0] && only->args[1] == b->args[1];
    return plain ? only->row : NULL;
}

/* Rule 2 along the axis: the interval of the operands that have one. */
Valid op_valid(const Op *op)
{
    Valid valid = {.kind = VALID_ANY};
    for (int i = 0; i < op_members(op) && valid.kind == VALID_ANY; i++)
        valid = op->args[i]->valid[op_axis(op)];
    return valid;
}

/* ---- walking --------------------------------------------------------------------------------- */

/* Calls f for every op of a block in order, then for those of its regions; f may remove its op. */
void ir_walk(Block *b, void (*f)(Op *op, void *arg), void *arg)
{
    for (Op *op = b->first, *next; op; op = next) {
        next = op->next;
        f(op, arg);
        for (int r = 0; r < op->nregions; r++)
            ir_walk(op->region[r], f, arg);
    }
}

/* Calls f for each formula that an op holds, to look at it or to put another in its place. */
static void each_sym(Op *op, void (*f)(Sym *s, void *arg), void *arg)
{
    if (op->kind == OP_SYM)
        f(&op->sym, arg);
    if (!op->access)
        return;
    for (int a = 0; a < MAX_RANK; a++) {
        if (op->access->start[a])
            f(&op->access->start[a], arg);
        if (op->access->lo[a])
            f(&op->access->lo[a], arg);
        if (op->access->hi[a])
            f(&op->access->hi[a], arg);
    }
}

/* ---- counting -------------------------------------------------------------------------------- */

/* A value that a formula mentions is used. */
static bool count_atom(Sym atom, void *arg)
{
    (void)arg;
    if (atom->kind == SYM_VALUE)
        ((Value *)atom->value)->uses++;
    return false;
}

/* Counts what one formula mentions. */
static void count_sym(Sym *s, void *arg)
{
    sym_mentions(*s, count_atom, arg);
}

/* Counts what one op uses. */
static void count_op(Op *op, void *arg)
{
    for (int i = 0; i < op->nargs; i++)
        op->args[i]->uses++;
    each_sym(op, count_sym, arg);
}

/* Sets Value.uses of every value: operands and mentions in formulas of the ops that stand in the
   body. */
void ir_count_uses(Kernel *k)
{
    for (int i = 0; i < k->values.n; i++)
        k->values.at[i]->uses = 0;
    ir_walk(k->body, count_op, NULL);
}

/* ---- types ----------------------------------------------------------------------------------- */

/* The type of a scalar. */
Type type_scalar(Elem e)
{
    return (Type){.kind = TYPE_TILE, .elem = e};
}

/* Same kind, element type and shape. */
bool type_same(const Type *a, const Type *b)
{
    return a->kind == b->kind && a->elem == b->elem && type_same_shape(a, b);
}

/* Same rank and extents. */
bool type_same_shape(const Type *a, const Type *b)
{
    if (a->rank != b->rank)
        return false;
    for (int i = 0; i < a->rank; i++)
        if (a->dim[i] != b->dim[i])
            return false;
    return true;
}

/* The axis is a whole one: its extent is known at launch only. */
bool type_is_whole(const Type *t, int axis)
{
    return type_extent(t, axis) < 0;
}

/* The static extent of an axis; -1 of a whole axis. */
int64_t type_extent(const Type *t, int axis)
{
    int64_t k;
    return sym_const_of(t->dim[axis], &k) ? k : -1;
}
