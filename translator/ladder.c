/* ladder.c -- bodies along whole axes: the ladder of row lengths, and what streams any length */
/* needs: Facts.  gives: bodies and entries, or a report.  keeps: the IR, the Dims. */
#include "mapping.h"

enum { LEAST_BLOCK = 128 };                        /* of a block: threads for its static Dims */

/* The nth Dim along a whole axis; NULL if there are fewer. */
const Dim *whole_dim(const Plan *p, int nth)
{
    for (int i = 0; i < p->dims.n; i++)
        if (p->dims.at[i]->whole && nth-- == 0)
            return p->dims.at[i];
    return NULL;
}

/* Spreads a body whose whole Dims have `along` threads: the low bits if they are fast, otherwise
   what fast static Dims leave. Of slow static Dims each gets up to `most` of `room` threads. */
static void spread_whole(const Facts *f, Body *b, int along, int room, int most)
{
    Plan *p = f->plan;
    for (int i = 0; i < p->dims.n; i++) {
        const Dim *d = p->dims.at[i];
        b->spread.at[i] = (Spread){ .threads = d->whole && d->fast ? along : 1, .vector = 1,
                                       .repeats = 1 };
    }
    spread_statics(f, b, true, room, 32);
    for (int i = 0; i < p->dims.n; i++) {
        const Dim *d = p->dims.at[i];
        Spread *s = &b->spread.at[i];
        if (!d->whole)
            continue;
        s->shift = d->fast ? 0 : free_bit(p, b, d);
        s->threads = along >> s->shift;
        s->vector = d->fast ? f->vector : 1;
        s->repeats = 0;
        s->loops = b->kind == BODY_STREAM;
    }
    spread_statics(f, b, false, room, most);
    b->threads = threads_used(b);
}

/* A body whose whole Dims have `threads` threads. Rows go to further warps of a warp body. */
static Body *whole_body(const Facts *f, BodyKind kind, const char *name, int threads, int *held)
{
    Body *b = new_body(f->plan, kind, name);
    int room = kind == BODY_WARP ? threads * 4 : LEAST_BLOCK;
    spread_whole(f, b, threads, room, kind == BODY_WARP ? 4 : room);
    *held = most_held(f, b);
    return b;
}

/* Rungs of the ladder: threads along the row, accesses of 16 bytes in each; `elements` where each
   is of one element. Measured on an H200 (GB/s): softmax f32 of 1024 columns 4150 by 128 threads
   x 2, 3992 by a warp x 8; 512 columns 4180 by 64 x 2, 4077 by a warp x 4; 8192 columns 4013 by
   256 x 8, 3921 by 128 x 16, 2333 by 1024 x 2; softmax bf16 of 8192 columns 3351 by 256 x 4, 2467
   by 128 x 8; layernorm bf16 of 1024 columns 3554 by a warp x 4 alone in its block, 3444 by four
   such warps, 3418 by 64 x 2. */
static const struct Rung { BodyKind kind; int threads, vecs, elements; } rungs[] = {
    { BODY_WARP, 32, 1, 0 }, { BODY_WARP, 32, 2, 8 }, { BODY_WARP, 32, 4, 0 },
    { BODY_BLOCK, 64, 2, 0 }, { BODY_BLOCK, 128, 2, 8 }, { BODY_BLOCK, 128, 4, 0 },
    { BODY_BLOCK, 256, 4, 16 }, { BODY_BLOCK, 256, 8, 32 }, { BODY_BLOCK, 512, 4, 0 },
    { BODY_BLOCK, 512, 8, 32 }, { BODY_BLOCK, 1024, 4, 0 }, { BODY_BLOCK, 1024, 8, 32 },
};

