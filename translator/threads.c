/* threads.c -- how the threads of a body share the elements of each Dim; its entries */
/* needs: Dims, Facts.  gives: Body, Spread, Entry.  keeps: the IR, the Dims. */
#include "mapping.h"

/* Words of registers that tiles may take in a thread of a block of so many threads: what 64 K
   registers a multiprocessor leave, less about 30 for addresses and the like. Measured with
   nvcc 13 for sm_90: no spill. */
int word_budget(int threads, int width)
{
    return threads <= 256 ? 136 : threads <= 512 ? 88 : width == 1 ? 44 : 40;
}

/* The least power of two that is n or more. */
int64_t power_above(int64_t n)
{
    int64_t p = 1;
    while (p < n)
        p *= 2;
    return p;
}

/* Of a power of two. */
static int log2_of(int n)
{
    int s = 0;
    while (1 << s < n)
        s++;
    return s;
}

/* The extent of a static Dim; 1 for a whole one. */
int64_t static_extent(const Dim *d)
{
    int64_t k = 1;
    sym_const_of(d->extent, &k);
    return k;
}

/* ---- spreads --------------------------------------------------------------------------------- */

/* A body of one thread, added to the plan. */
Body *new_body(Plan *p, BodyKind kind, const char *name)
{
    Body *b = new(Body);
    b->kind = kind;
    b->keeps = true;
    b->programs = 1;
    b->name = arena_printf("%s%s%s%s", p->kernel->function->symbol, p->kernel->suffix,
                           *name ? "_" : "", name);
    for (int i = 0; i < p->dims.n; i++)
        push(&b->spread, ((Spread){ .threads = 1, .vector = 1, .repeats = 1 }));
    push(&p->bodies, b);
    return b;
}

/* The bits of a thread's number that tell its places apart. */
int spread_bits(const Spread *s)
{
    return (s->threads - 1) << s->shift | (s->groups ? (s->groups - 1) * s->group : 0);
}

/* How many threads have different places. */
int spread_over(const Spread *s)
{
    return s->threads * (s->groups ? s->groups : 1);
}

/* The first bit of a thread's number that no Dim which meets d has taken. */
int free_bit(const Plan *p, const Body *b, const Dim *d)
{
    int bit = 0;
    for (int i = 0; i < p->dims.n; i++) {
        const Spread *s = &b->spread.at[i];
        if (dims_meet(p, d, p->dims.at[i]) && log2_of(spread_bits(s) + 1) > bit)
            bit = log2_of(spread_bits(s) + 1);
    }
    return bit;
}

/* Spreads a static Dim over the bits that are free below `limit` threads,
   over at most `most` of them. */
void spread_static(const Facts *f, Body *b, const Dim *d, int limit, int most)
{
    Spread *s = &b->spread.at[d->id];
    int v = d->fast ? f->vector : 1, bit = free_bit(f->plan, b, d);
    int left = limit >> bit > 0 ? limit >> bit : 1;
    int64_t want = power_above((static_extent(d) + v - 1) / v);
    if (b->keeps && d->moved)
        most = 1;
    if (d->fast && f->row_reduction && want > 32 && want <= 32 * 8)
        want = 32;
    if (want > most)
        want = most;
    if (d->alone)
        want = 1;
    s->threads = want < left ? (int)want : left;
    s->shift = bit;
    s->vector = v;
    s->repeats = v > 1 ? 0 : (int)((static_extent(d) + s->threads - 1) / s->threads);
}

/* Spreads the static Dims that are fast, or those that are not, the last axes first: fast ones come
   first and get the low bits. */
void spread_statics(const Facts *f, Body *b, bool fast, int limit, int most)
{
    for (int i = f->plan->dims.n - 1; i >= 0; i--) {
        const Dim *d = f->plan->dims.at[i];
        if (!d->whole && d->fast == fast)
            spread_static(f, b, d, limit, most);
    }
}

/* The threads of a program that its spreads need. */
int threads_used(const Body *b)
{
    int used = 1;
    for (int i = 0; i < b->spread.n; i++)
        if (spread_bits(&b->spread.at[i]) >= used)
            used = (int)power_above(spread_bits(&b->spread.at[i]) + 1);
    return used;
}

/* Elements that a thread holds of a tile, for each repeat along a whole axis. */
int64_t elements_held(const Body *b, const Value *v)
{
    int64_t held = 1;
    for (int a = 0; v->plan && v->type.kind == TYPE_TILE && a < v->type.rank; a++) {
        const Dim *d = map_of(v)->dim[a];
        if (!d || d->whole)
            continue;
        const Spread *s = &b->spread.at[d->id];
        int64_t step = (int64_t)spread_over(s) * s->vector;
        held *= (static_extent(d) + step - 1) / step * s->vector;
    }
    return held;
}

