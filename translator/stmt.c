/* stmt.c -- statements: let, assignment, calls, return */
#include "lower.h"
#include <string.h>

/* ---- let ------------------------------------------------------------------------------------- */

/* The names of a pattern, bound to something that went wrong. */
static void bind_error(Check *c, const Node *pattern)
{
    if (pattern->kind == N_WORD) {
        if (!node_is(pattern, "_"))
            scope_add(c, SPACE_VALUE, BIND_ERROR, node_name(pattern), node_pos(pattern));
        return;
    }
    for (const Node *n = pattern->kids; n; n = n->next) bind_error(c, n);
}

/* Puts what was given into a binding: a value, a tensor, a tuple. */
static void bind_to(Check *c, Binding *b, Given g, BindKind kind)
{
    b->kind = kind;
    if (g.kind == GIVES_TENSOR) {
        b->kind = BIND_TENSOR;
        b->value = g.value;
        b->view = g.view;
        for (int i = 0; i < c->kernel->params.n; i++)
            if (c->kernel->params.at[i].value == g.value) b->param = i;
        return;
    }
    if (g.kind == GIVES_TUPLE) {
        b->kind = BIND_TUPLE;
        b->nmembers = g.n;
        b->members = new_array(Binding, g.n);
        for (int i = 0; i < g.n; i++) bind_to(c, &b->members[i], g.members[i], BIND_VALUE);
        return;
    }
    b->value = given_value(c, g, EL_ERROR);
    if (!b->value) b->kind = BIND_ERROR;
    else if (b->name) name_value(b->value, b->name);
}

/* One name of a pattern; `_` drops what it is given. */
static void bind_word(Check *c, const Node *word, Given g, BindKind kind)
{
    if (node_is(word, "_")) {
        if (g.kind == GIVES_NOTHING || g.kind == GIVES_LIST) operand(c, &g);
        return;
    }
    if (kind == BIND_MUT && (g.kind == GIVES_TUPLE || g.kind == GIVES_TENSOR)) {
        bool tuple = g.kind == GIVES_TUPLE;
        mistake(c, g.pos, "E0801", "%s cannot be assigned as a whole",
                tuple ? "a tuple" : "a tensor");
        help(tuple ? "name its members: `let mut (a, b) = ..`" : "leave out `mut`");
        g.kind = GIVES_ERROR;
    }
    if (g.kind == GIVES_ERROR) bind_error(c, word);
    else bind_to(c, scope_add(c, SPACE_VALUE, kind, node_name(word), node_pos(word)), g, kind);
}

typedef LIST(const Node *) Names;

/* The names of a pattern, in order. */
static void names_of(const Node *pattern, Names *out)
{
    if (word_is_name(pattern)) push(out, pattern);
    bool list = pattern->kind == N_NAMES || pattern->kind == N_TUPLE;
    for (const Node *n = list ? pattern->kids : NULL; n; n = n->next) names_of(n, out);
}

/* Reports a name that stands twice in a pattern, or in a tuple that is assigned. */
void names_differ(Check *c, const Node *pattern)
{
    Names names = { 0 };
    names_of(pattern, &names);
    for (int i = 0; i < names.n; i++)
        for (int j = 0; j < i; j++) {
            if (node_name(names.at[i]) != node_name(names.at[j])) continue;
            mistake(c, node_pos(names.at[i]), "E0203", "`%s` stands twice here",
                    node_name(names.at[i])->text);
            note(node_pos(names.at[j]), "here already");
            help("each member has a name of its own; `_` drops one");
            return;
        }
}

/* Binds the names of a pattern to what an expression gave. */
void bind_given(Check *c, const Node *pattern, Given g, BindKind kind)
{
    if (pattern->kind == N_WORD) {
        bind_word(c, pattern, g, kind);
        return;
    }
    int n = kid_count(pattern);
    if (g.kind != GIVES_TUPLE || g.n != n) {
        if (g.kind == GIVES_TUPLE) mistake(c, g.pos, "E0409", "%d names for a tuple of %d", n, g.n);
        else if (g.kind != GIVES_ERROR)
            mistake(c, g.pos, "E0409", "%d names, but this is no tuple", n);
        if (g.kind != GIVES_ERROR) note(node_pos(pattern), "the names");
        if (g.kind == GIVES_TUPLE) help("`_` drops a member");
        else if (g.kind != GIVES_ERROR) help("give it one name; a tuple is `(a, b)`");
        bind_error(c, pattern);
        return;
    }
    for (int i = 0; i < n; i++) bind_given(c, kid(pattern, i), g.members[i], kind);
}

/* let [mut] pattern [: type] = expr; */
static void let(Check *c, const Node *n)
{
    const Node *pattern = kid(n, 1), *type = kid(n, 2);
    if (!pattern) return;
    names_differ(c, pattern);
    Given g = expr(c, kid(n, 3));
    if (type) g = infer_value(c, type, g, arena_printf("`%s`", node_source(pattern)), false);
    bind_given(c, pattern, g, kid(n, 0) ? BIND_MUT : BIND_VALUE);
}