/* The rungs of a block that reads its row again: it holds none of it, so that all 2048 threads of
   a multiprocessor fit. Measured on an H200 (GB/s; `held`: as above): rmsnorm bf16 of 4096 columns
   4168 by 256 x 2, 3975 by 128 x 4, held 4044; of 8192 columns 4180 by 512 x 2, 4112 by 256 x 4,
   held 4035; of 32768 columns 4034 by 512 x 8, 3684 by 1024 x 4, held 3839; f32 of 16384 columns
   4085 by 512 x 8, 4042 by 1024 x 4, held 3976. */
static const struct Rung again_rungs[] = {
    { BODY_WARP, 32, 1, 0 }, { BODY_WARP, 32, 2, 8 }, { BODY_WARP, 32, 4, 0 },
    { BODY_BLOCK, 64, 2, 0 }, { BODY_BLOCK, 128, 2, 0 }, { BODY_BLOCK, 256, 2, 0 },
    { BODY_BLOCK, 512, 2, 0 }, { BODY_BLOCK, 512, 4, 0 }, { BODY_BLOCK, 512, 8, 0 },
    { BODY_BLOCK, 1024, 8, 0 },
};

/* More threads with little each, for rows that cannot be streamed. */
static const struct Rung last_rungs[] = {
    { BODY_BLOCK, 256, 1, 4 }, { BODY_BLOCK, 256, 2, 8 }, { BODY_BLOCK, 512, 1, 4 },
    { BODY_BLOCK, 512, 2, 8 }, { BODY_BLOCK, 1024, 1, 4 }, { BODY_BLOCK, 1024, 2, 8 },
};

typedef struct {
    Body *octet;                                   /* eight lanes a row, for short ones; or NULL */
    Body *body[2];
    int held[2];
    int64_t last;
    bool alone;                                    /* nothing streams: all widths have all rungs */
} Ladder;

/* Blocks that should fit on a multiprocessor at once. Where all that a thread holds is one tile of
   f32, as in a softmax, about 1280 threads are asked for (bf16, 4096 columns: 3785 GB/s with 10
   blocks of 128, 3150 left to the compiler); where more is alive the compiler's own choice is
   better, and spills less. */
static int resident_blocks(const Facts *f, int threads, int words, int width)
{
    int need = words + (f->least_bytes <= 2 ? 20 : 24);
    int blocks = 65536 / need / threads;
    bool softmax = f->live == 4 && f->whole_loads == 1 && f->reductions <= 2;
    if (f->late || f->key_words || !softmax || width == 1)
        return 1;
    if (blocks * threads > 1280)
        blocks = 1280 / threads;
    return blocks < 1 ? 1 : blocks > 32 ? 32 : blocks;
}

/* The same of a block that reads its row again, and holds little: as many as registers for its
   accesses allow. */
static int rereading_blocks(const Facts *f, const struct Rung *r)
{
    int threads = f->whole_stores > 1 ? 512 : r->vecs > 2 || f->whole_loads - f->late > 1 ? 1024
                : 2048;
    return threads < r->threads ? 1 : threads / r->threads;
}

/* The longest whole axis that a body holds: of all Dims along it, the one that holds least. */
static int64_t longest_row(const Plan *p, const Body *b, int threads, int repeats, int width)
{
    int64_t least = INT64_MAX;
    for (int n = 0; whole_dim(p, n); n++) {
        const Dim *d = whole_dim(p, n);
        int64_t one = (threads >> b->spread.at[d->id].shift) * repeats * (d->fast ? width : 1);
        least = one < least ? one : least;
    }
    return least;
}

/* Does a whole axis lie across the fast one? Then a thread walks over rows. */
static bool walks_rows(const Plan *p)
{
    for (int n = 0; whole_dim(p, n); n++)
        if (!whole_dim(p, n)->fast)
            return true;
    return false;
}

/* Words of registers that a thread wants for tiles of n elements: their bytes; of bytes alone more
   than a word each besides, in which they are computed on; and what a loop carries of 16 bits is
   unpacked all along. */
static int words_held(const Facts *f, int n)
{
    int words = (f->live * n + 3) / 4;
    if (f->live < 4 && f->least_bytes == 1)
        words += n + n / 4;
    else if (f->carried_whole && f->least_bytes <= 2)
        words += n / 2;
    return words;
}

