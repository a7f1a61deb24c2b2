/* plan.c -- the bodies of a kernel: threads a program, repeats a thread, the ladder of row lengths */
/* needs: valid IR with valid parts.  gives: a Plan.  keeps: what the program means. */
#include "mapping.h"
#include <string.h>

void layout(Plan *p);
int  live_bytes(Emit *e);

/* Words of registers that tiles may take in a thread of a block of so many threads: what 64 K registers a
   multiprocessor leave, less about 30 for addresses and the like. Measured with nvcc 13 for sm_90: no spill. */
static int word_budget(int threads, int width)
{
    return threads <= 256 ? 136 : threads <= 512 ? 88 : width == 1 ? 44 : 40;
}

static int64_t power_above(int64_t n)
{
    int64_t p = 1;
    while (p < n)
        p *= 2;
    return p;
}

static int log2_of(int n)
{
    int s = 0;
    while (1 << s < n)
        s++;
    return s;
}

static int64_t static_extent(const Dim *d)
{
    int64_t k = 1;
    sym_const_of(d->extent, &k);
    return k;
}

/* ---- facts about a kernel ------------------------------------------------------------------------ */

typedef struct {
    Plan *plan;
    int live;                                      /* bytes a thread needs at once for each of its elements */
    int late;                                      /* loads after a reduction, of one use: weights */
    int reductions, whole_loads;
    bool control;                                  /* loops or ifs around reductions */
    bool row_reduction;                            /* along a fast Dim */
    bool changes_layout;
    bool carried_whole;
    Pos carried_at;
    int vector;
    int least_bytes;                               /* of an element that moves along the fast Dim */
} Facts;

static bool along_whole(const Value *v)
{
    for (int a = 0; a < MAX_TILE_RANK; a++)
        if (v->plan && map_of(v)->dim[a] && map_of(v)->dim[a]->whole)
            return true;
    return false;
}

static void learn(Op *op, void *arg)
{
    Facts *f = arg;
    if (op->kind == OP_REDUCE) {
        f->reductions++;
        for (int a = 0; a < op->args[0]->type.rank; a++) {
            const Dim *d = map_of(op->args[0])->dim[a];
            f->row_reduction |= op->reduce_axes >> a & 1 && d && d->fast;
        }
        f->control |= op->block->parent != NULL;
    }
    f->changes_layout |= op->kind == OP_RELAYOUT || op->kind == OP_RESHAPE;
    f->control |= op->kind == OP_FOR || op->kind == OP_WHILE;
    if (op->kind == OP_FOR || op->kind == OP_WHILE)
        for (int i = 0; i < op->nresults; i++)
            if (along_whole(op->results[i]) && !f->carried_whole)
                f->carried_whole = true, f->carried_at = op->pos;
    if (op->kind == OP_LOAD || op->kind == OP_STORE) {
        Elem elem = op->args[0]->type.elem;
        f->whole_loads += op->kind == OP_LOAD && along_whole(op->results[0]);
        if (access_is_vector(f->plan, op, 1) && elem_info[elem].bytes < f->least_bytes)
            f->least_bytes = elem_info[elem].bytes;
    }
}

typedef struct { const Plan *plan; int width, n; } Counting;

static void count_vectors(Op *op, void *arg)
{
    Counting *c = arg;
    if (op->kind == OP_LOAD || op->kind == OP_STORE)
        c->n += access_is_vector(c->plan, op, c->width);
}

/* The widest access, in elements: 16 bytes of the narrowest type, if any access can be that wide. */
static int widest(const Facts *f)
{
    for (int w = f->least_bytes > 2 || f->least_bytes < 1 ? 16 / f->least_bytes : 8; w > 1; w /= 2) {
        Counting c = { f->plan, w, 0 };
        ir_walk(f->plan->kernel->body, count_vectors, &c);
        if (c.n)
            return w;
    }
    return 1;
}

static void note_vector(Op *op, void *arg)
{
    Facts *f = arg;
    if ((op->kind != OP_LOAD && op->kind != OP_STORE) || !access_is_vector(f->plan, op, f->vector))
        return;
    int param = 0, bytes = elem_info[op->args[0]->type.elem].bytes * f->vector;
    while (f->plan->kernel->params.at[param].value != op->args[0])
        param++;
    for (int i = 0; i < f->plan->vectors.n; i++)
        if (f->plan->vectors.at[i].param == param)
            return;
    push(&f->plan->vectors, ((struct VectorParam){ param, bytes > 16 ? 16 : bytes }));
}

