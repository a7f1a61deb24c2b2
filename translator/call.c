/* call.c -- calls: which function it is, and its arguments by place and by name */
#include "lower.h"
#include <string.h>

/* ---- the table ------------------------------------------------------------------------------- */

#define NAMED(x) (1u << ARG_##x)
static const unsigned reducing = NAMED(AXIS) | NAMED(KEEPDIMS),
                      scanning = NAMED(AXIS) | NAMED(REVERSE);

/* What is called by name and is no row of ops.def. */
static const Builtin builtins[] = {
    { "sum", reduction, REDUCE_SUM, 1, 1, reducing, "sum(t, axis = 1, keepdims = true)" },
    { "prod", reduction, REDUCE_PROD, 1, 1, reducing, "prod(t, axis = 1, keepdims = true)" },
    { "max", reduction, REDUCE_MAX, 1, 1, reducing,
      "max(t, axis = 1, keepdims = true)` or `max(a, b)" },
    { "min", reduction, REDUCE_MIN, 1, 1, reducing,
      "min(t, axis = 1, keepdims = true)` or `min(a, b)" },
    { "mean", reduction, REDUCE_MEAN, 1, 1, reducing, "mean(t, axis = 1, keepdims = true)" },
    { "argmax", reduction, REDUCE_ARGMAX, 1, 1, reducing, "argmax(t, axis = 1, keepdims = true)" },
    { "argmin", reduction, REDUCE_ARGMIN, 1, 1, reducing, "argmin(t, axis = 1, keepdims = true)" },
    { "any", reduction, REDUCE_ANY, 1, 1, reducing, "any(t, axis = 1, keepdims = true)" },
    { "all", reduction, REDUCE_ALL, 1, 1, reducing, "all(t, axis = 1, keepdims = true)" },
    { "reduce", lower_reduce, 0, 2, 2, reducing | NAMED(INIT),
      "reduce(t, axis = 1, init = 0, |a, b| a + b)" },
    { "scan", lower_scan, 0, 2, 2, scanning | NAMED(INIT),
      "scan(t, axis = 1, init = 0, |a, b| a + b)" },
    { "cumsum", lower_cumulative, REDUCE_SUM, 1, 1, scanning, "cumsum(t, axis = 1)" },
    { "cumprod", lower_cumulative, REDUCE_PROD, 1, 1, scanning, "cumprod(t, axis = 1)" },
    { "full", lower_full, 0, 3, 3, 0, "full([BM, BN], v, f32)" },
    { "zeros", lower_constant, 0, 2, 2, 0, "zeros([BM, BN], f32)" },
    { "ones", lower_constant, 1, 2, 2, 0, "ones([BM, BN], f32)" },
    { "iota", lower_iota, 0, 2, 2, NAMED(FROM), "iota(n, i32, from = e)" },
    { "fill", lower_fill, 0, 2, 2, 0, "fill(t, v)" },
    { "keep", lower_keep, 0, 3, 3, NAMED(AXIS), "keep(t, lo, hi, axis = 1)" },
    { "valid", lower_valid, 0, 1, 1, 0, "valid(t)" },
    { "select", lower_select, 0, 3, 3, 0, "select(c, a, b)" },
    { "bitcast", lower_bitcast, 0, 2, 2, 0, "bitcast(t, i32)" },
    { "round_to", lower_round_to, 0, 3, 3, 0, "round_to(t, bf16, rz)" },
    { "sort", lower_sort, 0, 1, 1, NAMED(AXIS), "sort(t, axis = 1)" },
    { "topk", lower_topk, 0, 2, 2, NAMED(AXIS), "let (values, places) = topk(t, k, axis = 1)" },
    { "histogram", lower_histogram, 0, 2, 2, 0, "histogram(t, bins)" },
    { "random", lower_random, 0, 2, 2, 0, "random(seed, index)" },
    { "print", lower_print, 0, 1, MAX_ARGS, 0, "print(\"row %d max %f\", i, m)" },
    { "assert", lower_assert, 0, 2, 2, 0, "assert(cond, \"message\")" },
    { "reshape", lower_reshape, 0, 2, 2, 0, "reshape(t, [BM, BN])" },
    { "expand", lower_expand, 0, 2, 2, 0, "expand(t, 1)" },
    { "squeeze", lower_squeeze, 0, 2, 2, 0, "squeeze(t, 1)" },
    { "transpose", lower_transpose, 0, 1, 1, 0, "transpose(t)" },
    { "permute", lower_permute, 0, 2, 2, 0, "permute(t, [1, 0, 2])" },
    { "cat", lower_cat, 0, 3, 3, 0, "cat(a, b, 1)" },
    { "split", lower_split, 0, 3, 3, 0, "split(t, 2, 1)" },
    { "extract", lower_extract, 0, 3, 3, 0, "extract(t, [i, 0], [8, 32])" },
    { "flip", lower_flip, 0, 2, 2, 0, "flip(t, 1)" },
    { "mma", lower_mma, 0, 2, 3, 0, "mma(a, b)` or `mma(a, b, acc)" },
    { "broadcast_to", lower_broadcast, 0, 2, 2, 0, "broadcast_to(t, [BM, BN])" },
};
static const int builtin_count = sizeof builtins / sizeof *builtins;

