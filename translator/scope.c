/* scope.c -- which name means what, here: scopes, look-up, unknown names */
#include "check.h"
#include "diag.h"
#include <string.h>

/* A new innermost scope; it is also returned. */
Scope *scope_push(Check *c)
{
    Scope *s = new(Scope);
    s->outer = c->scope;
    return c->scope = s;
}

/* Leaves the innermost scope. */
void scope_pop(Check *c)
{
    c->scope = c->scope->outer;
}

/* The binding of a name in one scope alone, or NULL. */
static Binding *find_in(const Scope *s, Space space, Name name)
{
    return map_find(&s->named[space], name);
}

/* The innermost binding of a name; NULL if it has none. */
Binding *scope_find(Check *c, Space space, Name name)
{
    for (const Scope *s = c->scope; s; s = s->outer) {
        Binding *b = find_in(s, space, name);
        if (!b) continue;
        b->used = true;
        return b;
    }
    return NULL;
}

/* Warns of a `let` in an inner block that hides a `let mut`: an assignment was probably meant. */
static void warn_shadow(Check *c, Name name, Pos pos)
{
    for (const Scope *s = c->scope->outer; s; s = s->outer) {
        const Binding *b = find_in(s, SPACE_VALUE, name);
        if (!b) continue;
        if (b->kind != BIND_MUT) return;
        warn(pos, "shadow", "this `let` makes a new `%s`, which ends with the block", name->text);
        note(b->pos, "the `let mut` that it hides, and does not change");
        help("to change it, leave out `let`: `%s = ..;`", name->text);
        return;
    }
}

/* Adds a name to the innermost scope, where it hides what it meant before. */
Binding *scope_add(Check *c, Space space, BindKind kind, Name name, Pos pos)
{
    Binding *b = new(Binding);
    Elem e;
    *b = (Binding){ .kind = kind, .name = name, .pos = pos, .next = c->scope->first[space] };
    if (elem_of(name, &e)) {
        error(pos, "E0110", "`%s` is an element type: it cannot be a name", name->text);
        help("take another name: `%s_`", name->text);
    }
    if (space == SPACE_VALUE && (kind == BIND_VALUE || kind == BIND_MUT)) warn_shadow(c, name, pos);
    map_put(&c->scope->named[space], name, b);
    return c->scope->first[space] = b;
}

/* Is it a word that a scope can have, and no number, string, true, false, inf, nan or _? */
bool word_is_name(const Node *n)
{
    static const char *const literals[] = { "true", "false", "inf", "nan", "_" };
    if (!n || n->kind != N_WORD || n->text.len == 0) return false;
    for (size_t i = 0; i < sizeof literals / sizeof *literals; i++)
        if (node_is(n, literals[i])) return false;
    char first = n->source->text[n->text.at];
    return first == '_' || ((first | 32) >= 'a' && (first | 32) <= 'z');
}

/* False after a report if two used files declare the name. */
bool binding_clear(const Binding *b, Pos use)
{
    if (!b->clash) return true;
    error(use, "E0204", "`%s` is declared in two of the used files", b->name->text);
    note(b->pos, "here");
    note(node_word(kid(b->clash, 0)), "and here");
    help("rename one, or declare a `%s` in this file, which goes before both", b->name->text);
    return false;
}

/* ---- the nearest name ------------------------------------------------------------------------ */

/* Shows a word to the search; the best stays. One letter in three may differ. */
void nearest_try(Nearest *n, const char *candidate)
{
    int d = word_distance(n->word, candidate);
    if (d > (int)strlen(n->word) / 3 || (n->best && d >= n->distance)) return;
    n->best = candidate;
    n->distance = d;
}

/* Shows every name of a space that can be seen from here. */
static const Binding *nearest_binding(Check *c, Space space, Nearest *n)
{
    const Binding *best = NULL;
    for (const Scope *s = c->scope; s; s = s->outer)
        for (const Binding *b = s->first[space]; b; b = b->next) {
            const char *before = n->best;
            nearest_try(n, b->name->text);
            if (n->best != before) best = b;
        }
    return best;
}