/* ---- may a whole axis be streamed? -------------------------------------------------------------------- */

typedef struct { const Op *store; const Value *tensor; Access *access; bool bad; } Hazard;

static bool reaches(const Value *v, const Value *tensor)
{
    const Op *op = v->def;
    if (!op || !along_whole(v))
        return false;
    if (op->kind == OP_LOAD)
        return op->args[0] == tensor;
    for (int i = 0; i < op->nargs; i++)
        if (reaches(op->args[i], tensor))
            return true;
    for (int r = 0; r < op->nregions; r++)
        for (int i = 0; op->region[r]->last && i < op->region[r]->last->nargs; i++)
            if (reaches(op->region[r]->last->args[i], tensor))
                return true;
    return false;
}

static bool same_access(const Access *a, const Access *b)
{
    return !memcmp(a->start, b->start, sizeof a->start) && !memcmp(a->map, b->map, sizeof a->map)
        && !memcmp(a->step, b->step, sizeof a->step);
}

static void check_after(Op *op, void *arg)
{
    Hazard *h = arg;
    if (op->kind == OP_LOAD && op->args[0] == h->tensor && !same_access(op->access, h->access))
        h->bad = true;
    if (op->number > h->store->number && (op->kind == OP_REDUCE || op->kind == OP_STORE))
        for (int i = 0; i < op->nargs; i++)
            h->bad |= reaches(op->args[i], h->tensor);
}

/* A phase that comes after a store must not read again what was stored over. */
static void check_store(Op *op, void *arg)
{
    bool *bad = arg;
    if (op->kind != OP_STORE || !along_whole(op->args[1]))
        return;
    const Block *body = op->block;
    while (body->parent)
        body = body->parent->block;
    Hazard h = { .store = op, .tensor = op->args[0], .access = op->access };
    ir_walk((Block *)body, check_after, &h);
    bool looped = false;
    for (const Op *o = op->block->parent; o; o = o->block->parent)
        looped |= o->kind != OP_IF;
    *bad |= h.bad || (looped && reaches(op->args[1], op->args[0]));
}

static const char *why_not_streamed(const Facts *f)
{
    if (f->carried_whole)
        return "a loop carries a tile along the whole axis, so it must stay in registers";
    if (f->changes_layout)
        return "a tile along the whole axis changes its layout, so it must stay in registers";
    bool bad = false;
    ir_walk(f->plan->kernel->body, check_store, &bad);
    return bad ? "the axis is read again after it was stored over, so it must stay in registers" : NULL;
}

enum { LEAST_BLOCK = 128 };                        /* threads of the smallest rung in a block */

/* ---- spreads ------------------------------------------------------------------------------------------------ */

static Body *new_body(Plan *p, BodyKind kind, const char *name)
{
    Body *b = new(Body);
    b->kind = kind;
    b->programs = 1;
    b->name = arena_printf("%s%s%s%s", p->kernel->function->symbol, p->kernel->suffix, *name ? "_" : "",
                           name);
    for (int i = 0; i < p->dims.n; i++)
        push(&b->spread, ((Spread){ 1, 0, 1, 1, false }));
    push(&p->bodies, b);
    return b;
}

/* The first bit of a thread's number that no Dim which meets d has taken. */
static int free_bit(const Plan *p, const Body *b, const Dim *d)
{
    int bit = 0;
    for (int i = 0; i < p->dims.n; i++) {
        const Spread *s = &b->spread.at[i];
        if (dims_meet(p, d, p->dims.at[i]) && s->threads > 1 && s->shift + log2_of(s->threads) > bit)
            bit = s->shift + log2_of(s->threads);
    }
    return bit;
}

/* Spreads a static Dim over the bits that are free below `limit` threads, over at most `most` of them. */
static void spread_static(const Facts *f, Body *b, const Dim *d, int limit, int most)
{
    Spread *s = &b->spread.at[d->id];
    int v = d->fast ? f->vector : 1, bit = free_bit(f->plan, b, d);
    int left = limit >> bit > 0 ? limit >> bit : 1;
    int64_t want = power_above((static_extent(d) + v - 1) / v);
    if (d->fast && f->row_reduction && want > 32 && want <= 32 * 8)
        want = 32;
    if (want > most)
        want = most;
    s->threads = want < left ? (int)want : left;
    s->shift = bit;
    s->vector = v;
    s->repeats = v > 1 ? 0 : (int)((static_extent(d) + s->threads - 1) / s->threads);
}

