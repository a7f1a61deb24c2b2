/* where.c -- contracts: what is decided at translation, what is left for the launch */
#include "check.h"

static void contract(Check *c, const Node *n, bool holds);

/* ---- the static part ------------------------------------------------------------------------- */

/* Is a condition made of statics, consts and literals alone? */
static bool is_static(Check *c, const Node *n)
{
    if (!n || !deeper(c, node_pos(n))) return false;
    bool yes = true;
    if (word_is_name(n)) {
        const Binding *b = scope_find(c, SPACE_VALUE, node_name(n));
        yes = b && (b->kind == BIND_STATIC || b->kind == BIND_CONST || b->kind == BIND_ERROR);
    } else if (n->kind == N_DOT) {
        const Node *left = kid(n, 0);              /* T.bits */
        Elem e;
        yes = word_is_name(left)
           && (scope_find(c, SPACE_TYPE, node_name(left)) || elem_of(node_name(left), &e));
    } else {
        for (const Node *part = n->kids; yes && part; part = part->next)
            yes = (n->kind == N_CALL && part == n->kids && part->kind == N_WORD
                   && !node_is(part, "aligned"))
                  || is_static(c, part);
    }
    c->depth--;
    return yes;
}

typedef enum { NEVER, ALWAYS, OPEN } Holds;

/* What is decided of a condition by statics alone. */
static Holds decided(Check *c, const Node *n)
{
    bool truth;
    Holds a;
    if (!n || !deeper(c, node_pos(n))) return OPEN;
    bool both = n->kind == N_BINARY && node_is(n, "&&");
    Holds h = OPEN;
    if (n->kind == N_PAREN) h = decided(c, kid(n, 0));
    else if (n->kind == N_UNARY && node_is(n, "!"))
        h = (a = decided(c, kid(n, 0))) == OPEN ? OPEN : a == NEVER ? ALWAYS : NEVER;
    else if (both || (n->kind == N_BINARY && node_is(n, "||"))) {
        Holds decides = both ? NEVER : ALWAYS;
        a = decided(c, kid(n, 0));
        h = a == decides ? a : decided(c, kid(n, 1));
        if (h != decides && (a == OPEN || h == OPEN)) h = OPEN;
    } else if (is_static(c, n) && static_bool(c, n, &truth)) h = truth ? ALWAYS : NEVER;
    c->depth--;
    return h;
}

/* The first condition that statics alone make false for what is bound now, or NULL. */
const Node *where_refuses(Check *c, const Node *kernel)
{
    const Node *clauses = kid(kernel, 3), *params = kid(kernel, 2), *first = NULL;
    scope_push(c);                                 /* parameters hide consts */
    for (const Node *n = params ? params->kids : NULL; n; n = n->next)
        if (kid(n, 0))
            scope_add(c, SPACE_VALUE, BIND_TENSOR, node_name(kid(n, 0)), node_word(kid(n, 0)));
    for (const Node *n = clauses ? clauses->kids : NULL; n; n = n->next)
        for (const Node *e = n->kind == N_WHERE ? n->kids : NULL; e && !first; e = e->next)
            if (decided(c, e) == NEVER) first = e;
    scope_pop(c);
    return first;
}

/* ---- what is left for the launch ------------------------------------------------------------- */

/* Adds a condition that a launch checks. */
static void add_cond(Check *c, const Node *n, int kind, Sym a, Sym b, Name tensor)
{
    Cond cond = { .pos = node_pos(n), .a = a, .b = b, .tensor = tensor };
    cond.kind = kind;
    for (int i = 0; i < c->kernel->conds.n; i++) {
        Cond *old = &c->kernel->conds.at[i];
        bool same = (int)old->kind == kind && old->a == a && old->b == b && old->tensor == tensor;
        if (!same || old->or) continue;
        *old = cond;                               /* as the author writes it */
        return;
    }
    push(&c->kernel->conds, cond);
}

