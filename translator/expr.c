/* expr.c -- what an expression gives: a value, a literal, a tensor, a tuple */
#include "lower.h"
#include <string.h>

/* ---- names ----------------------------------------------------------------------------------- */

/* A const: its expression in the scope of its file, with its type if it has one. */
static Given constant(Check *c, const Binding *b, const Node *n)
{
    const Node *decl = b->decl, *type = decl ? kid(decl, 1) : NULL;
    Elem e;
    if (!decl || !binding_clear(b, node_pos(n))) return give_kind(GIVES_ERROR, n);
    Scope *scope = c->scope;
    c->scope = b->scope;
    Given g = expr(c, kid(decl, 2));
    bool typed = type && type_elem(c, type, &e);
    c->scope = scope;
    if (g.kind == GIVES_ERROR || (type && !typed)) return give_kind(GIVES_ERROR, n);
    return typed ? give(widen(c, g, e, "the const"), n) : g;
}

/* A tuple under one name. */
static Given tuple_binding(const Binding *b, const Node *n)
{
    Given g = give_kind(GIVES_TUPLE, n);
    g.n = b->nmembers;
    g.members = new_array(Given, g.n);
    for (int i = 0; i < g.n; i++) {
        const Binding *m = &b->members[i];
        g.members[i] = m->kind == BIND_TUPLE ? tuple_binding(m, n) : give(m->value, n);
        if (m->kind != BIND_TENSOR) continue;
        g.members[i].kind = GIVES_TENSOR;
        g.members[i].view = m->view;
    }
    return g;
}

/* Reports a name that is something, but no value. */
static Given no_value(Check *c, const Binding *b, const Node *n)
{
    const char *is = b->kind == BIND_SHAPE  ? "a shape"
                     : b->kind == BIND_TYPE ? "a type"
                                            : "a function";
    mistake(c, node_pos(n), "E0406", "`%s` is %s, not a value", b->name->text, is);
    note(b->pos, "it is declared here");
    return give_kind(GIVES_ERROR, n);
}

/* What a binding gives where it is used as a value. */
static Given binding_given(Check *c, const Binding *b, const Node *n)
{
    Given g = give_kind(GIVES_TENSOR, n);
    switch (b->kind) {
    case BIND_VALUE: case BIND_MUT: case BIND_AXIS: return give(b->value, n);
    case BIND_TUPLE: return tuple_binding(b, n);
    case BIND_EXTENT: return give(build_sym(c, b->sym, node_pos(n)), n);
    case BIND_CONST: return constant(c, b, n);
    case BIND_ERROR: return give_kind(GIVES_ERROR, n);
    case BIND_TYPE: case BIND_SHAPE: case BIND_FN: case BIND_LAMBDA: case BIND_BUILTIN:
        return no_value(c, b, n);
    case BIND_STATIC:
        g = literal_int(b->number, n);
        g.is_bool = b->is_bool;
        return g;
    case BIND_TENSOR:
        g.value = b->value;
        g.view = b->view;
        return g;
    }
    return give_kind(GIVES_ERROR, n);
}

/* A name or a literal. */
static Given word(Check *c, const Node *n)
{
    char first = n->text.len ? n->source->text[n->text.at] : 0;
    if (is_literal(n)) return literal(c, n);
    if (first == '"') {
        mistake(c, node_pos(n), "E0406", "a string stands only in `print` and `assert`");
        return give_kind(GIVES_ERROR, n);
    }
    const Binding *b = scope_find(c, SPACE_VALUE, node_name(n));
    if (b) return binding_given(c, b, n);
    unknown_name(c, SPACE_VALUE, node_name(n), node_pos(n));
    return give_kind(GIVES_ERROR, n);
}

/* ---- operators ------------------------------------------------------------------------------- */

/* - ! ~ */
static Given unary(Check *c, const Node *n)
{
    Given g = expr(c, kid(n, 0));
    const OpRow *row = op_row_symbol(node_name(n)->text, 1);
    if (g.kind == GIVES_LITERAL && !g.is_bool && node_is(n, "-")) return literal_negate(c, g, n);
    return row ? elementwise(c, row, &g, 1, n) : give_kind(GIVES_ERROR, n);
}

/* Two operands; && and || may leave the second alone. */
static Given binary(Check *c, const Node *n)
{
    if (node_is(n, "&&") || node_is(n, "||")) return logical(c, n);
    const OpRow *row = op_row_symbol(node_name(n)->text, 2);
    Given g[2] = { expr(c, kid(n, 0)) };
    g[1] = expr(c, kid(n, 1));
    return row ? elementwise(c, row, g, 2, n) : give_kind(GIVES_ERROR, n);
}

/* t as T */
static Given cast(Check *c, const Node *n)
{
    Elem e;
    Given g = expr(c, kid(n, 0));
    if (!type_elem(c, kid(n, 1), &e) || !operand(c, &g)) return give_kind(GIVES_ERROR, n);
    if (g.kind == GIVES_LITERAL) return give(literal_cast(c, g, e), n);
    return give(build_cast(c, g.value, e, node_pos(n)), n);
}

/* (e) */
static Given paren(Check *c, const Node *n)
{
    return expr(c, kid(n, 0));
}

/* (a, b) */
static Given tuple(Check *c, const Node *n)
{
    Given g = give_kind(GIVES_TUPLE, n);
    g.n = kid_count(n);
    g.members = new_array(Given, g.n);
    for (int i = 0; i < g.n; i++) {
        g.members[i] = expr(c, kid(n, i));
        if (g.members[i].kind == GIVES_ERROR) g.kind = GIVES_ERROR;
    }
    return g;
}