/* The builtin of a name, or NULL. */
static const Builtin *builtin(const char *name)
{
    for (int i = 0; i < builtin_count; i++)
        if (!strcmp(builtins[i].name, name)) return &builtins[i];
    return NULL;
}

/* ---- arguments ------------------------------------------------------------------------------- */

static const char *const named_words[ARG_COUNT] = {
    [ARG_AXIS] = "axis", [ARG_KEEPDIMS] = "keepdims", [ARG_PAD] = "pad",
    [ARG_MASK] = "mask", [ARG_INIT] = "init",         [ARG_STEP] = "step",
    [ARG_FROM] = "from", [ARG_REVERSE] = "reverse",
};

/* One argument with a name; false after a report. */
static bool named_argument(Check *c, const Node *n, const Builtin *b, Args *a)
{
    const Node *word = kid(n, 0);
    int which = 0;
    if (!word) return false;
    while (which < ARG_COUNT && !node_is(word, named_words[which])) which++;
    if (which == ARG_COUNT || !(b->named & 1u << which)) {
        mistake(c, node_pos(n), "E0702", "`%s` has no argument named `%s`", b->name,
                node_name(word)->text);
        help("it is `%s`", b->usage);
        return false;
    }
    if (a->named[which]) {
        mistake(c, node_pos(n), "E0702", "`%s` is given twice", named_words[which]);
        note(node_pos(a->named[which]), "here already");
        return false;
    }
    a->named[which] = kid(n, 1);
    return a->named[which] != NULL;
}

/* Sorts the arguments of a call; false after a report. */
bool arguments(Check *c, const Node *call, const Builtin *b, Args *a)
{
    const Node *args = kid(call, 1), *named = NULL;
    *a = (Args){ .call = call, .name = b->name };
    for (const Node *n = args ? args->kids : NULL; n; n = n->next) {
        if (n->kind == N_NAMED) {
            if (!named_argument(c, n, b, a)) return false;
            named = n;
            continue;
        }
        if (named && n->kind != N_LAMBDA) {
            mistake(c, node_pos(n), "E0702", "named arguments follow the others");
            note(node_pos(named), "a named one stands before it");
            return false;
        }
        if (a->n < MAX_ARGS) a->at[a->n] = n;
        a->n++;
    }
    if (a->n >= b->min && a->n <= b->max) return true;
    mistake(c, node_pos(call), "E0701", "`%s` of %d argument%s", b->name, a->n,
            a->n == 1 ? "" : "s");
    help("it is `%s`", b->usage);
    return false;
}

/* ---- rows of ops.def ------------------------------------------------------------------------- */

/* The row that a name with so many arguments calls: ceil(a, b) is ceiling division. */
static const OpRow *called_row(const char *name, int n)
{
    if (!strcmp(name, "ceil") && n == 2) return op_row("ceildiv");
    const OpRow *row = op_row(name);
    return row && !row->symbol ? row : NULL;
}

/* exp(t), max(a, b), clamp(t, lo, hi). */
static Given call_row(Check *c, const Node *call, const OpRow *row)
{
    static const char *const usage[] = { "", "%s(t)", "%s(a, b)", "%s(a, b, c)" };
    Builtin b = { .name = row->name, .min = row->arity, .max = row->arity };
    Args a;
    char text[80];
    snprintf(text, sizeof text, usage[row->arity], row->name);
    b.usage = arena_printf("%s", text);
    if (!arguments(c, call, &b, &a)) return give_kind(GIVES_ERROR, call);
    Given g[3];
    for (int i = 0; i < a.n; i++) g[i] = expr(c, a.at[i]);
    return elementwise(c, row, g, a.n, call);
}

/* ---- functions ------------------------------------------------------------------------------- */

