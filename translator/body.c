/* body.c -- a body's statements, in the order of the program */
#include "contraction.h"
#include <string.h>

/* ---- carried values -------------------------------------------------------------------------- */

typedef struct { const Value *root; bool yes; } Mention;

/* Notes an atom that is a variable of the web. */
static bool mentions_web(Sym atom, void *arg)
{
    Mention *m = arg;
    if (atom->kind == SYM_VALUE && map_of(atom->value)->var)
        m->yes |= web_root((Value *)atom->value) == m->root;
    return false;
}

/* Does v read the variable of the web, through what is printed in place? */
static bool reads_web(const Value *v, const Value *root)
{
    if (!v->plan || v->type.kind != TYPE_TILE)
        return false;
    if (map_of(v)->var)
        return web_root((Value *)v) == root;
    for (int i = 0; v->def && i < v->def->nargs; i++)
        if (reads_web(v->def->args[i], root))
            return true;
    Mention m = { root, false };
    if (v->def)
        op_atoms(v->def, mentions_web, &m);
    return m.yes;
}

/* A new variable of the type and layout of `like`, to hold its next value. */
static Value *stand_in(Emit *e, const Value *like)
{
    Value *t = new(Value);
    *t = *like;
    t->plan = new(ValueMap);
    *map_of(t) = *map_of(like);
    t->def = NULL;
    map_of(t)->web = t;
    map_of(t)->var = true;
    map_of(t)->declared = false;
    map_of(t)->name = fresh(e, arena_printf("%s_next", map_of(web_root((Value *)like))->name));
    return t;
}

/* Do the variable of `to` and the value of `from` differ, so that one is copied? */
static bool must_copy(Emit *e, const Value *to, Value *from)
{
    return map_of(to)->var && !is_lazy(e, to)
        && !(map_of(from)->var && web_root((Value *)to) == web_root(from));
}

/* to[i] = from[i] for all i at once: where one would overwrite what a later one
   reads, by way of others. */
static void copy_all(Emit *e, Value **to, Value **from, int n)
{
    Value **late = new_array(Value *, n);
    bool tangled = false;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            tangled |= must_copy(e, to[i], from[i]) && must_copy(e, to[j], from[j])
                       && reads_web(from[j], web_root(to[i]));
    for (int i = 0; i < n; i++) {
        late[i] = from[i];
        if (!must_copy(e, to[i], from[i]) || !tangled)
            continue;
        late[i] = stand_in(e, to[i]);
        fill_variable(e, late[i], from[i]);
    }
    for (int i = 0; i < n; i++)
        if (must_copy(e, to[i], from[i]))
            fill_variable(e, to[i], late[i]);
}

/* Declares the variables of what a loop or if gives. */
static void declare_results(Emit *e, const Op *op)
{
    for (int i = 0; i < op->nresults; i++)
        if (map_of(op->results[i])->var)
            declare(e, op->results[i]);
}

/* ---- ifs and loops --------------------------------------------------------------------------- */

/* Writes a block into a text of its own, one level further in; names and bounds end with it. */
static Text write_nested(Emit *e, const Block *b, Value **results)
{
    Text text = { 0 }, *out = e->out;
    int bounds = e->hoisted.n, bases = e->bases.n;
    Pos said = e->said;
    text_add(&text, "", 0);
    e->out = &text;
    e->indent++;
    write_block(e, b);
    if (b->last && b->last->kind == OP_YIELD && results)
        copy_all(e, results, b->last->args, b->last->nargs);
    e->indent--;
    e->out = out;
    e->hoisted.n = bounds, e->bases.n = bases;
    (void)said;
    return text;
}

/* Adds what was written aside. */
static void add_text(Emit *e, const Text *t)
{
    text_add(e->out, t->at, t->n);
}

/* An if; nothing if neither arm has a line, and without an empty arm. */
static void write_if(Emit *e, const Op *op)
{
    Ex c = element(e, op->args[0]);
    Pos said = op->stmt;
    Text head = { 0 }, *out = e->out;
    text_add(&head, "", 0);
    e->out = &head;
    quote(e, said);
    declare_results(e, op);
    declare_for_later(e, op);
    e->out = out;
    Touched before = either_way(e->touched, (Touched){ 0 });
    Text yes = write_nested(e, op->region[0], op->results);
    Touched after = e->touched;
    e->touched = before;
    Text no = write_nested(e, op->region[1], op->results);
    e->touched = either_way(after, e->touched);
    if (!yes.n && !no.n) {
        e->said = (Pos){ 0 };
        return;
    }
    if (out->n >= 2 && out->at[out->n - 2] != '{' && out->at[out->n - 2] != '\n' && head.n)
        text_add(e->out, "\n", 1);
    add_text(e, &head);
    open_block(e, yes.n ? "if (%s)" : "if (!(%s))", c.s);
    add_text(e, yes.n ? &yes : &no);
    if (yes.n && no.n) {
        close_block(e, " else {");
        e->indent++;
        add_text(e, &no);
    }
    close_block(e, "");
}

