/* elementwise.c -- operations on each element: one type, one shape, one row of ops.def */
#include "lower.h"
#include <string.h>

/* ---- types ----------------------------------------------------------------------------------- */

/* Floats that one can compute with. */
static bool computes(Elem e)
{
    return e == EL_F16 || e == EL_BF16 || e == EL_F32 || e == EL_F64;
}

/* Every value of one type is a value of the other: a store and an assignment may do this. */
static bool widens(Elem from, Elem to)
{
    const ElemInfo *a = &elem_info[from], *b = &elem_info[to];
    if (from == to) return true;
    if (a->class == CLASS_FLOAT && b->class == CLASS_FLOAT) {
        if (from == EL_F16) return to == EL_F32 || to == EL_F64;
        if (from == EL_BF16 || from == EL_TF32) return to == EL_F32 || to == EL_F64;
        if (from == EL_F8E4M3 || from == EL_F8E5M2) return computes(to);
        return from == EL_F32 && to == EL_F64;
    }
    if (a->class == CLASS_SIGNED) return b->class == CLASS_SIGNED && a->digits <= b->digits;
    if (a->class == CLASS_UNSIGNED)
        return (b->class == CLASS_UNSIGNED || b->class == CLASS_SIGNED) && a->digits <= b->digits;
    return false;
}

/* The common type of two operands by the table of mixed types; EL_ERROR if they have none. */
static Elem common(Elem a, Elem b)
{
    if (a == b) return a;
    bool floats = computes(a) && computes(b);
    bool ints = elem_is_int(a) && elem_info[a].class == elem_info[b].class;
    if (!floats && !ints) return EL_ERROR;
    if (widens(a, b)) return b;
    return widens(b, a) ? a : EL_ERROR;
}

/* Reports two operands without a common type, and the cast that would give them one. */
static void mixed(Check *c, const Given *a, const Given *b, const char *what, Pos pos)
{
    Elem ea = value_elem(a), eb = value_elem(b);
    mistake(c, pos, "E0401", "`%s` of %s and %s", what, elem_info[ea].name, elem_info[eb].name);
    note(a->pos, "this is %s", elem_info[ea].name);
    note(b->pos, "this is %s", elem_info[eb].name);
    bool first = (!elem_is_float(ea) || !computes(ea)) && (widens(ea, eb) || !widens(eb, ea));
    Elem to = first ? eb : ea;
    if (!computes(to) && elem_is_float(to)) to = EL_F32;
    if (computes(ea) && computes(eb)) {
        help("write `%s`", cast_source(a->node, "f32"));
        return;
    }
    help("write `%s`", cast_source(first ? a->node : b->node, elem_info[to].name));
}

/* One element type for operands; literals have no say unless there is nothing else. */
bool unify(Check *c, const Given *args, int n, const char *what, Pos pos, Elem *elem)
{
    const Given *first = NULL;
    *elem = EL_ERROR;
    for (int i = 0; i < n; i++) {
        if (args[i].kind != GIVES_VALUE) continue;
        Elem e = args[i].value->type.elem, joined = first ? common(*elem, e) : e;
        if (joined == EL_ERROR) {
            mixed(c, first, &args[i], what, pos);
            return false;
        }
        if (!first || joined != *elem) first = &args[i];
        *elem = joined;
    }
    for (int i = 0; i < n && !first; i++) {
        Elem e = literal_elem(&args[i]);
        bool wider = elem_is_int(*elem) && (e == EL_F32 || (*elem == EL_I32 && elem_is_int(e)));
        if (*elem == EL_ERROR || wider) *elem = e;
    }
    return true;
}

/* A row takes operands of a type. */
static bool row_takes(const OpRow *row, Elem e)
{
    switch (row->rule) {
    case RULE_FLOAT: case RULE_TEST: return computes(e);
    case RULE_INT: case RULE_SHIFT: return elem_is_int(e);
    case RULE_NUMBER: case RULE_COMPARE: return elem_is_int(e) || computes(e);
    case RULE_BITS: return elem_is_int(e) || e == EL_BOOL;
    case RULE_BOOL: return e == EL_BOOL;
    case RULE_EQUAL: return elem_is_int(e) || computes(e) || e == EL_BOOL;
    }
    return false;
}

