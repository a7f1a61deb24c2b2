/* plan_mma.c -- the body of a kernel that contracts: a rectangle of each result for each thread */
/* needs: Facts.  gives: a Body, or a report.  keeps: the IR, the Dims. */
#include "contraction.h"

/* The extent along k. */
int64_t contracted(const Op *mma)
{
    const Type *a = &mma->args[0]->type;
    return type_extent(a, a->rank - 1);
}

/* ---- what a body costs ----------------------------------------------------------------------- */

typedef struct { const Body *body; int64_t steps; int words; int64_t results, operands; } Cost;

/* Elements that a thread reads of one operand for each k: what it holds of the result, seen from
   one side. */
static int64_t seen_from(const Body *b, const Op *mma, int side)
{
    Value part = *mma->results[0];
    ValueMap map = *map_of(&part);
    map.dim[part.type.rank - (side ? 2 : 1)] = NULL;
    part.plan = &map;
    return elements_held(b, &part);
}

/* Adds what one contraction takes of each thread: products and reads, registers for one k. */
static void add_cost(Op *op, void *arg)
{
    Cost *c = arg;
    if (op->kind != OP_MMA)
        return;
    const int64_t a = seen_from(c->body, op, 0), b = seen_from(c->body, op, 1);
    const int64_t held = elements_held(c->body, op->results[0]);
    const int wider = mma_computes(op) != op->results[0]->type.elem;
    const int64_t words = a + b + wider * held;
    c->steps += contracted(op) * (held + a + b);
    c->words = words > c->words ? (int)words : c->words;
}

/* Elements of a tile, which has static extents. */
static int64_t elements(const Type *t)
{
    int64_t n = 1;
    for (int a = 0; a < t->rank; a++)
        n *= type_extent(t, a);
    return n;
}

/* The largest result, and the largest operand. */
static void measure(Op *op, void *arg)
{
    Cost *c = arg;
    if (op->kind != OP_MMA)
        return;
    const int64_t r = elements(&op->results[0]->type);
    c->results = r > c->results ? r : c->results;
    for (int i = 0; i < 2; i++) {
        const int64_t n = elements(&op->args[i]->type);
        c->operands = n > c->operands ? n : c->operands;
    }
}

/* Bytes of registers that a tile takes in a thread. */
static int tile_weight(const Emit *e, const Value *v)
{
    int64_t n = elements_held(e->body, v) * elem_info[v->type.elem].bytes;
    return v->type.rank == 0 ? 0 : n < 1 << 20 ? (int)n : 1 << 20;
}

/* The same where elements are gathered: one by one they take a register each. */
static int gathered_weight(const Emit *e, const Value *v)
{
    int bytes = elem_info[v->type.elem].bytes;
    return tile_weight(e, v) * (bytes < 4 ? 4 / bytes : 1);
}

/* Words of registers that a thread needs for tiles at once. */
static int words_needed(const Facts *f, const Body *b, int step)
{
    Emit e = { .plan = f->plan, .k = f->plan->kernel, .body = b };
    return (live_weight(&e, f->gathers ? gathered_weight : tile_weight) + 3) / 4 + step;
}

/* ---- spreads --------------------------------------------------------------------------------- */

/* Marks the spaces of results. */
static void mark_spaces(Op *op, void *arg)
{
    bool *marked = arg;
    const Value *r = op->kind == OP_MMA ? op->results[0] : NULL;
    for (int a = 0; r && a < r->type.rank; a++)
        if (map_of(r)->dim[a])
            marked[map_of(r)->dim[a]->space] = true;
}

/* Spreads all Dims over `threads`; at most `columns` of them along the fast Dims of results, so
   that several results over the same rows need no copies. */
static void spread_all(const Facts *f, Body *b, int threads, int columns)
{
    const Plan *p = f->plan;
    bool *marked = new_array(bool, p->dims.n + 1);
    ir_walk(p->kernel->body, mark_spaces, marked);
    for (int i = 0; i < p->dims.n; i++)
        b->spread.at[i] = (Spread){ .threads = 1, .vector = 1, .repeats = 1 };
    for (int fast = 1; fast >= 0; fast--)
        for (int i = p->dims.n - 1; i >= 0; i--) {
            const Dim *d = p->dims.at[i];
            if (d->fast == fast)
                spread_static(f, b, d, threads, fast && marked[d->space] ? columns : threads);
        }
}

/* What the body costs, spread so. */
static Cost cost_of(const Facts *f, Body *b, int threads, int columns)
{
    Cost c = { .body = b };
    spread_all(f, b, threads, columns);
    ir_walk(f->plan->kernel->body, add_cost, &c);
    return c;
}

/* Spreads over `threads` with the number of threads along columns that costs least; the most of
   equals, since their accesses are longest. Words that a thread needs. */
static int spread_best(const Facts *f, Body *b, int threads)
{
    int best = 0;
    int64_t least = 0;
    for (int columns = 32; columns >= 1; columns /= 2) {
        const Cost c = cost_of(f, b, threads, columns);
        if (!best || c.steps < least)
            best = columns, least = c.steps;
    }
    const Cost c = cost_of(f, b, threads, best);
    return words_needed(f, b, c.words);
}

