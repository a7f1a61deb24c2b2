/* fragments.c -- contractions on tensor cores: fragments of 16 by 16 from shared memory */
/* needs: operands in shared memory, results in pairs.  gives: CUDA C.  keeps: the plan.
 *
 * mma.sync multiplies 16 rows of a, 32 bytes of them long, with 8 columns of b. Which lane holds
 * what of them is given; ldmatrix brings it about, which reads four blocks of 8 rows of 16 bytes, a
 * row for each lane to point at, and gives each lane 4 bytes of a row: two f16, four i8. Rows of 16
 * bits that run along the other axis are turned on the way (.trans):
 *
 *         k 0..7  8..15                 a: lane l points at row l % 16, k (l / 16) * 8
 *     m  +-------+-------+
 *     0..7 | 0   |   2   |              b: as n k  n (l / 16) * 8 + l % 8, k (l / 8 % 2) * 8
 *     8..15| 1   |   3   |                 as k n  k l % 16, n (l / 16) * 8
 *        +-------+-------+
 *
 * What ldmatrix cannot turn, tf32, and f64, each lane reads by itself: l / 4 along the rows or
 * columns of the result, l % 4 along k. f8 becomes f16 in registers: of the four neighbours along k
 * that a lane has of each block, the first two go into one product of 16 and the last two into
 * another, on both sides alike. */
#include "contraction.h"

/* Does ldmatrix read it? */
bool read_as_matrices(const Staged *s)
{
    const int bytes = elem_info[s->elem].bytes;
    return bytes < 4 || (bytes == 4 && s->inner == s->k);
}

/* How far a product goes along k: 32 bytes of an operand, as it comes. */
int product_depth(Elem elem)
{
    return 32 / elem_info[elem].bytes;
}

/* Is it widened to f16 in registers? */
static bool is_widened(const Staged *s)
{
    return s->elem == EL_F8E4M3 || s->elem == EL_F8E5M2;
}

/* ---- where lanes read ------------------------------------------------------------------------ */

/* The place in a block of 16 along the free axis that a lane points at, in which row of the array
   and where in it. */
typedef struct { const char *row, *col; } Point;

/* Names where a lane points for ldmatrix: the row of its block, and the element where that begins;
   across: the blocks of the free axis follow each other last. */
static Point point_matrices(Emit *e, const Staged *s, bool across)
{
    const char *lane = e->body->threads > 32 ? arena_printf("%s %% 32", e->thread) : e->thread;
    const int n = 16 / elem_info[s->elem].bytes;
    Point p = { fresh(e, arena_printf("%s_row", s->base)),
                fresh(e, arena_printf("%s_col", s->base)) };
    if (across)
        line(e, "const int %s = %s / 16 * 8 + %s %% 8, %s = %s / 8 %% 2 * %d;", p.row, lane,
             e->thread, p.col, e->thread, n);
    else
        line(e, "const int %s = %s %% 16, %s = %s / 16 * %d;", p.row, e->thread, p.col, lane, n);
    return p;
}

/* Names where a lane reads single elements: at lane / 4 of the free axis and lane % 4 of k. */
static Point point_singles(Emit *e, const Staged *s)
{
    const bool turned = s->inner != s->k;
    const char *along = arena_printf("%s %% 4", e->thread);
    const char *free = arena_printf(e->body->threads > 32 ? "%s %% 32 / 4" : "%s / 4", e->thread);
    Point p = { fresh(e, arena_printf("%s_row", s->base)),
                fresh(e, arena_printf("%s_col", s->base)) };
    line(e, "const int %s = %s, %s = %s;", p.row, turned ? along : free, p.col,
         turned ? free : along);
    return p;
}

/* Names where a lane reads operand `side`. */
static Point point(Emit *e, const Staged *s, int side)
{
    const bool turned = s->inner != s->k;
    return read_as_matrices(s) ? point_matrices(e, s, side ? !turned : turned)
                               : point_singles(e, s);
}

/* n * text, or less where that says the same. */
static const char *times(int64_t n, const char *text)
{
    return n == 1 ? text : arena_printf("%lld * %s", (long long)n, text);
}

/* a + b + c, NULL: 0. */
static const char *sum_of(const char *a, const char *b, const char *c)
{
    const char *text = !a ? b : arena_printf("%s + %s", a, b);
    return c ? arena_printf("%s + %s", text, c) : text;
}

/* The element of the operand at which a lane points, and `more_at`, `more_k` beyond, NULL: 0; at:
   along the free axis, NULL: 0. */
