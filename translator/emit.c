/* emit.c -- the device code of one kernel: heads, bodies, entries */
/* needs: a Plan.  gives: CUDA C.  keeps: everything. */
#include "contraction.h"
#include <string.h>

void choose_fills(const Plan *p);

/* ---- where a thread stands ------------------------------------------------------------------- */

/* The same along rows or columns of a result on tensor cores. */
static const char *paired_part(const Emit *e, const Dim *d, const Spread *s)
{
    const char *t = e->thread, *warp = arena_printf("%s / 32", t);
    const int all = e->body->threads;
    if (s->pair == 1 && s->groups)
        return arena_printf("%d * (%s / %d) + 2 * (%s %% 4)",
                            (int)static_extent(d) / s->groups, t, s->group, t);
    if (s->pair == 1)
        return arena_printf("2 * (%s %% 4)", t);
    if (s->threads == 8)
        return arena_printf(all > 32 ? "%s %% 32 / 4" : "%s / 4", t);
    if (s->threads * 4 < all)
        warp = arena_printf("%s %% %d", warp, s->threads / 8);
    return arena_printf("16 * (%s) + %s %% 32 / 4", warp, t);
}

/* A thread's part along d: its number's bits, as text. */
const char *thread_part(const Emit *e, const Dim *d)
{
    const Spread *s = spread_of(e, d);
    const char *t = e->thread;
    int all = e->body->kind == BODY_BLOCK ? 1024 : e->body->threads;
    if (s->pair)
        return paired_part(e, d, s);
    if (s->shift)
        t = arena_printf("%s / %d", t, 1 << s->shift);
    if (s->threads << s->shift < all)
        t = arena_printf("%s %% %d", t, s->threads);
    return t;
}

/* Is a thread's part along d its place already? Then it needs no name of its own. */
static bool stands_alone(const Emit *e, const Dim *d)
{
    return !repeats_text(e, d) && !spread_of(e, d)->loops && !has_lanes(e, d);
}

/* Names the coordinates of all Dims and the loop variables of their repeats. */
static void name_coordinates(Emit *e)
{
    int n = e->plan->dims.n + 1;
    e->coordinate = new_array(const char *, n);
    e->coordinate_thread = new_array(const char *, n);
    e->repeat = new_array(const char *, n);
    for (int i = 0; i < e->plan->dims.n; i++) {
        const Dim *d = e->plan->dims.at[i];
        const Spread *s = spread_of(e, d);
        bool plain = s->threads == 1 && !has_lanes(e, d);
        e->coordinate[i] = fresh(e, d->name);
        e->repeat[i] = plain ? e->coordinate[i] : fresh(e, d->fast ? "v" : "r");
    }
    for (int i = 0; i < e->plan->dims.n; i++) {
        const Dim *d = e->plan->dims.at[i];
        const Spread *s = spread_of(e, d);
        bool lane = s->shift == 0 && s->threads == 32 && e->body->threads > 32;
        const char *part = thread_part(e, d);
        if (s->threads > 1 && part != e->thread && !stands_alone(e, d))
            part = lane ? e->warp_lane : fresh(e, arena_printf("%s_thread", d->name));
        e->coordinate_thread[i] = part;
    }
}

/* Keeps of the lines those that the code, or a later kept line, mentions. */
static void add_used(Text *out, const HeadLines *all, const char *code, int indent)
{
    const struct HeadLine *lines = all->at;
    const int n = all->n;
    bool *keep = new_array(bool, n + 1);
    for (int i = n - 1; i >= 0; i--) {
        keep[i] = !lines[i].name || mentions(code, lines[i].name);
        for (int j = i + 1; j < n && !keep[i]; j++)
            keep[i] = keep[j] && mentions(lines[j].text, lines[i].name);
    }
    for (int i = 0; i < n; i++)
        if (keep[i])
            text_printf(out, "%*s%s\n", indent, "", lines[i].text);
}

/* Adds a line to the head of a body; name NULL: it is always kept. */
void add_head(HeadLines *lines, const char *name, const char *text)
{
    push(lines, ((struct HeadLine){ name, text }));
}

/* Is the name made already? Several Dims may be spread over the lanes of a warp. */
static bool has_line(const HeadLines *lines, const char *name)
{
    for (int i = 0; i < lines->n; i++)
        if (lines->at[i].name == name)
            return true;
    return false;
}