/* Words that are there for them: late loads wait in registers; rows have an address each, which
   is one an element where each is an access; what is made of 8 bytes takes room on its way. */
static int words_there(const Facts *f, int threads, int width, int n)
{
    int most = word_budget(threads, width) - 8;
    if (width == 1 || f->late > 1)
        most -= 4 * f->late;
    if (width == 1 && f->two_words && f->live < 8)
        most -= 8;
    if (f->gathers)
        most -= width == 1 ? 20 : 8;               /* indices, and an address for each */
    if (f->changes_layout)
        most -= 52;                                /* places in shared memory, on both sides */
    if (f->combines && f->least_bytes == 1)
        most -= 8;                                 /* what came before, wide */
    if (walks_rows(f->plan))
        most -= width == 1 && 2 * n > 24 ? 2 * n : 24;
    return most;
}

/* The body of rows of any length. Where a thread would hold more of the other axes than registers
   take, these get threads of the whole axis, down to a warp. */
static Body *stream_body(const Facts *f, int threads)
{
    Body *b = new_body(f->plan, BODY_STREAM, "stream");
    for (int along = threads; ; along /= 2) {
        spread_whole(f, b, along, threads, threads);
        int n = most_held(f, b) * (whole_dim(f->plan, 0)->fast ? f->vector : 1);
        if (along <= 32 || words_held(f, n) <= words_there(f, threads, 1, n))
            return b;
    }
}

/* How many threads the static Dims of a body are spread over. */
static int static_threads(const Plan *p, const Body *b)
{
    int bits = 0;
    for (int i = 0; i < p->dims.n; i++)
        bits |= p->dims.at[i]->whole ? 0 : spread_bits(&b->spread.at[i]);
    return (int)power_above(bits + 1);
}

/* Adds the entry of one rung, unless registers would not do, it is no longer than the rung before,
   or has too few threads for the static Dims. */
static void add_rung(const Facts *f, Ladder *l, const struct Rung *r, int width)
{
    Plan *p = f->plan;
    int which = r->kind == BODY_BLOCK;
    Body *b = l->body[which];
    const Dim *d = whole_dim(p, 0);
    int along = r->threads >> b->spread.at[d->id].shift, held = l->held[which];
    int elements = width > 1 || (l->alone && !r->elements) ? r->vecs * f->vector : r->elements;
    int repeats = d->fast ? elements / width : elements / held;
    int64_t capacity = longest_row(p, b, r->threads, repeats, width);
    int one = d->fast ? elements : repeats, n = held * one;    /* of each tile row; of all */
    bool carried = f->carried_whole && d->fast;    /* then rows share sums that live all along */
    int words = words_held(f, n) + (carried ? (f->slim * one + 3) / 4 : 0);
    if (!l->alone && f->meeting)                   /* nvcc lets all meetings overlap */
        words += 16 + 3 * f->meeting * held * repeats;
    int most = words_there(f, r->threads, width, n) - f->key_words;
    bool lonely = r->kind == BODY_WARP && width > 1 && width <= 4 && r->vecs != 2;
    bool crowded = r->threads == 1024 && !l->alone
                   && (f->whole_loads - f->late > 1 || f->reductions > 3);
    crowded |= r->threads == 1024 && b->rereads && f->whole_stores > 1;
    if (carried)
        most -= 4 * held;                          /* what a loop keeps of each row */
    if (shared_bytes(p, b, capacity) > SHARED_BYTES)
        return;
    if (repeats < 1 || along < 1 || words > most || capacity <= l->last || elements > 32 || lonely
        || crowded || (which && r->threads < static_threads(p, b)))
        return;
    l->last = capacity;
    int programs = b->programs, threads = which ? r->threads : b->threads;
    if (!which && width > 1 && r->vecs > 2)
        programs = 1;
    add_entry(p, b, threads, repeats, width, capacity, arena_printf("_%lld", (long long)capacity),
              programs);
    p->entries.at[p->entries.n - 1].blocks = which && b->rereads && width > 1
        ? rereading_blocks(f, r) : resident_blocks(f, threads * programs, words, width);
}