typedef struct { const Emit *e; bool yes; } Changing;

/* Notes an atom whose variable changes. */
static bool atom_changes(Sym atom, void *arg)
{
    Changing *c = arg;
    if (atom->kind == SYM_VALUE && map_of(atom->value)->var)
        c->yes |= !alone(c->e, atom->value);
    return false;
}

/* Does v, as it is printed, read a variable that is written more than once? */
static bool may_change(Emit *e, const Value *v)
{
    if (map_of(v)->var)
        return !alone(e, v);
    Changing c = { e, false };
    for (int i = 0; v->def && i < v->def->nargs; i++)
        if (v->def->args[i]->type.kind == TYPE_TILE)
            c.yes |= may_change(e, v->def->args[i]);
    if (v->def)
        op_atoms(v->def, atom_changes, &c);
    return c.yes;
}

/* A bound is read once, before the loop may change a variable that it reads; a long one has a name
   for the sake of the reader. */
static const char *bound_once(Emit *e, Value *v, const char *wish)
{
    enum { LONG = 40 };
    const char *text = element_text(e, v);
    if (!may_change(e, v) && strlen(text) <= LONG)
        return text;
    const char *name = fresh(e, wish);
    line(e, "const int64_t %s = %s;", name, text);
    return name;
}

typedef struct { const char *k, *from, *to, *by; } ForBounds;

/* The bounds of a for, as text that means the same before and in the loop. */
static ForBounds read_bounds(Emit *e, const Op *op)
{
    ForBounds b = { .k = map_of(web_root(op->region[0]->args[0]))->name };
    const Op *step = op->args[2]->def;
    b.to = bound_once(e, op->args[1], arena_printf("%s_end", b.k));
    b.from = bound_once(e, op->args[0], arena_printf("%s_from", b.k));
    if (!step || step->kind != OP_CONST || step->constant.i != 1)
        b.by = bound_once(e, op->args[2], arena_printf("%s_step", b.k));
    return b;
}

/* Does a line that is no comment mention the name? */
static bool code_mentions(const char *text, const char *name)
{
    for (const char *end; *text; text = *end ? end + 1 : end) {
        end = text + strcspn(text, "\n");
        const char *code = text + strspn(text, " ");
        if (strncmp(code, "//", 2) && mentions(arena_printf("%.*s", (int)(end - text), text), name))
            return true;
    }
    return false;
}

/* The head of a for: by one as it is, by other steps over the number of its trips. Gives the line
   that says where the index then stands, or NULL. */
static const char *open_for(Emit *e, ForBounds b, const Attr *unroll)
{
    if (unroll && !b.by)
        line(e, "#pragma unroll %lld", (long long)unroll->value);
    if (!b.by) {
        open_block(e, "for (int64_t %s = %s; %s < %s; %s++)", b.k, b.from, b.k, b.to, b.k);
        return NULL;
    }
    const char *trip = fresh(e, arena_printf("%s_trip", b.k)),
               *trips = fresh(e, arena_printf("%s_trips", b.k));
    line(e, "const int64_t %s = tile_trips(%s, %s, %s);", trips, b.from, b.to, b.by);
    if (unroll)
        line(e, "#pragma unroll %lld", (long long)unroll->value);
    open_block(e, "for (int64_t %s = 0; %s < %s; %s++)", trip, trip, trips, trip);
    return arena_printf("const int64_t %s = %s + %s * %s;", b.k, b.from, trip, b.by);
}

/* What comes before a loop: its variables with their first values, scalars as they are declared. */
static void enter_loop(Emit *e, const Op *op)
{
    Value **from = op->args + (op->kind == OP_FOR ? 3 : 0);
    for (int i = 0; i < op->nresults; i++) {
        Value *v = op->results[i];
        if (map_of(v)->var && !(must_copy(e, v, from[i]) && !*array_suffix(e, v)))
            declare(e, v);
    }
    copy_all(e, op->results, from, op->nresults);
    e->loop_depth++;
    touch_rounds(e, op);
}

/* A for with its body. */
static void write_for(Emit *e, const Op *op)
{
    quote(e, op->stmt);
    map_of(web_root(op->region[0]->args[0]))->declared = true;
    ForBounds bounds = read_bounds(e, op);
    enter_loop(e, op);
    Touched any = either_way(e->touched, (Touched){ 0 });
    const bool ring = e->body->boxes && op == e->plan->ring;
    if (ring)
        enter_ring(e, bounds.from, bounds.to);
    else
        fetch_first(e, op, bounds.k, bounds.from, bounds.to);
    const char *index = open_for(e, bounds, attr_of(op->attrs, "unroll"));
    e->indent--;
    Text body = write_nested(e, op->region[0], op->results);
    e->indent++;
    if (index && code_mentions(body.at, bounds.k))
        line(e, "%s", index);
    add_text(e, &body);
    if (ring)
        release_boxes(e, bounds.k, bounds.from);
    close_block(e, "");
    if (ring)
        leave_ring(e);
    e->touched = any;
    e->loop_depth--;
}