/* The comparisons, what says the opposite, and whether the sides change places for < and <=. */
static const struct { const char *op; int kind, opposite; bool swap; } comparisons[] = {
    { "==", COND_EQ, COND_NE, false }, { "!=", COND_NE, COND_EQ, false },
    { "<",  COND_LT, COND_LE, false }, { "<=", COND_LE, COND_LT, false },
    { ">",  COND_LT, COND_LE, true },  { ">=", COND_LE, COND_LT, true }
};
enum { COMPARISONS = sizeof comparisons / sizeof *comparisons };

/* The row of a comparison; COMPARISONS if it is something else. */
static int comparison(const Node *n)
{
    int i = n->kind == N_BINARY ? 0 : COMPARISONS;
    while (i < COMPARISONS && !node_is(n, comparisons[i].op)) i++;
    return i;
}

/* Reports a condition that no launch could meet. */
static void never(const Node *n, bool holds)
{
    error(node_pos(n), "E0305", "`%s` is %s whatever the extents are", node_source(n),
          holds ? "false" : "true");
    help("no launch could be accepted: change the condition");
}

/* Does the comparison want an extent to be negative? */
static bool below_zero(const Kernel *k, int kind, Sym a, Sym b)
{
    int64_t d;
    if (a->kind != SYM_NAME || !sym_const_of(b, &d)) return false;
    for (int i = 0; i < k->extents.n; i++)
        if (k->extents.at[i] == a->name)
            return kind == COND_LT ? d <= 0 : kind == COND_LE || kind == COND_EQ ? d < 0 : false;
    return false;
}

/* a op b for the launch, unless the formulas decide it. */
static void compare(Check *c, const Node *n, int row, bool holds)
{
    int64_t d;
    Sym a = launch_extent(c, kid(n, 0)), b = sym_is_bad(a) ? a : launch_extent(c, kid(n, 1));
    if (sym_is_bad(a) || sym_is_bad(b)) return;
    int kind = holds ? comparisons[row].kind : comparisons[row].opposite;
    bool ordered = kind == COND_LT || kind == COND_LE;
    if (ordered && comparisons[row].swap == holds) {   /* a > b is b < a, and so is !(a <= b) */
        Sym t = a;
        a = b;
        b = t;
    }
    if (below_zero(c->kernel, kind, a, b)) return never(n, holds);
    if (!sym_const_of(sym_sub(a, b), &d)) return add_cond(c, n, kind, a, b, NULL);
    bool truth = kind == COND_EQ   ? d == 0
                 : kind == COND_NE ? d != 0
                 : kind == COND_LT ? d < 0
                                   : d <= 0;
    if (!truth) never(n, holds);
}

/* aligned(x, 16). */
static void aligned(Check *c, const Node *n, bool holds)
{
    const Node *args = kid(n, 1), *word = args ? kid(args, 0) : NULL;
    int64_t k;
    if (!holds || !args || kid_count(args) != 2 || !word_is_name(word)) {
        error(node_pos(n), "E0323",
              "`aligned` takes a tensor and a number of bytes, and cannot be negated");
        help("write `aligned(x, 16)`");
        return;
    }
    const Binding *b = scope_find(c, SPACE_VALUE, node_name(word));
    if (!b) return unknown_name(c, SPACE_VALUE, node_name(word), node_word(word));
    if (b->kind == BIND_ERROR) return;
    if (b->kind != BIND_TENSOR) {
        error(node_pos(word), "E0323", "`%s` is no tensor", b->name->text);
        note(b->pos, "it is declared here");
        help("`aligned` is of the address of a tensor; of an extent write `%s %% 16 == 0`",
             b->name->text);
        return;
    }
    if (!static_int(c, kid(args, 1), &k)) return;
    if (k > 0 && k <= 4096 && (k & (k - 1)) == 0)
        return add_cond(c, n, COND_ALIGNED, sym_const(k), NULL, b->name);
    error(node_pos(kid(args, 1)), "E0323", "`%s` is aligned to %lld bytes", b->name->text,
          (long long)k);
    help("an alignment is a power of two, 4096 at most");
}

