/* verify.c -- the rules that tile operations keep, checked after every pass
 *
 * Each value is made once, before it is used and where it can be seen; operands, results and
 * regions are as many and of the types that the op's kind asks for; a region ends once; an access
 * has a place for every axis of its tensor.
 */
#include <stdlib.h>
#include "verify.h"

/* ---- reports --------------------------------------------------------------------------------- */

/* The rule is broken unless it holds. */
bool rule(Verify *v, bool holds, const char *what)
{
    if (holds)
        return true;
    const Pos pos = v->op ? v->op->pos : (Pos){0};
    const Function *f = v->kernel->function;
    fprintf(stderr, "tilec: after %s, kernel %s%s", v->after, f ? f->symbol : "?",
            v->kernel->suffix ? v->kernel->suffix : "");
    if (pos.source)
        fprintf(stderr, ", %s:%d", pos.source->path, source_line(pos));
    if (v->op && v->op->nresults)
        fprintf(stderr, ", %%%d", v->op->results[0]->id);
    fprintf(stderr, ": %s\n", what);
    v->right = false;
    return false;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* The value is the kernel's, by its id. */
static bool known(Verify *v, const Value *value)
{
    return rule(v, value != NULL, "a value is missing")
           && rule(v, value->id >= 0 && value->id < v->kernel->values.n
                      && v->kernel->values.at[value->id] == value, "a value has a wrong id");
}

/* Extents are there; a tile has at most one whole axis. */
static void check_type(Verify *v, const Type *t)
{
    int whole = 0;
    rule(v, t->elem > EL_ERROR && t->elem < EL_COUNT, "a value has no element type");
    rule(v, t->rank >= 0 && t->rank <= (t->kind == TYPE_TILE ? MAX_TILE_RANK : MAX_RANK),
         "a rank is out of range");
    for (int a = 0; a < t->rank; a++)
        if (!rule(v, t->dim[a] && !sym_is_bad(t->dim[a]), "an extent is missing"))
            return;
        else if (type_is_whole(t, a))
            whole++;
    rule(v, t->kind == TYPE_TENSOR || whole <= 1, "a tile has more than one whole axis");
}

/* The value is defined here, for the first time. */
static void define(Verify *v, const Value *value)
{
    if (!known(v, value))
        return;
    rule(v, !v->made[value->id], "a value is defined twice");
    v->made[value->id] = v->seen[value->id] = 1;
    check_type(v, &value->type);
}

/* The value can be used here. */
static bool use(Verify *v, const Value *value)
{
    return known(v, value)
           && rule(v, v->seen[value->id], "a value is used where it is not defined");
}

/* Every value that a formula mentions can be used here. */
static bool use_atom(Sym atom, void *arg)
{
    if (atom->kind == SYM_VALUE)
        use(arg, atom->value);
    return false;
}

/* A formula is there and can be computed here. */
void use_sym(Verify *v, Sym s)
{
    if (rule(v, s && !sym_is_bad(s), "a formula is missing"))
        sym_mentions(s, use_atom, v);
}

/* ---- numbers of operands, results, regions --------------------------------------------------- */

static const struct Counts { signed char least, most, results, regions; } counts[OP_KIND_COUNT] = {
    /*               operands  results regions; -1: any number */
    [OP_CONST]     = {0,  0,  1, 0},
    [OP_SYM]       = {0,  0,  1, 0},
    [OP_HAS]       = {1,  1,  1, 0},
    [OP_ELEM]      = {1,  3,  1, 0},
    [OP_CAST]      = {1,  1,  1, 0},
    [OP_BITCAST]   = {1,  1,  1, 0},
    [OP_SELECT]    = {3,  3,  1, 0},
    [OP_BROADCAST] = {1,  1,  1, 0},
    [OP_EXPAND]    = {1,  1,  1, 0},
    [OP_SQUEEZE]   = {1,  1,  1, 0},
    [OP_RESHAPE]   = {1,  1,  1, 0},
    [OP_PERMUTE]   = {1,  1,  1, 0},
    [OP_FLIP]      = {1,  1,  1, 0},
    [OP_EXTRACT]   = {1, -1,  1, 0},
    [OP_CAT]       = {2,  2,  1, 0},
    [OP_IOTA]      = {1,  1,  1, 0},
    [OP_COORD]     = {1,  1,  1, 0},
    [OP_FILL]      = {2,  2,  1, 0},
    [OP_KEEP]      = {3,  3,  1, 0},
    [OP_VALID]     = {1,  1,  1, 0},
    [OP_REDUCE]    = {1,  1,  1, 0},
    [OP_MMA]       = {2,  3,  1, 0},
    [OP_SORT]      = {1,  1, -1, 0},
    [OP_HISTOGRAM] = {1,  1,  1, 0},
    [OP_RANDOM]    = {2,  2,  1, 0},
    [OP_PRINT]     = {0, -1,  0, 0},
    [OP_ASSERT]    = {1,  1,  0, 0},
    [OP_FOLD]      = {2, -1, -1, 1},
    [OP_SCAN]      = {2, -1, -1, 1},
    [OP_LOAD]      = {2,  2,  1, 0},
    [OP_STORE]     = {2,  3,  0, 0},
    [OP_IF]        = {1,  1, -1, 2},
    [OP_GATHER]    = {3, -1,  1, 0},
    [OP_SCATTER]   = {2, -1,  0, 0},
    [OP_ATOMIC]    = {2, -1, -1, 0},
    [OP_FOR]       = {3, -1, -1, 1},
    [OP_WHILE]     = {0, -1, -1, 2},
    [OP_YIELD]     = {0, -1,  0, 0},
    [OP_BREAK]     = {0, -1,  0, 0},
    [OP_CONTINUE]  = {0, -1,  0, 0},
    [OP_RETURN]    = {0,  0,  0, 0},
    [OP_RELAYOUT]  = {1,  1,  1, 0},
};

/* The op has as many of each as its kind asks for. */
static bool check_counts(Verify *v, const Op *op)
{
    if (!rule(v, op->kind < OP_KIND_COUNT, "an op of no kind"))
        return false;
    const struct Counts *c = &counts[op->kind];
    if (op->kind == OP_ATOMIC)
        rule(v, op->nresults <= 1, "an atomic gives several values");
    return rule(v, op->nargs >= c->least && (c->most < 0 || op->nargs <= c->most),
                "a wrong number of operands")
           && rule(v, c->results < 0 || op->nresults == c->results, "a wrong number of results")
           && rule(v, op->nregions == c->regions || (op->kind == OP_IF && op->nregions == 1
                      && op->nresults == 0), "a wrong number of regions");
}

/* ---- types by kind --------------------------------------------------------------------------- */

/* A scalar of this type. */
bool is_scalar(const Value *value, Elem e)
{
    return value->type.kind == TYPE_TILE && value->type.rank == 0 && value->type.elem == e;
}

/* Which class of operands a row takes. */
static bool takes(const OpRow *row, Elem e)
{
    const bool number = elem_is_int(e) || (elem_is_float(e) && e != EL_F8E4M3 && e != EL_F8E5M2
                                           && e != EL_TF32);
    switch (row->rule) {
    case RULE_FLOAT: case RULE_TEST:     return number && elem_is_float(e);
    case RULE_INT: case RULE_SHIFT:      return elem_is_int(e);
    case RULE_NUMBER: case RULE_COMPARE: return number;
    case RULE_BITS:                      return elem_is_int(e) || e == EL_BOOL;
    case RULE_BOOL:                      return e == EL_BOOL;
    case RULE_EQUAL:                     return number || e == EL_BOOL;
    }
    return false;
}

/* Operands of one type and shape, the result by the rule of the row. */
static void check_elem(Verify *v, const Op *op)
{
    const OpRow *row = op->row;
    const Type *a = &op->args[0]->type, *result = &op->results[0]->type;
    if (!rule(v, row != NULL, "an elementwise op without a row"))
        return;
    const bool gives_bool = row->rule == RULE_COMPARE || row->rule == RULE_EQUAL
                            || row->rule == RULE_TEST || row->rule == RULE_BOOL;
    rule(v, op->nargs == row->arity, "an elementwise op has a wrong number of operands");
    for (int i = 1; i < op->nargs; i++)
        rule(v, type_same(a, &op->args[i]->type), "operands have different types");
    rule(v, takes(row, a->elem), "an operation is not for this element type");
    rule(v, result->elem == (gives_bool ? EL_BOOL : a->elem), "the result has a wrong type");
    rule(v, type_same_shape(a, result), "the result has another shape");
}

/* select: a bool tile and two others of the result's type. */
static void check_select(Verify *v, const Op *op)
{
    const Type *result = &op->results[0]->type;
    rule(v, op->args[0]->type.elem == EL_BOOL, "select without a bool");
    rule(v, type_same_shape(&op->args[0]->type, result), "select: the condition has another shape");
    rule(v, type_same(&op->args[1]->type, result) && type_same(&op->args[2]->type, result),
         "select: the arms have another type");
}

/* The axes of the bit mask have extent 1, the others are those of `rest`, in order. */
static void check_ones(Verify *v, const Type *t, uint32_t axes, const Type *rest)
{
    int next = 0;
    for (int a = 0; a < t->rank; a++)
        if (axes >> a & 1)
            rule(v, sym_is(t->dim[a], 1), "an axis that comes or goes is longer than 1");
        else
            rule(v, next < rest->rank && rest->dim[next++] == t->dim[a], "an axis changes");
    rule(v, next == rest->rank && !(axes >> t->rank), "axes are missing");
}

/* broadcast: right-aligned; an extent is the same, or stretches from 1. */
static void check_broadcast(Verify *v, const Type *from, const Type *to)
{
    const int more = to->rank - from->rank;
    if (!rule(v, more >= 0, "a broadcast loses axes"))
        return;
    for (int a = 0; a < from->rank; a++)
        rule(v, from->dim[a] == to->dim[a + more] || sym_is(from->dim[a], 1),
             "a broadcast changes an extent");
}

/* permute: each axis once, with its extent. */
static void check_permute(Verify *v, const Op *op)
{
    const Type *from = &op->args[0]->type, *to = &op->results[0]->type;
    uint32_t seen = 0;
    if (!rule(v, from->rank == to->rank, "a permutation changes the rank"))
        return;
    for (int a = 0; a < to->rank; a++)
        if (rule(v, op->perm[a] >= 0 && op->perm[a] < from->rank, "a permutation of no axis")) {
            rule(v, from->dim[op->perm[a]] == to->dim[a], "a permutation changes an extent");
            seen |= 1u << op->perm[a];
        }
    rule(v, seen == (1u << to->rank) - 1, "a permutation drops an axis");
}

/* extract: an index for each axis; cat: the extents along one axis add up, the others agree. */
static void check_pieces(Verify *v, const Op *op)
{
    const Type *from = &op->args[0]->type, *to = &op->results[0]->type;
    if (!rule(v, from->rank == to->rank && from->elem == to->elem, "another rank or type"))
        return;
    if (op->kind == OP_EXTRACT) {
        rule(v, op->nargs == 1 + to->rank, "extract: no index for each axis");
        for (int i = 1; i < op->nargs; i++)
            rule(v, is_scalar(op->args[i], EL_I64), "extract: an index is no i64");
        return;
    }
    const Type *with = &op->args[1]->type;
    if (rule(v, with->rank == to->rank && with->elem == to->elem && op->axis >= 0
             && op->axis < to->rank, "cat: another rank or type, or no axis"))
        for (int a = 0; a < to->rank; a++)
            rule(v, a == op->axis ? sym_add(from->dim[a], with->dim[a]) == to->dim[a]
                                  : from->dim[a] == to->dim[a] && with->dim[a] == to->dim[a],
                 "cat: extents do not go together");
}

/* ---- control --------------------------------------------------------------------------------- */

/* The values from the first one given on have the types of the results of `of`. */
static void check_handed(Verify *v, Value *const *values, int n, const Op *of)
{
    if (!rule(v, n == of->nresults, "a region hands over a wrong number of values"))
        return;
    for (int i = 0; i < n; i++)
        if (known(v, values[i]))
            rule(v, type_same(&values[i]->type, &of->results[i]->type),
                 "a region hands over a value of another type");
}

/* What ends a region hands over what the op around it, or the innermost loop, takes. */
static void check_end(Verify *v, const Op *op)
{
    const Op *to = op->block->parent;
    const bool condition = to && to->kind == OP_WHILE && op->block == to->region[0];
    while (op->kind != OP_YIELD && to && to->kind == OP_IF)
        to = to->block->parent;
    if (op->kind == OP_RETURN || !rule(v, to != NULL, "a yield, break or continue outside of all"))
        return;
    const bool tests = condition && op->kind == OP_YIELD;
    if (tests && !rule(v, op->nargs > 0 && is_scalar(op->args[0], EL_BOOL),
                       "the condition of a while is no bool"))
        return;
    if (!op_combines(to)) {
        check_handed(v, op->args + tests, op->nargs - tests, to);
        return;
    }
    rule(v, op->kind == OP_YIELD && op->nargs == op_members(to), "a function yields too few");
    for (int i = 0; i < op->nargs && v->right; i++)
        rule(v, is_scalar(op->args[i], to->args[i]->type.elem), "a function changes the type");
}

/* if, for, while: conditions, bounds, first values, region arguments. */
static void check_control(Verify *v, const Op *op)
{
    if (op->kind == OP_IF) {
        rule(v, is_scalar(op->args[0], EL_BOOL), "the condition of an if is no bool");
        return;
    }
    const int first = op->kind == OP_FOR ? 3 : 0;
    for (int i = 0; i < first; i++)
        rule(v, is_scalar(op->args[i], EL_I64), "a bound of a loop is no i64");
    check_handed(v, op->args + first, op->nargs - first, op);
    for (int r = 0; r < op->nregions; r++) {
        const Block *b = op->region[r];
        const int index = op->kind == OP_FOR;
        if (rule(v, b->nargs >= index, "the region of a loop lacks its index"))
            check_handed(v, b->args ? b->args + index : NULL, b->nargs - index, op);
    }
}

/* ---- ops and blocks -------------------------------------------------------------------------- */

/* Types and details by kind: a flat switch. */
static void check_kind(Verify *v, const Op *op)
{
    const Type *a = op->nargs ? &op->args[0]->type : NULL;
    const Type *result = op->nresults ? &op->results[0]->type : NULL;
    switch (op->kind) {
    case OP_CONST: rule(v, result->rank == 0, "a constant is no scalar"); break;
    case OP_SYM:
        rule(v, is_scalar(op->results[0], EL_I64), "a formula gives no i64");
        use_sym(v, op->sym);
        break;
    case OP_HAS: rule(v, a->kind == TYPE_TENSOR, "has: no tensor"); break;
    case OP_ELEM: check_elem(v, op); break;
    case OP_CAST:
        rule(v, type_same_shape(a, result) && op->rounding <= ROUND_RD, "a cast changes the shape");
        break;
    case OP_SORT: verify_sort(v, op); break;
    case OP_HISTOGRAM:
        rule(v, elem_is_int(a->elem) && result->elem == EL_I32, "a histogram of no integers");
        break;
    case OP_RANDOM:
        rule(v, is_scalar(op->args[0], EL_U64) && op->args[1]->type.elem == EL_U64
             && result->elem == EL_U32 && type_same_shape(&op->args[1]->type, result),
             "random of other types");
        break;
    case OP_ASSERT: rule(v, is_scalar(op->args[0], EL_BOOL), "an assert of no bool"); break;
    case OP_BITCAST:
        rule(v, type_same_shape(a, result) && elem_info[a->elem].bytes
             == elem_info[result->elem].bytes, "a bitcast changes shape or size");
        break;
    case OP_SELECT: check_select(v, op); break;
    case OP_BROADCAST: check_broadcast(v, a, result); break;
    case OP_EXPAND: check_ones(v, result, op->axes, a); break;
    case OP_SQUEEZE: check_ones(v, a, op->axes, result); break;
    case OP_PERMUTE: check_permute(v, op); break;
    case OP_FLIP: rule(v, type_same(a, result), "flip: changes the type"); break;
    case OP_EXTRACT: case OP_CAT: check_pieces(v, op); break;
    case OP_IOTA: rule(v, a->rank == 0 && result->rank == 1, "iota: no vector"); break;
    case OP_FILL: rule(v, is_scalar(op->args[1], a->elem), "fill: no scalar of the type"); break;
    case OP_KEEP:
        rule(v, op->axis >= 0 && op->axis < a->rank && is_scalar(op->args[1], EL_I64)
             && is_scalar(op->args[2], EL_I64), "keep: wrong axis or bounds");
        break;
    case OP_REDUCE: verify_reduce(v, op); break;
    case OP_MMA: verify_mma(v, op); break;
    case OP_FOLD: case OP_SCAN: verify_combines(v, op); break;
    case OP_LOAD:
        verify_access(v, op, result);
        rule(v, a->elem == result->elem && is_scalar(op->args[1], a->elem),
             "a load or its pad converts");
        break;
    case OP_STORE: verify_store(v, op); break;
    case OP_GATHER: case OP_SCATTER: case OP_ATOMIC: verify_places(v, op); break;
    case OP_COORD: verify_coord(v, op); break;
    case OP_IF: case OP_FOR: case OP_WHILE: check_control(v, op); break;
    case OP_YIELD: case OP_BREAK: case OP_CONTINUE: case OP_RETURN: check_end(v, op); break;
    case OP_RELAYOUT: case OP_RESHAPE: case OP_VALID: case OP_PRINT: case OP_KIND_COUNT: break;
    }
}

/* The op leaves its block. */
static bool ends(const Op *op)
{
    return op->kind == OP_YIELD || op->kind == OP_BREAK || op->kind == OP_CONTINUE
           || op->kind == OP_RETURN;
}

static void check_block(Verify *v, const Block *b);

/* One op: operands first, then its regions, then its results can be used. */
static void check_op(Verify *v, const Op *op)
{
    bool usable = true;
    v->op = op;
    for (int i = 0; i < op->nargs; i++)
        usable = use(v, op->args[i]) && usable;
    for (int i = 0; i < op->nresults; i++)
        usable = known(v, op->results[i])
                 && rule(v, op->results[i]->def == op, "a result has another definition") && usable;
    if (check_counts(v, op) && usable)
        check_kind(v, op);
    for (int r = 0; r < op->nregions; r++) {
        rule(v, op->region[r]->parent == op, "a region has another parent");
        check_block(v, op->region[r]);
    }
    v->op = op;
    for (int i = 0; i < op->nresults; i++)
        define(v, op->results[i]);
}

/* A block: its arguments, its ops in order; what it makes cannot be seen from outside. */
static void check_block(Verify *v, const Block *b)
{
    const size_t n = (size_t)v->kernel->values.n;
    unsigned char *outside = malloc(n + 1);
    for (size_t i = 0; i < n; i++)
        outside[i] = v->seen[i];
    for (int i = 0; i < b->nargs; i++)
        define(v, b->args[i]);
    for (const Op *op = b->first; op; op = op->next) {
        check_op(v, op);
        rule(v, op->block == b, "an op believes to be elsewhere");
        rule(v, op->next ? op->next->prev == op : b->last == op, "a chain of ops is broken");
        rule(v, !ends(op) || !op->next, "an op follows the end of its block");
    }
    v->op = b->parent;
    rule(v, !b->parent || (b->last && ends(b->last)), "a region does not end");
    for (size_t i = 0; i < n; i++)
        v->seen[i] = outside[i];
    free(outside);
}

/* A kernel: parameters and program indices can be used everywhere. */
static bool verify_kernel(const Kernel *k, const char *after)
{
    Verify v = {.kernel = k, .after = after, .right = true};
    v.made = calloc((size_t)k->values.n + 1, 1);
    v.seen = calloc((size_t)k->values.n + 1, 1);
    for (int i = 0; i < k->params.n; i++)
        define(&v, k->params.at[i].value);
    for (int i = 0; i < k->axes.n; i++)
        if (k->axes.at[i].index)
            define(&v, k->axes.at[i].index);
    check_block(&v, k->body);
    free(v.made);
    free(v.seen);
    return v.right;
}

/* The rules of all kernels; what is broken is printed. */
bool verify(const Program *p, const char *after)
{
    bool right = true;
    for (int f = 0; f < p->functions.n; f++)
        for (int k = 0; k < p->functions.at[f]->kernels.n; k++)
            right = verify_kernel(p->functions.at[f]->kernels.at[k], after) && right;
    return right;
}