/* Static Dims: fast ones get the low bits; then the others, the last axes first. */
static void spread_statics(const Facts *f, Body *b, bool fast, int limit, int most)
{
    for (int i = f->plan->dims.n - 1; i >= 0; i--) {
        const Dim *d = f->plan->dims.at[i];
        if (!d->whole && d->fast == fast)
            spread_static(f, b, d, limit, most);
    }
}

static int threads_used(const Body *b)
{
    int used = 1;
    for (int i = 0; i < b->spread.n; i++)
        if (b->spread.at[i].threads << b->spread.at[i].shift > used)
            used = b->spread.at[i].threads << b->spread.at[i].shift;
    return used;
}

/* Elements that a thread holds of the tile of which it holds most, for each repeat along a whole axis. */
static int most_held(const Facts *f, const Body *b)
{
    int most = 1;
    for (int i = 0; i < f->plan->kernel->values.n; i++) {
        const Value *v = f->plan->kernel->values.at[i];
        int64_t held = 1;
        for (int a = 0; v->plan && v->type.kind == TYPE_TILE && a < v->type.rank; a++) {
            const Dim *d = map_of(v)->dim[a];
            if (!d || d->whole)
                continue;
            const Spread *s = &b->spread.at[d->id];
            int64_t step = (int64_t)s->threads * s->vector;
            held *= (static_extent(d) + step - 1) / step * s->vector;
        }
        most = held > most ? (int)(held < 1 << 30 ? held : 1 << 30) : most;
    }
    return most;
}

/* Elements of the largest tile, whole axes counted as 1. */
static int64_t elements(const Plan *p)
{
    int64_t most = 1;
    for (int i = 0; i < p->kernel->values.n; i++) {
        const Value *v = p->kernel->values.at[i];
        int64_t n = 1;
        for (int a = 0; v->plan && v->type.kind == TYPE_TILE && a < v->type.rank; a++)
            if (map_of(v)->dim[a] && n < INT64_MAX / (static_extent(map_of(v)->dim[a]) + 1))
                n *= static_extent(map_of(v)->dim[a]);
        most = n > most ? n : most;
    }
    return most;
}

/* Does a reduction or a change of layout cross the warps of a program? */
static void crosses(Op *op, void *arg)
{
    struct { const Body *b; bool yes; } *c = arg;
    if (op->kind == OP_RELAYOUT || op->kind == OP_RESHAPE)
        c->yes = true;
    for (int a = 0; op->kind == OP_REDUCE && a < op->args[0]->type.rank; a++) {
        const Dim *d = map_of(op->args[0])->dim[a];
        const Spread *s = d ? &c->b->spread.at[d->id] : NULL;
        if (s && op->reduce_axes >> a & 1 && s->threads > 1 && s->threads << s->shift > 32)
            c->yes = true;
    }
}

typedef struct { const Value *tensor; bool loaded, stored; } Touch;

static void touches(Op *op, void *arg)
{
    Touch *t = arg;
    if ((op->kind == OP_LOAD || op->kind == OP_STORE) && op->args[0] == t->tensor)
        *(op->kind == OP_LOAD ? &t->loaded : &t->stored) = true;
}

/* Does the program read a tensor that it also stores to? Then threads may have to wait for each other. */
static bool reads_own_stores(const Kernel *k)
{
    for (int i = 0; i < k->params.n; i++) {
        Touch t = { .tensor = k->params.at[i].value };
        if (k->params.at[i].kind == PARAM_MUT)
            ir_walk(k->body, touches, &t);
        if (t.loaded && t.stored)
            return true;
    }
    return false;
}

/* Small programs share a block of 128 threads, if no barrier would have to hold back only some of them. */
static void share_block(const Facts *f, Body *b)
{
    struct { const Body *b; bool yes; } c = { b, reads_own_stores(f->plan->kernel) };
    ir_walk(f->plan->kernel->body, crosses, &c);
    b->programs = c.yes || b->threads >= 128 ? 1 : 128 / b->threads;
}

static void add_entry(Plan *p, const Body *b, int threads, int vecs, int width, int64_t capacity,
                      const char *suffix, int programs)
{
    Entry e = { .body = b, .threads = threads * programs, .programs = programs, .width = width, .vecs = vecs,
                .capacity = capacity, .at_least = capacity ? 1 : 0, .blocks = 1 };
    const char *way = !p->vectors.n ? "" : width == 1 ? "_unaligned" : *suffix ? "" : "_vectors";
    e.symbol = arena_printf("%s%s%s", b->name, suffix, way);
    push(&p->entries, e);
}