/* What a rule takes, in words. */
static const char *rule_text(TypeRule rule)
{
    static const char *const text[] = {
        [RULE_FLOAT] = "floats", [RULE_INT] = "integers", [RULE_NUMBER] = "numbers",
        [RULE_BITS] = "integers and bools", [RULE_BOOL] = "bools", [RULE_COMPARE] = "numbers",
        [RULE_EQUAL] = "numbers and bools", [RULE_TEST] = "floats", [RULE_SHIFT] = "integers",
    };
    return text[rule];
}

/* Reports an operand of a type that the row does not take, and the way out. */
static void refuse(Check *c, const OpRow *row, Elem e, const Given *arg, Pos pos)
{
    const char *name = row->symbol ? row->symbol : row->name;
    mistake(c, pos, "E0404", "`%s` takes %s, not %s", name, rule_text(row->rule),
            elem_info[e].name);
    if (elem_is_float(e) && !computes(e))
        help("%s is for loads, stores, casts and mma: write `%s`", elem_info[e].name,
             cast_source(arg->node, "f32"));
    else if (!strcmp(name, "ceil") && elem_is_int(e))
        help("an integer needs no rounding; `ceil(a, b)` is the ceiling of a / b");
    else if (row->rule == RULE_FLOAT || row->rule == RULE_TEST)
        help("write `%s`", cast_source(arg->node, "f32"));
    else if (row->rule == RULE_BOOL)
        help("compare: `%s != 0`", node_source(arg->node));
    else if (elem_is_float(e))
        help("`as i32` takes the number, `bitcast(t, i%d)` the bits", elem_info[e].bytes * 8);
    else if (e == EL_BOOL)
        help("write `%s`, or `select`", cast_source(arg->node, "i32"));
}

