/* fragments.c -- contractions on tensor cores: fragments of 16 by 16 from shared memory */
/* needs: operands in shared memory, results in pairs.  gives: CUDA C.  keeps: the plan.
 *
 * mma.sync multiplies 16 rows of a, 16 long, with 8 columns of b. Which lane holds what of them is
 * given; ldmatrix brings it about, which reads four blocks of 8 rows of 16 bytes, a row for each
 * lane to point at, and gives each lane two neighbours of a row. Rows that run along the other axis
 * are turned on the way (.trans):
 *
 *         k 0..7  8..15                 a: lane l points at row l % 16, k (l / 16) * 8
 *     m  +-------+-------+
 *     0..7 | 0   |   2   |              b: as n k  n (l / 16) * 8 + l % 8, k (l / 8 % 2) * 8
 *     8..15| 1   |   3   |                 as k n  k l % 16, n (l / 16) * 8
 *        +-------+-------+                                                                       */
#include "mapping.h"

/* The places in a block of 16 by 16 that a lane points at, along the rows that ldmatrix reads and
   across them: the blocks follow each other along the one or the other first. */
typedef struct { const char *row, *col; } Point;

/* Names where a lane points: the row of its block, and the element where that begins. */
static Point point(Emit *e, const Staged *s, bool across)
{
    const char *lane = e->body->threads > 32 ? arena_printf("%s %% 32", e->thread) : e->thread;
    Point p = { fresh(e, arena_printf("%s_row", s->base)),
                fresh(e, arena_printf("%s_col", s->base)) };
    line(e, across ? "const int %s = %s / 16 * 8 + %s %% 8, %s = %s / 8 %% 2 * 8;"
                   : "const int %s = %s %% 16, %s = %s / 16 * 8;",
         p.row, across ? lane : e->thread, across ? e->thread : p.col, across ? p.col : lane,
         lane);
    return p;
}

/* The tensor core's product for the elements of the operands. */
static const char *product_name(Elem elem)
{
    return elem == EL_F16 ? "mma_f16" : "mma_bf16";
}

/* n * text, or less where that says the same. */
static const char *times(int64_t n, const char *text)
{
    return n == 1 ? text : arena_printf("%lld * %s", (long long)n, text);
}

/* The element of the operand at which a lane points; at: along the free axis, NULL: 0. */
static const char *pointed(const Staged *s, const Point *p, const char *at, const char *k)
{
    const bool turned = s->inner != s->k;
    const char *outer = turned ? k : at, *inner = turned ? at : k;
    const char *row = outer ? arena_printf("(%s + %s)", outer, p->row) : p->row;
    const char *col = inner ? arena_printf("%s + %s", inner, p->col) : p->col;
    return arena_printf("&%s[%s * %lld + %s]", s->name, row, (long long)s->pitch, col);
}

/* What one contraction is written with: operands, names, how its result lies. */
typedef struct {
    const Staged *a, *b;
    const char *k, *i, *j, *a_k, *b_k, *acc, *mma;
    int warps, slabs, blocks;                      /* slabs of 16 rows, blocks of 16 columns */
} Fragments;

/* The loop over the slabs of a warp, if it has several. */
static void open_slabs(Emit *e, const Fragments *f)
{
    if (f->slabs == 1)
        return;
    line(e, "#pragma unroll");
    open_block(e, "for (int %s = 0; %s < %d; %s++)", f->i, f->i, f->slabs, f->i);
}

/* Reads the fragments of a: 16 rows for each slab. */
static void read_a(Emit *e, const Fragments *f, const Point *at)
{
    const char *turn = f->a->inner == f->a->k ? "" : "_trans";
    const char *slab = f->slabs == 1 ? NULL : times(16 * f->warps, f->i);
    const char *warp = f->warps == 1 ? NULL : arena_printf("%s / 32 * 16", e->thread);
    const char *first = !slab ? warp : !warp ? slab : arena_printf("%s + %s", slab, warp);
    line(e, f->slabs == 1 ? "unsigned %s[4];" : "unsigned %s[%d][4];", f->a_k, f->slabs);
    open_slabs(e, f);
    line(e, "ldmatrix_x4%s(%s%s, %s);", turn, f->a_k,
         f->slabs == 1 ? "" : arena_printf("[%s]", f->i), pointed(f->a, at, first, f->k));
    if (f->slabs > 1)
        close_block(e, "");
}

