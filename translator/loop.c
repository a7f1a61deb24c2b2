/* loop.c -- if, for, while: which variables a region changes, and what comes out of it */
#include "lower.h"

enum { MOST_ROUNDS = 4096, MOST_UNROLLED = 100000 };

/* ---- which variables ------------------------------------------------------------------------- */

/* Adds a variable of the scopes outside that a place assigns. */
static void assigned_place(Check *c, const Node *place, Variables *out)
{
    if (!place) return;
    if (place->kind == N_TUPLE)
        for (const Node *n = place->kids; n; n = n->next) assigned_place(c, n, out);
    if (!word_is_name(place)) return;
    Binding *b = scope_find(c, SPACE_VALUE, node_name(place));
    if (!b || b->kind != BIND_MUT) return;
    for (int i = 0; i < out->n; i++)
        if (out->at[i] == b) return;
    push(out, b);
}

/* Adds the variables that statements assign, whether or not an inner `let` hides them. */
void assigned(Check *c, const Node *n, Variables *out)
{
    if (!n) return;
    switch ((int)n->kind) {
    case N_ASSIGN: case N_OP_ASSIGN: assigned_place(c, kid(n, 0), out); return;
    case N_BLOCK:
    case N_IF:
    case N_ARM:
    case N_STATIC_ARM:
    case N_WHILE:
    case N_FOR:
    case N_FOR_STATIC:
    case N_WITH:
        for (const Node *k = n->kids; k; k = k->next) assigned(c, k, out);
        return;
    default: return;
    }
}

/* Their present values. */
Value **present(const Variables *vars)
{
    Value **v = new_array(Value *, vars->n);
    for (int i = 0; i < vars->n; i++) v[i] = vars->at[i]->value;
    return v;
}

/* Their types. */
static Type *types_of(const Variables *vars)
{
    Type *t = new_array(Type, vars->n);
    for (int i = 0; i < vars->n; i++) t[i] = vars->at[i]->value->type;
    return t;
}

/* Gives each its value, under its name. */
void give_all(const Variables *vars, Value **values)
{
    for (int i = 0; i < vars->n; i++) {
        vars->at[i]->value = values[i];
        name_value(values[i], vars->at[i]->name);
    }
}

/* Ends a region with the present values, unless it ends by itself. */
static void yield(Check *c, const Variables *vars, Pos pos)
{
    if (!block_ended(c->block)) build_effect(c, OP_YIELD, pos, vars->n, present(vars));
}

/* Gives a region an argument for each variable, which has that value in it, and goes there. */
static void enter(Check *c, Block *region, const Variables *vars)
{
    c->block = region;
    for (int i = 0; i < vars->n; i++) {
        Value *arg = ir_block_arg(c->kernel, region, vars->at[i]->value->type, vars->at[i]->pos);
        vars->at[i]->value = arg;
        name_value(arg, vars->at[i]->name);
    }
}

/* From the start of one node to the end of another: the header of a statement. */
Pos header_pos(const Node *n, const Node *last)
{
    uint32_t end = last && last->to > n->from ? last->to : n->to;
    return (Pos){ n->source, n->from, end - n->from };
}

/* ---- if -------------------------------------------------------------------------------------- */

static void if_from(Check *c, const Node *arm);

/* One region of an if: a block, or what else there is. */
static void if_region(Check *c, Op *op, const Node *body, const Variables *vars, const Node *cond,
                      bool truth)
{
    Block *outer = c->block;
    Known *known = c->known;
    Value **before = present(vars);
    c->block = ir_block(op);
    narrow(c, cond, truth);
    if (truth) statements(c, body);
    else if_from(c, body);
    c->stmt = op->stmt;
    yield(c, vars, op->pos);
    give_all(vars, before);
    c->known = known;
    c->block = outer;
}

/* if with a condition of the program. */
static void if_arm(Check *c, const Node *arm)
{
    const Node *cond = kid(arm, 0);
    Variables vars = { 0 };
    c->stmt = header_pos(arm, cond);
    Value *v = condition(c, cond);
    if (!v) v = build_const(c, EL_BOOL, (Constant){ .i = 0 }, node_pos(arm));
    for (const Node *a = arm; a; a = a->next) assigned(c, a, &vars);
    Op *op =
        ir_op(c->kernel, c->block, OP_IF, node_pos(cond), c->stmt, 1, &v, vars.n, types_of(&vars));
    if_region(c, op, kid(arm, 1), &vars, cond, true);
    if_region(c, op, arm->next, &vars, cond, false);
    give_all(&vars, op->results);
}