/* [a, b]: whoever can use it reads the tree. */
static Given list(Check *c, const Node *n)
{
    (void)c;
    return give_kind(GIVES_LIST, n);
}

/* ---- members --------------------------------------------------------------------------------- */

/* T.max T.lowest T.bits: literals. */
static Given type_member(Check *c, Elem e, const Node *n)
{
    const Node *member = kid(n, 1);
    const ElemInfo *info = &elem_info[e];
    Given g = literal_int(0, n);
    if (node_is(member, "bits") && e != EL_BOOL) return literal_int(info->bytes * 8, n);
    bool lowest = node_is(member, "lowest");
    if ((!lowest && !node_is(member, "max")) || e == EL_BOOL) {
        mistake(c, node_pos(member), "E0412", "%s has no `.%s`", info->name,
                node_name(member)->text);
        help("a number type has `.max`, `.lowest` and `.bits`");
        return give_kind(GIVES_ERROR, n);
    }
    g.is_float = elem_is_float(e);
    if (g.is_float) g.literal.f = lowest ? -elem_largest(e) : elem_largest(e);
    else if (info->class == CLASS_SIGNED)
        g.literal.i = lowest ? -(INT64_MAX >> (63 - info->digits)) - 1
                             : INT64_MAX >> (63 - info->digits);
    else g.literal.u = lowest ? 0 : UINT64_MAX >> (64 - info->digits);
    g.too_big = !g.is_float && !lowest && e == EL_U64;
    return g;
}

/* The word before a dot as a type, if it is one and no value. */
static bool dot_type(Check *c, const Node *n, Elem *e)
{
    if (n->kind != N_WORD || is_literal(n) || scope_find(c, SPACE_VALUE, node_name(n)))
        return false;
    const Binding *b = scope_find(c, SPACE_TYPE, node_name(n));
    if (b && b->kind == BIND_TYPE) *e = b->elem;
    return b ? b->kind == BIND_TYPE : elem_of(node_name(n), e);
}

/* T.max, t.t */
static Given dot(Check *c, const Node *n)
{
    const Node *of = kid(n, 0), *member = kid(n, 1);
    Elem e;
    if (!of || !member) return give_kind(GIVES_ERROR, n);
    if (dot_type(c, of, &e)) return type_member(c, e, n);
    Given g = expr(c, of);
    if (g.kind == GIVES_ERROR) return g;
    if (node_is(member, "t")) {
        Value *v = given_value(c, g, EL_ERROR);
        return v ? transposed(c, v, n) : give_kind(GIVES_ERROR, n);
    }
    mistake(c, node_pos(member), "E0412", "`.%s` is no member of this", node_name(member)->text);
    if (g.kind == GIVES_TENSOR) help("a method is called: `%s(..)`", node_source(n));
    return give_kind(GIVES_ERROR, n);
}

/* x[..] */
static Given at(Check *c, const Node *n)
{
    Given g = expr(c, kid(n, 0));
    if (g.kind == GIVES_TENSOR) return tensor_at(c, n, g);
    if (g.kind != GIVES_ERROR) {
        mistake(c, node_pos(n), "E0406", "only a tensor is indexed in brackets");
        help("a tile is seen as a whole; `extract` cuts a piece out of one");
    }
    return give_kind(GIVES_ERROR, n);
}

/* ---- any expression -------------------------------------------------------------------------- */

/* Reports something that stands where a value should. */
static Given no_expression(Check *c, const Node *n)
{
    mistake(c, node_pos(n), "E0406", "this is no value");
    if (n->kind == N_LAMBDA) help("a lambda is an argument: `f(t, |a, b| a + b)`");
    if (n->kind == N_WINDOW)
        help("`c ..+ n` stands in `gather`, `scatter`, `atomic_..` and in brackets");
    if (n->kind == N_BORROW || n->kind == N_BORROW_MUT)
        help("inside a kernel tensors are passed without `&`");
    return give_kind(GIVES_ERROR, n);
}

/* What an expression gives. */
Given expr(Check *c, const Node *n)
{
    static Given (*const by_kind[])(Check *, const Node *) = {
        [N_WORD] = word, [N_COND] = conditional, [N_BINARY] = binary, [N_UNARY] = unary,
        [N_AS] = cast, [N_PAREN] = paren, [N_TUPLE] = tuple, [N_DOT] = dot, [N_CALL] = call,
        [N_AT] = at, [N_LIST] = list,
    };
    if (!n) return (Given){ .kind = GIVES_ERROR };
    if (n->kind >= sizeof by_kind / sizeof *by_kind || !by_kind[n->kind])
        return no_expression(c, n);
    if (!deeper(c, node_pos(n))) return give_kind(GIVES_ERROR, n);
    Given g = by_kind[n->kind](c, n);
    c->depth--;
    g.pos = node_pos(n);
    if (g.kind != GIVES_LITERAL && n->kind != N_PAREN) g.node = n;
    return g;
}

/* What was given as a tile or scalar; a literal becomes `want`. NULL after a report. */
Value *given_value(Check *c, Given g, Elem want)
{
    if (!operand(c, &g)) return NULL;
    return g.kind == GIVES_LITERAL ? convert_literal(c, g, want) : g.value;
}

/* An expression as a tile or scalar. */
Value *expr_value(Check *c, const Node *n, Elem want)
{
    return given_value(c, expr(c, n), want);
}