/* What the name is in another space: the commonest reason that it is not in this one. */
static bool help_other_space(Check *c, Space space, Name name)
{
    static const char *const is[SPACE_COUNT] = { "a value", "a function", "a type" };
    for (int other = 0; other < SPACE_COUNT; other++) {
        if (other == (int)space) continue;
        const Binding *b = scope_find(c, (Space)other, name);
        if (!b || (space == SPACE_VALUE && b->decl && b->decl->kind == N_KERNEL)) continue;
        note(b->pos, "`%s` is %s", name->text, is[other]);
        if (other == SPACE_FUNCTION && space == SPACE_VALUE)
            help("call it, `%s(..)`; a parameter of kind `fn` takes it by name", name->text);
        return true;
    }
    return false;
}

/* Where statements declare a name that cannot be seen from elsewhere; NULL: nowhere. */
static const Node *declared_in(const Node *n, Name name, int depth)
{
    if (!n || depth > 200) return NULL;
    bool declares = n->kind == N_LET || n->kind == N_FOR || n->kind == N_FOR_STATIC;
    const Node *pattern = declares ? kid(n, n->kind == N_LET) : NULL, *found = NULL;
    if (pattern && word_is_name(pattern) && node_name(pattern) == name) return pattern;
    for (const Node *k = pattern ? pattern->kids : NULL; k; k = k->next)
        if (word_is_name(k) && node_name(k) == name) return k;
    for (const Node *k = n->kids; k && !found; k = k->next) found = declared_in(k, name, depth + 1);
    return found;
}

/* Shows the declaration of a name that ended before its use, or comes after it. */
static bool note_elsewhere(Check *c, Name name, Pos pos)
{
    const Node *item = c->file && c->file->source == pos.source ? c->file->kids : NULL;
    while (item && !(item->from <= pos.at && pos.at < item->to)) item = item->next;
    if (item && item->kind == N_WITH) item = kid(item, 1);
    const Node *body = item ? kid(item, item->kind == N_FN ? 3 : 4) : NULL;
    const Node *at = body && body->from <= pos.at ? declared_in(body, name, 0) : NULL;
    if (!at || at->from == pos.at) return false;
    bool later = at->from > pos.at;
    note(node_pos(at), later ? "`%s` is declared here, further down"
                             : "this `%s` ends with its block", name->text);
    if (later) help("declare it before it is used");
    else help("declare it before the block: `let mut %s = ..;`, and assign it inside", name->text);
    return true;
}

/* Reports a name that nothing here has, with the nearest one that something has. */
void unknown_name(Check *c, Space space, Name name, Pos pos)
{
    static const char *const what[SPACE_COUNT] = { "value", "function", "type" };
    Nearest n = { .word = name->text };
    const Binding *near = nearest_binding(c, space, &n);
    if (space == SPACE_FUNCTION)
        for (int i = 0; i < op_row_count; i++) {
            const char *before = n.best;
            nearest_try(&n, op_rows[i].name);
            if (n.best != before) near = NULL;
        }
    error(pos, "E0201", "there is no %s `%s` here", what[space], name->text);
    if (space == SPACE_VALUE && note_elsewhere(c, name, pos)) return;
    if (help_other_space(c, space, name)) return;
    Elem e;
    if (space == SPACE_VALUE && elem_of(name, &e)) {
        help("`%s` is a type: `.. as %s` casts, `%s.max` is its largest value", name->text,
             name->text, name->text);
        return;
    }
    if (space == SPACE_VALUE && op_row(name->text)) {
        help("`%s` is a function: call it, `%s(..)`", name->text, name->text);
        return;
    }
    if (near && near->pos.source) note(near->pos, "`%s` is declared here", n.best);
    if (n.best) help("did you mean `%s`?", n.best);
}