/* An arm and all that follow it; a static one is taken or left now. */
static void if_from(Check *c, const Node *arm)
{
    bool taken;
    if (!arm || arm->kind == N_NONE) return;
    if (arm->kind == N_BLOCK) {
        statements(c, arm);
        return;
    }
    if (!kid(arm, 0) || !deeper(c, node_pos(arm))) return;
    if (arm->kind == N_ARM) if_arm(c, arm);
    else if (static_bool(c, kid(arm, 0), &taken)) {
        if (taken) statements(c, kid(arm, 1));
        else if_from(c, arm->next);
    }
    c->depth--;
}

/* if c { .. } else if d { .. } else { .. } */
void lower_if(Check *c, const Node *n)
{
    if_from(c, n->kids);
}

/* ---- for ------------------------------------------------------------------------------------- */

/* The step of a for; 1 if it has none. */
static Value *step_value(Check *c, const Node *step, Pos pos)
{
    Value *v = step ? index_value(c, kid(step, 0)) : build_int(c, 1, pos);
    if (!v || !v->def || v->def->kind != OP_CONST || v->def->constant.i != 0) return v;
    mistake(c, node_pos(step), "E0804", "a step of 0 never arrives");
    help("a positive step counts up, a negative one down");
    return NULL;
}

/* The body of a loop in its region, with the loop as the innermost one. */
static void loop_body(Check *c, const Node *block, Loop *loop, Pos pos)
{
    loop->outer = c->loop;
    c->loop = loop;
    Pos header = c->stmt;
    statements(c, block);
    c->stmt = header;
    c->loop = loop->outer;
    if (!loop->unrolled) yield(c, &loop->carried, pos);
}

/* An OP_FOR with its bounds, read once, and the variables that it carries. */
static Op *for_op(Check *c, const Node *n, const Variables *carried)
{
    Value *bounds[3] = { index_value(c, kid(n, 1)) };
    bounds[1] = index_value(c, kid(n, 2));
    bounds[2] = step_value(c, kid(n, 3), node_pos(n));
    Value **args = new_array(Value *, 3 + carried->n), **inits = present(carried);
    for (int i = 0; i < 3; i++) args[i] = bounds[i] ? bounds[i] : build_int(c, 1, node_pos(n));
    for (int i = 0; i < carried->n; i++) args[3 + i] = inits[i];
    return ir_op(c->kernel, c->block, OP_FOR, c->stmt, c->stmt, 3 + carried->n, args, carried->n,
                 types_of(carried));
}

/* for k in a..b step s { .. } */
void lower_for(Check *c, const Node *n)
{
    const Node *word = kid(n, 0), *step = kid(n, 3);
    Loop loop = { 0 };
    if (!word) return;
    c->stmt = header_pos(n, step ? step : kid(n, 2));
    assigned(c, kid(n, 4), &loop.carried);
    Op *op = for_op(c, n, &loop.carried);
    Block *outer = c->block, *body = ir_block(op);
    Value *index = ir_block_arg(c->kernel, body, type_scalar(EL_I64), node_pos(word));
    index->name = node_name(word);
    enter(c, body, &loop.carried);
    scope_push(c);
    scope_add(c, SPACE_VALUE, BIND_VALUE, index->name, index->pos)->value = index;
    loop_body(c, kid(n, 4), &loop, op->pos);
    scope_pop(c);
    c->block = outer;
    give_all(&loop.carried, op->results);
}

