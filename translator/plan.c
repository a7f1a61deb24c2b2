/* plan.c -- the bodies of a kernel: threads a program, repeats a thread, entries */
/* needs: valid IR with valid parts.  gives: a Plan.  keeps: what the program means. */
#include "contraction.h"

/* ---- tiles of static extents ----------------------------------------------------------------- */

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

/* Threads for a program: about four accesses of 16 bytes each, more where registers would
   not do; without a reduction one access, up to 512 threads (vecadd on an H200: 4388 GB/s
   with one, 4350 with four). */
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
    int wish = hint_of(f->plan->kernel, "threads");
    return wish >= 1 && wish <= 1024 ? (int)power_above(wish) : (int)threads;
}

/* False after a report if the registers of so many threads cannot hold tiles of n elements. */
static bool registers_fit(const Facts *f, int64_t n, int threads)
{
    const Function *function = f->plan->kernel->function;
    if (n / threads * f->live <= 8 * word_budget(threads, 4))
        return true;
    error(function->pos, "E1102",
          "the tiles of %s need about %lld registers in each of %d "
          "threads; there are %d",
          function->symbol, (long long)(n / threads * f->live / 4), threads,
          word_budget(threads, 4));
    help("make the tile sizes smaller, or loop over chunks of the tile");
    return false;
}

/* Spreads all Dims over so many threads, the fast ones first. */
static void spread_tile(const Facts *f, Body *b, int threads)
{
    for (int i = 0; i < b->spread.n; i++)
        b->spread.at[i] = (Spread){ .threads = 1, .vector = 1, .repeats = 1 };
    spread_statics(f, b, true, threads, threads);
    spread_statics(f, b, false, threads, threads);
}

/* The entry of a body with boxes. */
static void add_boxes_entry(const Facts *f, const Body *b)
{
    const int groups = b->turns ? 2 : 1;
    Entry e = { .body = b, .symbol = b->name, .threads = b->threads * groups + b->askers,
                .programs = 1, .width = f->vector,
                .blocks = shares_multiprocessor(f->plan, b) ? 2 : 1 };
    push(&f->plan->entries, e);
}

/* Plans a kernel whose tiles are all of static extents; false after a report. */
static bool plan_tiles(const Facts *f)
{
    Plan *p = f->plan;
    int64_t n = elements(p);
    int threads = tile_threads(f, n);
    if (!f->contractions && !registers_fit(f, n, threads))
        return false;
    Body *b = p->tensor ? p->bodies.at[0]
            : f->contractions ? plan_contractions(f) : new_body(p, BODY_TILE, "tile");
    if (!b)
        return false;
    if (!f->contractions)
        spread_tile(f, b, threads);
    if (!f->contractions && threads_used(b) < threads
        && n / threads_used(b) * f->live > word_budget(threads, 4)) {
        b->keeps = false;
        spread_tile(f, b, threads);
    }
    int used = threads_used(b);
    b->threads = f->control && used < 32 ? 32 : used;
    share_block(f, b);
    const Body *boxes = p->tensor && b->programs == 1 ? plan_boxes(f) : NULL;
    if (boxes)
        add_boxes_entry(f, boxes);
    if (f->vector > 1)
        add_entry(p, b, b->threads, 0, f->vector, 0, "", b->programs);
    /* Products of 16 bits whose rows lie at multiples of 8 bytes: one element at a time is 15 times
       slower (H200, 4096 x 4096 x 4100). */
    p->halves = boxes && f->vector == 8;
    if (p->halves)
        add_entry(p, b, b->threads, 0, 4, 0, "_vectors_4", b->programs);
    add_entry(p, b, b->threads, 0, 1, 0, "", b->programs);
    return true;
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* Chooses the bodies of a kernel and its entries; NULL after a report. */
Plan *plan_kernel(Kernel *k)
{
    Plan *p = new(Plan);
    p->kernel = k;
    take_pieces(k);
    delay_gathers(k);
    layout(p, true);
    Facts f = learn_facts(p);
    if (p->tensor && !plan_tensor(&f)) {           /* results are too large for so few warps */
        drop_relayouts(k);
        layout(p, false);
        p->vectors.n = 0;
        f = learn_facts(p);
    }
    if (!(whole_dim(p, 0) ? plan_whole(&f) : plan_tiles(&f)))
        return NULL;
    follow_hints(p);
    return p;
}

/* Prints a plan, one Dim, body or entry a line. */
void plan_dump(FILE *out, const Plan *p)
{
    fprintf(out, "kernel %s%s\n", p->kernel->function->symbol, p->kernel->suffix);
    for (int i = 0; i < p->dims.n; i++)
        fprintf(out, "    dim %d %s: %s%s, space %d\n", i, p->dims.at[i]->name,
                sym_text(p->dims.at[i]->extent), p->dims.at[i]->fast ? ", fast" : "",
                p->dims.at[i]->space);
    for (int i = 0; i < p->bodies.n; i++) {
        const Body *b = p->bodies.at[i];
        fprintf(out, "    body %s: %d threads, %d programs a block\n", b->name, b->threads,
                b->programs);
        for (int j = 0; j < b->spread.n; j++)
            fprintf(out, "        dim %d: %d threads at bit %d, vector %d, repeats %d%s\n", j,
                    b->spread.at[j].threads, b->spread.at[j].shift, b->spread.at[j].vector,
                    b->spread.at[j].repeats, b->spread.at[j].loops ? " in a loop" : "");
    }
    for (int i = 0; i < p->entries.n; i++) {
        const Entry *n = &p->entries.at[i];
        fprintf(out, "    entry %s: %d threads, width %d, vecs %d, capacity %lld\n", n->symbol,
                n->threads, n->width, n->vecs, (long long)n->capacity);
    }
}