/* Elements that a thread holds of the tile of which it holds most, for each
   repeat along a whole axis. */
int most_held(const Facts *f, const Body *b)
{
    int most = 1;
    for (int i = 0; i < f->plan->kernel->values.n; i++) {
        int64_t held = elements_held(b, f->plan->kernel->values.at[i]);
        most = held > most ? (int)(held < 1 << 30 ? held : 1 << 30) : most;
    }
    return most;
}

/* ---- blocks and entries ---------------------------------------------------------------------- */

typedef struct { const Body *b; bool yes; } Crossing;

/* Do several threads hold the same elements of what an atomic gives? One tells the others. */
bool held_twice(const Body *b, const Op *op)
{
    int bits = 0;
    for (int a = 0; a < op->args[1]->type.rank; a++) {
        const Dim *d = map_of(op->args[1])->dim[a];
        const Spread *s = d ? &b->spread.at[d->id] : NULL;
        bits |= s ? spread_bits(s) : 0;
    }
    return bits != b->threads - 1;
}

/* Does a reduction or a change of layout cross the warps of a program? */
static void crosses(Op *op, void *arg)
{
    Crossing *c = arg;
    if (staged_in(c->b, op, 1) || op->kind == OP_PRINT)    /* prints: in the order of programs */
        c->yes = true;
    bool meets = op->kind == OP_REDUCE || op_combines(op);
    for (int a = 0; meets && a < op->args[0]->type.rank; a++) {
        const Dim *d = map_of(op->args[0])->dim[a];
        const Spread *s = d ? &c->b->spread.at[d->id] : NULL;
        if (s && op->reduce_axes >> a & 1 && s->threads > 1 && s->threads << s->shift > 32)
            c->yes = true;
    }
}

/* Does op run in every round of a loop? */
static bool in_loop(const Op *op)
{
    for (const Op *o = op->block->parent; o; o = o->block->parent)
        if (o->kind != OP_IF)
            return true;
    return false;
}

/* Do two accesses of one program to a tensor have to keep their order? Updates of one kind come out
   the same in any order if nobody asks what was there before; scatter to a tensor that is not cut
   in parts hits no element twice. */
bool must_order(const Op *a, const Op *b)
{
    if (a->args[0] != b->args[0] || (!op_writes(a) && !op_writes(b)))
        return false;
    if (a->kind == OP_ATOMIC && b->kind == OP_ATOMIC)
        return a->nresults || b->nresults || a->atomic != b->atomic || a->atomic == ATOMIC_EXCHANGE;
    return a->access->part;
}

typedef struct { LIST(const Op *) at; bool yes; } Accesses;

/* Adds an access, and notes whether it has to keep its order with one of those before it, or with
   itself the next time round. */
static void add_access(Op *op, void *arg)
{
    Accesses *all = arg;
    if (!op_reads(op) && !op_writes(op))
        return;
    all->yes |= in_loop(op) && must_order(op, op);
    for (int i = 0; i < all->at.n; i++)
        all->yes |= must_order(all->at.at[i], op);
    push(&all->at, op);
}

/* Does the program touch what it writes more than once? Then threads may have to wait for each
   other. */
static bool touches_twice(const Kernel *k)
{
    Accesses all = { .yes = false };
    ir_walk(k->body, add_access, &all);
    return all.yes;
}

/* Small programs share a block of 128 threads, if no barrier would have to
   hold back only some of them. */
void share_block(const Facts *f, Body *b)
{
    Crossing c = { b, b->threads > 32 && touches_twice(f->plan->kernel) };
    ir_walk(f->plan->kernel->body, crosses, &c);
    b->programs = c.yes || b->threads >= 128 ? 1 : 128 / b->threads;
}

/* Adds an entry of a body; a block holds `programs` of its programs. */
void add_entry(Plan *p, const Body *b, int threads, int vecs, int width, int64_t capacity,
               const char *suffix, int programs)
{
    Entry e = { .body = b, .threads = threads * programs, .programs = programs, .width = width,
                .vecs = vecs, .capacity = capacity, .at_least = capacity ? 1 : 0, .blocks = 1 };
    const char *way = !p->vectors.n ? "" : width == 1 ? "_unaligned" : *suffix ? "" : "_vectors";
    e.symbol = arena_printf("%s%s%s", b->name, suffix, way);
    push(&p->entries, e);
}