/* An operand is a value or a literal; false after a report if it is something else. */
bool operand(Check *c, const Given *g)
{
    static const char *const is[] = {
        [GIVES_NOTHING] = "this gives no value",
        [GIVES_TENSOR] = "a tensor is no value: load a tile of it",
        [GIVES_TUPLE] = "a tuple is no value: take it apart with `let (a, b) = ..`",
        [GIVES_LIST] = "a list stands only where a shape or an index does",
    };
    if (g->kind == GIVES_VALUE || g->kind == GIVES_LITERAL) return true;
    if (g->kind == GIVES_ERROR) return false;
    mistake(c, g->pos, "E0406", "%s", is[g->kind]);
    if (g->kind == GIVES_TENSOR && g->node && word_is_name(g->node))
        help("write `%s.load([..], [..])`", node_name(g->node)->text);
    if (g->kind == GIVES_NOTHING) help("write it as a statement of its own");
    return false;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* The axis of v that stands at axis i of a shape of a rank; NULL if it has none there. */
static Sym dim_at(const Type *v, int rank, int i)
{
    int a = i - (rank - v->rank);
    return a < 0 ? NULL : v->dim[a];
}

/* Reports a shape that would have two whole axes; true if there is one. */
static bool two_whole(Check *c, const Type *shape, Pos pos)
{
    int64_t k;
    int n = 0;
    for (int a = 0; a < shape->rank; a++) n += !sym_const_of(shape->dim[a], &k);
    if (n < 2) return false;
    mistake(c, pos, "E0316", "a tile can have one whole axis, and together these have %d", n);
    help("cut one of the axes in tiles of a static size and loop over them");
    return true;
}

/* The shape that operands have together; false after a report if they have none. */
bool common_shape(Check *c, Value **v, int n, Pos pos, Type *shape)
{
    const Value *whose[MAX_RANK] = { NULL };
    *shape = v[0]->type;
    for (int i = 0; i < n; i++) if (v[i]->type.rank > shape->rank) shape->rank = v[i]->type.rank;
    for (int a = 0; a < shape->rank; a++) {
        shape->dim[a] = sym_const(1);
        for (int i = 0; i < n; i++) {
            Sym d = dim_at(&v[i]->type, shape->rank, a);
            if (!d || sym_is(d, 1) || d == shape->dim[a]) continue;
            if (!whose[a]) {
                shape->dim[a] = d;
                whose[a] = v[i];
                continue;
            }
            mistake(c, pos, "E0403", "axis %d of the operands is %s and %s", a,
                    sym_text(shape->dim[a]), sym_text(d));
            note(whose[a]->pos, "this is %s", type_text(&whose[a]->type));
            note(v[i]->pos, "this is %s", type_text(&v[i]->type));
            help("shapes line up from the right, an extent of 1 stretches; `expand(t, axis)` adds "
                 "one");
            return false;
        }
    }
    return !two_whole(c, shape, pos);
}

/* v in a larger shape, which the caller knows to be possible. */
Value *broadcast_value(Check *c, Value *v, const Type *shape, Pos pos)
{
    if (type_same_shape(&v->type, shape)) return v;
    return build(c, OP_BROADCAST, type_with_elem(*shape, v->type.elem), pos, 1, &v, NULL);
}

/* All in their common shape; false after a report if they have none. */
bool broadcast_all(Check *c, Value **v, int n, Pos pos)
{
    Type shape;
    if (!common_shape(c, v, n, pos, &shape)) return false;
    for (int i = 0; i < n; i++) v[i] = broadcast_value(c, v[i], &shape, pos);
    return true;
}

/* Two values of two blocks in their common shape, each broadcast in its block. */
bool join_shapes(Check *c, Block *block[2], Value *v[2], Pos pos)
{
    Block *outer = c->block;
    Type shape;
    if (!common_shape(c, v, 2, pos, &shape)) return false;
    for (int i = 0; i < 2; i++) {
        c->block = block[i];
        v[i] = broadcast_value(c, v[i], &shape, pos);
    }
    c->block = outer;
    return true;
}

/* ---- operations ------------------------------------------------------------------------------ */

/* A count of a shift in the type of what is shifted: what that cannot hold becomes its width. */
static Value *shift_count(Check *c, Given g, Elem e)
{
    int64_t bits = elem_info[e].bytes * 8;
    if (g.kind == GIVES_LITERAL) {
        bool over = g.too_big || g.literal.i < 0 || g.literal.i >= bits;
        return build_const(c, e, (Constant){ .i = over ? bits : g.literal.i }, g.pos);
    }
    Value *v = g.value;
    Elem from = v->type.elem;
    if (widens(from, e)) return build_cast(c, v, e, g.pos);
    Value *width =
        broadcast_value(c, build_const(c, from, (Constant){ .i = bits }, g.pos), &v->type, g.pos);
    Value *over = build_elem(c, "ge", v, width, g.pos);
    if (elem_info[from].class == CLASS_SIGNED) {
        Value *zero =
            broadcast_value(c, build_const(c, from, (Constant){ .i = 0 }, g.pos), &v->type, g.pos);
        over = build_elem(c, "lor", over, build_elem(c, "lt", v, zero, g.pos), g.pos);
    }
    Value *pick[] = { over, width, v };
    return build_cast(c, build(c, OP_SELECT, v->type, g.pos, 3, pick, NULL), e, g.pos);
}

/* True of an atom that is no extent: a value of the body, or a scalar parameter, whose arithmetic
   may wrap. */
static bool no_extent(Sym atom, void *kernel)
{
    const Kernel *k = kernel;
    if (atom->kind != SYM_NAME && atom->kind != SYM_VALUE) return false;   /* its parts are asked */
    for (int i = 0; atom->kind == SYM_NAME && i < k->extents.n; i++)
        if (k->extents.at[i] == atom->name) return false;
    return true;
}

/* What a row makes of two formulas; NULL if it has no formula. */
static Sym formula(const char *row, Sym a, Sym b)
{
    if (!strcmp(row, "add")) return sym_add(a, b);
    if (!strcmp(row, "sub")) return sym_sub(a, b);
    if (!strcmp(row, "mul")) return sym_mul(a, b);
    if (!strcmp(row, "min")) return sym_min(a, b);
    if (!strcmp(row, "max")) return sym_max(a, b);
    int64_t k;
    if (!strcmp(row, "ceildiv") && sym_const_of(b, &k) && k > 0) return sym_ceil(a, b);
    return NULL;
}

/* An i64 scalar made of extents, as one formula: ceil(N, 256); NULL if it is none. */
static Value *launch_formula(Check *c, const OpRow *row, int n, Value **v, Pos pos)
{
    if (n != 2 || v[0]->type.elem != EL_I64 || v[0]->type.rank || v[1]->type.rank) return NULL;
    Sym s = formula(row->name, sym_of_value(v[0]), sym_of_value(v[1]));
    if (!s || sym_is_bad(s) || sym_mentions(s, no_extent, c->kernel)) return NULL;
    return build_sym(c, s, pos);
}

/* The operands as values of one type. */
static bool values(Check *c, const OpRow *row, Given *args, int n, Elem e, Value **v)
{
    for (int i = 0; i < n; i++) {
        if (row->rule == RULE_SHIFT && i == 1) v[i] = shift_count(c, args[i], e);
        else v[i] = given_value(c, args[i], e);
        if (!v[i]) return false;
        v[i] = build_cast(c, v[i], e, args[i].pos);
    }
    return true;
}

/* Both of a shift are integers; false after a report. */
static bool shift_operands(Check *c, const OpRow *row, const Given *count, Pos pos)
{
    if (row->rule != RULE_SHIFT) return true;
    bool ok = count->kind == GIVES_LITERAL ? !count->is_float && !count->is_bool
                                           : elem_is_int(value_elem(count));
    if (!ok) refuse(c, row, value_elem(count), count, pos);
    return ok;
}

/* The row of operands of any types and shapes that go together. */
Given elementwise(Check *c, const OpRow *row, Given *args, int n, const Node *at)
{
    Pos pos = node_pos(at);
    Elem e;
    Value *v[3];
    bool ok = true, literals = true;
    for (int i = 0; i < n; i++) {
        args[i] = tensor_test(c, args[i]);
        ok = operand(c, &args[i]) && ok;
        literals = literals && args[i].kind == GIVES_LITERAL;
    }
    if (!ok) return give_kind(GIVES_ERROR, at);
    const char *what = row->symbol ? row->symbol : row->name;
    int typed = row->rule == RULE_SHIFT && args[0].kind == GIVES_VALUE ? 1 : n;
    if (!unify(c, args, typed, what, pos, &e)) return give_kind(GIVES_ERROR, at);
    if (!row_takes(row, e)) {
        refuse(c, row, e, &args[0], pos);
        return give_kind(GIVES_ERROR, at);
    }
    if (n == 2 && !shift_operands(c, row, &args[1], pos)) return give_kind(GIVES_ERROR, at);
    if (literals) return literal_fold(c, row, args, n, at);
    if (!values(c, row, args, n, e, v)) return give_kind(GIVES_ERROR, at);
    Value *known = launch_formula(c, row, n, v, pos);
    if (known) return give(known, at);
    if (!broadcast_all(c, v, n, pos)) return give_kind(GIVES_ERROR, at);
    return give(build_row(c, row, n, v, pos), at);
}

/* ---- one value of a type --------------------------------------------------------------------- */

/* What was given as a value of a type, where nothing can be lost; NULL after a report. */
Value *widen(Check *c, Given g, Elem to, const char *where)
{
    if (!operand(c, &g)) return NULL;
    if (g.kind == GIVES_LITERAL) return convert_literal(c, g, to);
    Elem from = g.value->type.elem;
    if (widens(from, to)) return build_cast(c, g.value, to, g.pos);
    mistake(c, g.pos, "E0405", "%s is %s, and this is %s", where, elem_info[to].name,
            elem_info[from].name);
    if (to == EL_BOOL) help("compare: `%s != 0`", node_source(g.node));
    else help("write `%s`", cast_source(g.node, elem_info[to].name));
    return NULL;
}

/* A scalar integer, as an i64: an index, a bound; NULL after a report. */
Value *index_value(Check *c, const Node *n)
{
    Given g = expr(c, n);
    if (!operand(c, &g)) return NULL;
    if (g.kind == GIVES_LITERAL) return convert_literal(c, g, EL_I64);
    const Type *type = &g.value->type;
    if (type->rank == 0 && widens(type->elem, EL_I64)) return build_cast(c, g.value, EL_I64, g.pos);
    mistake(c, g.pos, "E0410", "this must be an integer scalar, not %s", type_text(type));
    if (type->rank == 0) help("write `%s`", cast_source(g.node, "i64"));
    return NULL;
}
