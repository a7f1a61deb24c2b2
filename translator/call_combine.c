/* call_combine.c -- reduce, scan, cumsum, cumprod: a function of scalars along an axis */
#include "lower.h"

/* What a reduce or scan goes through: the members of its tuple (or the one tile), in their types
   and common shape, with the value that each starts from. */
typedef struct {
    const Args *call;
    int n;
    Value **tiles, **init;
    const Node *function;
    Pos pos;
} Combine;

/* ---- arguments ------------------------------------------------------------------------------- */

/* The n members of what was given; NULL after a report. */
static const Given *members(Check *c, const Given *g, int n, const char *what)
{
    if (g->kind == GIVES_ERROR) return NULL;
    if (g->kind != GIVES_TUPLE && n == 1) return g;
    if (g->kind == GIVES_TUPLE && g->n == n) return g->members;
    if (g->kind == GIVES_TUPLE && n == 1)
        mistake(c, g->pos, "E0409", "%s is a tuple of %d, and one value is needed", what, g->n);
    else
        mistake(c, g->pos, "E0409", "%s is %s, and a tuple of %d is needed", what,
                g->kind == GIVES_TUPLE ? arena_printf("one of %d", g->n) : "no tuple", n);
    return NULL;
}

/* One member and its first value, in one type; false after a report. */
static bool read_member(Check *c, Combine *m, int i, const Given *tile, const Given *init)
{
    const Given both[] = { *tile, *init };
    Elem e;
    if (!operand(c, tile) || !operand(c, init)
        || !unify(c, both, 2, arena_printf("init of `%s`", m->call->name), init->pos, &e))
        return false;
    Value *t = given_value(c, *tile, e), *v = widen(c, *init, e, "the element");
    if (!t || !v) return false;
    if (v->type.rank) {
        mistake(c, init->pos, "E0731", "`init` is a scalar, not %s", type_text(&v->type));
        return false;
    }
    m->tiles[i] = build_cast(c, t, e, tile->pos);
    m->init[i] = v;
    return true;
}

/* The tiles, first values and function of a call; false after a report. */
static bool read_combine(Check *c, const Args *a, Combine *m)
{
    bool first = a->at[0]->kind == N_LAMBDA;       /* a lambda may stand anywhere */
    *m = (Combine){ .call = a, .function = a->at[first ? 0 : 1], .pos = node_pos(a->call) };
    Given g = expr(c, a->at[first ? 1 : 0]);
    if (g.kind == GIVES_ERROR) return false;
    if (!a->named[ARG_INIT]) {
        mistake(c, m->pos, "E0731", "`%s` needs `init`, which changes nothing it is combined with",
                a->name);
        help("it is `%s`", arena_printf("%s(t, axis = 1, init = 0, |a, b| a + b)", a->name));
        return false;
    }
    Given init = expr(c, a->named[ARG_INIT]);
    m->n = g.kind == GIVES_TUPLE ? g.n : 1;
    const Given *tiles = members(c, &g, m->n, "this"), *inits = members(c, &init, m->n, "`init`");
    m->tiles = new_array(Value *, m->n);
    m->init = new_array(Value *, m->n);
    bool ok = tiles && inits;
    for (int i = 0; ok && i < m->n; i++) ok = read_member(c, m, i, &tiles[i], &inits[i]);
    return ok && broadcast_all(c, m->tiles, m->n, m->pos);
}

/* ---- the function ---------------------------------------------------------------------------- */

/* Two times n scalars as the arguments of a function: (a, b), or ((a0, a1), (b0, b1)). */
static void arguments_of(Block *f, int n, const Node *at, Given out[2])
{
    for (int side = 0; side < 2; side++) {
        out[side] = n == 1 ? give(f->args[side], at) : give_kind(GIVES_TUPLE, at);
        if (n == 1) continue;
        out[side].n = n;
        out[side].members = new_array(Given, n);
        for (int i = 0; i < n; i++) out[side].members[i] = give(f->args[side * n + i], at);
    }
}

typedef struct { Check *c; const Combine *m; bool bad; } Purity;