/* The thread's number in its program, and its part of each Dim's coordinate. */
static void thread_lines(Emit *e, HeadLines *lines)
{
    if (e->body->turns)
        add_head(lines, e->ring.group, arena_printf("const int %s = threadIdx.x / %d;",
                                                    e->ring.group, e->body->threads));
    const char *thread = e->body->programs == 1 && !e->body->turns ? "threadIdx.x"
                       : arena_printf("threadIdx.x %% %d", e->body->threads);
    add_head(lines, e->thread, arena_printf("const int %s = %s;", e->thread, thread));
    for (int i = 0; i < e->plan->dims.n; i++) {
        const Dim *d = e->plan->dims.at[i];
        const Spread *s = spread_of(e, d);
        if (s->threads > 1 && e->coordinate_thread[i] != e->thread && !stands_alone(e, d)
            && !has_line(lines, e->coordinate_thread[i]))
            add_head(lines, e->coordinate_thread[i],
                     arena_printf("const int %s = %s;", e->coordinate_thread[i],
                                  thread_part(e, d)));
    }
    for (int i = 0; i < e->plan->dims.n; i++) {
        const Dim *d = e->plan->dims.at[i];
        if (!repeats_text(e, d) && !spread_of(e, d)->loops)
            add_head(lines, e->coordinate[i], arena_printf("const int %s = %s;", e->coordinate[i],
                                                           first_element(e, d, NULL)));
    }
}

