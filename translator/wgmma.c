/* wgmma.c -- contractions on sm_90a: four warps multiply 64 rows at once, from shared memory */
/* needs: operands as boxes, results in pairs.  gives: CUDA C.  keeps: the plan.
 *
 * A descriptor names a tile: where it begins, and how far its parts lie apart, swizzled as TMA left
 * it. Rows of 64 elements may run along k, so that 16 of k are 32 bytes further in the row, or
 * along the other axis (turned): then 16 of k are 16 rows further, and 64 elements are a box. */
#include "contraction.h"

/* An operand as wgmma reads it. */
typedef struct { const Staged *s; bool turned; int64_t k; } Side;

/* n * text, or less where that says the same; NULL for 0. */
static const char *times(int64_t n, const char *text)
{
    return n == 1 ? text : arena_printf("%lld * %s", (long long)n, text);
}

/* Both, or the one that is there. */
static const char *plus(const char *a, const char *b)
{
    return !a ? b : !b ? a : arena_printf("%s + %s", a, b);
}

/* Where the tile of 32 bytes of k begins whose rows begin with 64 times `slab`; NULL: with the
   first. */
static const char *tile_text(const Side *side, const char *k, const char *slab)
{
    const Staged *s = side->s;
    const int width = box_width(s->elem);
    const char *at = side->turned ? times(width, k)
                   : side->k == width ? k
                   : arena_printf("%s / %d * %lld + %s %% %d", k, width,
                                  (long long)s->box->rows * width, k, width);
    const int64_t slab_size = side->turned ? side->k * width : 64 * width;
    if (slab)
        at = plus(arena_printf("%lld * %s", (long long)slab_size, slab), at);
    return arena_printf("wgmma_tile(&%s[%s], %lld, 1024)", s->name, at,
                        side->turned ? (long long)side->k * 128 : 16);
}

/* Which 64 rows this warp's share: of slab i, and of its four warps. */
static const char *slab_text(const Emit *e, int groups, int slabs, const char *i)
{
    const char *group = groups > 1 ? arena_printf("%s / 128", e->thread) : NULL;
    const char *slab = slabs > 1 ? times(groups, i) : NULL;
    const char *text = plus(slab, group);
    return group || groups > 1 ? arena_printf("(%s)", text) : text;
}

/* wgmma_bf16_n128<0, 1>: which function multiplies; rows of 16 bits may be turned. */
static const char *function_text(const Side *a, const Side *b, int64_t columns)
{
    const Elem elem = a->s->elem;
    const char *type = elem == EL_F8E4M3 ? "e4m3" : elem == EL_F8E5M2 ? "e5m2"
                     : elem_info[elem].name;
    const char *name = arena_printf("wgmma_%s_n%lld", type, (long long)columns);
    return elem_info[elem].bytes == 2 ? arena_printf("%s<%d, %d>", name, a->turned, b->turned)
                                      : name;
}

/* The products of one round, added to `sums`; fresh_sums: the first of them sets those. */
static void write_products(Emit *e, const Op *op, const char *sums, bool fresh_sums)
{
    const Type *r = &op->results[0]->type;
    const int groups = e->body->threads / 128, depth = 32 / elem_info[op->args[0]->type.elem].bytes;
    const int slabs = (int)type_extent(r, r->rank - 2) / 64 / groups;
    Side a = { .s = staged_of(e, op, 0), .k = contracted(op) };
    Side b = { .s = staged_of(e, op, 1), .k = contracted(op) };
    a.turned = a.s->inner != a.s->k, b.turned = b.s->inner != b.s->k;
    const char *k = fresh(e, "k"), *i = slabs > 1 ? fresh(e, "i") : NULL;
    line(e, "// %s times %s, %d of %s at a time", a.s->base, b.s->base, depth, k);
    line(e, "#pragma unroll");
    open_block(e, "for (int %s = 0; %s < %lld; %s += %d)", k, k, (long long)a.k, k, depth);
    const char *b_k = fresh(e, arena_printf("%s_%s", b.s->base, k));
    line(e, "const uint64_t %s = %s;", b_k, tile_text(&b, k, NULL));
    if (i) {
        line(e, "#pragma unroll");
        open_block(e, "for (int %s = 0; %s < %d; %s++)", i, i, slabs, i);
    }
    const char *a_k = fresh(e, arena_printf("%s_%s", a.s->base, k));
    line(e, "const uint64_t %s = %s;", a_k, tile_text(&a, k, slab_text(e, groups, slabs, i)));
    line(e, "%s(%s[%s], %s[%s], %s, %s, %s);",
         function_text(&a, &b, type_extent(r, r->rank - 1)), sums,
         i ? arena_printf("2 * %s", i) : "0", sums, i ? arena_printf("2 * %s + 1", i) : "1", a_k,
         b_k, fresh_sums ? arena_printf("%s > 0", k) : "true");
    if (i)
        close_block(e, "");
    close_block(e, "");
}

/* Waits for the sums of a round, and adds them up. */
static void add_sums(Emit *e, const Op *op, const Value *acc, const char *sums)
{
    const Dim *dims[MAX_NEST];
    const int n = dims_of(acc, dims);
    Phase p;
    line(e, "wgmma_commit();");
    line(e, "wgmma_wait<0>();");
    line(e, "wgmma_sums(%s);", sums);
    phase_open(e, &p, op, dims, n);
    phase_lanes(e, &p);
    const char *at = index_suffix(e, acc);
    line(e, "%s%s += %s%s;", map_of(acc)->name, at, sums, at);
    phase_close(e, &p);
}

/* Begins to add the products of one round to the accumulator; promoted ones are added at once. */
void write_wgmma(Emit *e, const Op *op, const Value *acc)
{
    const int scope = e->names.used.n;
    if (!is_promoted(e->plan, op)) {
        write_products(e, op, map_of(acc)->name, false);
    } else {
        const char *sums = fresh(e, arena_printf("%s_round", map_of(acc)->name));
        line(e, "float %s%s;", sums, array_suffix(e, acc));
        write_products(e, op, sums, true);
        add_sums(e, op, acc, sums);
    }
    e->names.used.n = scope;
}
