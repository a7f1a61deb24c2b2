/* const.c -- consts are made of literals, other consts and operators, and none needs itself */
#include "check.h"

/* The most words of a const with those that it names written out (where a name counts for several,
   so that no chain of names gets long); how deep it may be nested. */
enum { LARGEST_CONST = 10000, NAME_WORDS = 20, DEEPEST_CONST = 1000 };

/* What is known of the consts that were looked at. */
typedef struct {
    Check *c;
    int depth;
    LIST(struct Seen { const Node *decl; int words; enum { OPEN, GOOD, BAD } state; }) seen;
} Consts;

static int const_words(Consts *k, Binding *b, const Node *use);

/* Reports what a const cannot be made of. */
static int not_constant(const Node *n)
{
    error(node_pos(n), "E0207", "a const is made of literals, other consts, operators and "
                                "functions of numbers");
    return -1;
}

/* The words of a name in a const: those of the const that it names; -1 if something is wrong. */
static int name_words(Consts *k, const Node *n)
{
    Binding *b = scope_find(k->c, SPACE_VALUE, node_name(n));
    if (!b) {
        unknown_name(k->c, SPACE_VALUE, node_name(n), node_word(n));
        return -1;
    }
    if (b->kind != BIND_CONST || !binding_clear(b, node_word(n))) return -1;
    int words = const_words(k, b, n);
    return words < 0 ? words : words + NAME_WORDS;
}

static int expr_words(Consts *k, const Node *n);

/* The words of all parts of an expression but one. */
static int part_words(Consts *k, const Node *n, const Node *skip)
{
    int words = 1;
    for (const Node *part = n->kids; part; part = part->next) {
        int more = part == skip || part->kind == N_NONE ? 0 : expr_words(k, part);
        if (more < 0) return -1;
        words = words + more < LARGEST_CONST ? words + more : LARGEST_CONST;
    }
    return words;
}

/* Counts the words of an expression, consts written out; -1 after a report. */
static int expr_words(Consts *k, const Node *n)
{
    static const bool plain[] = {
        [N_PAREN] = true, [N_UNARY] = true, [N_BINARY] = true, [N_COND] = true, [N_AS] = true,
        [N_CALL] = true, [N_ARGS] = true
    };
    if (word_is_name(n)) return name_words(k, n);
    if (n->kind == N_WORD) return 1;
    if ((size_t)n->kind >= sizeof plain || !plain[n->kind]) return not_constant(n);
    const Node *skip = n->kind == N_CALL ? kid(n, 0) : n->kind == N_AS ? kid(n, 1) : NULL;
    if (n->kind == N_CALL && (!word_is_name(skip)
                              || scope_find(k->c, SPACE_FUNCTION, node_name(skip))))
        return not_constant(n);
    if (k->depth >= DEEPEST_CONST) {
        error(node_pos(n), "E0206", "a const is nested more than %d deep", DEEPEST_CONST);
        return -1;
    }
    k->depth++;
    int words = part_words(k, n, skip);
    k->depth--;
    return words;
}

/* Says that a const needs itself, or is too large. */
static int bad_const(const Binding *b, const Node *use, bool large)
{
    if (large) {
        error(b->pos, "E0206", "`%s` is too large with the consts that it names written out",
              b->name->text);
        return -1;
    }
    error(use ? node_word(use) : b->pos, "E0206", "the const `%s` needs itself", b->name->text);
    note(b->pos, "it is declared here");
    return -1;
}

/* The words of a const; -1 if something is wrong, which has been reported. */
static int const_words(Consts *k, Binding *b, const Node *use)
{
    int at = 0;
    while (at < k->seen.n && k->seen.at[at].decl != b->decl) at++;
    if (at < k->seen.n) {
        if (k->seen.at[at].state == OPEN) {
            k->seen.at[at].state = BAD;
            return bad_const(b, use, false);
        }
        return k->seen.at[at].state == BAD ? -1 : k->seen.at[at].words;
    }
    push(&k->seen, ((struct Seen){ .decl = b->decl, .state = OPEN }));
    Scope *here = k->c->scope;
    Elem elem;
    k->c->scope = b->scope;
    int words = k->depth++ < DEEPEST_CONST && kid(b->decl, 2) ? expr_words(k, kid(b->decl, 2))
                                                              : LARGEST_CONST;
    k->depth--;
    if (words >= 0 && kid(b->decl, 1) && !type_elem(k->c, kid(b->decl, 1), &elem)) words = -1;
    k->c->scope = here;
    if (words >= LARGEST_CONST) words = bad_const(b, use, true);
    if (k->seen.at[at].state == BAD) words = -1;
    k->seen.at[at].state = words < 0 ? BAD : GOOD;
    k->seen.at[at].words = words;
    return words;
}

/* Checks the consts that can be seen from a file; a wrong one silences what uses it. */
void check_consts(Check *c, Scope *file)
{
    Consts k = { .c = c };
    LIST(Binding *) all = { 0 };
    c->scope = file;
    for (Scope *s = file; s; s = s->outer)
        for (Binding *b = s->first[SPACE_VALUE]; b; b = b->next) push(&all, b);
    for (int i = all.n - 1; i >= 0; i--) {         /* as they stand in the file */
        Binding *b = all.at[i];
        if (b->kind == BIND_CONST && const_words(&k, b, NULL) < 0) b->kind = BIND_ERROR;
    }
}