/* Multiplies the slabs with 16 columns of b, 8 at a time. */
static void multiply(Emit *e, const Fragments *f)
{
    const char *upper = f->slabs == 1 ? "0" : arena_printf("2 * %s", f->i);
    const char *lower = f->slabs == 1 ? "1" : arena_printf("2 * %s + 1", f->i);
    const char *slab = f->slabs == 1 ? "" : arena_printf("[%s]", f->i);
    open_slabs(e, f);
    for (int half = 0; half < 2; half++) {
        const char *col = arena_printf(half ? "2 * %s + 1" : "2 * %s", f->j);
        line(e, "%s(%s[%s][%s], %s[%s][%s], %s%s, %s[%d], %s[%d]);", f->mma, f->acc, upper, col,
             f->acc, lower, col, f->a_k, slab, f->b_k, 2 * half, f->b_k, 2 * half + 1);
    }
    if (f->slabs > 1)
        close_block(e, "");
}

/* The loop over 16 steps of k at once. */
static void write_loop(Emit *e, const Fragments *f, const Point *at_a, const Point *at_b,
                       int64_t extent)
{
    enum { PRODUCTS = 64 };                        /* in a row: more takes nvcc long */
    const int each = 2 * f->slabs * f->blocks, steps = each < PRODUCTS ? PRODUCTS / each : 1;
    line(e, steps < extent / 16 ? "#pragma unroll %d" : "#pragma unroll", steps);
    open_block(e, "for (int %s = 0; %s < %lld; %s += 16)", f->k, f->k, (long long)extent, f->k);
    read_a(e, f, at_a);
    line(e, "#pragma unroll");
    open_block(e, "for (int %s = 0; %s < %d; %s++)", f->j, f->j, f->blocks, f->j);
    line(e, "unsigned %s[4];", f->b_k);
    line(e, "ldmatrix_x4%s(%s, %s);", f->b->inner == f->b->k ? "" : "_trans", f->b_k,
         pointed(f->b, at_b, times(16, f->j), f->k));
    multiply(e, f);
    close_block(e, "");
    close_block(e, "");
}

/* Adds the products to the accumulator. */
void write_fragments(Emit *e, const Op *op, const Value *acc)
{
    const Value *r = op->results[0];
    const Spread *rows = spread_of(e, map_of(r)->dim[r->type.rank - 2]);
    const Spread *cols = spread_of(e, map_of(r)->dim[r->type.rank - 1]);
    Fragments f = { .a = staged_of(e, op, 0), .b = staged_of(e, op, 1),
                    .acc = map_of(acc)->name, .warps = rows->threads / 8,
                    .slabs = rows->repeats / 2, .blocks = cols->repeats / 4 };
    const Point at_a = point(e, f.a, f.a->inner != f.a->k);
    const Point at_b = point(e, f.b, f.b->inner == f.b->k);
    const int scope = e->names.used.n;             /* those stay taken in this block */
    f.k = fresh(e, "k"), f.i = fresh(e, "i"), f.j = fresh(e, "j");
    f.a_k = fresh(e, arena_printf("%s_%s", f.a->base, f.k));
    f.b_k = fresh(e, arena_printf("%s_%s", f.b->base, f.k));
    f.mma = product_name(f.a->v->type.elem);
    line(e, "// for each 16 %s: this warp's rows of %s times the columns of %s, on tensor cores",
         f.k, f.a->base, f.b->base);
    write_loop(e, &f, &at_a, &at_b, contracted(op));
    e->names.used.n = scope;
}