/* Reports an op that works on more than scalars, or does more than compute. */
static void scalars_alone(Op *op, void *arg)
{
    Purity *p = arg;
    const Value *tile = NULL, *tensor = NULL;
    for (int i = 0; i < op->nargs; i++) {
        if (op->args[i]->type.kind == TYPE_TENSOR) tensor = op->args[i];
        else if (op->args[i]->type.rank) tile = op->args[i];
    }
    for (int i = 0; i < op->nresults; i++)
        if (op->results[i]->type.rank) tile = op->results[i];
    bool acts = op->kind == OP_RETURN || (op->nresults == 0 && op->kind != OP_YIELD
                && op->kind != OP_BREAK && op->kind != OP_CONTINUE && !op->nregions);
    if (p->bad || (!tile && !tensor && !acts)) return;
    p->bad = true;
    mistake(p->c, op->pos, "E0730", "the function of `%s` computes with scalars, and this %s",
            p->m->call->name, tile ? arena_printf("is %s", type_text(&tile->type))
                            : tensor ? "reads memory" : "does more than compute");
    note(node_pos(p->m->function), "the function, which is applied to one element after the other");
    if (tile) help("a tile whose elements belong to these is one more member: `%s((t, u), "
                   "..)`; a scalar that is made of a tile is computed before, with `let`",
                   p->m->call->name);
    else if (tensor) help("read it before, with `let`, and use the scalar here");
    else help("it is called in no order that a program could see");
}

/* What the function gives, as scalars of the members' types; false after a report. */
static bool read_results(Check *c, const Combine *m, const Given *g, Value **yields)
{
    if (g->kind == GIVES_NOTHING) operand(c, g);
    const Given *each = g->kind == GIVES_NOTHING ? NULL
                      : members(c, g, m->n, "the function's result");
    for (int i = 0; each && i < m->n; i++) {
        if (!operand(c, &each[i])) return false;
        yields[i] = widen(c, each[i], m->tiles[i]->type.elem, "the element");
        if (!yields[i]) return false;
    }
    return each != NULL;
}

/* Lowers the function once more, as the region of op; false after a report. */
static bool lower_function(Check *c, const Combine *m, Op *op)
{
    Block *f = ir_block(op), *outer = c->block;
    struct Loop *loop = c->loop;
    Binding function;
    Given args[2];
    Value **yields = new_array(Value *, m->n);
    if (!function_given(c, m->function, NULL, &function)) return false;
    for (int i = 0; i < 2 * m->n; i++)
        ir_block_arg(c->kernel, f, type_scalar(m->tiles[i % m->n]->type.elem),
                     node_pos(m->function));
    arguments_of(f, m->n, m->function, args);
    c->block = f;
    c->loop = NULL;
    Given g = call_function(c, m->call->call, &function, args, 2);
    Purity p = { c, m, false };
    bool ok = g.kind != GIVES_ERROR;
    if (ok) ir_walk(f, scalars_alone, &p);
    ok = ok && !p.bad && read_results(c, m, &g, yields);
    if (ok) build_effect(c, OP_YIELD, m->pos, m->n, yields);
    c->block = outer;
    c->loop = loop;
    return ok;
}

/* Reports a first value that is not what the page asks for: f(init, init) is something else. */
static bool init_fits(Check *c, const Combine *m, const Op *op)
{
    int i = 0;
    Constant got = { 0 };
    if (op_identity(op, &i, &got) != IDENTITY_NO) return true;
    Elem e = op->args[i]->type.elem;
    mistake(c, node_pos(m->call->named[ARG_INIT]), "E0731",
            "`init` is not the identity of the function: combined with itself it gives %s",
            elem_constant_text(e, got));
    note(node_pos(m->function), "the function");
    help("it stands for no elements: 0 for a sum, 1 for a product, -inf for a maximum");
    return false;
}

/* ---- operations ------------------------------------------------------------------------------ */

/* An op over one axis, with its function; NULL after a report. */
static Op *build_combine(Check *c, const Combine *m, OpKind kind, int axis)
{
    Value **args = new_array(Value *, 2 * m->n);
    Type *types = new_array(Type, m->n);
    for (int i = 0; i < m->n; i++) {
        args[i] = m->tiles[i];
        args[m->n + i] = m->init[i];
        types[i] = m->tiles[i]->type;
        if (kind == OP_FOLD) types[i] = without_axes(types[i], 1u << axis);
    }
    Op *op = ir_op(c->kernel, c->block, kind, m->pos, c->stmt, 2 * m->n, args, m->n, types);
    op->reduce_axes = 1u << axis;
    if (!m->function) return op;
    return lower_function(c, m, op) && init_fits(c, m, op) ? op : NULL;
}

/* The values of a tuple, or the one. */
static Given give_all_of(Value **values, int n, const Node *at)
{
    if (n == 1) return give(values[0], at);
    Given g = give_kind(GIVES_TUPLE, at);
    g.n = n;
    g.members = new_array(Given, n);
    for (int i = 0; i < n; i++) g.members[i] = give(values[i], at);
    return g;
}