/* Threads to begin with: each about 16 elements of a result, and 32 of an operand on its way to
   shared memory. */
static int first_threads(const Facts *f)
{
    Cost c = { 0 };
    ir_walk(f->plan->kernel->body, measure, &c);
    const int64_t by_result = c.results / 16, by_operand = c.operands / 32;
    const int64_t want = power_above(by_result > by_operand ? by_result : by_operand);
    return want < 32 ? 32 : want > 256 ? 256 : (int)want;
}

/* False after a report if the registers of so many threads cannot hold the tiles. */
static bool registers_fit(const Facts *f, int words, int threads)
{
    const Function *function = f->plan->kernel->function;
    if (words <= 2 * word_budget(threads, 4))
        return true;
    error(function->pos, "E1102", "the tiles of %s need about %d registers in each of %d threads; "
          "there are %d", function->symbol, words, threads, word_budget(threads, 4));
    help("make the tile sizes smaller, or loop over chunks of the tile");
    return false;
}

/* Words for tiles beyond which more threads are better. Of gathered ones every register is counted,
   so that no reserve is needed. */
static int room_of(const Facts *f, int threads)
{
    return f->gathers ? word_budget(threads, 4) : word_budget(threads, 4) * 3 / 4;
}

/* Plans the one body of a kernel that contracts: more threads where registers would not do; NULL
   after a report. */
Body *plan_contractions(const Facts *f)
{
    Body *b = new_body(f->plan, BODY_TILE, "tile");
    const int wish = hint_of(f->plan->kernel, "threads");
    int threads = wish >= 1 && wish <= 1024 ? (int)power_above(wish) : first_threads(f);
    int words = spread_best(f, b, threads);
    while (wish < 1 && threads < 1024 && words > room_of(f, threads)) {
        threads *= 2;
        words = spread_best(f, b, threads);
    }
    return registers_fit(f, words, threads) ? b : NULL;
}

/* ---- tensor cores ---------------------------------------------------------------------------- */

/* How the warps of a program share results: along rows, in slabs of 16, and along columns, in
   pieces of whole blocks of 16. */
typedef struct { int rows, columns; } Grid;

/* Sets *arg, a bool, if op reduces along a side of a result. */
static void note_reduced_side(Op *op, void *arg)
{
    bool *any = arg;
    for (int a = 0; op->kind == OP_REDUCE && a < op->args[0]->type.rank; a++) {
        const Dim *d = map_of(op->args[0])->dim[a];
        *any |= d && op->reduce_axes >> a & 1 && d->side;
    }
}

/* Can results be dealt so? Pairs are vectors of the fast Dim. */
static bool grid_divides(const Plan *p, Grid g)
{
    for (int i = 0; i < p->dims.n; i++) {
        const Dim *d = p->dims.at[i];
        if (d->side == TENSOR_COLS && !d->fast)
            return false;
        const int parts = d->side == TENSOR_ROWS ? g.rows : d->side == TENSOR_COLS ? g.columns : 0;
        if (parts && static_extent(d) % (16 * parts) != 0)
            return false;
    }
    return true;
}

typedef struct { Grid grid; int64_t rows; } Reads;

/* Adds the rows and columns of operands that a warp reads for one k of a contraction. */
static void add_reads(Op *op, void *arg)
{
    Reads *all = arg;
    if (op->kind != OP_MMA)
        return;
    const Type *t = &op->results[0]->type;
    all->rows += type_extent(t, t->rank - 2) / all->grid.rows
                 + type_extent(t, t->rank - 1) / all->grid.columns;
}

/* The grid of so many warps of which each reads least; of equals the one with most warps along
   rows, since it has the fewest slabs in registers. No rows: there is none. Reductions along a
   result want its columns in one warp. */
static Grid best_grid(const Plan *p, int warps)
{
    Grid best = { 0, 0 };
    int64_t least = 0;
    bool reduced = false;
    ir_walk(p->kernel->body, note_reduced_side, &reduced);
    for (int columns = 1; columns <= (reduced ? 1 : warps); columns *= 2) {
        Reads reads = { { warps / columns, columns }, 0 };
        if (!grid_divides(p, reads.grid))
            continue;
        ir_walk(p->kernel->body, add_reads, &reads);
        if (!best.rows || reads.rows < least)
            best = reads.grid, least = reads.rows;
    }
    return best;
}

/* The most warps, a power of two, that all results can be dealt to. */
static int most_warps(const Plan *p)
{
    int warps = 8;
    while (warps > 1 && !best_grid(p, warps).rows)
        warps /= 2;
    return warps;
}

/* How one Dim of a result is spread. */
static Spread spread_side(const Dim *d, Grid g)
{
    const int n = (int)static_extent(d);
    if (d->side == TENSOR_ROWS)
        return (Spread){ .threads = 8 * g.rows, .shift = 2, .vector = 1,
                         .repeats = n / (8 * g.rows), .pair = 8 };
    Spread s = { .threads = 4, .vector = 2, .repeats = n / (8 * g.columns), .pair = 1 };
    if (g.columns > 1)
        s.groups = g.columns, s.group = 32 * g.rows;
    return s;
}

