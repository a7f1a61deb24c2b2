/* branch.c -- one of two expressions: c ? a : b, && and || where the left side guards the right */
#include "lower.h"

/* ---- arms ------------------------------------------------------------------------------------ */

/* An expression in a block of its own, with what is known where the condition is `truth`. */
static Arm arm_expr(Check *c, const Node *n, const Node *cond, bool truth)
{
    Block *outer = c->block;
    Known *known = c->known;
    Arm arm = { ir_block(NULL), { .kind = GIVES_ERROR } };
    c->block = arm.block;
    narrow(c, cond, truth);
    arm.given = expr(c, n);
    c->known = known;
    c->block = outer;
    return arm;
}

/* An arm that is a bool literal. */
static Arm arm_bool(bool b, const Node *n)
{
    Arm arm = { ir_block(NULL), literal_int(b, n) };
    arm.given.is_bool = true;
    return arm;
}

/* Moves the ops of a block to the end of the current one. */
static void splice(Check *c, Block *from)
{
    Block *into = c->block;
    for (Op *op = from->first; op; op = op->next) op->block = into;
    if (!from->first) return;
    from->first->prev = into->last;
    if (into->last) into->last->next = from->first;
    else into->first = from->first;
    into->last = from->last;
    from->first = from->last = NULL;
}

/* ---- joining --------------------------------------------------------------------------------- */

/* The values that the two arms yield, in order. */
typedef struct { Block *block[2]; LIST(Value *) yields[2]; bool bad; const Node *at; } Join;

/* One value of each arm, in one type and shape; the conversions stand in their arms. */
static void join_values(Check *c, Join *j, const Given *a, const Given *b)
{
    const Given both[] = { *a, *b };
    Block *outer = c->block;
    Value *v[2];
    Elem e;
    if (!unify(c, both, 2, "? :", node_pos(j->at), &e)) {
        j->bad = true;
        return;
    }
    for (int i = 0; i < 2; i++) {
        c->block = j->block[i];
        v[i] = given_value(c, both[i], e);
        if (v[i]) v[i] = build_cast(c, v[i], e, both[i].pos);
        else j->bad = true;
    }
    c->block = outer;
    if (j->bad
        || (!type_same_shape(&v[0]->type, &v[1]->type)
            && !join_shapes(c, j->block, v, node_pos(j->at)))) {
        j->bad = true;
        return;
    }
    push(&j->yields[0], v[0]);
    push(&j->yields[1], v[1]);
}

/* The shape of the join: values, tuples of as many members, or nothing on both sides. */
static Given join_given(Check *c, Join *j, const Given *a, const Given *b)
{
    Given out = give_kind(a->kind == GIVES_LITERAL ? GIVES_VALUE : a->kind, j->at);
    if (a->kind == GIVES_NOTHING && b->kind == GIVES_NOTHING) return out;
    if (a->kind != GIVES_TUPLE && b->kind != GIVES_TUPLE) {
        if (operand(c, a) && operand(c, b)) join_values(c, j, a, b);
        else j->bad = true;
        return out;
    }
    if (a->kind != b->kind || a->n != b->n) {
        j->bad = true;
        mistake(c, node_pos(j->at), "E0409", "the two sides are tuples of different lengths");
        note(a->pos, "one side");
        note(b->pos, "the other");
        return out;
    }
    out.n = a->n;
    out.members = new_array(Given, out.n);
    for (int i = 0; i < out.n && !j->bad; i++)
        out.members[i] = join_given(c, j, &a->members[i], &b->members[i]);
    return out;
}

/* Puts the joined values into the leaves, in the order in which they were collected. */
static void fill_leaves(Given *g, Value **values, int *next)
{
    if (g->kind == GIVES_VALUE) g->value = values[(*next)++];
    for (int i = 0; g->kind == GIVES_TUPLE && i < g->n; i++)
        fill_leaves(&g->members[i], values, next);
}

/* Scalar arithmetic alone: cheaper done than branched around. */
static bool cheap(const Block *b)
{
    int n = 0;
    for (const Op *op = b->first; op; op = op->next) {
        bool scalar = op->nresults == 1 && op->results[0]->type.rank == 0;
        bool plain = op->kind == OP_CONST || op->kind == OP_SYM || op->kind == OP_ELEM
                     || op->kind == OP_CAST || op->kind == OP_SELECT;
        if (!scalar || !plain || ++n > 16) return false;
    }
    return true;
}