/* ---- tiles of static extents ------------------------------------------------------------------------------------ */

static int attribute_threads(const Kernel *k)
{
    for (int i = 0; i < k->attrs.n; i++)
        if (k->attrs.at[i].name == name_of("threads") && k->attrs.at[i].value > 0)
            return (int)k->attrs.at[i].value;
    return 0;
}

/* Threads for a program: about four accesses of 16 bytes each, more where registers would not do; without a
   reduction one access, up to 512 threads (vecadd on an H200: 4388 GB/s with one, 4350 with four). */
static int tile_threads(const Facts *f, int64_t n)
{
    int64_t vectors = (n + f->vector - 1) / f->vector, each = vectors / 32;
    each = !f->reductions || each < 1 ? 1 : each > 4 ? 4 : each;
    int64_t threads = power_above((vectors + each - 1) / each), most = f->reductions ? 256 : 512;
    threads = threads > most ? most : threads;
    while (threads < 1024 && n / threads * f->live > word_budget((int)threads, 4) * 3)
        threads *= 2;
    if (f->control && threads < 32)
        threads = 32;
    int wish = attribute_threads(f->plan->kernel);
    return wish >= 1 && wish <= 1024 ? (int)power_above(wish) : (int)threads;
}

enum { SHARED_BYTES = 48 * 1024 };                 /* of static shared memory in a block, on every target */

static void count_shared(Op *op, void *arg)
{
    int64_t *bytes = arg, n = elem_info[op->nresults ? op->results[0]->type.elem : EL_ERROR].bytes;
    if (op->kind != OP_RELAYOUT && op->kind != OP_RESHAPE)
        return;
    for (int a = 0; a < op->results[0]->type.rank; a++)
        n *= type_extent(&op->results[0]->type, a);
    *bytes += n;
}

/* Do the tiles that change their layout fit in shared memory? */
static bool shared_fits(const Facts *f)
{
    int64_t bytes = 0;
    ir_walk(f->plan->kernel->body, count_shared, &bytes);
    if (bytes <= SHARED_BYTES)
        return true;
    error(f->plan->kernel->function->pos, "E1104", "the tiles of %s that go through shared memory take %lld "
          "bytes; a block has %d", f->plan->kernel->function->symbol, (long long)bytes, SHARED_BYTES);
    help("make the tile sizes smaller");
    return false;
}

static bool plan_tiles(Facts *f)
{
    Plan *p = f->plan;
    int64_t n = elements(p);
    int threads = tile_threads(f, n);
    if (n / threads * f->live > 8 * word_budget(threads, 4)) {
        error(p->kernel->function->pos, "E1102", "the tiles of %s need about %lld registers in each of "
              "%d threads; there are %d", p->kernel->function->symbol, (long long)(n / threads * f->live / 4),
              threads, word_budget(threads, 4));
        help("make the tile sizes smaller, or loop over chunks of the tile");
        return false;
    }
    if (!shared_fits(f))
        return false;
    Body *b = new_body(p, BODY_TILE, "tile");
    spread_statics(f, b, true, threads, threads);
    spread_statics(f, b, false, threads, threads);
    int used = threads_used(b);
    b->threads = f->control && used < 32 ? 32 : used;
    share_block(f, b);
    if (f->vector > 1)
        add_entry(p, b, b->threads, 0, f->vector, 0, "", b->programs);
    add_entry(p, b, b->threads, 0, 1, 0, "", b->programs);
    return true;
}

/* ---- whole axes --------------------------------------------------------------------------------------------------- */

static const Dim *whole_dim(const Plan *p, int nth)
{
    for (int i = 0; i < p->dims.n; i++)
        if (p->dims.at[i]->whole && nth-- == 0)
            return p->dims.at[i];
    return NULL;
}

/* A body whose whole Dims have `threads` threads: the low bits if they are fast, otherwise what fast
   static Dims leave. Rows go to further warps of a warp body. */