/* The body of rows so short that a warp would have one or two accesses of 16 bytes for each lane,
   and its shuffles would take longer than its loads: a row in eight lanes, four rows a warp. NULL
   where types are wider, or rows of one warp would wait for each other. Softmax bf16 of 256 columns
   on an H200: 3757 GB/s so, 3309 by a warp a row. */
static Body *octet_body(const Facts *f)
{
    int held;
    if (f->least_bytes > 2 || f->vector < 8 || f->plan->dims.n > 1 || f->control || f->combines
        || f->changes_layout)
        return NULL;
    Body *b = whole_body(f, BODY_WARP, "octet", 8, &held);
    share_block(f, b);
    return b->programs == 16 ? b : NULL;
}

/* Adds the rungs of eight lanes a row, as far as registers for eight blocks go. */
static void add_octet(const Facts *f, Ladder *l, int width)
{
    for (int vecs = 2; vecs <= 4; vecs *= 2) {
        int64_t capacity = 8 * vecs * width;
        if (words_held(f, vecs * width) > 40)
            return;
        add_entry(f->plan, l->octet, 8, vecs, width, capacity,
                  arena_printf("_%lld", (long long)capacity), l->octet->programs);
        f->plan->entries.at[f->plan->entries.n - 1].blocks = 8;
        l->last = capacity;
    }
}

/* Where each thread sorts lines, many columns of them are too many: first come rungs of few. */
static const struct Rung sorting_rungs[] = {
    { BODY_WARP, 32, 1, 1 }, { BODY_WARP, 32, 1, 4 }, { BODY_BLOCK, 128, 1, 2 },
    { BODY_BLOCK, 128, 1, 4 }, { BODY_BLOCK, 512, 1, 2 }, { BODY_BLOCK, 1024, 1, 2 },
};

/* Adds the entries of all rungs for accesses of one width. */
static void add_ladder(const Facts *f, Ladder *l, int width)
{
    bool again = l->body[1]->rereads && width > 1;
    size_t n = again ? sizeof again_rungs / sizeof *again_rungs : sizeof rungs / sizeof *rungs;
    l->last = 0;
    if (l->octet && width > 1)
        add_octet(f, l, width);
    for (size_t i = 0; f->key_words && i < sizeof sorting_rungs / sizeof *sorting_rungs; i++)
        add_rung(f, l, &sorting_rungs[i], width);
    for (size_t i = 0; i < n; i++)
        add_rung(f, l, again ? &again_rungs[i] : &rungs[i], width);
    for (size_t i = 0; l->alone && i < sizeof last_rungs / sizeof *last_rungs; i++)
        add_rung(f, l, &last_rungs[i], width);
}

/* Have all whole axes the same length? Then one ladder serves them. */
static bool one_whole_extent(const Plan *p)
{
    for (int i = 1; whole_dim(p, i); i++)
        if (whole_dim(p, i)->extent != whole_dim(p, 0)->extent)
            return false;
    return true;
}

/* False after a report if whole axes of two lengths would have to stay in registers. */
static bool lengths_fit(const Plan *p, bool ladder, const char *why)
{
    if (ladder || !why)
        return true;
    error(p->kernel->function->pos, "E1103", "%s has whole axes of two lengths, and %s",
          p->kernel->function->symbol, why);
    help("loop over chunks of one of them");
    return false;
}

/* Is a row, of which a thread holds `held` elements a repeat, better read again after its reduction
   than held in registers? Not where there are two reductions: layernorm bf16 of 8192 columns 3464
   GB/s so, 3792 held. */
static bool reads_again(const Facts *f, int held)
{
    bool plain = !f->combines && !f->control && !f->changes_layout;
    return f->reductions == 1 && plain && f->whole_stores && whole_dim(f->plan, 0)->fast
        && f->vector * f->least_bytes == 16 && held == 1;
}

