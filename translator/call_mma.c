/* call_mma.c -- mma(a, b, acc): which types and shapes contract, and in which type */
#include "lower.h"

/* What goes together: both operands of `group`, an accumulator of one of two types. */
static const struct Pair {
    Elem a, b;                                     /* in any order */
    Elem acc, other;                               /* the natural one; also taken, or EL_ERROR */
} pairs[] = {
    { EL_F16, EL_F16, EL_F32, EL_F16 },          { EL_BF16, EL_BF16, EL_F32, EL_ERROR },
    { EL_TF32, EL_TF32, EL_F32, EL_ERROR },      { EL_F32, EL_F32, EL_F32, EL_ERROR },
    { EL_F64, EL_F64, EL_F64, EL_ERROR },        { EL_F8E4M3, EL_F8E4M3, EL_F32, EL_ERROR },
    { EL_F8E4M3, EL_F8E5M2, EL_F32, EL_ERROR },  { EL_F8E5M2, EL_F8E5M2, EL_F32, EL_ERROR },
    { EL_I8, EL_I8, EL_I32, EL_ERROR },          { EL_I8, EL_U8, EL_I32, EL_ERROR },
    { EL_U8, EL_U8, EL_I32, EL_ERROR },
};

/* The row of two element types; NULL if they do not contract. */
static const struct Pair *pair_of(Elem a, Elem b)
{
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if ((pairs[i].a == a && pairs[i].b == b) || (pairs[i].a == b && pairs[i].b == a))
            return &pairs[i];
    return NULL;
}

/* ---- types ----------------------------------------------------------------------------------- */

/* A type for an operand that contracts with nothing: one that loses none of its values. */
static Elem contracting(Elem e)
{
    if (e == EL_BOOL) return EL_U8;
    if (!elem_is_int(e)) return EL_F32;
    return elem_info[e].bytes <= 2 ? EL_F32 : EL_F64;
}

/* Reports operands of two types, each of which contracts with its own: which cast makes one. */
static void two_types(Check *c, const Given *a, const Given *b, Pos pos)
{
    Elem ea = value_elem(a), eb = value_elem(b);
    mistake(c, pos, "E0401", "`mma` of %s and %s", elem_info[ea].name, elem_info[eb].name);
    note(a->pos, "this is %s", elem_info[ea].name);
    note(b->pos, "this is %s", elem_info[eb].name);
    bool ints = elem_is_int(ea) || elem_is_int(eb);
    int wa = elem_is_int(ea) ? 0 : elem_info[ea].digits;
    int wb = elem_is_int(eb) ? 0 : elem_info[eb].digits;
    bool halves = elem_info[ea].bytes == 2 && elem_info[eb].bytes == 2 && !ints;
    if (halves)
        help("write `%s` and `%s`", cast_source(a->node, "f32"), cast_source(b->node, "f32"));
    else if (ea == EL_TF32 || eb == EL_TF32) {
        const Given *other = ea == EL_TF32 ? b : a;
        help("write `%s`, which rounds to 10 bits", cast_source(other->node, "tf32"));
    } else if (wa < wb)
        help("write `%s`", cast_source(a->node, elem_info[eb].name));
    else
        help("write `%s`", cast_source(b->node, elem_info[ea].name));
}

/* Reports an operand of a type that contracts with nothing. */
static void no_operand(Check *c, const Given *g)
{
    Elem e = value_elem(g);
    mistake(c, g->pos, "E0404", "`mma` takes floats, i8 and u8, not %s", elem_info[e].name);
    help("write `%s`", cast_source(g->node, elem_info[contracting(e)].name));
}

/* The row of both operands; NULL after a report. */
static const struct Pair *operand_types(Check *c, const Given *a, const Given *b, Pos pos)
{
    Elem ea = value_elem(a), eb = value_elem(b);
    const struct Pair *pair = pair_of(ea, eb);
    if (pair) return pair;
    if (!pair_of(ea, ea)) no_operand(c, a);
    else if (!pair_of(eb, eb)) no_operand(c, b);
    else two_types(c, a, b, pos);
    return NULL;
}