/* Reports what no condition can be. */
static void not_condition(const Node *n)
{
    error(node_pos(n), "E0324", "`%s` is no condition of a contract", node_source(n));
    help("`where` takes comparisons of integers, bools, `aligned(x, 16)`, joined by && and commas");
}

/* A bool parameter. */
static void flag(Check *c, const Node *n, bool holds)
{
    const Binding *b = scope_find(c, SPACE_VALUE, node_name(n));
    if (!b) return unknown_name(c, SPACE_VALUE, node_name(n), node_word(n));
    if (b->kind == BIND_ERROR) return;
    if (b->kind != BIND_VALUE || b->value->type.elem != EL_BOOL) return not_condition(n);
    add_cond(c, n, holds ? COND_TRUE : COND_FALSE, sym_name(b->name), NULL, NULL);
}

/* Adds a condition of which one side is enough. */
static void add_either(Check *c, const Node *n, const Cond *a, const Cond *b)
{
    Cond first = *a, *last = &first;
    first.pos = node_pos(n);
    for (const Cond *more = a->or; more; more = more->or) {
        Cond *copy = new(Cond);
        *copy = *more;
        last->or = copy;
        last = copy;
    }
    last->or = b;
    push(&c->kernel->conds, first);
}

/* a || b, or the opposite of a && b: what each side wants, each with each. */
static void either(Check *c, const Node *n, bool holds)
{
    enum { MOST_PAIRS = 64 };
    for (int i = 0; i < 2; i++)
        if (decided(c, kid(n, i)) != OPEN) return contract(c, kid(n, !i), holds);
    CondList all = c->kernel->conds, side[2];
    int before = error_count();
    for (int i = 0; i < 2; i++) {
        c->kernel->conds = (CondList){ 0 };
        contract(c, kid(n, i), holds);
        side[i] = c->kernel->conds;
    }
    c->kernel->conds = all;
    if (error_count() > before) return;
    if (side[0].n * side[1].n > MOST_PAIRS) {
        error(node_pos(n), "E0324", "too many combinations of conditions");
        help("state what holds in every case");
        return;
    }
    for (int i = 0; i < side[0].n; i++)
        for (int j = 0; j < side[1].n; j++)
            add_either(c, n, &side[0].at[i], &side[1].at[j]);
}

/* c ? a : b with a static c. */
static void choice(Check *c, const Node *n, bool holds)
{
    bool truth;
    if (static_bool(c, kid(n, 0), &truth)) contract(c, kid(n, truth ? 1 : 2), holds);
}

/* The condition must hold (or must not): what of it a launch can decide goes to conds. */
static void contract(Check *c, const Node *n, bool holds)
{
    Holds h = decided(c, n);
    if (h != OPEN) {
        if ((h == ALWAYS) != holds) never(n, holds);
        return;
    }
    if (!deeper(c, node_pos(n))) return;
    int row = comparison(n);
    if (n->kind == N_PAREN) contract(c, kid(n, 0), holds);
    else if (n->kind == N_UNARY && node_is(n, "!")) contract(c, kid(n, 0), !holds);
    else if (n->kind == N_BINARY && node_is(n, holds ? "&&" : "||")) {
        contract(c, kid(n, 0), holds);
        contract(c, kid(n, 1), holds);
    } else if (n->kind == N_BINARY && node_is(n, holds ? "||" : "&&")) either(c, n, holds);
    else if (row < COMPARISONS) compare(c, n, row, holds);
    else if (n->kind == N_CALL && node_is(kid(n, 0), "aligned")) aligned(c, n, holds);
    else if (n->kind == N_COND) choice(c, n, holds);
    else if (word_is_name(n)) flag(c, n, holds);
    else if (!is_static(c, n)) not_condition(n);
    c->depth--;
}

/* Puts what `where` says of extents and parameters into the conditions of c->kernel. */
void where_contract(Check *c, const Node *kernel)
{
    const Node *clauses = kid(kernel, 3);
    for (const Node *n = clauses ? clauses->kids : NULL; n; n = n->next)
        for (const Node *e = n->kind == N_WHERE ? n->kids : NULL; e; e = e->next)
            contract(c, e, true);
}