static const char *pointed(const Staged *s, const Point *p, const char *at, const char *more_at,
                           const char *k, const char *more_k)
{
    const bool turned = s->inner != s->k;
    const char *row = turned ? sum_of(k, p->row, more_k) : sum_of(at, p->row, more_at);
    const char *col = turned ? sum_of(at, p->col, more_at) : sum_of(k, p->col, more_k);
    return arena_printf(row == p->row ? "%s[%s * %lld + %s]" : "%s[(%s) * %lld + %s]", s->name, row,
                        (long long)s->pitch, col);
}

/* ---- fragments ------------------------------------------------------------------------------- */

/* What one contraction is written with: operands, names, how its result lies. */
typedef struct {
    const Staged *a, *b;
    Point at_a, at_b;
    const char *k, *i, *j, *a_k, *b_k, *acc;
    int warps, slabs, blocks;                      /* warps along rows; slabs of 16 rows, blocks of
                                                      16 columns of each */
    const char *columns;                           /* where the warp's begin; NULL: at 0 */
    bool doubles, widened;                         /* f64; f8, in two products */
} Fragments;

/* The loop over the slabs of a warp, if it has several. */
static void open_slabs(Emit *e, const Fragments *f)
{
    if (f->slabs == 1)
        return;
    line(e, "#pragma unroll");
    open_block(e, "for (int %s = 0; %s < %d; %s++)", f->i, f->i, f->slabs, f->i);
}

/* The registers of one fragment, as they are declared. */
static const char *registers(const Fragments *f)
{
    return f->doubles ? "[2]" : f->widened ? "[2][4]" : "[4]";
}

/* Reads single elements into the registers of a fragment: those of a, and of f64, follow each other
   along the free axis first. */
static void read_singles(Emit *e, const Fragments *f, const Staged *s, const Point *p,
                         const char *into, const char *at)
{
    const char *r = fresh(e, "r");
    const char *outer = arena_printf("%s / 2", r), *inner = arena_printf("%s %% 2", r);
    const char *more = f->doubles ? r : s == f->a ? inner : outer;
    const char *more_k = f->doubles ? NULL : arena_printf("%s * 4", s == f->a ? outer : inner);
    const char *from = pointed(s, p, at, arena_printf("%s * 8", more), f->k, more_k);
    line(e, "#pragma unroll");
    line(e, "for (int %s = 0; %s < %d; %s++)", r, r, f->doubles ? 2 : 4, r);
    line(e, "    %s[%s] = %s;", into, r,
         f->doubles ? from : arena_printf("bit_cast<unsigned>(%s)", from));
}

/* Reads the fragment of 16 along the free axis from `at` on. */
static void read_fragment(Emit *e, const Fragments *f, const Staged *s, const Point *p,
                          const char *into, const char *at)
{
    const char *from = arena_printf("&%s", pointed(s, p, at, NULL, f->k, NULL));
    if (!read_as_matrices(s))
        read_singles(e, f, s, p, into, at);
    else if (is_widened(s))
        line(e, "ldmatrix_f8<%s>(%s, %s);", s->elem == EL_F8E4M3 ? "__NV_E4M3" : "__NV_E5M2", into,
             from);
    else
        line(e, "ldmatrix_x4%s(%s, %s);", s->inner == s->k ? "" : "_trans", into, from);
}

/* Reads the fragments of a: 16 rows for each slab. */
static void read_a(Emit *e, const Fragments *f)
{
    const char *slab = f->slabs == 1 ? NULL : times(16 * f->warps, f->i);
    const char *warp = f->warps == 1 ? NULL
        : f->columns ? arena_printf("%s / 32 %% %d * 16", e->thread, f->warps)
                     : arena_printf("%s / 32 * 16", e->thread);
    const char *first = !slab ? warp : !warp ? slab : arena_printf("%s + %s", slab, warp);
    const char *type = f->doubles ? "double" : "unsigned";
    const char *slabs = f->slabs == 1 ? "" : arena_printf("[%d]", f->slabs);
    line(e, "%s %s%s%s;", type, f->a_k, slabs, registers(f));
    open_slabs(e, f);
    read_fragment(e, f, f->a, &f->at_a,
                  f->slabs == 1 ? f->a_k : arena_printf("%s[%s]", f->a_k, f->i), first);
    if (f->slabs > 1)
        close_block(e, "");
}

/* ---- products -------------------------------------------------------------------------------- */