/* The accumulator's value, of a type that the row takes; NULL after a report. */
static Value *accumulator(Check *c, const Args *a, const struct Pair *pair)
{
    Given g = expr(c, a->at[2]);
    if (!operand(c, &g)) return NULL;
    Value *acc = given_value(c, g, pair->acc);
    if (!acc || acc->type.elem == pair->acc || acc->type.elem == pair->other) return acc;
    mistake(c, g.pos, "E0401", "`mma` of %s and %s accumulates in %s, not %s",
            elem_info[pair->a].name, elem_info[pair->b].name, elem_info[pair->acc].name,
            elem_info[acc->type.elem].name);
    help("write `%s`", cast_source(g.node, elem_info[pair->acc].name));
    return NULL;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* A matrix, or a stack of them, of static extents; false after a report. */
static bool is_matrix(Check *c, const Value *v, Pos pos)
{
    int64_t k;
    if (v->type.rank < 2) {
        mistake(c, pos, "E0706", "`mma` takes tiles [.., m, k] and [.., k, n]");
        note(v->pos, "this is %s", type_text(&v->type));
        help("`expand(t, 0)` makes a row of a vector, `expand(t, 1)` a column");
        return false;
    }
    for (int i = 0; i < v->type.rank; i++) {
        if (sym_const_of(v->type.dim[i], &k)) continue;
        mistake(c, pos, "E0705", "`mma` of a whole axis, %s", type_text(&v->type));
        help("its extent is known at launch only: loop over chunks, "
             "`for k in 0..ceil(K, BK) { acc = mma(a.load([i, k], [BM, BK]), .., acc); }`");
        return false;
    }
    return true;
}

/* Do the columns of a meet the rows of b? false after a report. */
static bool inner_agree(Check *c, const Value *a, const Value *b, const Args *args)
{
    int ra = a->type.rank, rb = b->type.rank;
    if (a->type.dim[ra - 1] == b->type.dim[rb - 2]) return true;
    mistake(c, node_pos(args->call), "E0403", "`mma` of %s columns with %s rows",
            sym_text(a->type.dim[ra - 1]), sym_text(b->type.dim[rb - 2]));
    note(node_pos(args->at[0]), "this is %s", type_text(&a->type));
    note(node_pos(args->at[1]), "this is %s", type_text(&b->type));
    if (a->type.dim[ra - 1] == b->type.dim[rb - 1])
        help("transposed it fits: `%s`", arena_printf("transpose(%s)", node_source(args->at[1])));
    else if (a->type.dim[ra - 2] == b->type.dim[rb - 2])
        help("transposed it fits: `%s`", arena_printf("transpose(%s)", node_source(args->at[0])));
    else
        help("it contracts [.., m, k] with [.., k, n]");
    return false;
}

/* Widens the leading axes of `to` by those of v, which has `own` axes of its own behind them;
   false after a report. */
static bool lead(Check *c, Type *to, const Value *v, int own, const Args *args)
{
    int have = v->type.rank - own;
    if (have > to->rank - 2) {
        int more = have - (to->rank - 2);
        for (int i = to->rank - 1; i >= 0; i--) to->dim[i + more] = to->dim[i];
        for (int i = 0; i < more; i++) to->dim[i] = sym_const(1);
        to->rank += more;
    }
    for (int i = 0; i < have; i++) {
        Sym *d = &to->dim[to->rank - 2 - have + i], mine = v->type.dim[i];
        if (sym_is(*d, 1)) *d = mine;
        if (*d == mine || sym_is(mine, 1)) continue;
        mistake(c, node_pos(args->call), "E0403", "leading axes of `mma` are %s and %s",
                sym_text(*d), sym_text(mine));
        for (int j = 0; j < args->n; j++)
            if (j != 2 || own == 2) note(node_pos(args->at[j]), "one of these operands");
        help("leading axes line up from the right, an extent of 1 stretches");
        return false;
    }
    return true;
}

/* Stretches the accumulator to the shape of the result; NULL after a report. */
static Value *fit_accumulator(Check *c, Value *acc, Type *shape, const Args *args)
{
    int rank = acc->type.rank;
    if (rank > 2 && !lead(c, shape, acc, 2, args)) return NULL;
    *shape = type_with_elem(*shape, acc->type.elem);
    for (int i = 1; i <= 2 && i <= rank; i++) {
        Sym mine = acc->type.dim[rank - i], its = shape->dim[shape->rank - i];
        if (mine == its || sym_is(mine, 1)) continue;
        mistake(c, node_pos(args->at[2]), "E0403", "the accumulator is %s, the product %s",
                type_text(&acc->type), type_text(shape));
        help("it has the shape [.., m, n], or an extent of 1 that stretches");
        return NULL;
    }
    return broadcast_value(c, acc, shape, node_pos(args->at[2]));
}

/* ---- the call -------------------------------------------------------------------------------- */

/* An operand: a tile; false after a report. */
static bool matrix_operand(Check *c, const Node *n, Given *g)
{
    *g = expr(c, n);
    if (!operand(c, g)) return false;
    if (g->kind == GIVES_LITERAL) {
        mistake(c, g->pos, "E0706", "`mma` takes tiles [.., m, k] and [.., k, n]");
        help("`full([m, k], %s, T)` makes a tile of a number", node_source(n));
        return false;
    }
    return is_matrix(c, g->value, node_pos(n));
}

/* mma(a, b), mma(a, b, acc): [.., m, k] x [.., k, n], added to acc. */
Given lower_mma(Check *c, const Args *a, int what)
{
    (void)what;
    Given g[2], bad = give_kind(GIVES_ERROR, a->call);
    bool good = matrix_operand(c, a->at[0], &g[0]);
    if (!matrix_operand(c, a->at[1], &g[1]) || !good) return bad;
    const struct Pair *pair = operand_types(c, &g[0], &g[1], node_pos(a->call));
    Value *v[3] = { g[0].value, g[1].value };
    if (!pair || !inner_agree(c, v[0], v[1], a)) return bad;
    Type shape = { .kind = TYPE_TILE, .elem = pair->acc, .rank = 2 };
    shape.dim[0] = v[0]->type.dim[v[0]->type.rank - 2];
    shape.dim[1] = v[1]->type.dim[v[1]->type.rank - 1];
    if (!lead(c, &shape, v[0], 2, a) || !lead(c, &shape, v[1], 2, a)) return bad;
    if (a->n > 2) {
        v[2] = accumulator(c, a, pair);
        v[2] = v[2] ? fit_accumulator(c, v[2], &shape, a) : NULL;
        if (!v[2]) return bad;
    }
    return give(build(c, OP_MMA, shape, node_pos(a->call), a->n, v, NULL), a->call);
}