/* Reports a name that nothing has; builtins are known, too. */
static Given unknown_function(Check *c, const Node *callee, const Node *call)
{
    Name name = node_name(callee);
    Nearest near = { .word = name->text };
    for (int i = 0; i < builtin_count; i++) nearest_try(&near, builtins[i].name);
    if (!near.best) unknown_name(c, SPACE_FUNCTION, name, node_pos(callee));
    else {
        mistake(c, node_pos(callee), "E0201", "there is no function `%s` here", name->text);
        help("did you mean `%s`?", near.best);
    }
    return give_kind(GIVES_ERROR, call);
}

/* Is it the name of a function of the language? */
bool is_builtin(Name name)
{
    return builtin(name->text) || called_row(name->text, 1);
}

/* Is there a function of this name? For fns that nothing calls. */
void look_function(Check *c, const Node *callee, const Node *call)
{
    Name name = node_name(callee);
    if (!scope_find(c, SPACE_FUNCTION, name) && !is_builtin(name))
        unknown_function(c, callee, call);
}

/* A fn, a lambda, or a kernel, which cannot be called here. */
static Given call_binding(Check *c, const Node *call, const Binding *b)
{
    if (b->kind == BIND_ERROR || !binding_clear(b, node_pos(kid(call, 0))))
        return give_kind(GIVES_ERROR, call);
    if (b->kind == BIND_LAMBDA) return call_lambda(c, call, b);
    if (b->decl && b->decl->kind == N_FN) return inline_fn(c, call, b);
    if (b->decl && b->decl->kind == N_COLLECTIVE_FN) not_yet(node_pos(call), "`collective fn`");
    else {
        mistake(c, node_pos(call), "E0704", "`%s` is a kernel, which only a pipeline calls",
                b->name->text);
        note(b->pos, "it is declared here");
        help("put what both need into a `fn`");
    }
    return give_kind(GIVES_ERROR, call);
}

/* A builtin or a row. max(a, b) is a row, max(t) a reduction. */
static Given call_known(Check *c, const Node *call, const Node *callee, const char *name)
{
    const Node *args = kid(call, 1);
    int n = 0;
    for (const Node *k = args ? args->kids : NULL; k; k = k->next) n += k->kind != N_NAMED;
    const Builtin *b = builtin(name);
    const OpRow *row = called_row(name, n);
    Args a;
    if (row && (!b || n > 1)) return call_row(c, call, row);
    if (!b) return unknown_function(c, callee, call);
    return arguments(c, call, b, &a) ? b->lower(c, &a, b->what) : give_kind(GIVES_ERROR, call);
}

/* max, given by its name: its row applied to n scalars. */
Given apply_builtin(Check *c, const Node *at, Name name, const Given *g, int n)
{
    const OpRow *row = called_row(name->text, n);
    Given args[3];
    if (!row || row->arity != n || n > 3) {
        mistake(c, node_pos(at), "E0717", "`%s` is no function of %d scalar%s", name->text, n,
                n == 1 ? "" : "s");
        help("write a lambda: `|a, b| a + b`");
        return give_kind(GIVES_ERROR, at);
    }
    for (int i = 0; i < n; i++) args[i] = g[i];
    return elementwise(c, row, args, n, at);
}

/* x.load(..) */
static Given call_method(Check *c, const Node *n, const Node *callee)
{
    const Node *word = kid(callee, 1);
    Given g = expr(c, kid(callee, 0));
    if (g.kind == GIVES_ERROR || !word) return give_kind(GIVES_ERROR, n);
    if (g.kind == GIVES_TENSOR) return method(c, n, g, node_name(word));
    mistake(c, node_pos(n), "E0704", "only a tensor has methods");
    note(g.pos, "this is none");
    const Node *at = kid(callee, 0);
    if (at && at->kind == N_AT && g.kind == GIVES_VALUE)
        help("it is one element, a value already; `y.put(t, [i])` writes elements");
    else help("functions of tiles are called: `%s(t)`", node_name(word)->text);
    return give_kind(GIVES_ERROR, n);
}

/* Any call. */
Given call(Check *c, const Node *n)
{
    const Node *callee = kid(n, 0);
    while (callee && callee->kind == N_PAREN) callee = kid(callee, 0);
    if (callee && callee->kind == N_DOT) return call_method(c, n, callee);
    if (!callee || !word_is_name(callee)) {
        if (callee) mistake(c, node_pos(callee), "E0704", "this is no function");
        return give_kind(GIVES_ERROR, n);
    }
    const Binding *b = scope_find(c, SPACE_FUNCTION, node_name(callee));
    if (b && b->kind != BIND_BUILTIN) return call_binding(c, n, b);
    return call_known(c, n, callee, (b ? b->builtin : node_name(callee))->text);
}