/* Adds the ladder, if there is one, and the streaming body, unless `why` forbids it. */
static void add_bodies(const Facts *f, bool ladder, const char *why)
{
    Ladder l = { .alone = why != NULL };
    const int threads = !ladder ? 256 : f->meeting ? 512 : 1024;
    if (ladder) {
        l.octet = octet_body(f);
        l.body[0] = whole_body(f, BODY_WARP, "warp", 32, &l.held[0]);
        l.body[1] = whole_body(f, BODY_BLOCK, "block", 1024, &l.held[1]);
        l.body[1]->rereads = reads_again(f, l.held[1]);
        share_block(f, l.body[0]);
    }
    Body *stream = why ? NULL : stream_body(f, threads);
    for (int width = f->vector; ; width = 1) {
        if (ladder)
            add_ladder(f, &l, width);
        if (stream)
            add_entry(f->plan, stream, stream->threads, 0, width, 0, "", 1);
        if (width == 1)
            break;
    }
}

/* The longest capacity of the entries of one width. */
static int64_t longest_of(const Plan *p, int width)
{
    int64_t most = 0;
    for (int i = 0; i < p->entries.n; i++)
        if (p->entries.at[i].width == width && p->entries.at[i].capacity > most)
            most = p->entries.at[i].capacity;
    return most;
}

/* Without a streaming body the longest rung is the limit: that of single elements, which takes
   every row, so that no length is taken only where rows are aligned. Lengths of 0 go to the rungs
   too. */
static void limit_length(Plan *p, const char *why)
{
    int kept = 0;
    p->longest = longest_of(p, 1);
    for (int i = 0; i < p->entries.n; i++) {
        Entry n = p->entries.at[i];
        bool reached = kept && p->entries.at[kept - 1].width == n.width
            && p->entries.at[kept - 1].capacity >= p->longest;
        n.at_least = 0;
        if (!reached)
            p->entries.at[kept++] = n;
    }
    p->entries.n = kept;
    p->longest_why = why;
}

typedef struct { const Plan *plan; bool bad; } Telling;

/* Reports an atomic whose old values along a whole axis one thread would have to tell others. */
static void check_old(Op *op, void *arg)
{
    Telling *t = arg;
    bool whole = false, twice = false;
    for (int a = 0; op->kind == OP_ATOMIC && op->nresults && a < op->args[1]->type.rank; a++)
        whole |= type_is_whole(&op->args[1]->type, a);
    for (int i = 0; whole && i < t->plan->bodies.n; i++)
        twice |= held_twice(t->plan->bodies.at[i], op);
    if (!twice)
        return;
    error(op->pos, "E0705", "several threads want what `%s` gives along a whole axis",
          atomic_names[op->atomic]);
    help("loop over chunks of a static size, or leave the old values alone");
    t->bad = true;
}

/* Can all old values stay in the threads that get them? False after a report. */
static bool old_values_stay(const Plan *p)
{
    Telling t = { p, false };
    ir_walk(p->kernel->body, check_old, &t);
    return !t.bad;
}

/* Plans a kernel with whole axes; false after a report. */
bool plan_whole(const Facts *f)
{
    Plan *p = f->plan;
    bool ladder = one_whole_extent(p);
    const char *why = why_not_streamed(f);
    p->whole = ladder ? whole_dim(p, 0)->extent : NULL;
    if (!lengths_fit(p, ladder, why))
        return false;
    add_bodies(f, ladder, why);
    if (!old_values_stay(p))
        return false;
    if (why && (p->entries.n == 0 || p->entries.at[p->entries.n - 1].width > 1)) {
        error(p->kernel->function->pos, "E1102", "no row length fits the registers and shared "
              "memory, and %s", why);
        help("make the tile sizes smaller, or loop over chunks");
        return false;
    }
    if (why)
        limit_length(p, why);
    return true;
}
