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

/* Where the tile of 16 of k begins whose rows begin with 64 times `slab`; NULL: with the first. */
static const char *tile_text(const Side *side, const char *k, const char *slab)
{
    const Staged *s = side->s;
    const char *at = side->turned ? times(64, k)
                   : side->k == 64 ? k
                   : arena_printf("%s / 64 * %lld + %s %% 64", k, (long long)s->box->rows * 64, k);
    const int64_t slab_size = side->turned ? side->k * 64 : 64 * 64;
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

/* Begins to add the products of one round to the accumulator. */
void write_wgmma(Emit *e, const Op *op, const Value *acc)
{
    const Value *r = op->results[0];
    const int64_t k_extent = contracted(op), columns = type_extent(&r->type, r->type.rank - 1);
    const int groups = e->body->threads / 128, scope = e->names.used.n;
    const int slabs = (int)type_extent(&r->type, r->type.rank - 2) / 64 / groups;
    Side a = { .s = staged_of(e, op, 0), .k = k_extent }, b = { .s = staged_of(e, op, 1),
                                                                 .k = k_extent };
    a.turned = a.s->inner != a.s->k, b.turned = b.s->inner != b.s->k;
    const char *k = fresh(e, "k"), *i = slabs > 1 ? fresh(e, "i") : NULL;
    line(e, "// %s times %s, 16 of %s at a time", a.s->base, b.s->base, k);
    line(e, "#pragma unroll");
    open_block(e, "for (int %s = 0; %s < %lld; %s += 16)", k, k, (long long)k_extent, k);
    const char *b_k = fresh(e, arena_printf("%s_%s", b.s->base, k));
    line(e, "const uint64_t %s = %s;", b_k, tile_text(&b, k, NULL));
    if (i) {
        line(e, "#pragma unroll");
        open_block(e, "for (int %s = 0; %s < %d; %s++)", i, i, slabs, i);
    }
    const char *a_k = fresh(e, arena_printf("%s_%s", a.s->base, k));
    line(e, "const uint64_t %s = %s;", a_k, tile_text(&a, k, slab_text(e, groups, slabs, i)));
    line(e, "wgmma_%s_n%lld<%d, %d>(%s[%s], %s[%s], %s, %s, true);",
         elem_info[a.s->elem].name, (long long)columns, a.turned, b.turned,
         map_of(acc)->name, i ? arena_printf("2 * %s", i) : "0", map_of(acc)->name,
         i ? arena_printf("2 * %s + 1", i) : "1", a_k, b_k);
    if (i)
        close_block(e, "");
    close_block(e, "");
    e->names.used.n = scope;
}