/* ---- assignment ------------------------------------------------------------------------------ */

/* Reports a name that cannot be assigned. */
static void not_mutable(Check *c, const Binding *b, const Node *place)
{
    const char *name = b->name->text;
    mistake(c, node_pos(place), "E0801", "`%s` cannot be assigned", name);
    note(b->pos, "it is declared here");
    if (b->kind == BIND_VALUE && b->value && b->value->def)
        help("declare it with `let mut %s`", name);
    else if (b->kind == BIND_TENSOR) help("elements are written with `%s.store(t)`", name);
    else help("take a variable: `let mut .. = %s`", name);
}

/* The variable that a place names; NULL after a report. */
static Binding *variable(Check *c, const Node *place)
{
    if (!place || !word_is_name(place)) {
        if (!place) return NULL;
        mistake(c, node_pos(place), "E0801", "this cannot be assigned");
        if (place->kind == N_AT) help("elements of a tensor are written with `store` or `put`");
        else help("a name declared with `let mut`, or a tuple of such names, stands here");
        return NULL;
    }
    Binding *b = scope_find(c, SPACE_VALUE, node_name(place));
    if (!b) {
        unknown_name(c, SPACE_VALUE, node_name(place), node_pos(place));
        help("a new variable is declared: `let mut %s = ..;`", node_name(place)->text);
    }
    if (!b || b->kind == BIND_ERROR) return NULL;
    if (b->kind == BIND_MUT) return b;
    not_mutable(c, b, place);
    return NULL;
}

/* Gives a variable its next value, of its type. */
static void assign_to(Check *c, Binding *b, Given g)
{
    int before = error_count();
    Value *v = widen(c, g, b->value->type.elem, arena_printf("`%s`", b->name->text));
    if (!v) {
        if (error_count() > before)
            note(b->pos, "a variable keeps its type; it is declared here");
        return;
    }
    if (!type_same_shape(&v->type, &b->value->type)) {
        const char *had = type_text(&b->value->type);
        mistake(c, g.pos, "E0408", "`%s` is %s, and this is %s", b->name->text, had,
                type_text(&v->type));
        note(b->pos, "a variable keeps its type; it is declared here");
        if (v->type.rank < b->value->type.rank)
            help("fill the shape: `full([..], v, T)`, `broadcast_to(t, [..])`");
        return;
    }
    name_value(v, b->name);
    b->value = v;
}

/* (a, b) = e; all is computed before anything is assigned. */
static void assign_tuple(Check *c, const Node *place, Given g)
{
    int n = kid_count(place);
    if (g.kind == GIVES_ERROR) return;
    if (g.kind != GIVES_TUPLE || g.n != n) {
        mistake(c, g.pos, "E0409", "%d names, and this is no tuple of %d", n, n);
        note(node_pos(place), "the names");
        help("each name takes one member: `let (a, _) = ..` drops one");
        return;
    }
    for (int i = 0; i < n; i++) {
        const Node *part = kid(place, i);
        if (part && part->kind == N_TUPLE) {
            assign_tuple(c, part, g.members[i]);
            continue;
        }
        Binding *b = variable(c, part);
        if (b) assign_to(c, b, g.members[i]);
    }
}

/* place = expr; */
static void assign(Check *c, const Node *n)
{
    const Node *place = kid(n, 0);
    Given g = expr(c, kid(n, 1));
    if (place && place->kind == N_TUPLE) {
        names_differ(c, place);
        assign_tuple(c, place, g);
        return;
    }
    Binding *b = variable(c, place);
    if (b) assign_to(c, b, g);
}

/* place += expr; */
static void op_assign(Check *c, const Node *n)
{
    Name text = node_name(n);
    const OpRow *row = text->len > 1 ? op_row_symbol(name_n(text->text, text->len - 1)->text, 2)
                                     : NULL;
    Given right = expr(c, kid(n, 1));
    Binding *b = variable(c, kid(n, 0));
    if (!b || !row) return;
    Given both[] = { give(b->value, kid(n, 0)), right };
    Given g = elementwise(c, row, both, 2, n);
    g.node = kid(n, 1);
    if (g.kind != GIVES_ERROR) assign_to(c, b, g);
}

/* ---- the others ------------------------------------------------------------------------------ */

/* Is it h.atomic_add(..), whose old values nobody needs to take? */
static bool updates(const Node *n, const Given *g)
{
    bool called = n->kind == N_CALL && kid(n, 0) && kid(n, 0)->kind == N_DOT;
    return called && g->kind == GIVES_VALUE && g->value->def && g->value->def->kind == OP_ATOMIC;
}

/* A call for what it does. */
static void call_statement(Check *c, const Node *n)
{
    Given g = expr(c, kid(n, 0));
    if (g.kind == GIVES_ERROR || g.kind == GIVES_NOTHING || updates(kid(n, 0), &g)) return;
    mistake(c, g.pos, "E0806", "nothing takes this value");
    help("write `let _ = %s;` to drop it", node_source(kid(n, 0)));
}

