/* build.c -- one operation at a time: what the lowering files are written in */
#include "lower.h"
#include <string.h>

/* ---- reports --------------------------------------------------------------------------------- */

/* An error, with a note for each fn that is being inlined here. */
void mistake(Check *c, Pos p, const char *code, const char *format, ...)
{
    char text[500];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    error(p, code, "%s", text);
    for (int i = c->calls.n - 2; i >= 0 && i >= c->calls.n - 8; i -= 2)
        note(node_pos(c->calls.at[i + 1]), "in `%s`, called here",
             node_name(kid(c->calls.at[i], 0))->text);
}

/* Reports what the language has and this translator has not. */
void not_yet(Pos pos, const char *what)
{
    error(pos, "E1001", "not yet: %s", what);
}

/* One more level of nesting; false after a report if there are too many. Each true one is undone
   by c->depth--. */
bool deeper(Check *c, Pos pos)
{
    enum { DEEPEST = 1000 };
    if (++c->depth <= DEEPEST) return true;
    c->depth--;
    if (c->gave_up) return false;
    c->gave_up = true;
    mistake(c, pos, "E0413", "nested more than %d deep", DEEPEST);
    help("give a name to a part of it with `let`");
    return false;
}

/* The text of an expression for a message: on one line, cut if it is long. */
const char *node_source(const Node *n)
{
    enum { LONGEST = 48 };
    if (!n || !n->source) return "..";
    const char *s = n->source->text + n->from;
    int len = (int)(n->to - n->from);
    const char *line_end = memchr(s, '\n', (size_t)len);
    if (line_end || len > LONGEST) return "(..)";
    return arena_printf("%.*s", len, s);
}

/* The text of an expression with `as type` behind it, in parentheses if it needs them. */
const char *cast_source(const Node *n, const char *type)
{
    bool loose = n && (n->kind == N_BINARY || n->kind == N_COND);
    return arena_printf(loose ? "(%s) as %s" : "%s as %s", node_source(n), type);
}

/* ---- what an expression gives ---------------------------------------------------------------- */

/* A value, or GIVES_ERROR for NULL. */
Given give(Value *v, const Node *n)
{
    Given g = give_kind(v ? GIVES_VALUE : GIVES_ERROR, n);
    g.value = v;
    return g;
}

/* Something without a value. */
Given give_kind(GiveKind kind, const Node *n)
{
    return (Given){ .kind = kind, .pos = n ? node_pos(n) : (Pos){ 0 }, .node = n };
}

/* The element type of a value, or what a literal has alone. */
Elem value_elem(const Given *g)
{
    return g->kind == GIVES_VALUE ? g->value->type.elem : literal_elem(g);
}

/* The same shape with another element type, as a tile. */
Type type_with_elem(Type shape, Elem e)
{
    shape.kind = TYPE_TILE;
    shape.elem = e;
    return shape;
}

/* The user's name for a value: the first that it gets. */
void name_value(Value *v, Name name)
{
    if (!v->name) v->name = name;
}

/* ---- operations ------------------------------------------------------------------------------ */

/* An operation with one result. */
Value *build(Check *c, OpKind kind, Type type, Pos pos, int nargs, Value **args, Op **op)
{
    Op *made = ir_op(c->kernel, c->block, kind, pos, c->stmt, nargs, args, 1, &type);
    if (op) *op = made;
    return made->results[0];
}

/* An operation without a result. */
Op *build_effect(Check *c, OpKind kind, Pos pos, int nargs, Value **args)
{
    return ir_op(c->kernel, c->block, kind, pos, c->stmt, nargs, args, 0, NULL);
}

/* A constant scalar. */
Value *build_const(Check *c, Elem e, Constant k, Pos pos)
{
    Op *op;
    Value *v = build(c, OP_CONST, type_scalar(e), pos, 0, NULL, &op);
    op->constant = k;
    return v;
}

/* A constant i64. */
Value *build_int(Check *c, int64_t k, Pos pos)
{
    return build_const(c, EL_I64, (Constant){ .i = k }, pos);
}

/* An i64 by formula; a constant if it is one. */
Value *build_sym(Check *c, Sym s, Pos pos)
{
    int64_t k;
    if (sym_const_of(s, &k)) return build_int(c, k, pos);
    Op *op;
    Value *v = build(c, OP_SYM, type_scalar(EL_I64), pos, 0, NULL, &op);
    op->sym = s;
    return v;
}

/* The type that a row gives for operands of a type. */
static Elem row_result(const OpRow *row, Elem operand)
{
    switch (row->rule) {
    case RULE_COMPARE: case RULE_EQUAL: case RULE_TEST: case RULE_BOOL: return EL_BOOL;
    case RULE_FLOAT: case RULE_INT: case RULE_NUMBER: case RULE_BITS: case RULE_SHIFT: break;
    }
    return operand;
}

/* An elementwise operation of one, two or three operands of the same shape and type. */
Value *build_row(Check *c, const OpRow *row, int n, Value **args, Pos pos)
{
    Op *op;
    Type type = type_with_elem(args[0]->type, row_result(row, args[0]->type.elem));
    Value *v = build(c, OP_ELEM, type, pos, n, args, &op);
    op->row = row;
    return v;
}

/* The same by the row's name; b may be NULL. */
Value *build_elem(Check *c, const char *row, Value *a, Value *b, Pos pos)
{
    Value *args[] = { a, b };
    return build_row(c, op_row(row), b ? 2 : 1, args, pos);
}

/* A cast; v itself if it has that type. */
Value *build_cast(Check *c, Value *v, Elem to, Pos pos)
{
    if (v->type.elem == to) return v;
    return build(c, OP_CAST, type_with_elem(v->type, to), pos, 1, &v, NULL);
}