static Body *whole_body(const Facts *f, BodyKind kind, const char *name, int threads, int *held)
{
    Plan *p = f->plan;
    Body *b = new_body(p, kind, name);
    int room = kind == BODY_WARP ? threads * 4 : kind == BODY_BLOCK ? LEAST_BLOCK : threads;
    for (int i = 0; i < p->dims.n; i++)
        if (p->dims.at[i]->whole && p->dims.at[i]->fast)
            b->spread.at[i].threads = threads;
    spread_statics(f, b, true, room, 32);
    for (int i = 0; i < p->dims.n; i++) {
        const Dim *d = p->dims.at[i];
        Spread *s = &b->spread.at[i];
        if (!d->whole)
            continue;
        s->shift = d->fast ? 0 : free_bit(p, b, d);
        s->threads = threads >> s->shift;
        s->vector = d->fast ? f->vector : 1;
        s->repeats = 0;
        s->loops = kind == BODY_STREAM;
    }
    spread_statics(f, b, false, room, kind == BODY_WARP ? 4 : room);
    *held = most_held(f, b);
    b->threads = threads_used(b);
    return b;
}

/* Rungs of the ladder: threads along the row, accesses of 16 bytes in each; `elements` where each is of one
   element. Measured on an H200 (GB/s): softmax f32 of 1024 columns 4150 by 128 threads x 2, 3992 by a warp x 8;
   512 columns 4180 by 64 x 2, 4077 by a warp x 4; 8192 columns 4013 by 256 x 8, 3921 by 128 x 16, 2333 by 1024 x 2;
   softmax bf16 of 8192 columns 3351 by 256 x 4, 2467 by 128 x 8; layernorm bf16 of 1024 columns 3554 by a warp x 4
   alone in its block, 3444 by four such warps, 3418 by 64 x 2. */
static const struct Rung { BodyKind kind; int threads, vecs, elements; } rungs[] = {
    { BODY_WARP, 32, 1, 0 }, { BODY_WARP, 32, 2, 8 }, { BODY_WARP, 32, 4, 0 }, { BODY_BLOCK, 64, 2, 0 }, { BODY_BLOCK, 128, 2, 8 },
    { BODY_BLOCK, 128, 4, 0 }, { BODY_BLOCK, 256, 4, 16 }, { BODY_BLOCK, 256, 8, 32 }, { BODY_BLOCK, 512, 4, 0 },
    { BODY_BLOCK, 512, 8, 32 }, { BODY_BLOCK, 1024, 4, 0 }, { BODY_BLOCK, 1024, 8, 32 },
};

typedef struct { Body *body[2]; int held[2]; int64_t last; } Ladder;

/* Blocks that should fit on a multiprocessor at once. Where all that a thread holds is one tile of f32, as
   in a softmax, about 1280 threads are asked for (bf16, 4096 columns: 3785 GB/s with 10 blocks of 128,
   3150 left to the compiler); where more is alive the compiler's own choice is better, and spills less. */
static int resident_blocks(const Facts *f, int threads, int words, int width)
{
    int need = words + (f->least_bytes <= 2 ? 20 : 24);
    int blocks = 65536 / need / threads;
    if (f->late || f->live != 4 || f->whole_loads != 1 || f->reductions > 2 || width == 1)
        return 1;
    if (blocks * threads > 1280)
        blocks = 1280 / threads;
    return blocks < 1 ? 1 : blocks > 32 ? 32 : blocks;
}

/* Adds the entry of one rung, unless registers would not do or it is no longer than the rung before. */
static void add_rung(const Facts *f, Ladder *l, const struct Rung *r, int width)
{
    Plan *p = f->plan;
    int which = r->kind == BODY_BLOCK;
    Body *b = l->body[which];
    const Dim *d = whole_dim(p, 0);
    int along = r->threads >> b->spread.at[d->id].shift, held = l->held[which];
    int elements = width > 1 ? r->vecs * width : r->elements;
    int repeats = d->fast ? elements / width : elements / held;
    int64_t capacity = (int64_t)along * (d->fast ? elements : repeats);
    int words = (f->live * (d->fast ? held * elements : repeats * held) + 3) / 4;
    int most = word_budget(r->threads, width) - (8 + (width == 1 || f->late > 1 ? 4 * f->late : 0));
    bool lonely = r->kind == BODY_WARP && width > 1 && width <= 4 && r->vecs != 2;
    if (repeats < 1 || along < 1 || words > most || capacity <= l->last || elements > 32 || lonely)
        return;
    l->last = capacity;
    int programs = b->programs, threads = which ? r->threads : b->threads;
    if (!which && width > 1 && r->vecs > 2)
        programs = 1;
    add_entry(p, b, threads, repeats, width, capacity, arena_printf("_%lld", (long long)capacity), programs);
    p->entries.at[p->entries.n - 1].blocks = resident_blocks(f, threads * programs, words, width);
}

