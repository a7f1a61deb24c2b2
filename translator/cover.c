/* cover.c -- does a store, with the loops that count its pieces, reach all of the part? */
#include "lower.h"

/* The loop whose index a formula is; NULL if it is none. */
static const Op *loop_of(Sym at)
{
    if (at->kind != SYM_VALUE) return NULL;
    const Value *v = at->value;
    const Op *loop = v->block ? v->block->parent : NULL;
    return loop && loop->kind == OP_FOR && v == v->block->args[0] ? loop : NULL;
}

/* Does a loop by this step end where the axis does? */
static bool runs_to(const View *part, int i, Sym end, Sym piece, bool by_one)
{
    Sym size = part->size[i], extent = part->extent[i];
    if (!by_one) return end == size || end == extent;
    return end == sym_ceil(size, piece) || end == sym_ceil(extent, piece);
}

/* The loop that moves a piece, which begins `from` elements into the part, over all of axis i: by
   one and the piece at its index, or by the piece. NULL if none does. */
static const Op *loop_over(const View *part, int i, Sym from, Sym piece)
{
    int64_t n;
    if (!sym_const_of(piece, &n) || n <= 0) return NULL;
    Sym index = sym_div(from, piece);
    bool by_one = sym_mul(index, piece) == from && loop_of(index);
    const Op *loop = loop_of(by_one ? index : from);
    if (!loop || !sym_is(sym_of_value(loop->args[0]), 0)) return NULL;
    Sym step = sym_of_value(loop->args[2]);
    bool steps = by_one ? sym_is(step, 1) : step == piece;
    return steps && runs_to(part, i, sym_of_value(loop->args[1]), piece, by_one) ? loop : NULL;
}

/* Do the bounds of the store leave out nothing of the piece? */
static bool unclipped(const View *part, const Access *store, int a, Sym piece)
{
    Sym end = sym_add(store->start[a], piece);
    return (store->lo[a] == part->lo[a] || store->lo[a] == store->start[a])
        && (store->hi[a] == part->hi[a] || store->hi[a] == end
            || store->hi[a] == sym_min(part->hi[a], end));
}

/* Is the store all of axis i of the part, or a piece of it in each round of *loop? */
static bool covers_axis(const View *part, int i, const Access *store, const Type *tile,
                        const Op **loop)
{
    int a = part->axis[i];
    int64_t size, n;
    Sym piece = store->map[a] >= 0 ? tile->dim[store->map[a]] : sym_const(1);
    Sym from = sym_sub(store->start[a], part->start[a]);
    *loop = NULL;
    if (store->step[a] != 1 || !unclipped(part, store, a, piece)) return false;
    bool large = piece == part->size[i]
                 || (sym_const_of(part->size[i], &size) && sym_const_of(piece, &n) && n >= size);
    if (sym_is(from, 0) && large) return true;
    return (*loop = loop_over(part, i, from, piece)) != NULL;
}

/* Is a store here one of the whole part? An if around it is left for own.c to judge. */
bool covers(Check *c, const View *view, const Type *tile, const Access *store)
{
    Given whole = { .kind = GIVES_TENSOR, .value = view->tensor };
    const Op *loops[MAX_RANK];
    View part;
    int n = 0;
    if (!view_of(c, &whole, &part)) return false;
    for (int i = 0; i < part.rank; i++) {
        const Op *loop;
        if (!covers_axis(&part, i, store, tile, &loop)) return false;
        for (int k = 0; k < n; k++) if (loops[k] == loop) return false;
        if (loop) loops[n++] = loop;
    }
    const Block *b = c->block;
    for (; b->parent; b = b->parent->block) {
        bool counts = b->parent->kind == OP_IF;
        for (int k = 0; k < n; k++) counts = counts || loops[k] == b->parent;
        if (!counts) return false;
    }
    return b == c->kernel->body;
}