/* The condition is asked in the middle: what it computes comes first in each round. */
static void write_while(Emit *e, const Op *op)
{
    Block *ask = op->region[0];
    quote(e, op->stmt);
    enter_loop(e, op);
    Touched any = either_way(e->touched, (Touched){ 0 });
    open_block(e, "for (;;)");
    e->indent--;
    int bounds = e->hoisted.n, bases = e->bases.n;
    Text asking = write_nested(e, ask, NULL);
    e->indent++;
    add_text(e, &asking);
    const Op *yield = ask->last;
    copy_all(e, op->results, yield->args + 1, yield->nargs - 1);
    line(e, "if (!(%s))", element_text(e, yield->args[0]));
    line(e, "    break;");
    e->indent--;
    Text body = write_nested(e, op->region[1], op->results);
    e->indent++;
    add_text(e, &body);
    close_block(e, "");
    e->hoisted.n = bounds, e->bases.n = bases;
    e->touched = any;
    e->loop_depth--;
}

/* break or continue: the values carried on, then the jump. */
static void write_leave(Emit *e, const Op *op)
{
    const Op *loop = op->block->parent;
    while (loop && loop->kind == OP_IF)
        loop = loop->block->parent;
    quote(e, op->stmt);
    if (loop)
        copy_all(e, loop->results, op->args, op->nargs);
    line(e, op->kind == OP_BREAK ? "break;" : "continue;");
}

/* ---- statements ------------------------------------------------------------------------------ */

/* What an elementwise operation makes, if it has a variable. */
static void write_value(Emit *e, Op *op)
{
    Value *v = op->results[0];
    if (!map_of(v)->var)
        return;
    quote(e, op->stmt);
    if (op->names)
        text_add(e->out, "\1", 1);                 /* goes if nothing mentions it */
    fill_variable(e, v, v);
}

/* One op of a block: a flat switch by its kind. */
static void write_op(Emit *e, Op *op)
{
    e->root = op;
    switch (op->kind) {
    case OP_LOAD: case OP_GATHER:
        if (!map_of(op->results[0])->var)
            return;
        quote(e, op->stmt);
        wait_for_others(e, op);
        write_load(e, op);
        return;
    case OP_STORE:
        quote(e, op->stmt);
        wait_for_others(e, op);
        write_store(e, op);
        return;
    case OP_SCATTER:
        quote(e, op->stmt);
        wait_for_others(e, op);
        write_scatter(e, op);
        return;
    case OP_ATOMIC:
        quote(e, op->stmt);
        wait_for_others(e, op);
        write_atomic(e, op);
        return;
    case OP_REDUCE: case OP_MMA:
        quote(e, op->stmt);
        (op->kind == OP_REDUCE ? write_reduce : write_mma)(e, op);
        return;
    case OP_FOLD: case OP_SCAN:
        write_combine(e, op);
        return;
    case OP_RELAYOUT: case OP_RESHAPE: case OP_PERMUTE: case OP_FLIP: case OP_EXTRACT: case OP_CAT:
        if (!is_move(op)) {
            write_value(e, op);
            return;
        }
        quote(e, op->stmt);
        write_move(e, op);
        return;
    case OP_SORT: case OP_HISTOGRAM: case OP_PRINT: case OP_ASSERT:
        quote(e, op->stmt);
        (op->kind == OP_SORT ? write_sort : op->kind == OP_HISTOGRAM ? write_histogram
         : op->kind == OP_PRINT ? write_print : write_assert)(e, op);
        return;
    case OP_IF:
        write_if(e, op);
        return;
    case OP_FOR:
        write_for(e, op);
        return;
    case OP_WHILE:
        write_while(e, op);
        return;
    case OP_BREAK: case OP_CONTINUE:
        write_leave(e, op);
        return;
    case OP_RETURN:
        quote(e, op->stmt);
        line(e, "return;");
        return;
    case OP_YIELD:
        return;
    default:
        write_value(e, op);
    }
}

/* Writes the statements of a block; what it yields is its parent's business. */
void write_block(Emit *e, const Block *b)
{
    bool synced = e->synced;
    e->synced &= !b->parent || b->parent->kind == OP_IF;
    await_fetched(e, b->parent);
    if (e->body->boxes && b->parent == e->plan->ring)
        await_boxes(e);
    for (Op *op = b->first; op; op = op->next) {
        if (e->body->boxes && op == e->plan->ring_at)
            write_ring(e);
        stage_before(e, op);
        write_op(e, op);
    }
    e->synced = synced;
}
