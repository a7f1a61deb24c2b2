/* shape.c -- extents by formula: integer expressions over extents, statics and int parameters */
#include "check.h"
#include <string.h>

static Sym extent(Check *c, const Node *n);

/* What an expression gives after a report. */
static Sym bad_extent(void)
{
    return sym_mul(sym_const(INT64_MAX), sym_const(2));
}

/* Reports an expression that is no integer which is known before the launch. */
static Sym not_extent(const Node *n, const char *why)
{
    error(node_pos(n), "E0310", "`%s` is %s", node_source(n), why);
    help("an extent is made of numbers, names of extents, static ints and + - * / %% ceil min max");
    return bad_extent();
}

/* ---- words ----------------------------------------------------------------------------------- */

/* An integer literal. */
static Sym literal_extent(Check *c, const Node *n)
{
    Given g = expr(c, n);
    if (g.kind == GIVES_ERROR) return bad_extent();
    if (g.kind == GIVES_LITERAL && !g.is_float && !g.is_bool && !g.too_big)
        return sym_const(g.literal.i);
    return not_extent(n, g.too_big ? "too large for 64 bits" : "not an integer");
}

/* A const: its expression, where it was written. */
static Sym const_extent(Check *c, const Binding *b, const Node *use)
{
    if (!binding_clear(b, node_word(use))) return bad_extent();
    Scope *here = c->scope;
    int before = error_count();
    c->scope = b->scope;
    Sym s = extent(c, kid(b->decl, 2));
    c->scope = here;
    if (error_count() > before && here != b->scope) note(node_pos(use), "used here as an integer");
    return s;
}

/* A name, by what it is bound to. */
static Sym name_extent(Check *c, const Node *n)
{
    Binding *b = scope_find(c, SPACE_VALUE, node_name(n));
    if (!b) {
        unknown_name(c, SPACE_VALUE, node_name(n), node_word(n));
        return bad_extent();
    }
    switch (b->kind) {
    case BIND_ERROR: return bad_extent();
    case BIND_EXTENT: return b->sym;
    case BIND_CONST: return const_extent(c, b, n);
    case BIND_STATIC:
        return b->is_bool ? not_extent(n, "a bool, not an integer") : sym_const(b->number);
    case BIND_VALUE: case BIND_MUT: case BIND_AXIS:
        if (b->value && b->value->type.rank == 0 && elem_is_int(b->value->type.elem))
            return sym_of_value(b->value);
        return not_extent(n, "not an integer");
    case BIND_TENSOR:
    case BIND_TUPLE:
    case BIND_TYPE:
    case BIND_SHAPE:
    case BIND_FN:
    case BIND_LAMBDA: case BIND_BUILTIN:
        return not_extent(n, "not an integer");
    }
    return bad_extent();
}

/* ---- operators ------------------------------------------------------------------------------- */

/* Reports an operation that has no result, or none of 64 bits. */
static Sym no_result(const Node *n, const char *why)
{
    error(node_pos(n), "E0311", "`%s` %s", node_source(n), why);
    return bad_extent();
}

/* The same of operands whose formula cannot be made. */
static Sym too_large(const Node *n, Sym a, Sym b)
{
    int64_t k;
    bool numbers = sym_const_of(a, &k) && sym_const_of(b, &k);
    return no_result(n, numbers ? "does not fit in 64 bits" : "is too long a formula");
}

/* Is a name or value never below 0: an extent, the index of a program? */
static bool atom_counts(Check *c, Sym s)
{
    const Kernel *k = c->kernel;
    for (int i = 0; k && s->kind == SYM_NAME && i < k->extents.n; i++)
        if (k->extents.at[i] == s->name) return true;
    for (int i = 0; k && s->kind == SYM_VALUE && i < k->axes.n; i++)
        if (k->axes.at[i].index == s->value) return true;
    return false;
}

/* Is a formula provably never below 0? */
static bool never_negative(Check *c, Sym s)
{
    if (s->kind == SYM_NAME || s->kind == SYM_VALUE) return atom_counts(c, s);
    if (s->kind == SYM_MAX) return never_negative(c, s->kid[0]) || never_negative(c, s->kid[1]);
    if (s->k < 0) return false;                    /* of CONST, SUM, PRODUCT; 0 of the others */
    for (int i = 0; i < s->n; i++)
        if (!never_negative(c, s->kid[i])) return false;
    return s->kind != SYM_BAD;
}