/* The static bounds of a `for static` and how many rounds it makes; false after a report. */
static bool static_bounds(Check *c, const Node *n, int64_t *from, int64_t *step, int64_t *rounds)
{
    int64_t to;
    *step = 1;
    bool ok = static_int(c, kid(n, 1), from) && static_int(c, kid(n, 2), &to);
    if (!ok || (kid(n, 3) && !static_int(c, kid(kid(n, 3), 0), step))) return false;
    if (*step == 0) {
        mistake(c, node_pos(kid(n, 3)), "E0804", "a step of 0 never arrives");
        help("a positive step counts up, a negative one down");
        return false;
    }
    uint64_t span = *step > 0 ? (uint64_t)to - (uint64_t)*from : (uint64_t)*from - (uint64_t)to;
    uint64_t by = *step > 0 ? (uint64_t)*step : 0 - (uint64_t)*step;
    bool empty = *step > 0 ? to <= *from : to >= *from;
    uint64_t count = empty ? 0 : (span - 1) / by + 1;
    *rounds = (int64_t)(count > MOST_ROUNDS ? MOST_ROUNDS + 1 : count);
    if (*rounds <= MOST_ROUNDS && c->unrolled + *rounds <= MOST_UNROLLED) return true;
    if (c->gave_up) return false;
    c->gave_up = *rounds <= MOST_ROUNDS;           /* all loops together are too long */
    mistake(c, header_pos(n, kid(n, 2)), "E0805", "too many rounds to write out one by one");
    help("a `for static` makes at most %d; `for` loops at run time", MOST_ROUNDS);
    return false;
}

/* for static r in a..b { .. }: the body once a round, r a literal in it. */
void lower_for_static(Check *c, const Node *n)
{
    int64_t from, step, rounds;
    Loop loop = { .unrolled = n };
    if (!kid(n, 0) || !static_bounds(c, n, &from, &step, &rounds)) return;
    c->unrolled += (int)rounds;
    for (int64_t r = 0; r < rounds && !too_many_errors() && !block_left(c->block); r++) {
        scope_push(c);
        Binding *b =
            scope_add(c, SPACE_VALUE, BIND_STATIC, node_name(kid(n, 0)), node_pos(kid(n, 0)));
        b->number = from + r * step;
        loop_body(c, kid(n, 4), &loop, node_pos(n));
        scope_pop(c);
    }
}

/* ---- while ----------------------------------------------------------------------------------- */

/* The condition in a region of its own: yields it, then what is carried. */
static void while_condition(Check *c, Op *op, const Node *cond, const Variables *carried)
{
    Value **yields = new_array(Value *, 1 + carried->n);
    enter(c, ir_block(op), carried);
    Value **now = present(carried);
    yields[0] = condition(c, cond);
    if (!yields[0]) yields[0] = build_const(c, EL_BOOL, (Constant){ .i = 0 }, op->pos);
    for (int i = 0; i < carried->n; i++) yields[1 + i] = now[i];
    build_effect(c, OP_YIELD, op->pos, 1 + carried->n, yields);
}

/* while c { .. } */
void lower_while(Check *c, const Node *n)
{
    Loop loop = { 0 };
    Known *known = c->known;
    const Node *cond = kid(n, 0);
    if (!cond) return;
    c->stmt = header_pos(n, cond);
    assigned(c, kid(n, 1), &loop.carried);
    Op *op = ir_op(c->kernel, c->block, OP_WHILE, c->stmt, c->stmt, loop.carried.n,
                   present(&loop.carried), loop.carried.n, types_of(&loop.carried));
    Block *outer = c->block;
    while_condition(c, op, cond, &loop.carried);
    narrow(c, cond, true);
    enter(c, ir_block(op), &loop.carried);
    loop_body(c, kid(n, 1), &loop, op->pos);
    c->known = known;
    c->block = outer;
    give_all(&loop.carried, op->results);
}

/* break; continue; */
void lower_jump(Check *c, const Node *n)
{
    bool leaves = n->kind == N_BREAK;
    const char *word = leaves ? "break" : "continue";
    if (!c->loop) {
        mistake(c, node_pos(n), "E0802", "`%s` outside a loop", word);
        if (!c->calls.n) help("`return;` ends the program");
        else help("a fn cannot leave its caller's loop: return a bool, and break there");
        return;
    }
    if (c->loop->unrolled) {
        mistake(c, node_pos(n), "E0802", "`%s` in a loop that is written out round by round", word);
        note(header_pos(c->loop->unrolled, kid(c->loop->unrolled, 2)), "the loop");
        help("use `static if`, or a plain `for`");
        return;
    }
    build_effect(c, leaves ? OP_BREAK : OP_CONTINUE, node_pos(n), c->loop->carried.n,
                 present(&c->loop->carried));
}