/* Spreads the results over a grid of warps, and all else over their threads. */
static void spread_fragments(const Facts *f, Body *b, Grid g)
{
    const Plan *p = f->plan;
    const int threads = 32 * g.rows * g.columns;
    for (int i = 0; i < p->dims.n; i++)
        b->spread.at[i] = p->dims.at[i]->side
                              ? spread_side(p->dims.at[i], g)
                              : (Spread){ .threads = 1, .vector = 1, .repeats = 1 };
    for (int fast = 1; fast >= 0; fast--)
        for (int i = p->dims.n - 1; i >= 0; i--) {
            const Dim *d = p->dims.at[i];
            if (d->fast == fast && !d->side)
                spread_static(f, b, d, threads, threads);
        }
}

/* Plans the one body of a kernel whose contractions are made on tensor cores; NULL if the registers
   of its warps cannot hold the tiles. Four warps read each operand less often than eight do. */
Body *plan_tensor(const Facts *f)
{
    enum { EASY = 152, MOST = 184, FRAGMENTS = 16 };   /* of 255 registers; those for operands */
    Body *b = new_body(f->plan, BODY_TILE, "tile");
    const int most = most_warps(f->plan), hint = hint_of(f->plan->kernel, "threads") / 32;
    const int64_t wish = power_above(hint >= 1 ? hint : 4);
    int warps = wish < most ? (int)wish : most;
    for (; warps <= most && best_grid(f->plan, warps).rows; warps *= 2) {
        spread_fragments(f, b, best_grid(f->plan, warps));
        const int words = words_needed(f, b, FRAGMENTS);
        if (words <= (warps < most && hint < 1 ? EASY : MOST))
            return b;
    }
    f->plan->bodies.n = 0;
    return NULL;
}

/* Numbers the programs in groups of 8 rows, unless the kernel says how: those that run at one time
   share more of their operands in the L2 cache (H200, bf16 8192^3: 785 TFLOP/s, 667 without). */
static void group_programs(Kernel *k)
{
    if (k->axes.n >= 2 && !attr_of(&k->attrs, "group") && !attr_of(&k->attrs, "order"))
        push(&k->attrs, ((Attr){ .name = name_of("group"), .pos = k->function->pos, .value = 8 }));
}

/* Do two blocks fit a multiprocessor, by the registers of their results? */
bool shares_multiprocessor(const Plan *p, const Body *b)
{
    int64_t held = 0;
    for (const Op *op = p->ring->region[0]->first; op; op = op->next)
        if (op->kind == OP_MMA)
            held += elements_held(b, op->results[0]) * (is_promoted(p, op) ? 2 : 1);
    return !b->turns && held <= 64;
}

/* Does any contraction need sums of its own for a round? */
static bool any_promoted(const Plan *p)
{
    bool any = false;
    for (const Op *op = p->ring->region[0]->first; op; op = op->next)
        any |= op->kind == OP_MMA && is_promoted(p, op);
    return any;
}

/* Words of such sums in a thread. */
static int promoted_words(const Plan *p, const Body *b)
{
    int words = 0;
    for (const Op *op = p->ring->region[0]->first; op; op = op->next)
        if (op->kind == OP_MMA && is_promoted(p, op))
            words += (int)elements_held(b, op->results[0]);
    return words;
}

/* Spreads the results over so many warps, all along rows; do registers hold the tiles? */
static bool spread_wgmma(const Facts *f, Body *b, int warps)
{
    enum { MOST = 176, OTHERS = 16 };              /* of 232 registers; those for descriptors */
    b->threads = 32 * warps;
    spread_fragments(f, b, (Grid){ warps, 1 });
    return words_needed(f, b, OTHERS + promoted_words(f->plan, b)) <= MOST;
}

/* Plans the body for sm_90a, whose operands are boxes; NULL if the kernel can have none. Where four
   warps hold a program's tiles two groups of four take turns: one stores its result while the other
   multiplies (H200, bf16 4096^3, tiles of 128x128: see bench/results). */
Body *plan_boxes(const Facts *f)
{
    Plan *p = f->plan;
    if (!find_boxes(p))
        return NULL;
    Body *b = new_body(p, BODY_TILE, "sm90a");
    b->boxes = true;
    b->turns = !any_promoted(p) && spread_wgmma(f, b, 4) && ring_rooms(p, b) >= 3;
    const bool planned = b->turns
        || (grid_divides(p, (Grid){ 8, 1 }) && spread_wgmma(f, b, 8)) || spread_wgmma(f, b, 4);
    if (!planned) {
        p->bodies.n--;
        return NULL;
    }
    /* A multiprocessor has 168 registers for each of 384 threads; those who ask need few. */
    b->askers = b->turns || (b->threads == 256 && !shares_multiprocessor(p, b)) ? 128 : 32;
    group_programs(p->kernel);
    return b;
}