/* a / b towards zero: the floor of what is above, the ceiling of what is below. */
static Sym towards_zero(Check *c, Sym a, Sym b)
{
    Sym zero = sym_const(0), down = sym_div(a, b);
    if (never_negative(c, a) || !never_negative(c, b)) return down;
    return sym_add(sym_max(down, zero), sym_min(sym_ceil(a, b), zero));
}

/* a / b and a % b, towards zero as everywhere in the language. */
static Sym quotient(Check *c, const Node *n, Sym a, Sym b)
{
    int64_t x, y;
    bool rem = node_is(n, "%");
    if (sym_is(b, 0)) return no_result(n, "divides by zero");
    if (sym_const_of(a, &x) && sym_const_of(b, &y) && y != -1)
        return sym_const(rem ? x % y : x / y);
    if (sym_is(b, -1)) return rem ? sym_const(0) : sym_sub(sym_const(0), a);
    if (!rem) return towards_zero(c, a, b);
    if (never_negative(c, a)) return sym_mod(a, b);
    return sym_sub(a, sym_mul(b, towards_zero(c, a, b)));
}

/* a op b. */
static Sym binary_extent(Check *c, const Node *n)
{
    Sym a = extent(c, kid(n, 0)), b = extent(c, kid(n, 1)), s;
    if (sym_is_bad(a) || sym_is_bad(b)) return bad_extent();
    if (node_is(n, "+")) s = sym_add(a, b);
    else if (node_is(n, "-")) s = sym_sub(a, b);
    else if (node_is(n, "*")) s = sym_mul(a, b);
    else if (node_is(n, "/") || node_is(n, "%")) s = quotient(c, n, a, b);
    else return not_extent(n, "not made of + - * / %");
    if (sym_is_bad(s) && !sym_is(b, 0)) return too_large(n, a, b);
    return s;
}

/* -a, and nothing else with one operand. */
static Sym unary_extent(Check *c, const Node *n)
{
    if (!node_is(n, "-")) return not_extent(n, "not made of + - * / %");
    Sym a = extent(c, kid(n, 0));
    if (sym_is_bad(a)) return a;
    Sym s = sym_sub(sym_const(0), a);
    return sym_is_bad(s) ? too_large(n, a, a) : s;
}

