/* head.c -- the comments above a body and at the head of the file: what was decided, and why */
#include "mapping.h"
#include <stdlib.h>
#include <string.h>

typedef LIST(const char *) Pieces;

/* A line for the head about padding and masks, once. */
void note_padding(Emit *e, const char *text)
{
    for (int i = 0; i < e->padding_notes.n; i++)
        if (!strcmp(e->padding_notes.at[i], text))
            return;
    push(&e->padding_notes, text);
    explain_choice(e->root ? e->root->stmt : e->k->function->pos, "padding: %s", text);
}

/* A line for the head about a barrier, once. */
void note_barrier(Emit *e, const char *text)
{
    for (int i = 0; i < e->barrier_notes.n; i++)
        if (!strcmp(e->barrier_notes.at[i], text))
            return;
    push(&e->barrier_notes, text);
    explain_choice(e->root ? e->root->stmt : e->k->function->pos, "barrier: %s", text);
}

/* A line for the head about shared memory, once. */
void note_shared(Emit *e, const char *text)
{
    for (int i = 0; i < e->shared_notes.n; i++)
        if (!strcmp(e->shared_notes.at[i], text))
            return;
    push(&e->shared_notes, text);
}

/* The extent of a Dim as C. */
static const char *extent_text(const Dim *d)
{
    return c_sym(d->extent);
}

/* ---- one body -------------------------------------------------------------------------------- */

static const char *const titles[] = {
    [BODY_TILE] = "a tile in registers", [BODY_WARP] = "a row in one warp's registers",
    [BODY_BLOCK] = "a row in one block's registers", [BODY_STREAM] = "rows of any length",
};

/* "a row", or what else is whole. */
static void head_title(Text *out, const Emit *e)
{
    Text t = { 0 };
    text_printf(&t, "// ---- %s, %s ", e->body->name,
                e->body->boxes ? "boxes by TMA, products by wgmma"
                : e->body->rereads ? "a row by one block, read twice"
                : e->body->kind == BODY_WARP && e->body->threads == 8
                    ? "a row in eight lanes' registers" : titles[e->body->kind]);
    while (t.n < 91)
        text_add(&t, "-", 1);
    text_printf(out, "%s\n//\n", t.at);
}

/* How many threads are a program, and how many programs a block. */
static void head_block(Text *out, const Emit *e)
{
    const Body *b = e->body;
    const char *text;
    if (b->kind == BODY_BLOCK)
        text = arena_printf("%s threads are one program", e->threads);
    else if (b->kind == BODY_WARP && b->threads == 8)
        text = arena_printf(
            "8 lanes are one program, %d programs a block: a row so short leaves a whole warp with "
            "one access of 16 bytes a lane, and reductions of eight lanes take three shuffles for "
            "four rows at once", b->programs);
    else if (b->kind == BODY_WARP && b->programs > 1)
        text = arena_printf(
            "%d threads are one program; %d programs share a block, since blocks of one warp could "
            "not fill a multiprocessor. A lane that holds more than two accesses of 16 bytes has "
            "enough in flight: then a program has its block to itself",
            b->threads, b->programs);
    else if (b->programs > 1)
        text = arena_printf(
            "%d threads = %d programs of %d: small programs share a block, which alone could "
            "not fill a multiprocessor",
            b->threads * b->programs, b->programs, b->threads);
    else if (b->turns)
        text = arena_printf("%d threads: two groups of %d warps take the block's programs in turn, "
                            "so that one stores its result while the other multiplies; the last %d "
                            "threads give registers to them, and one of these asks for what they "
                            "multiply", 2 * b->threads + b->askers, b->threads / 32, b->askers);
    else if (b->boxes)
        text = arena_printf("%d threads are one program: %d warps multiply; of the last %d "
                            "threads%s one asks for what they multiply", b->threads + b->askers,
                            b->threads / 32, b->askers,
                            b->askers > 32 ? ", which give registers to them," : "");
    else
        text = arena_printf("%d threads are one program", b->threads);
    wrap_comment(out, "block", text);
    explain_choice(e->k->function->pos, "%s: %s", b->name, text);
}

/* Up to three tiles or tensors that have d, where there are several spaces to tell apart; "". */
static const char *held_along(const Emit *e, const Dim *d)
{
    Pieces names = { 0 };
    bool spaces = false;
    for (int i = 0; i < e->plan->dims.n; i++)
        spaces |= e->plan->dims.at[i]->space != d->space;
    for (int i = 0; spaces && i < e->k->values.n && names.n < 3; i++) {
        const Value *v = e->k->values.at[i];
        const char *name = NULL;
        for (int a = 0; v->plan && v->type.kind == TYPE_TILE && a < v->type.rank; a++)
            if (map_of(v)->dim[a] == d)
                name = map_of(v)->var ? map_of(web_root((Value *)v))->name
                     : v->def && v->def->kind == OP_LOAD ? tensor_name(v->def->args[0]) : NULL;
        for (int j = 0; j < names.n; j++)
            if (name && !strcmp(names.at[j], name))
                name = NULL;
        if (name)
            push(&names, name);
    }
    const char *text = "";
    for (int i = 0; i < names.n; i++)
        text = arena_printf("%s%s%s", text, i ? ", " : " in ", names.at[i]);
    return text;
}

