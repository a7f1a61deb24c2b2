/* optional.c -- conditions, and which optional tensors are there where they hold */
#include "lower.h"

/* The optional tensor that a word names, or NULL. */
static const Value *optional_named(Check *c, const Node *n)
{
    if (n->kind != N_WORD || is_literal(n)) return NULL;
    const Binding *b = scope_find(c, SPACE_VALUE, node_name(n));
    return b && b->kind == BIND_TENSOR && b->value ? b->value : NULL;
}

/* Adds to c->known what is there if the condition is `truth`. */
void narrow(Check *c, const Node *n, bool truth)
{
    if (!n) return;
    if (n->kind == N_PAREN) narrow(c, kid(n, 0), truth);
    if (n->kind == N_UNARY && node_is(n, "!")) narrow(c, kid(n, 0), !truth);
    if (n->kind == N_BINARY && node_is(n, truth ? "&&" : "||")) {
        narrow(c, kid(n, 0), truth);
        narrow(c, kid(n, 1), truth);
    }
    const Value *tensor = truth ? optional_named(c, n) : NULL;
    if (!tensor) return;
    Known *known = new(Known);
    *known = (Known){ tensor, c->known };
    c->known = known;
}

/* The parameter that a tensor is. */
static const Param *param_of(Check *c, const Given *g)
{
    for (int i = 0; i < c->kernel->params.n; i++)
        if (c->kernel->params.at[i].value == g->value) return &c->kernel->params.at[i];
    return NULL;
}

/* A tensor may be used here; false after a report if it may be missing. */
bool is_there(Check *c, const Given *tensor)
{
    const Param *p = param_of(c, tensor);
    if (!p || !p->optional) return true;
    for (const Known *k = c->known; k; k = k->next)
        if (k->tensor == tensor->value) return true;
    const char *name = p->name->text;
    mistake(c, tensor->pos, "E0712", "`%s` may be missing here", name);
    note(p->pos, "it is optional");
    help("use it under `if %s { .. }`, or in `%s ? .. : ..`", name, name);
    return false;
}

/* An optional tensor as the bool that says whether it is there; anything else as it is. */
Given tensor_test(Check *c, Given g)
{
    const Param *p = g.kind == GIVES_TENSOR ? param_of(c, &g) : NULL;
    if (!p || !p->optional) return g;
    Given test = give(build(c, OP_HAS, type_scalar(EL_BOOL), g.pos, 1, &g.value, NULL), g.node);
    test.pos = g.pos;
    return test;
}

/* A condition: a bool scalar; NULL after a report. In a fn an optional parameter may have been
   given a tensor that is always there. */
Value *condition(Check *c, const Node *n)
{
    Given g = tensor_test(c, expr(c, n));
    if (g.kind == GIVES_TENSOR && c->calls.n)
        return build_const(c, EL_BOOL, (Constant){ .i = 1 }, g.pos);
    if (g.kind == GIVES_TENSOR) {
        mistake(c, g.pos, "E0407", "a tensor that is no optional one is always there");
        return NULL;
    }
    Value *v = given_value(c, g, EL_ERROR);
    if (!v || (v->type.elem == EL_BOOL && v->type.rank == 0)) return v;
    mistake(c, g.pos, "E0407", "a condition is a bool scalar, not %s", type_text(&v->type));
    if (v->type.rank)
        help("`select(c, a, b)` chooses for each element; `any(..)` and `all(..)` make one bool of "
             "a tile");
    else help("compare: `%s != 0`", node_source(g.node));
    return NULL;
}