/* reduce(t, axis = .., init = .., |a, b| ..): one axis after the other, the last one first, which
   is the order of the elements. */
Given lower_reduce(Check *c, const Args *a, int what)
{
    (void)what;
    Combine m;
    bool keep;
    if (!read_combine(c, a, &m) || !keepdims(c, a, &keep))
        return give_kind(GIVES_ERROR, a->call);
    int rank = m.tiles[0]->type.rank;
    uint32_t axes = (1u << rank) - 1;
    if (a->named[ARG_AXIS] && !axis_list(c, a->named[ARG_AXIS], rank, &axes))
        return give_kind(GIVES_ERROR, a->call);
    for (int axis = rank - 1; axis >= 0; axis--) {
        if (!(axes >> axis & 1)) continue;
        Op *op = build_combine(c, &m, OP_FOLD, axis);
        if (!op) return give_kind(GIVES_ERROR, a->call);
        m.tiles = new_array(Value *, m.n);
        for (int i = 0; i < m.n; i++) m.tiles[i] = op->results[i];
    }
    for (int i = 0; keep && i < m.n; i++)
        m.tiles[i] = keep_axes(c, m.tiles[i], axes, rank, m.pos);
    return give_all_of(m.tiles, m.n, a->call);
}

/* The one axis of a scan, and its direction; false after a report. */
static bool scan_axis(Check *c, const Args *a, int rank, int *axis, bool *reverse)
{
    uint32_t axes = 1;
    *axis = 0;
    *reverse = false;
    if (a->named[ARG_REVERSE] && !static_bool(c, a->named[ARG_REVERSE], reverse)) return false;
    const Node *n = a->named[ARG_AXIS];
    if (n && n->kind == N_LIST) {
        mistake(c, node_pos(n), "E0703", "`%s` goes along one axis", a->name);
        help("write `axis = 1`");
        return false;
    }
    if (n && !axis_list(c, n, rank, &axes)) return false;
    if (!n && rank != 1) {
        mistake(c, node_pos(a->call), "E0703", rank ? "`%s` needs `axis`" : "`%s` of a scalar",
                a->name);
        help(rank ? "say along which axis it goes: `axis = %d`" : "it goes along an axis of a tile",
             rank - 1);
        return false;
    }
    while (!(axes >> *axis & 1)) ++*axis;
    return true;
}

/* scan(t, axis = 1, init = .., |a, b| ..) */
Given lower_scan(Check *c, const Args *a, int what)
{
    (void)what;
    Combine m;
    int axis;
    bool reverse;
    if (!read_combine(c, a, &m) || !scan_axis(c, a, m.tiles[0]->type.rank, &axis, &reverse))
        return give_kind(GIVES_ERROR, a->call);
    Op *op = build_combine(c, &m, OP_SCAN, axis);
    if (!op) return give_kind(GIVES_ERROR, a->call);
    op->reverse = reverse;
    return give_all_of(op->results, m.n, a->call);
}

/* cumsum(t, axis = 1), cumprod: a scan in the type in which a reduction counts. */
Given lower_cumulative(Check *c, const Args *a, int what)
{
    ReduceKind kind = (ReduceKind)what;
    Given g = tensor_test(c, expr(c, a->at[0]));
    Value *v = given_value(c, g, EL_ERROR);
    Pos pos = node_pos(a->call);
    int axis;
    bool reverse, sum = kind == REDUCE_SUM;
    if (!v || !reduce_takes(c, a, kind, &g, v->type.elem)
        || !scan_axis(c, a, v->type.rank, &axis, &reverse))
        return give_kind(GIVES_ERROR, a->call);
    Elem e = v->type.elem, acc = reduce_accumulator(kind, e);
    v = build_cast(c, v, acc, pos);
    Constant one = { .i = sum ? 0 : 1 };
    if (elem_is_float(acc)) one.f = sum ? 0 : 1;
    Value *init = build_const(c, acc, one, pos);
    Combine m = { .call = a, .n = 1, .tiles = &v, .init = &init, .pos = pos };
    Op *op = build_combine(c, &m, OP_SCAN, axis);
    op->reverse = reverse;
    Block *f = ir_block(op), *outer = c->block;
    for (int i = 0; i < 2; i++)
        ir_block_arg(c->kernel, f, type_scalar(acc), pos)->name = name_of(i ? "b" : "a");
    c->block = f;
    Value *next = build_row(c, op_row(sum ? "add" : "mul"), 2, f->args, pos);
    build_effect(c, OP_YIELD, pos, 1, &next);
    c->block = outer;
    return give(build_cast(c, op->results[0], elem_is_float(e) ? e : acc, pos), a->call);
}