/* n - 1: the last of n repeats. */
static const char *one_less(const char *n)
{
    return strspn(n, "0123456789") == strlen(n) ? arena_printf("%d", atoi(n) - 1)
                                                : arena_printf("%s - 1", n);
}

/* Where along d a thread's elements lie. */
static void head_dim(Text *out, Emit *e, const Dim *d)
{
    const Spread *s = spread_of(e, d);
    const char *rep = repeats_text(e, d),
               *who = s->threads > 1 ? e->coordinate_thread[d->id] : NULL;
    const char *first = first_element(e, d, rep ? e->repeat[d->id] : NULL);
    const char *what = s->pair == 1    ? arena_printf("the pair from %s on", first)
                     : has_lanes(e, d) ? arena_printf("the W elements from %s on", first)
                                       : arena_printf("element %s", first);
    if (s->loops)
        what = arena_printf("%s, then on by %s%d",
                            has_lanes(e, d) ? arena_printf("the W elements from %s on", first)
                                            : arena_printf("element %s", first),
                            has_lanes(e, d) ? arena_printf("%s * ", e->w) : "", s->threads);
    const char *text = arena_printf("of %s%s: a thread holds %s", extent_text(d),
                                    held_along(e, d), what);
    if (rep)
        text = arena_printf("%s, for %s = 0 .. %s", text, e->repeat[d->id], one_less(rep));
    if (who && strcmp(who, e->thread) && strcmp(who, "lane") && strcmp(who, thread_part(e, d)))
        text = arena_printf("%s; %s = %s", text, who, thread_part(e, d));
    wrap_comment(out, e->coordinate[d->id], text);
}

/* Do threads hold elements along d? Not where boxes have it. */
static bool is_held(const Emit *e, const Dim *d, const char *code)
{
    return !e->body->boxes || mentions(code, e->coordinate[d->id])
        || mentions(code, e->repeat[d->id]);
}

/* Has d a picture? Few threads need none. */
static bool has_picture(const Emit *e, const Dim *d)
{
    return d->fast && has_lanes(e, d) && spread_of(e, d)->threads >= 8
        && e->body->kind != BODY_BLOCK;
}

/* Do the threads begin again behind their first vectors? Not in a tile that ends there. */
static bool goes_on(const Emit *e, const Dim *d)
{
    const Spread *s = spread_of(e, d);
    int64_t n;
    return !sym_const_of(d->extent, &n) || n > (int64_t)s->threads * s->vector;
}

/* Is the picture of b that of a, but for the names? */
static bool same_picture(const Emit *e, const Dim *a, const Dim *b)
{
    const Spread *s = spread_of(e, a), *t = spread_of(e, b);
    return has_picture(e, a) && has_picture(e, b) && s->threads == t->threads
        && s->vector == t->vector && s->loops == t->loops && goes_on(e, a) == goes_on(e, b);
}

/* The picture of a fast Dim, and of others like it: columns, who holds them, in which repeat. */
static void head_picture(Text *out, Emit *e, int nth)
{
    const Dim *const *dims = (const Dim *const *)e->plan->dims.at, *d = dims[nth];
    const Spread *s = spread_of(e, d);
    if (!has_picture(e, d))
        return;
    for (int i = 0; i < nth; i++)
        if (same_picture(e, dims[i], d))
            return;
    int w = s->vector, last = s->threads - 1;
    const bool on = goes_on(e, d);
    const char *who = s->threads == 32 ? "lane" : "thread", *alike = "";
    for (int i = nth + 1; i < e->plan->dims.n; i++)
        if (same_picture(e, d, dims[i]))
            alike = arena_printf("%s%s%s", alike, *alike ? ", " : "; so ",
                                 e->coordinate[dims[i]->id]);
    text_printf(out, "//\n//                  %-8s%4d%5d%5d        %-5d", e->coordinate[d->id], 0,
                w, 2 * w, w * last);
    if (on)
        text_printf(out, "%5d%5d     ", w * (last + 1), w * (last + 2));
    text_printf(out, "  (W = %d%s)\n", w, alike);
    text_printf(out, "//                  %-8s%4d%5d%5d  ...   %d", who, 0, 1, 2, last);
    if (on)
        text_printf(out, "%*d%5d  ...", last > 999 ? 6 : last > 99 ? 7 : last > 9 ? 8 : 9, 0, 1);
    text_printf(out, "\n");
    if (!s->loops && on)
        text_printf(out, "//                  %-8s%4d ------------------%9d ---------\n",
                    e->repeat[d->id], 0, 1);
}

