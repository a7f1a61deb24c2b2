/* phase.c -- one loop nest over the elements of a tile that a thread holds */
#include "mapping.h"
#include <ctype.h>
#include <string.h>

/* May the character stand in a C name? */
static bool word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Does the text hold this name as a whole word? */
bool mentions(const char *text, const char *name)
{
    size_t len = strlen(name);
    for (const char *s = text; s && (s = strstr(s, name)); s += len)
        if ((s == text || !word_char(s[-1])) && !word_char(s[len]))
            return true;
    return false;
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* Threads along d as text: THREADS in a body that is a template over them. */
static const char *threads_text(const Emit *e, const Dim *d)
{
    const Spread *s = spread_of(e, d);
    if (e->body->kind != BODY_BLOCK || !d->whole)
        return arena_printf("%d", s->threads);
    return s->shift ? arena_printf("(%s / %d)", e->threads, 1 << s->shift) : e->threads;
}

/* The first element of a thread along d: W * (32 * v + lane). rep: the loop's variable, or NULL. */
const char *first_element(Emit *e, const Dim *d, const char *rep)
{
    const Spread *s = spread_of(e, d);
    const char *sum = s->threads == 1 ? "0" : e->coordinate_thread[d->id];
    if (rep)
        sum = s->threads == 1 ? rep : arena_printf("%s * %s + %s", threads_text(e, d), rep, sum);
    if (!has_lanes(e, d))
        return sum;
    return arena_printf(strchr(sum, ' ') ? "%s * (%s)" : "%s * %s", e->w, sum);
}

/* A loop at run time, of a streaming body: all the way along the whole axis. */
static void open_stream(Emit *e, const Dim *d)
{
    const Spread *s = spread_of(e, d);
    const char *at = e->coordinate[d->id];
    const char *from = s->threads == 1 ? "0" : e->coordinate_thread[d->id];
    if (has_lanes(e, d))
        from = arena_printf(strchr(from, ' ') ? "%s * (%s)" : "%s * %s", e->w, from);
    const char *step = has_lanes(e, d) ? arena_printf("%s * %d", e->w, s->threads)
                                       : arena_printf("%d", s->threads);
    open_block(e, "for (int64_t %s = %s; %s < %s; %s += %s)", at, from, at, sym_c(e, d->extent), at,
               step);
}

/* Opens the loop over the repeats of a Dim, if a thread comes round more than once. */
static void open_repeat(Emit *e, Phase *p, const Dim *d)
{
    const char *n = repeats_text(e, d), *at = e->coordinate[d->id], *rep = e->repeat[d->id];
    if (!n)
        return;
    line(e, "#pragma unroll");
    open_block(e, "for (int %s = 0; %s < %s; %s++)", rep, rep, n, rep);
    if (rep != at) {
        const char *decl = arena_printf("%*sconst int %s = %s;\n", 4 * e->indent, "", at,
                                        first_element(e, d, rep));
        push(&p->coordinates, ((struct Coordinate){ e->out->n, at, decl }));
    }
}

/* Starts a phase: hoisted lines go before it from now on. */
void phase_open(Emit *e, Phase *p, const Op *root, const Dim **dims, int n)
{
    *p = (Phase){ .outer = e->out, .indent = e->indent, .scope = e->names.used.n };
    p->outer_pending = e->pending;
    p->outer_pending_indent = e->pending_indent;
    if (!e->pending)
        e->pending = e->out, e->pending_indent = e->indent;
    e->out = &p->text;
    e->root = root;
    text_add(e->out, "", 0);
    for (int i = 0; i < n; i++)
        if (spread_of(e, dims[i])->loops)
            open_stream(e, dims[i]);
    for (int i = 0; i < n; i++) {
        open_repeat(e, p, dims[i]);
        p->lanes |= has_lanes(e, dims[i]);
    }
}

/* Puts the coordinates that the text mentions where they belong. */
static void insert_coordinates(Phase *p, Text *to)
{
    size_t at = 0;
    for (int i = 0; i < p->coordinates.n; i++) {
        const struct Coordinate *c = &p->coordinates.at[i];
        text_add(to, p->text.at + at, c->at - at);
        at = c->at;
        if (mentions(p->text.at + at, c->name))
            text_add(to, c->line, strlen(c->line));
    }
    text_add(to, p->text.at + at, p->text.n - at);
}

/* Ends the scope of names made since `scope`, but for those of hoisted lines. */
static void keep_hoisted_names(Emit *e, int scope)
{
    int kept = scope;
    for (int i = scope; i < e->names.used.n; i++) {
        bool hoisted = false;
        for (int j = 0; j < e->hoisted.n; j++)
            hoisted |= e->hoisted.at[j].name == e->names.used.at[i];
        for (int j = 0; j < e->bases.n; j++)
            hoisted |= e->bases.at[j].name == e->names.used.at[i];
        if (hoisted)
            e->names.used.at[kept++] = e->names.used.at[i];
    }
    e->names.used.n = kept;
}

/* Closes the loops of a phase and forgets its local names. */
void phase_close(Emit *e, Phase *p)
{
    phase_lanes_close(e, p);
    bool braces = e->indent > p->indent;           /* without, its names last on in the block */
    while (e->indent > p->indent)
        close_block(e, "");
    for (int i = 0; i < p->locals.n; i++)
        map_of(p->locals.at[i])->local = NULL;
    if (braces)
        keep_hoisted_names(e, p->scope);
    e->out = p->outer;
    e->pending = p->outer_pending;
    e->pending_indent = p->outer_pending_indent;
    insert_coordinates(p, e->out);
}

/* ---- what a phase computes again ------------------------------------------------------------- */

typedef struct { LIST(Value *) found; LIST(int) uses; } Gathered;

/* Finds what v is computed from in this phase, and how often each is used. */
static void gather(Emit *e, Gathered *g, Value *v)
{
    const Op *op = v->def;
    if (!op || map_of(v)->var || map_of(v)->local)
        return;
    for (int i = 0; i < g->found.n; i++)
        if (g->found.at[i] == v) {
            g->uses.at[i]++;
            return;
        }
    for (int i = 0; i < op->nargs; i++)
        gather(e, g, op->args[i]);
    for (int r = 0; r < op->nregions; r++) {
        const Op *last = op->region[r]->last;
        for (int i = 0; last && last->kind == OP_YIELD && i < last->nargs; i++)
            if (op->results[i] == v)
                gather(e, g, last->args[i]);
    }
    push(&g->found, v);
    push(&g->uses, 1);
}

/* The conditions of the ifs around op that are not around the phase's root, as one C condition. */
static const char *conditions(Emit *e, const Op *op)
{
    const char *all = NULL;
    for (const Block *b = op->block; b->parent; b = b->parent->block) {
        bool around_root = false;
        for (const Block *r = e->root->block; r; r = r->parent ? r->parent->block : NULL)
            around_root |= r == b;
        if (around_root || b->parent->kind != OP_IF)
            break;
        Ex c = element(e, b->parent->args[0]);
        const char *one = b == b->parent->region[0] ? c.s : arena_printf("!(%s)", c.s);
        all = all ? arena_printf("%s && %s", one, all) : one;
    }
    return all;
}

/* A load of the place where the phase stands, into a local variable. */
static void local_load(Emit *e, Phase *p, Value *v)
{
    ValueMap *m = map_of(v);
    const Dim *dims[MAX_NEST];
    int n = dims_of(v, dims);
    const char *name =
        fresh(e, v->name ? c_name(v->name) : arena_printf("%s_v", tensor_name(v->def->args[0])));
    const char *condition = conditions(e, v->def);
    bool lanes = n && has_lanes(e, dims[n - 1]);
    quote(e, v->def->stmt);
    line(e, "%s %s%s%s;", device_type(v->type.elem), name, lanes ? arena_printf("[%s]", e->w) : "",
         condition ? " = {}" : "");
    if (condition)
        open_block(e, "if (%s)", condition);
    load_into(e, v->def, name);
    if (condition)
        close_block(e, "");
    m->local = name;
    m->local_lanes = lanes;
    push(&p->locals, v);
}

/* Loads what the phase computes again from memory, at the innermost place outside the lanes;
   subterms with several uses will be named in the lane loop. */
void phase_lazies(Emit *e, Phase *p, Value **roots, int nroots)
{
    Gathered g = { 0 };
    p->root = nroots == 1 ? roots[0] : NULL;
    for (int i = 0; i < nroots; i++)
        if (roots[i]->type.kind == TYPE_TILE)
            gather(e, &g, roots[i]);
    for (int i = 0; i < g.found.n; i++) {
        Value *v = g.found.at[i];
        if (op_reads(v->def))
            local_load(e, p, v);
        else if ((g.uses.at[i] > 1 || v->name) && !is_view(v) && v != p->root)
            push(&p->shared, v);
    }
}

/* Names the subterms that are used several times, each once for an element. */
static void name_shared(Emit *e, Phase *p)
{
    for (int i = 0; i < p->shared.n; i++) {
        Value *v = p->shared.at[i];
        const char *text = element_text(e, v);
        const char *name = fresh(e, v->name ? c_name(v->name) : "term");
        line(e, "const %s %s = %s;", device_type(v->type.elem), name, text);
        map_of(v)->local = name;
        map_of(v)->local_lanes = false;
        push(&p->locals, v);
    }
}

/* Opens the loop over a thread's W neighbours, if the nest has them. */
void phase_lanes(Emit *e, Phase *p)
{
    if (p->lanes) {
        line(e, "#pragma unroll");
        open_block(e, "for (int %s = 0; %s < %s; %s++)", e->lane, e->lane, e->w, e->lane);
        p->lanes_open = true;
    }
    name_shared(e, p);
}

/* Closes the loop over c, if it is open. */
void phase_lanes_close(Emit *e, Phase *p)
{
    if (p->lanes_open)
        close_block(e, "");
    p->lanes_open = false;
}

/* ---- variables ------------------------------------------------------------------------------- */

/* Declares the variable of v's web where it is first made. */
void declare(Emit *e, Value *v)
{
    ValueMap *m = map_of(web_root(v));
    if (m->declared)
        return;
    m->declared = true;
    line(e, "%s %s%s;", device_type(v->type.elem), m->name, array_suffix(e, v));
}

/* Is v the only variable of its web? */
bool alone(const Emit *e, const Value *v)
{
    for (int i = 0; i < e->k->values.n; i++) {
        Value *w = e->k->values.at[i];
        if (w != v && w->plan && map_of(w)->var && web_root(w) == web_root((Value *)v))
            return false;
    }
    return true;
}

/* t += x where `from` adds x to what the variable of `to` holds; NULL if it is
   computed otherwise. */
static const char *updated_by(Emit *e, const Value *to, const Value *from, const char *name,
                              const char *index)
{
    const Op *op = from->def;
    bool adds = op && op->kind == OP_ELEM && !map_of(from)->var && !map_of(from)->local
                && (op->row->fuse == FUSE_SUM) && elem_info[from->type.elem].class == CLASS_FLOAT
                && elem_info[from->type.elem].bytes >= 4;
    if (!adds || !map_of(op->args[0])->var || web_root(op->args[0]) != web_root((Value *)to))
        return NULL;
    return arena_printf("%s%s %s= %s", name, index, op->row->symbol, element_text(e, op->args[1]));
}

/* Is a load, which only a phase can write, among what v is printed from? */
static bool loads_again(Emit *e, Value *v)
{
    Gathered g = { 0 };
    const Op *op = v->def;
    for (int i = 0; op && i < op->nargs; i++)
        if (op->args[i]->type.kind == TYPE_TILE)
            gather(e, &g, op->args[i]);
    for (int i = 0; i < g.found.n; i++)
        if (op_reads(g.found.at[i]->def))
            return true;
    return false;
}

/* Gives `to` its elements, each as `from` is printed (to itself: as its op computes it). */
void fill_variable(Emit *e, Value *to, Value *from)
{
    const Dim *dims[MAX_NEST];
    int n = dims_of(to, dims);
    ValueMap *m = map_of(web_root(to));
    bool one = !*array_suffix(e, to);
    if (one && !m->declared && !loads_again(e, from)) {
        m->declared = true;
        map_of(to)->var = false;
        const char *text = element_text(e, from);
        map_of(to)->var = true;
        line(e, "%s%s %s = %s;", alone(e, to) ? "const " : "", device_type(to->type.elem), m->name,
             text);
        return;
    }
    Phase p;
    declare(e, to);
    phase_open(e, &p, to->def ? to->def : e->root, dims, n);
    Value *roots[1] = { from };
    bool self = to == from;
    if (self)
        map_of(to)->var = false;
    phase_lazies(e, &p, roots, 1);
    phase_lanes(e, &p);
    const char *index = index_suffix(e, to), *text = updated_by(e, to, from, m->name, index);
    if (!text)
        text = arena_printf("%s%s = %s", m->name, index, element_text(e, from));
    if (self)
        map_of(to)->var = true;
    line(e, "%s;", text);
    phase_close(e, &p);
}