/* The tensor core's product for the elements of the operands. */
static const char *product_name(const Fragments *f)
{
    switch (f->a->elem) {
    case EL_BF16: return "mma_bf16";
    case EL_TF32: return "mma_tf32";
    case EL_F64:  return "mma_f64";
    case EL_I8:   return f->b->elem == EL_I8 ? "mma_s8" : "mma_s8_u8";
    case EL_U8:   return f->b->elem == EL_U8 ? "mma_u8" : "mma_u8_s8";
    default:      return "mma_f16";                /* f8 was widened */
    }
}

/* Multiplies a slab with 8 of 16 columns of b; part: of two along k, "" if it is one. */
static void multiply_half(Emit *e, const Fragments *f, int half, const char *part)
{
    const char *upper = f->slabs == 1 ? "0" : arena_printf("2 * %s", f->i);
    const char *lower = f->slabs == 1 ? "1" : arena_printf("2 * %s + 1", f->i);
    const char *a_k = f->slabs == 1 ? f->a_k : arena_printf("%s[%s]", f->a_k, f->i);
    const char *col = arena_printf(half ? "2 * %s + 1" : "2 * %s", f->j), *mma = product_name(f);
    for (int r = 0; r < 2 && f->doubles; r++)
        line(e, "%s(%s[%s][%s], %s[%d], %s[%d]);", mma, f->acc, r ? lower : upper, col, a_k, r,
             f->b_k, half);
    if (!f->doubles)
        line(e, "%s(%s[%s][%s], %s[%s][%s], %s%s, %s%s[%d], %s%s[%d]);", mma, f->acc, upper, col,
             f->acc, lower, col, a_k, part, f->b_k, part, 2 * half, f->b_k, part, 2 * half + 1);
}

/* Multiplies the slabs with 16 columns of b, 8 at a time. */
static void multiply(Emit *e, const Fragments *f)
{
    open_slabs(e, f);
    for (int part = 0; part < (f->widened ? 2 : 1); part++)
        for (int half = 0; half < 2; half++)
            multiply_half(e, f, half, !f->widened ? "" : part ? "[1]" : "[0]");
    if (f->slabs > 1)
        close_block(e, "");
}

/* The loop along k, by the depth of a product. */
static void write_loop(Emit *e, const Fragments *f, int64_t extent, int depth)
{
    enum { PRODUCTS = 64 };                        /* in a row: more takes nvcc long */
    const int each = (f->widened || f->doubles ? 4 : 2) * f->slabs * f->blocks;
    const int steps = each < PRODUCTS ? PRODUCTS / each : 1;
    line(e, steps < extent / depth ? "#pragma unroll %d" : "#pragma unroll", steps);
    open_block(e, "for (int %s = 0; %s < %lld; %s += %d)", f->k, f->k, (long long)extent, f->k,
               depth);
    read_a(e, f);
    line(e, "#pragma unroll");
    open_block(e, "for (int %s = 0; %s < %d; %s++)", f->j, f->j, f->blocks, f->j);
    line(e, "%s %s%s;", f->doubles ? "double" : "unsigned", f->b_k, registers(f));
    const char *block = times(16, f->j);
    if (f->columns)
        block = f->blocks == 1 ? f->columns : arena_printf("%s + %s", f->columns, block);
    read_fragment(e, f, f->b, &f->at_b, f->b_k, block);
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
                    .slabs = rows->repeats / 2, .blocks = cols->repeats / 2 };
    const int depth = product_depth(f.a->elem);
    if (cols->groups)
        f.columns = arena_printf("%s / %d * %d", e->thread, cols->group, 16 * f.blocks);
    f.doubles = f.a->elem == EL_F64, f.widened = is_widened(f.a);
    f.at_a = point(e, f.a, 0), f.at_b = point(e, f.b, 1);
    const int scope = e->names.used.n;             /* those stay taken in this block */
    f.k = fresh(e, "k"), f.i = fresh(e, "i"), f.j = fresh(e, "j");
    f.a_k = fresh(e, arena_printf("%s_%s", f.a->base, f.k));
    f.b_k = fresh(e, arena_printf("%s_%s", f.b->base, f.k));
    line(e, "// for each %d %s: this warp's rows of %s times %s columns of %s, on tensor cores",
         depth, f.k, f.a->base, f.columns ? "its" : "the", f.b->base);
    write_loop(e, &f, contracted(op), depth);
    e->names.used.n = scope;
}