/* The notes under one heading; `none`, if not NULL, where there are none. */
static void head_notes(Text *out, const char *head, const char *const *notes, int n,
                       const char *none)
{
    for (int i = 0; i < n; i++)
        wrap_comment(out, i ? "" : head, notes[i]);
    if (!n && none)
        wrap_comment(out, head, none);
}

/* The tensors that vector accesses need aligned. */
static const char *vector_terms(const Plan *p)
{
    Text t = { 0 };
    for (int i = 0; i < p->vectors.n; i++) {
        const Param *param = &p->kernel->params.at[p->vectors.at[i].param];
        text_printf(&t, "%s%s", i ? ", " : "", c_name(param->name));
    }
    return t.at;
}

/* What must hold of the arguments for this body to be launched. */
static void head_launch(Text *out, const Emit *e)
{
    const Plan *p = e->plan;
    Text t = { 0 };
    if (e->body->kind == BODY_WARP)
        text_printf(&t, "%s <= the number in the entry's name", c_sym(p->whole));
    if (e->body->kind == BODY_BLOCK)
        text_printf(&t, "%s <= the number in the entry's name", c_sym(p->whole));
    if (p->vectors.n)
        text_printf(
            &t,
            "%sfor W > 1: %s lie at multiples of 16 bytes (of W elements, if those are fewer), "
            "their rows too, and rows are multiples of W long",
            t.n ? "; " : "", vector_terms(p));
    if (t.n)
        wrap_comment(out, "launch", arena_printf("has checked: %s", t.at));
}

/* The comment above a body; code: the body, for what is in it. */
void body_head(Text *out, Emit *e, const char *code)
{
    head_title(out, e);
    head_block(out, e);
    const char *order = order_text(e->k);
    if (order) {
        wrap_comment(out, "order", order);
        explain_choice(e->k->function->pos, "%s: %s", e->body->name, order);
    }
    for (int i = 0; i < e->plan->dims.n; i++)
        if (is_held(e, e->plan->dims.at[i], code))
            head_dim(out, e, e->plan->dims.at[i]);
    const size_t pictures = out->n;
    for (int i = 0; i < e->plan->dims.n; i++)
        if (is_held(e, e->plan->dims.at[i], code))
            head_picture(out, e, i);
    if (out->n > pictures)
        text_printf(out, "//\n");
    if (e->body->rereads)
        wrap_comment(out, "caches", "what is used after the reduction is loaded a second time and "
                     "not held: so few registers let 2048 threads share a multiprocessor. "
                     "load_keep asks the caches to keep a row until then, load_last lets it go");
    head_notes(out, "shared", e->shared_notes.at, e->shared_notes.n, NULL);
    head_notes(out, "padding", e->padding_notes.at, e->padding_notes.n, NULL);
    const char *none = mentions(code, "__syncthreads") ? NULL
        : e->body->threads > 1 ? "none: no thread waits for another warp" : NULL;
    head_notes(out, "barriers", e->barrier_notes.at, e->barrier_notes.n, none);
    head_launch(out, e);
    text_printf(out, "\n");
}

/* ---- the head of the file -------------------------------------------------------------------- */

/* i: 8, as `by` cuts an axis of an output. */
static const char *cut_text(const Kernel *k, const struct Cut *c)
{
    const char *size = c->kind == CUT_ELEMENTS ? "" : c_sym(c->size);
    const char *name = c->axis >= 0 && k->axes.at[c->axis].name ? c_name(k->axes.at[c->axis].name)
                                                                : NULL;
    if (c->kind == CUT_REGION)
        return "_";
    return !name ? size : *size ? arena_printf("%s: %s", name, size) : arena_printf("%s:", name);
}

/* M, N */
static const char *shape_text(const Type *t)
{
    Text s = { 0 };
    for (int a = 0; a < t->rank; a++)
        text_printf(&s, "%s%s", a ? ", " : "", c_sym(t->dim[a]));
    return s.at ? s.at : "";
}