/* c ? a : b with a static condition. */
static Sym cond_extent(Check *c, const Node *n)
{
    bool truth;
    if (!static_bool(c, kid(n, 0), &truth)) return bad_extent();
    return extent(c, kid(n, truth ? 1 : 2));
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* ceil(a, b), min(a, b, ..), max(a, b, ..). */
static Sym call_function(Check *c, const Node *n, const char *name)
{
    const Node *args = kid(n, 1);
    int count = args ? kid_count(args) : 0;
    bool ceil = !strcmp(name, "ceil");
    if (count < 2 || (ceil && count > 2))
        return not_extent(n, "not an integer: two arguments are needed");
    Sym s = extent(c, args->kids);
    for (const Node *arg = args->kids->next; arg; arg = arg->next) {
        Sym b = extent(c, arg);
        if (sym_is_bad(s) || sym_is_bad(b)) return bad_extent();
        int64_t k;
        if (ceil && sym_const_of(b, &k) && k <= 0)
            return no_result(n, "divides by zero or less");
        s = ceil ? sym_ceil(s, b) : !strcmp(name, "min") ? sym_min(s, b) : sym_max(s, b);
    }
    return sym_is_bad(s) ? too_large(n, s, s) : s;
}

/* The parameter that a word names as a whole, shared or not cut; NULL if it is anything else. */
static const Param *whole_tensor(Check *c, const Node *word)
{
    if (!word_is_name(word)) return NULL;
    const Binding *b = scope_find(c, SPACE_VALUE, node_name(word));
    if (!b || b->kind != BIND_TENSOR || b->view || b->param < 0 || b->param >= c->kernel->params.n)
        return NULL;
    const Param *p = &c->kernel->params.at[b->param];
    return p->has_by ? NULL : p;
}

/* x.extent(a) of a whole tensor. */
static Sym call_extent(Check *c, const Node *n, const Param *p)
{
    const Node *args = kid(n, 1);
    int64_t a;
    if (!args || kid_count(args) != 1) return not_extent(n, "not an extent: one axis is needed");
    if (!static_int(c, args->kids, &a)) return bad_extent();
    if (a < 0) a += p->type.rank;
    if (a >= 0 && a < p->type.rank) return p->type.dim[a];
    error(node_pos(args->kids), "E0312", "`%s` has no axis %s", p->name->text,
          node_source(args->kids));
    note(p->pos, "it has %d", p->type.rank);
    return bad_extent();
}

/* Anything else in a body: what it computes, if that is an integer. */
static Sym computed(Check *c, const Node *n)
{
    if (!c->block) return not_extent(n, "not an extent");
    Given g = expr(c, n);
    if (g.kind == GIVES_ERROR) return bad_extent();
    if (g.kind == GIVES_LITERAL && !g.is_float && !g.is_bool && !g.too_big)
        return sym_const(g.literal.i);
    if (g.kind == GIVES_VALUE && g.value->type.rank == 0 && elem_is_int(g.value->type.elem))
        return sym_of_value(g.value);
    return not_extent(n, "not an integer");
}

/* A call in an extent. */
static Sym call_in_extent(Check *c, const Node *n)
{
    static const char *const functions[] = { "ceil", "min", "max" };
    const Node *callee = kid(n, 0);
    if (word_is_name(callee) && !scope_find(c, SPACE_FUNCTION, node_name(callee)))
        for (int i = 0; i < 3; i++)
            if (node_is(callee, functions[i])) return call_function(c, n, functions[i]);
    if (callee->kind == N_DOT && node_is(kid(callee, 1), "extent")) {
        const Param *p = whole_tensor(c, kid(callee, 0));
        if (p) return call_extent(c, n, p);
    }
    return computed(c, n);
}

/* T.bits and the like, which are literals. */
static Sym dot_extent(Check *c, const Node *n)
{
    const Node *left = kid(n, 0);
    Elem e;
    bool type = word_is_name(left)
                && (scope_find(c, SPACE_TYPE, node_name(left)) || elem_of(node_name(left), &e));
    if (!type) return computed(c, n);
    return literal_extent(c, n);
}

/* An expression, by its kind. */
static Sym extent(Check *c, const Node *n)
{
    if (!n) return bad_extent();
    if (!deeper(c, node_pos(n))) return bad_extent();
    Sym s;
    switch ((int)n->kind) {
    case N_WORD:   s = word_is_name(n) ? name_extent(c, n) : literal_extent(c, n); break;
    case N_PAREN:  s = extent(c, kid(n, 0)); break;
    case N_UNARY:  s = unary_extent(c, n); break;
    case N_BINARY: s = binary_extent(c, n); break;
    case N_COND:   s = cond_extent(c, n); break;
    case N_CALL:   s = call_in_extent(c, n); break;
    case N_DOT:    s = dot_extent(c, n); break;
    default:       s = computed(c, n); break;
    }
    c->depth--;
    return s;
}

/* The Sym of an integer expression over extents, statics and int parameters; bad after a report. */
Sym extent_of(Check *c, const Node *n)
{
    return extent(c, n);
}

/* Is it computed by the kernel? */
static bool is_value(Sym atom, void *arg)
{
    (void)arg;
    return atom->kind == SYM_VALUE;
}

/* The same of what a launch knows: no program index. */
Sym launch_extent(Check *c, const Node *n)
{
    Sym s = extent(c, n);
    if (sym_is_bad(s) || !sym_mentions(s, is_value, NULL)) return s;
    return not_extent(n, "different in each program, and a launch must know it");
}

/* ---- numbers known at translation ------------------------------------------------------------ */

/* Is it a name or a value? Remembers it in *arg. */
static bool first_atom(Sym atom, void *arg)
{
    if (atom->kind != SYM_NAME && atom->kind != SYM_VALUE) return false;
    *(Sym *)arg = atom;
    return true;
}

/* Reports an expression whose value only a launch knows. */
static void not_static(Check *c, const Node *n, Sym s)
{
    Sym atom = NULL;
    sym_mentions(s, first_atom, &atom);
    Name name = atom && atom->kind == SYM_NAME ? atom->name : NULL;
    error(node_pos(n), "E0313", "`%s` must be a number at translation", node_source(n));
    const Binding *b = name ? scope_find(c, SPACE_VALUE, name) : NULL;
    if (b) note(b->pos, "`%s` is known at launch", name->text);
    if (name) help("make it a static parameter: `%s: int = ..`", name->text);
    else help("use literals, consts and static parameters");
}

/* A number that is known now; false after a report. */
bool static_int(Check *c, const Node *n, int64_t *k)
{
    Sym s = extent(c, n);
    if (sym_is_bad(s)) return false;
    if (sym_const_of(s, k)) return true;
    not_static(c, n, s);
    return false;
}

/* Is it written as a truth value: true, a static bool, a comparison, ! && ||? */
static bool is_truth(Check *c, const Node *n)
{
    while (n && n->kind == N_PAREN) n = kid(n, 0);
    if (!n) return false;
    if (n->kind == N_UNARY) return node_is(n, "!");
    if (n->kind == N_BINARY)
        return strchr("<>=!&|", n->source->text[n->text.at]) && !node_is(n, "<<")
               && !node_is(n, ">>") && !node_is(n, "&") && !node_is(n, "|");
    if (node_is(n, "true") || node_is(n, "false")) return n->kind == N_WORD;
    if (!word_is_name(n)) return false;
    const Binding *b = scope_find(c, SPACE_VALUE, node_name(n));
    if (b && b->kind == BIND_CONST) {
        Scope *here = c->scope;
        c->scope = b->scope;
        bool truth = is_truth(c, kid(b->decl, 2));
        c->scope = here;
        return truth;
    }
    return b && ((b->kind == BIND_STATIC && b->is_bool) || b->kind == BIND_ERROR);
}

/* Two numbers or truth values compared. */
static bool compare(Check *c, const Node *n, bool *truth)
{
    int64_t a, b;
    bool x, y;
    if ((node_is(n, "==") || node_is(n, "!=")) && is_truth(c, kid(n, 0))) {
        if (!static_bool(c, kid(n, 0), &x) || !static_bool(c, kid(n, 1), &y)) return false;
        a = x;
        b = y;
    } else if (!static_int(c, kid(n, 0), &a) || !static_int(c, kid(n, 1), &b)) {
        return false;
    }
    *truth = node_is(n, "==") ? a == b : node_is(n, "!=") ? a != b : node_is(n, "<=") ? a <= b
           : node_is(n, ">=") ? a >= b : node_is(n, "<") ? a < b : a > b;
    return true;
}

/* A truth value by name: a static bool or a const. */
static bool name_truth(Check *c, const Node *n, bool *truth)
{
    const Binding *b = scope_find(c, SPACE_VALUE, node_name(n));
    if (!b) return unknown_name(c, SPACE_VALUE, node_name(n), node_word(n)), false;
    if (b->kind == BIND_ERROR) return false;
    if (b->kind == BIND_STATIC && b->is_bool) return *truth = b->number != 0, true;
    if (b->kind == BIND_CONST) {
        Scope *here = c->scope;
        if (!binding_clear(b, node_word(n))) return false;
        c->scope = b->scope;
        bool good = static_bool(c, kid(b->decl, 2), truth);
        c->scope = here;
        return good;
    }
    error(node_pos(n), "E0314", "`%s` is not true or false at translation", b->name->text);
    note(b->pos, "it is declared here");
    help("make it a static parameter: `%s: bool = ..`", b->name->text);
    return false;
}

/* a && b, a || b: the right side counts only if the left does not decide. */
static bool logical_truth(Check *c, const Node *n, bool *truth)
{
    if (!static_bool(c, kid(n, 0), truth)) return false;
    return *truth == node_is(n, "||") ? true : static_bool(c, kid(n, 1), truth);
}

/* An expression by its kind; false after a report. */
static bool truth_of(Check *c, const Node *n, bool *truth)
{
    if (n->kind == N_PAREN) return static_bool(c, kid(n, 0), truth);
    if (n->kind == N_COND) {
        if (!static_bool(c, kid(n, 0), truth)) return false;
        return static_bool(c, kid(n, *truth ? 1 : 2), truth);
    }
    if (n->kind == N_WORD && (node_is(n, "true") || node_is(n, "false")))
        return *truth = node_is(n, "true"), true;
    if (word_is_name(n)) return name_truth(c, n, truth);
    if (n->kind == N_UNARY && node_is(n, "!")) {
        if (!static_bool(c, kid(n, 0), truth)) return false;
        return *truth = !*truth, true;
    }
    if (n->kind == N_BINARY && (node_is(n, "&&") || node_is(n, "||")))
        return logical_truth(c, n, truth);
    if (n->kind == N_BINARY && is_truth(c, n)) return compare(c, n, truth);
    error(node_pos(n), "E0314", "`%s` is not true or false at translation", node_source(n));
    help("use static bools, comparisons of static ints, ! && ||");
    return false;
}

/* A truth value that is known now; false after a report. */
bool static_bool(Check *c, const Node *n, bool *truth)
{
    if (!n || !deeper(c, node_pos(n))) return false;
    bool good = truth_of(c, n, truth);
    c->depth--;
    return good;
}