/* unsafe y.scatter(..); */
static void unsafe_statement(Check *c, const Node *n)
{
    const Node *e = kid(n, 0), *callee = e && e->kind == N_CALL ? kid(e, 0) : NULL;
    if (callee && callee->kind == N_DOT && node_is(kid(callee, 1), "scatter")) {
        c->promised = true;
        expr(c, e);
        c->promised = false;
        return;
    }
    mistake(c, node_pos(n), "E0806", "`unsafe` stands before `scatter` alone");
    help("leave it out");
}

/* return; in a kernel: ends the program. In a fn it is the last statement, which inline.c reads. */
static void return_statement(Check *c, const Node *n)
{
    if (c->calls.n) {
        mistake(c, node_pos(n), "E0803", "`return` is not the last statement of its fn");
        note(node_pos(kid(c->calls.at[c->calls.n - 2], 0)), "the fn");
        help("it is the last one, or that of both arms of a last `if`");
        return;
    }
    if (kid(n, 0)) {
        mistake(c, node_pos(kid(n, 0)), "E0803", "a kernel returns nothing");
        help("results go to a `&mut` tensor: `y.store(t)`; `return;` ends the program");
        return;
    }
    build_effect(c, OP_RETURN, node_pos(n), 0, NULL);
}

/* What only thread-level code has. */
static void simt_only(Check *c, const Node *n)
{
    mistake(c, node_pos(n), "E0806", "a tile kernel has no `%s`",
            n->kind == N_SHARED ? "shared" : "barrier");
    help("a program is one logical thread; the translator places shared memory and barriers");
}

/* A loop with attributes. */
static void with_attributes(Check *c, const Node *n)
{
    AttrList *list = new(AttrList);
    const Node *loop = kid(n, 1);
    attributes(c, kid(n, 0), ATTR_FOR, list);
    if (loop) statement(c, loop);
    Op *last = c->block->last;
    if (loop && loop->kind == N_FOR && last && last->kind == OP_FOR) last->attrs = list;
    for (int i = 0; loop && loop->kind == N_FOR_STATIC && i < list->n; i++) {
        warn(list->at[i].pos, "attribute", "#[%s] is not followed here: the loop is written out "
             "round by round", list->at[i].name->text);
        help("leave it out; results are the same");
    }
}

/* One statement; what it makes is labelled with its text. */
void statement(Check *c, const Node *n)
{
    static void (*const by_kind[])(Check *, const Node *) = {
        [N_LET] = let, [N_ASSIGN] = assign, [N_OP_ASSIGN] = op_assign, [N_DO] = call_statement,
        [N_UNSAFE] = unsafe_statement, [N_SHARED] = simt_only, [N_BARRIER] = simt_only,
        [N_BLOCK] = statements, [N_IF] = lower_if, [N_WHILE] = lower_while, [N_FOR] = lower_for,
        [N_FOR_STATIC] = lower_for_static, [N_WITH] = with_attributes, [N_BREAK] = lower_jump,
        [N_CONTINUE] = lower_jump, [N_RETURN] = return_statement,
    };
    if (n->kind >= sizeof by_kind / sizeof *by_kind || !by_kind[n->kind] || too_many_errors())
        return;
    if (!deeper(c, node_pos(n))) return;
    c->stmt = node_pos(n);
    by_kind[n->kind](c, n);
    c->depth--;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Its last op ends a region. */
bool block_ended(const Block *b)
{
    const Op *last = b->last;
    return last
           && (last->kind == OP_YIELD || last->kind == OP_BREAK || last->kind == OP_CONTINUE
               || last->kind == OP_RETURN);
}

/* The end of the block is not reached: it has left its loop or the program. (A yield ends a region
   even behind an `if` both arms of which have left, so that every region has an end.) */
bool block_left(const Block *b)
{
    const Op *last = b->last;
    if (last && last->kind == OP_YIELD) last = last->prev;
    if (!last) return false;
    if (last->kind == OP_BREAK || last->kind == OP_CONTINUE || last->kind == OP_RETURN) return true;
    return last->kind == OP_IF && last->nregions == 2 && block_left(last->region[0])
           && block_left(last->region[1]);
}

/* Warns of the statements behind one that leaves. */
void warn_unreachable(const Node *first, const Node *last)
{
    warn(node_pos(first), "unreachable", "this is never reached");
    note(node_pos(last), "this statement leaves before it");
}

/* The statements of a block, in a scope of their own; none behind one that leaves. */
void statements(Check *c, const Node *block)
{
    scope_push(c);
    for (const Node *n = block ? block->kids : NULL; n; n = n->next) {
        statement(c, n);
        if (!block_left(c->block)) continue;
        if (n->next) warn_unreachable(n->next, n);
        break;
    }
    scope_pop(c);
}

/* The body of c->kernel, into c->block. */
void lower_body(Check *c, const Node *block)
{
    c->known = NULL;
    c->gave_up = false;
    c->depth = c->unrolled = c->calls.n = 0;
    statements(c, block);
}