/* y[M, N] by [i: 8, j:], ..: what the kernel writes. */
static const char *outputs_text(const Kernel *k)
{
    Text t = { 0 };
    for (int i = 0; i < k->params.n; i++) {
        const Param *p = &k->params.at[i];
        if (p->kind != PARAM_MUT && p->kind != PARAM_ATOMIC)
            continue;
        text_printf(&t, "%s%s[%s]", t.n ? ", " : "", c_name(p->name), shape_text(&p->type));
        for (int a = 0; p->has_by && a < p->type.rank; a++)
            text_printf(&t, "%s%s%s", a ? ", " : " by [", cut_text(k, &p->cut[a]),
                        a == p->type.rank - 1 ? "]" : "");
        if (p->kind == PARAM_ATOMIC)
            text_printf(&t, " atomic");
    }
    return t.at ? t.at : "nothing";
}

/* one for each of ceil(N, 8) x M: the programs of a kernel, and what counts them. */
static const char *programs_text(const Kernel *k)
{
    Text t = { 0 };
    if (k->axes.n == 0)
        return "one alone";
    if (k->axes.at[0].counts.n && k->axes.at[0].counts.at[0].param >= 0)
        return "one for each part of the outputs, as they are cut above";
    for (int i = 0; i < k->axes.n; i++)
        text_printf(&t, "%s%s%s%s", i ? ", " : "one for each place of grid [",
                    k->axes.at[i].name ? c_name(k->axes.at[i].name) : "",
                    k->axes.at[i].name ? ": " : "", sym_text(k->axes.at[i].counts.at[0].count));
    text_printf(&t, "]");
    return t.at;
}

/* x[M, N], ..: what it reads alone. */
static const char *inputs_text(const Kernel *k)
{
    Text t = { 0 };
    for (int i = 0; i < k->params.n; i++)
        if (k->params.at[i].kind == PARAM_SHARED)
            text_printf(&t, "%s%s[%s]", t.n ? ", " : "", c_name(k->params.at[i].name),
                        shape_text(&k->params.at[i].type));
    return t.at ? t.at : "nothing";
}

static const char *const ways[] = {
    [BODY_TILE] = "a tile lives in the registers of its program's threads",
    [BODY_WARP] = "a row lives in one warp's registers; no barrier between warps",
    [BODY_BLOCK] = "a row lives in one block's registers",
    [BODY_STREAM] = "a row is read again for each pass over it",
};

/* One line for a body: its entries, up to which length, how. */
static void summary_body(Text *out, const Plan *p, const Body *b, const char *head)
{
    Text names = { 0 };
    int64_t longest = 0;
    for (int i = 0; i < p->entries.n; i++) {
        const Entry *n = &p->entries.at[i];
        if (n->body != b || n->width != p->entries.at[0].width)
            continue;
        if (n->capacity)
            text_printf(&names, "%s_%lld", names.n ? ", " : "", (long long)n->capacity);
        longest = n->capacity;
    }
    const char *when = !p->whole ? ""
        : longest                ? arena_printf("%s <= %lld: ", c_sym(p->whole), (long long)longest)
                                 : arena_printf("any %s: ", c_sym(p->whole));
    wrap_comment(out, head,
                 arena_printf("%s%s%s    %s%s", b->name, names.n ? " " : "",
                              names.n ? names.at : "", when,
                              b->boxes ? "for sm_90a (H100, H200): TMA brings operands, wgmma "
                                         "multiplies them; a tile lives in registers"
                              : b->rereads ? "one block reads a row twice"
                              : b->kind == BODY_WARP && b->threads == 8
                                  ? "a row lives in the registers of eight lanes" : ways[b->kind]));
}

/* The lines of a kernel in the head of the file. */
void emit_summary(Text *out, const Plan *p)
{
    const Kernel *k = p->kernel;
    bool first = true;
    text_printf(out, "// kernel %s%s    %s  <-  %s\n//\n", k->function->symbol, k->suffix,
                outputs_text(k), inputs_text(k));
    wrap_comment(out, "program", programs_text(k));
    for (int i = 0; i < p->bodies.n; i++) {
        bool has = false;
        for (int j = 0; j < p->entries.n; j++)
            has |= p->entries.at[j].body == p->bodies.at[i];
        if (has)
            summary_body(out, p, p->bodies.at[i], first ? "variants" : "");
        first &= !has;
    }
    if (p->vectors.n)
        wrap_comment(
            out, "",
            arena_printf("%s with accesses of %d elements, %sand as .._unaligned with one at a "
                         "time, for pointers or rows that are not aligned",
                         p->ring ? "all others" : "each", p->entries.at[0].width,
                         p->halves ? "as .._vectors_4 with 4, " : ""));
    if (p->longest)
        explain_choice(k->function->pos, "longest: %s <= %lld: %s", c_sym(p->whole),
                (long long)p->longest, p->longest_why);
    if (p->longest)
        wrap_comment(out, "longest",
                     arena_printf("%s <= %lld: %s", c_sym(p->whole), (long long)p->longest,
                                  p->longest_why));
    text_printf(out, "//\n");
}