/* Along a static extent the repeats follow from the extent and W. */
static void constant_lines(Emit *e, HeadLines *lines)
{
    const int width = e->plan->entries.at[0].width;
    if (e->body->boxes)
        add_head(lines, e->w, arena_printf("constexpr int %s = %d;", e->w, width));
    for (int i = 0; i < e->plan->dims.n; i++) {
        const Dim *d = e->plan->dims.at[i];
        int64_t k;
        if (has_lanes(e, d) && !spread_of(e, d)->pair && sym_const_of(d->extent, &k)) {
            const Spread *s = spread_of(e, d);
            const char *name = vecs_name(e, d);
            add_head(lines, name,
                     k % ((int64_t)s->threads * s->vector) == 0
                         ? arena_printf("constexpr int %s = %lld / %s;", name,
                                        (long long)(k / s->threads), e->w)
                         : arena_printf("constexpr int %s = (%lld + %d * %s - 1) / (%d * %s);",
                                        name, (long long)k, s->threads, e->w, s->threads, e->w));
        }
    }
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* Is the body a template, over VECS or W? */
static bool is_template(const Emit *e)
{
    return (e->body->kind != BODY_TILE && e->body->kind != BODY_STREAM)
        || (e->plan->vectors.n > 0 && !e->body->boxes);
}

/* A name of ours: as it is where c_name keeps the user from it, otherwise one that is free. */
static const char *own_name(Emit *e, const char *name)
{
    if (!c_reserved(name))
        return fresh(e, name);
    take_name(e, name);
    return name;
}

/* Takes the names of parameters and extents, then the body's own. */
static void reserve_names(Emit *e)
{
    const Kernel *k = e->k;
    for (int i = 0; i < k->params.n; i++) {
        const Param *p = &k->params.at[i];
        take_name(e, c_name(p->name));
        for (int a = 0; p->kind != PARAM_SCALAR && a < c_strides(p); a++)
            take_name(e, c_stride(p, a));
    }
    for (int i = 0; i < k->extents.n; i++)
        take_name(e, c_name(k->extents.at[i]));
    e->w = own_name(e, "W");
    e->vecs = own_name(e, "VECS");
    e->threads = own_name(e, "THREADS");
    e->lane = own_name(e, "c");
    e->warp_lane = own_name(e, "lane");
    e->thread = e->body->threads == 32 ? e->warp_lane : own_name(e, "thread");
}

/* Gives tensors and program indices their C names. */
static void name_parameters(Emit *e)
{
    const Kernel *k = e->k;
    for (int i = 0; i < k->params.n; i++)
        if (k->params.at[i].value)
            map_of(k->params.at[i].value)->name = c_name(k->params.at[i].name);
    for (int i = 0; i < k->axes.n; i++)
        if (k->axes.at[i].index)
            map_of(k->axes.at[i].index)->name =
                fresh(e, k->axes.at[i].name ? c_name(k->axes.at[i].name) : "program");
}

/* Names variables, which place() forgets, then parameters. */
static void name_after_place(Emit *e)
{
    place(e);
    name_parameters(e);
}

/* template <int VECS, int W> as the body needs it, or nothing. */
static const char *template_line(const Emit *e)
{
    const char *w = e->plan->vectors.n ? arena_printf("int %s", e->w) : NULL;
    const char *vecs = w ? arena_printf("int %s, %s", e->vecs, w) : arena_printf("int %s", e->vecs);
    switch (e->body->kind) {
    case BODY_TILE: case BODY_STREAM:
        return w ? arena_printf("template <%s>\n", w) : "";
    case BODY_WARP:
        return arena_printf("template <%s>\n", vecs);
    case BODY_BLOCK:
        return arena_printf("template <int %s, %s>\n", e->threads, vecs);
    }
    return "";
}

/* Does the launch ask for the memory? Static memory has little room; rings lie where smem begins,
   which is where their alignment wastes nothing. */
static bool is_dynamic(const Body *b, int64_t bytes)
{
    return bytes > SHARED_BYTES || b->boxes;
}

/* Declares the memory that arrays share, if they do, and static memory has room for it. */
static void declare_memory(Emit *e, int64_t bytes)
{
    if (e->places && !is_dynamic(e->body, bytes))
        text_printf(e->shared, "    __shared__ __align__(1024) unsigned char %s[%lld];\n",
                    e->memory, (long long)bytes);
}

/* Says in the head how arrays share memory. */
static void note_memory(Emit *e, int64_t bytes)
{
    note_shared(e, arena_printf("%s: %lld bytes%s; arrays that are never needed at once lie at the "
                                "same place in it", e->memory, (long long)bytes,
                                e->body->boxes ? ", for which the launch function asks"
                                : bytes > SHARED_BYTES ? ", more than static arrays can have, so "
                                "that the launch function asks for them" : ""));
}

/* The loop over programs for those who ask, the start of that for the groups that take turns. */
static void turns_start(Emit *e, Text *out, const HeadLines *programs, const char *all)
{
    text_printf(out, "    if (%s == 2) {\n        fewer_registers<40>();\n%s", e->ring.group,
                program_loop(e, NULL, 8));
    drop_unmentioned(&e->ring.asking);
    add_used(out, programs, e->ring.asking.at, 12);
    text_printf(out, "%s        }\n        return;\n    }\n    more_registers<232>();\n%s",
                e->ring.asking.at, program_loop(e, e->ring.turn, 4));
    add_used(out, programs, all, 8);
}

/* What stands before the statements: places, shared memory, which thread and which program this is;
   of boxes the ring; a loop over programs where groups take turns. */
static void body_start(Emit *e, Text *out, const Text *code, const Text *ring)
{
    HeadLines lines = { 0 }, constants = { 0 }, programs = { 0 };
    const bool turns = e->body->turns;
    const char *all = arena_printf("%s%s", ring->at, code->at);
    constant_lines(e, &constants);
    if (turns)
        name_program(e);
    program_lines(e, turns ? &programs : &lines);
    thread_lines(e, &lines);
    add_used(out, &constants, arena_printf("%s%s", e->shared->at, all), 4);
    if (turns) {
        add_used(out, &lines, arena_printf("%s%s", e->shared->at, all), 4);
        text_add(out, e->shared->at, e->shared->n);
    } else {
        text_add(out, e->shared->at, e->shared->n);
        add_used(out, &lines, all, 4);
    }
    if (ring->n)
        text_printf(out, "\n%s", ring->at);
    if (turns)
        turns_start(e, out, &programs, all);
    if (code->n && code->at[0] == ' ' && (lines.n || e->shared->n) && !ring->n)
        text_add(out, code->at[4] == '/' ? "\n" : "", code->at[4] == '/');
}

/* Writes the statements of the body, then what they need before them. */
static void body_text(Emit *e, Text *out, int64_t bytes)
{
    Text code = { 0 }, shared = { 0 }, ring = { 0 };
    text_add(&code, "", 0);
    text_add(&shared, "", 0);
    text_add(&ring, "", 0);
    e->shared = &shared;
    declare_memory(e, bytes);
    e->out = &ring;
    e->indent = 1;
    if (e->body->boxes)
        begin_ring(e);
    e->out = &code;
    e->indent = e->loop_depth = e->body->turns;
    e->indent++;
    write_block(e, e->k->body);
    drop_unmentioned(&code);
    drop_single_braces(&code);
    body_start(e, out, &code, &ring);
    text_add(out, code.at, code.n);
    if (e->body->turns)
        text_printf(out, "    }\n");
}

/* One __global__ function, which calls its body. */
static void entry_text(Text *out, const Plan *p, const Entry *n)
{
    const Function *f = p->kernel->function;
    const Body *b = n->body;
    const char *body = c_global(f, b->name);
    const char *args = b->kind == BODY_BLOCK ? arena_printf("%d, %d", n->threads, n->vecs)
                     : b->kind == BODY_WARP ? arena_printf("%d", n->vecs) : "";
    if (p->vectors.n)
        args = arena_printf("%s%s%d", args, *args ? ", " : "", n->width);
    text_printf(out, "\nextern \"C\" __global__ void __launch_bounds__(%d, %d)\n%s(", n->threads,
                n->blocks, n->symbol);
    abi_params(out, f, ABI_DEVICE, (int)strlen(n->symbol) + 1);
    text_printf(out, ")\n{\n    %s%s(", body, *args ? arena_printf("<%s>", args) : "");
    abi_params(out, f, ABI_DEVICE_ARGS,
               (int)strlen(body) + (*args ? (int)strlen(args) + 2 : 0) + 5);
    text_printf(out, ");\n}\n");
}

/* How many entries call the body. */
static int entries_of(const Plan *p, const Body *b)
{
    int n = 0;
    for (int i = 0; i < p->entries.n; i++)
        n += p->entries.at[i].body == b;
    return n;
}

/* The first entry of a body; NULL if it has none. */
static const Entry *first_entry(const Plan *p, const Body *b)
{
    for (int i = 0; i < p->entries.n; i++)
        if (p->entries.at[i].body == b)
            return &p->entries.at[i];
    return NULL;
}

/* The body's statements, with its arrays where `places` says, or each on its own. */
static Emit write_body(const Plan *p, const Body *b, const SharedArray *places, int64_t bytes,
                       Text *code)
{
    Emit e = { .plan = p, .k = p->kernel, .body = b, .stream = b->kind == BODY_STREAM,
               .places = places };
    reserve_names(&e);
    if (places)
        e.memory = own_name(&e, is_dynamic(b, bytes) ? "smem" : "memory");
    name_coordinates(&e);
    name_after_place(&e);
    find_staged(&e);
    find_fetched(&e);
    body_text(&e, code, bytes);
    return e;
}

/* False after a report if a block cannot have so much shared memory. */
static bool shared_fits(const Plan *p, int64_t bytes)
{
    if (bytes <= MOST_SHARED)
        return true;
    error(p->kernel->function->pos, "E1104", "the tiles of %s that go through shared memory take "
          "%lld bytes; a block has %d", p->kernel->function->symbol, (long long)bytes,
          MOST_SHARED);
    help("make the tile sizes smaller");
    return false;
}

/* A body with its head and its entries; nothing if it has no entry. If its arrays take more than
   static shared memory has, it is written once more, with arrays that share it. */
static void emit_body(Text *out, const Plan *p, const Body *b)
{
    Text code = { 0 };
    if (!entries_of(p, b))
        return;
    Emit e = write_body(p, b, NULL, 0, &code);
    if (is_dynamic(b, array_bytes(&e))) {
        SharedArray *places = e.arrays.at;
        int64_t bytes = place_arrays(places, e.arrays.n);
        if (!shared_fits(p, bytes))
            return;
        for (int i = 0; i < p->entries.n && is_dynamic(b, bytes); i++)
            if (p->entries.at[i].body == b)
                p->entries.at[i].dynamic = bytes;
        code = (Text){ 0 };
        e = write_body(p, b, places, bytes, &code);
        note_memory(&e, bytes);
    }
    body_head(out, &e, code.at);
    if (!is_template(&e)) {
        const Entry *n = first_entry(p, b);
        text_printf(out, "extern \"C\" __global__ void __launch_bounds__(%d, %d)\n%s(", n->threads,
                    n->blocks, n->symbol);
        abi_params(out, p->kernel->function, ABI_DEVICE, (int)strlen(n->symbol) + 1);
        if (b->boxes)
            map_params(out, p, (int)strlen(n->symbol) + 1);
        text_printf(out, b->boxes ? ")\n{\n#ifdef TILE_SM90A\n%s#endif\n}\n\n" : ")\n{\n%s}\n\n",
                    code.at);
        return;
    }
    text_printf(out, "%sstatic __device__ __forceinline__ void\n%s(", template_line(&e), b->name);
    abi_params(out, p->kernel->function, ABI_DEVICE, (int)strlen(b->name) + 1);
    text_printf(out, ")\n{\n%s}\n", code.at);
    for (int i = 0; i < p->entries.n; i++)
        if (p->entries.at[i].body == b)
            entry_text(out, p, &p->entries.at[i]);
    text_add(out, "\n", 1);
}

/* The device code of a kernel: all its bodies. */
void emit_kernel(Text *out, const Plan *p)
{
    choose_fills(p);
    for (int i = 0; i < p->bodies.n; i++)
        emit_body(out, p, p->bodies.at[i]);
}
