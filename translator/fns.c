/* fns.c -- fns as they are declared, and the names in those that nothing calls
 *
 * A fn is checked where it is inlined. One that nothing calls is still looked through for names
 * that nothing has, so that a mistake does not wait for the first caller. Types are known at calls
 * alone.
 */
#include "lower.h"

static void look(Check *c, const Node *n);

/* ---- declarations ---------------------------------------------------------------------------- */

/* Reports two parameters of one name. */
static void parameters_differ(const Node *params)
{
    for (const Node *n = params->kids; n; n = n->next)
        for (const Node *old = params->kids; old != n; old = old->next) {
            if (!kid(n, 0) || !kid(old, 0) || node_name(kid(n, 0)) != node_name(kid(old, 0)))
                continue;
            error(node_word(kid(n, 0)), "E0203", "`%s` is declared twice",
                  node_name(kid(n, 0))->text);
            note(node_word(kid(old, 0)), "here already");
            help("rename one of the two");
        }
}

/* Checks the parameters of a fn: each has its own name, and cuts nothing. */
void check_fn(const Node *fn)
{
    const Node *params = kid(fn, 1);
    if (!params) return;
    parameters_differ(params);
    for (const Node *n = params->kids; n; n = n->next) {
        if (n->kind != N_PARAM_MUT || !kid(n, 3)) continue;
        error(node_pos(kid(n, 3)), "E0718", "`by` cuts the outputs of a kernel, and this is a fn");
        help("a fn is handed this program's part: leave `by` out");
    }
}

/* ---- names in a fn that nothing calls -------------------------------------------------------- */

/* Takes a name as one that is declared, whatever it is. */
static void take(Check *c, Space space, const Node *word)
{
    if (word_is_name(word))
        scope_add(c, space, BIND_ERROR, node_name(word), node_word(word));
}

/* Takes the names of a pattern. */
static void take_pattern(Check *c, const Node *pattern)
{
    take(c, SPACE_VALUE, pattern);
    for (const Node *n = pattern->kids; n; n = n->next) take_pattern(c, n);
}

/* Takes all names in a type for variables, bound by the arguments. */
static void take_type(Check *c, const Node *n, int depth)
{
    Elem e;
    if (!n || depth > 100) return;
    if (word_is_name(n) && !elem_of(node_name(n), &e)) {
        take(c, SPACE_TYPE, n);
        take(c, SPACE_VALUE, n);
    }
    for (const Node *k = n->kids; k; k = k->next) take_type(c, k, depth + 1);
}

/* The parameters of a fn and the variables of their types. */
static void take_parameters(Check *c, const Node *fn)
{
    const Node *params = kid(fn, 1);
    for (const Node *n = params ? params->kids : NULL; n; n = n->next) {
        const Node *word = kid(n, 0), *type = kid(n, 1);
        bool function = type && type->kind == N_WORD && node_is(type, "fn");
        if (!function) take_type(c, type, 0);
        if (word) take(c, function ? SPACE_FUNCTION : SPACE_VALUE, word);
    }
    take_type(c, kid(fn, 2), 0);
}

/* A word where a value, the type of a builtin's argument, or a function may stand. */
static void look_word(Check *c, const Node *n)
{
    Elem e;
    if (!word_is_name(n) || elem_of(node_name(n), &e) || op_row(node_name(n)->text)) return;
    for (int space = 0; space < SPACE_COUNT; space++)
        if (scope_find(c, (Space)space, node_name(n))) return;
    unknown_name(c, SPACE_VALUE, node_name(n), node_pos(n));
}

/* f(a, b), x.load(..): the function, then the arguments. */
static void look_call(Check *c, const Node *n)
{
    const Node *callee = kid(n, 0), *args = kid(n, 1);
    if (word_is_name(callee)) look_function(c, callee, n);
    else look(c, callee);
    for (const Node *a = args ? args->kids : NULL; a; a = a->next) {
        bool mode = a == kid(args, 2) && callee && node_is(callee, "round_to");
        if (!mode) look(c, a->kind == N_NAMED ? kid(a, 1) : a);
    }
}

/* What declares names: a let, a loop, a lambda, a block. */
static bool look_scope(Check *c, const Node *n)
{
    switch ((int)n->kind) {
    case N_LET:
        look(c, kid(n, 3));
        if (kid(n, 1)) take_pattern(c, kid(n, 1));
        return true;
    case N_FOR: case N_FOR_STATIC:
        for (int i = 1; i < 4; i++) look(c, kid(n, i));
        scope_push(c);
        take(c, SPACE_VALUE, kid(n, 0));
        look(c, kid(n, 4));
        scope_pop(c);
        return true;
    case N_BLOCK: case N_LAMBDA:
        scope_push(c);
        if (n->kind == N_LAMBDA && kid(n, 0)) take_pattern(c, kid(n, 0));
        for (const Node *k = n->kind == N_LAMBDA ? kid(n, 1) : n->kids; k; k = k->next) look(c, k);
        scope_pop(c);
        return true;
    default:
        return false;
    }
}

/* Looks up the names in a tree. What a `static if` may leave out is not looked at. */
static void look(Check *c, const Node *n)
{
    Elem e;
    if (!n || too_many_errors() || !deeper(c, node_pos(n))) return;
    if (n->kind == N_WORD) look_word(c, n);
    else if (n->kind == N_CALL) look_call(c, n);
    else if (n->kind == N_DOT) look(c, kid(n, 0));
    else if (n->kind == N_AS) {
        look(c, kid(n, 0));
        type_elem(c, kid(n, 1), &e);
    } else if (n->kind == N_STATIC_ARM) look(c, kid(n, 0));
    else if (n->kind != N_ATTRS && !look_scope(c, n))
        for (const Node *k = n->kids; k; k = k->next) look(c, k);
    c->depth--;
}

/* Looks up the names of a fn that no kernel of the file calls. */
void check_uncalled(Check *c, const Node *fn)
{
    for (int i = 0; i < c->inlined.n; i++)
        if (c->inlined.at[i] == fn) return;
    c->scope = c->globals;
    c->depth = 0;
    c->calls.n = 0;
    c->gave_up = false;
    scope_push(c);
    take_parameters(c, fn);
    look(c, kid(fn, 3));
}