static void add_ladder(const Facts *f, Ladder *l, int width)
{
    l->last = 0;
    for (size_t i = 0; i < sizeof rungs / sizeof *rungs; i++)
        add_rung(f, l, &rungs[i], width);
}

static bool one_whole_extent(const Plan *p)
{
    for (int i = 1; whole_dim(p, i); i++)
        if (whole_dim(p, i)->extent != whole_dim(p, 0)->extent)
            return false;
    return true;
}

static bool plan_whole(Facts *f)
{
    Plan *p = f->plan;
    Ladder l = { .last = 0 };
    int held;
    bool ladder = one_whole_extent(p);
    const char *why = why_not_streamed(f);
    p->whole = ladder ? whole_dim(p, 0)->extent : NULL;
    if (!ladder && why) {
        error(p->kernel->function->pos, "E1103", "%s has whole axes of two lengths, and %s",
              p->kernel->function->symbol, why);
        help("loop over chunks of one of them");
        return false;
    }
    if (ladder) {
        l.body[0] = whole_body(f, BODY_WARP, "warp", 32, &l.held[0]);
        l.body[1] = whole_body(f, BODY_BLOCK, "block", 1024, &l.held[1]);
        share_block(f, l.body[0]);
    }
    Body *stream = why ? NULL : whole_body(f, BODY_STREAM, "stream", 256, &held);
    for (int width = f->vector; ; width = 1) {
        if (ladder)
            add_ladder(f, &l, width);
        if (stream)
            add_entry(p, stream, stream->threads, 0, width, 0, "", 1);
        if (width == 1)
            break;
    }
    if (why && p->entries.n == 0) {
        error(p->kernel->function->pos, "E1102", "no row length fits the registers, and %s", why);
        help("make the tile sizes smaller, or loop over chunks");
        return false;
    }
    for (int i = 0; why && i < p->entries.n; i++)
        if (p->entries.at[i].capacity > p->longest)
            p->longest = p->entries.at[i].capacity;
    for (int i = 0; why && i < p->entries.n; i++)
        p->entries.at[i].at_least = 0;             /* there is no streaming body for a length of 0 */
    p->longest_why = why;
    return true;
}

Plan *plan_kernel(Kernel *k)
{
    Plan *p = new(Plan);
    Facts f = { .plan = p, .least_bytes = 16 };
    Emit e = { .plan = p, .k = k };
    p->kernel = k;
    layout(p);
    ir_walk(k->body, learn, &f);
    f.vector = widest(&f);
    ir_walk(k->body, note_vector, &f);
    if (f.vector == 1)
        p->vectors.n = 0;
    ir_count_uses(k);
    place(&e);
    f.live = live_bytes(&e);
    for (int i = 0; i < k->values.n; i++) {
        const Value *v = k->values.at[i];
        f.late += v->def && v->def->kind == OP_LOAD && v->plan && !map_of(v)->var;
    }
    return (whole_dim(p, 0) ? plan_whole(&f) : plan_tiles(&f)) ? p : NULL;
}

void plan_dump(FILE *out, const Plan *p)
{
    fprintf(out, "kernel %s%s\n", p->kernel->function->symbol, p->kernel->suffix);
    for (int i = 0; i < p->dims.n; i++)
        fprintf(out, "    dim %d %s: %s%s, space %d\n", i, p->dims.at[i]->name, sym_text(p->dims.at[i]->extent),
                p->dims.at[i]->fast ? ", fast" : "", p->dims.at[i]->space);
    for (int i = 0; i < p->bodies.n; i++) {
        const Body *b = p->bodies.at[i];
        fprintf(out, "    body %s: %d threads, %d programs a block\n", b->name, b->threads, b->programs);
        for (int j = 0; j < b->spread.n; j++)
            fprintf(out, "        dim %d: %d threads at bit %d, vector %d, repeats %d%s\n", j,
                    b->spread.at[j].threads, b->spread.at[j].shift, b->spread.at[j].vector,
                    b->spread.at[j].repeats, b->spread.at[j].loops ? " in a loop" : "");
    }
    for (int i = 0; i < p->entries.n; i++) {
        const Entry *n = &p->entries.at[i];
        fprintf(out, "    entry %s: %d threads, width %d, vecs %d, capacity %lld\n", n->symbol, n->threads,
                n->width, n->vecs, (long long)n->capacity);
    }
}