/* The joined values as selects, both arms done. */
static Value **join_selects(Check *c, Join *j, Value *cond, Pos pos)
{
    Value **joined = new_array(Value *, j->yields[0].n);
    splice(c, j->block[0]);
    splice(c, j->block[1]);
    for (int i = 0; i < j->yields[0].n; i++) {
        Value *args[] = { cond, j->yields[0].at[i], j->yields[1].at[i] };
        joined[i] = build(c, OP_SELECT, args[1]->type, pos, 3, args, NULL);
    }
    return joined;
}

/* The joined values as the results of an OP_IF. */
static Value **join_if(Check *c, Join *j, Value *cond, Pos pos)
{
    int n = j->yields[0].n;
    Type *types = new_array(Type, n);
    for (int i = 0; i < n; i++) types[i] = j->yields[0].at[i]->type;
    Op *op = ir_op(c->kernel, c->block, OP_IF, pos, c->stmt, 1, &cond, n, types);
    Block *outer = c->block;
    for (int i = 0; i < 2; i++) {
        op->region[op->nregions++] = c->block = j->block[i];
        c->block->parent = op;
        if (!block_ended(c->block)) build_effect(c, OP_YIELD, pos, n, j->yields[i].at);
    }
    c->block = outer;
    return op->results;
}

/* What two arms give together: a chosen one if the condition is static, else a join. */
Given join_arms(Check *c, Value *cond, Arm *yes, Arm *no, const Node *at)
{
    Join j = { .block = { yes->block, no->block }, .at = at };
    if (!cond || yes->given.kind == GIVES_ERROR || no->given.kind == GIVES_ERROR)
        return give_kind(GIVES_ERROR, at);
    Given out = join_given(c, &j, &yes->given, &no->given);
    if (j.bad) return give_kind(GIVES_ERROR, at);
    bool fixed = cond->def && cond->def->kind == OP_CONST,
         scalars = cheap(j.block[0]) && cheap(j.block[1]);
    int chosen = fixed && cond->def->constant.i ? 0 : 1, next = 0;
    Value **values = j.yields[chosen].at;
    for (int i = 0; i < j.yields[0].n; i++) scalars = scalars && j.yields[0].at[i]->type.rank == 0;
    if (fixed) splice(c, j.block[chosen]);
    else if (scalars) values = join_selects(c, &j, cond, node_pos(at));
    else values = join_if(c, &j, cond, node_pos(at));
    fill_leaves(&out, values, &next);
    return out;
}

/* ---- expressions ----------------------------------------------------------------------------- */

/* c ? a : b */
Given conditional(Check *c, const Node *n)
{
    Value *cond = condition(c, kid(n, 0));
    if (!cond) return give_kind(GIVES_ERROR, n);
    Arm yes = arm_expr(c, kid(n, 1), kid(n, 0), true);
    Arm no = arm_expr(c, kid(n, 2), kid(n, 0), false);
    return join_arms(c, cond, &yes, &no, n);
}

/* a && b, a || b: elementwise, but the right side is left alone where the left one tests an
   optional tensor that it uses. */
Given logical(Check *c, const Node *n)
{
    bool both = node_is(n, "&&");
    Known *known = c->known;
    narrow(c, kid(n, 0), both);
    bool guards = c->known != known;
    c->known = known;
    if (!guards) {
        Given g[2] = { expr(c, kid(n, 0)) };
        g[1] = expr(c, kid(n, 1));
        return elementwise(c, op_row_symbol(both ? "&&" : "||", 2), g, 2, n);
    }
    Value *cond = condition(c, kid(n, 0));
    if (!cond) return give_kind(GIVES_ERROR, n);
    Arm left = arm_bool(!both, n), right = arm_expr(c, kid(n, 1), kid(n, 0), both);
    right.given = tensor_test(c, right.given);
    return both ? join_arms(c, cond, &right, &left, n) : join_arms(c, cond, &left, &right, n);
}
