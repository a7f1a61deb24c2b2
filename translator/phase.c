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

/* The element of a thread along the rows or columns of a result on tensor cores. */
static const char *paired_element(const Emit *e, const Dim *d, const char *rep)
{
    const Spread *s = spread_of(e, d);
    const char *part = e->coordinate_thread[d->id];
    if (!rep)
        return part;
    if (s->pair == 1 || s->repeats == 2)
        return arena_printf("8 * %s + %s", rep, part);
    return arena_printf("%d * (%s / 2) + 8 * (%s %% 2) + %s", 2 * s->threads, rep, rep, part);
}

/* The first element of a thread along d: W * (32 * v + lane). rep: the loop's variable, or NULL. */
const char *first_element(Emit *e, const Dim *d, const char *rep)
{
    const Spread *s = spread_of(e, d);
    if (s->pair)
        return paired_element(e, d, rep);
    const char *sum = s->threads == 1 ? "0" : e->coordinate_thread[d->id];
    if (rep)
        sum = s->threads == 1 ? rep : arena_printf("%s * %s + %s", threads_text(e, d), rep, sum);
    if (!has_lanes(e, d))
        return sum;
    return arena_printf(strchr(sum, ' ') ? "%s * (%s)" : "%s * %s", e->w, sum);
}

/* The same loop where the threads meet in it: all of them go through each chunk, from the last one
   on if the phase goes backwards. */
static void open_rounds(Emit *e, const Dim *d, const char *from, const char *step)
{
    const char *at = e->coordinate[d->id], *chunk = fresh(e, "chunk"), *n = sym_c(e, d->extent);
    const char *begin = arena_printf(strchr(step, ' ') ? "%s * (%s)" : "%s * %s", chunk, step);
    if (d == e->backwards)
        open_block(e, "for (int64_t %s = tile_ceil(%s, %s) - 1; %s >= 0; %s--)", chunk, n, step,
                   chunk, chunk);
    else
        open_block(e, "for (int64_t %s = 0; %s < %s; %s++)", chunk, begin, n, chunk);
    line(e, "const int64_t %s = %s + %s;", at, begin, from);
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
    if (d == e->rounds) {
        open_rounds(e, d, from, step);
        return;
    }
    open_block(e, "for (int64_t %s = %s; %s < %s; %s += %s)", at, from, at, sym_c(e, d->extent), at,
               step);
}

/* Opens the loop over the repeats of a Dim, if a thread comes round more than once. */
static void open_repeat(Emit *e, Phase *p, const Dim *d)
{
    const char *n = repeats_text(e, d), *at = e->coordinate[d->id], *rep = e->repeat[d->id];
    if (!n)
        return;
    if (e->sparing)
        line(e, "#pragma unroll (%s > 1 ? %s : 1)", e->w, n);
    else
        line(e, "#pragma unroll");
    if (d == e->backwards)
        open_block(e, "for (int %s = %s - 1; %s >= 0; %s--)", rep, n, rep, rep);
    else
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
    p->rounds = e->rounds, p->backwards = e->backwards;
    bool chunks = false;
    for (int i = 0; i < n; i++)
        chunks |= spread_of(e, dims[i])->loops;
    if (chunks)
        find_rounds(e, root);
    for (int i = 0; i < n; i++)
        if (spread_of(e, dims[i])->loops)
            open_stream(e, dims[i]);
    if (chunks) {
        push(&p->coordinates, ((struct Coordinate){ e->out->n, NULL, "" }));
        early_scans(e, p, root, dims, n);
    }
    for (int i = 0; i < n; i++) {
        open_repeat(e, p, dims[i]);
        if (has_lanes(e, dims[i]))
            p->lanes = true, p->width = lanes_text(e, dims[i]);
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
        if (!c->name || mentions(p->text.at + at, c->name))
            text_add(to, c->line, strlen(c->line));
    }
    text_add(to, p->text.at + at, p->text.n - at);
}

/* Ends the scope of names made since `scope`, but for those of hoisted lines. */
static void keep_hoisted_names(Emit *e, int scope)
{
    int n = e->names.used.n;
    e->names.used.n = scope;
    for (int i = scope; i < n; i++) {
        bool hoisted = false;
        for (int j = 0; j < e->hoisted.n; j++)
            hoisted |= e->hoisted.at[j].name == e->names.used.at[i];
        for (int j = 0; j < e->bases.n; j++)
            hoisted |= e->bases.at[j].name == e->names.used.at[i];
        if (hoisted)
            take_name(e, e->names.used.at[i]);
    }
}

/* Adds lines to what a streaming phase does first with each chunk. */
void phase_once(Phase *p, const char *text)
{
    for (int i = 0; i < p->coordinates.n; i++)
        if (!p->coordinates.at[i].name)
            p->coordinates.at[i].line = arena_printf("%s%s", p->coordinates.at[i].line, text);
}

/* Keeps a name that stands before the phase taken when the phase ends. */
void keep_name(Emit *e, const char *name)
{
    push(&e->hoisted, ((Hoisted){ NULL, name }));
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
    e->rounds = p->rounds, e->backwards = p->backwards;
    e->out = p->outer;
    e->pending = p->outer_pending;
    e->pending_indent = p->outer_pending_indent;
    insert_coordinates(p, e->out);
}

/* ---- lanes ---------------------------------------------------------------------------------- */

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
        if (e->backwards && has_lanes(e, e->backwards))
            open_block(e, "for (int %s = %s - 1; %s >= 0; %s--)", e->lane, p->width, e->lane,
                       e->lane);
        else
            open_block(e, "for (int %s = 0; %s < %s; %s++)", e->lane, e->lane, p->width, e->lane);
        p->lanes_open = true;
    }
    name_shared(e, p);
}

/* Closes the loop over c, if it is open; what was named in it is gone. */
void phase_lanes_close(Emit *e, Phase *p)
{
    if (p->lanes_open)
        close_block(e, "");
    for (int i = 0; p->lanes_open && i < p->shared.n; i++)
        map_of(p->shared.at[i])->local = NULL;
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
