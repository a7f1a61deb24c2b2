/* rename.c -- permutes and reshapes that only give axes other names, and moves that do more */
/* needs: the ties of everything else.  gives: renames of each move, its ties.  keeps: the IR.
 *
 * Loads and stores run along the last axis of their tensors. Where a permutation of a tile would
 * make one of them run along another, the tile goes through shared memory and both sides keep their
 * own layout; where nothing is lost the result is the operand, its axes in another order. */
#include "layout.h"
#include <string.h>

/* The axis of op's result that goes with axis `a` of its operand, or -1. */
int result_axis(const Op *op, const Value *operand, int a)
{
    int i = 0;
    switch (op->kind) {
    case OP_BROADCAST:
        return a + op->results[0]->type.rank - operand->type.rank;
    case OP_EXPAND:
        for (i = 0; i < op->results[0]->type.rank; i++)
            if (!(op->axes >> i & 1) && a-- == 0)
                return i;
        return -1;
    case OP_SQUEEZE:
        if (op->axes >> a & 1)
            return -1;
        for (int b = 0; b < a; b++)
            i += !(op->axes >> b & 1);
        return i;
    case OP_REDUCE: case OP_FOLD:
        if (op->reduce_axes >> a & 1)
            return -1;
        for (int b = 0; b < a; b++)
            i += !(op->reduce_axes >> b & 1);
        return i;
    case OP_PERMUTE:
        for (i = 0; i < operand->type.rank; i++)
            if (op->perm[i] == a)
                return i;
        return -1;
    default:
        return a;
    }
}

enum { FEW = 64 };                                 /* elements that are not worth two barriers */

/* ---- which axis memory runs along ------------------------------------------------------------ */

typedef struct { Classes *c; int64_t *weight; } Weighing;

/* Adds the bytes that a load or store moves along the last axis of its tensor. */
static void weigh_access(Op *op, void *arg)
{
    Weighing *w = arg;
    if (op->kind != OP_LOAD && op->kind != OP_STORE)
        return;
    const Value *tile = op->kind == OP_LOAD ? op->results[0] : op->args[1];
    int axis = op->access->map[op->args[0]->type.rank - 1];
    int64_t bytes = elem_info[tile->type.elem].bytes;
    if (axis < 0 || !has_dim(&tile->type, axis))
        return;
    for (int a = 0; a < tile->type.rank; a++) {
        int64_t n = assumed(tile->type.dim[a]);
        bytes = bytes > INT64_MAX / (n + 1) ? bytes : bytes * n;
    }
    w->weight[find(w->c, node_of(tile, axis))] += bytes;
}

/* The axis of v along which most bytes run; -1 if none. */
static int fast_axis(const Weighing *w, const Value *v)
{
    int best = -1;
    int64_t most = 0;
    for (int a = 0; a < v->type.rank; a++) {
        int64_t weight = has_dim(&v->type, a) ? w->weight[find(w->c, node_of(v, a))] : 0;
        if (weight && weight >= most)
            best = a, most = weight;
    }
    return best;
}

/* ---- axes that correspond -------------------------------------------------------------------- */

/* reshape: the axis of the result that axis a of the operand is, if only extents of 1 come and go;
   -1 for an extent of 1; false if more than that changes. */
static bool reshaped_axes(const Op *op, int *to)
{
    const Type *from = &op->args[0]->type, *type = &op->results[0]->type;
    int b = 0;
    for (int a = 0; a < from->rank; a++) {
        to[a] = -1;
        if (!has_dim(from, a))
            continue;
        while (b < type->rank && !has_dim(type, b))
            b++;
        if (b == type->rank || type->dim[b] != from->dim[a])
            return false;
        to[a] = b++;
    }
    return true;
}

/* Where each axis of operand i goes whose elements keep their places; -1: they move. False: no axis
   is another axis of the result. */
static bool axes_of(const Op *op, int *to)
{
    const Value *from = op->args[0];
    if (op->kind == OP_RESHAPE)
        return reshaped_axes(op, to);
    for (int a = 0; a < from->type.rank; a++)
        to[a] = moves_along(op, a) ? -1 : result_axis(op, from, a);
    return true;
}

/* ---- ties ------------------------------------------------------------------------------------ */

/* What ties have changed so far, to go back to. */
typedef struct { int *parent, *members; } Saved;

/* Remembers the classes. */
static Saved save(const Classes *c)
{
    Saved s = { new_array(int, c->room + 1), new_array(int, c->room + 1) };
    memcpy(s.parent, c->parent, (size_t)c->room * sizeof *s.parent);
    for (int i = 0; i < c->room; i++)
        s.members[i] = c->members[i].n;
    return s;
}

/* Goes back to them: members were only added behind, and those of a class that joined another
   were left where they are. */
static void restore(Classes *c, const Saved *s)
{
    memcpy(c->parent, s->parent, (size_t)c->room * sizeof *s->parent);
    for (int i = 0; i < c->room; i++)
        c->members[i].n = s->members[i];
}

/* The axes along which both sides of op run; -1: none. */
static void find_fast(Classes *c, const Op *op, int *from, int *result)
{
    Weighing w = { c, new_array(int64_t, c->room + 1) };
    ir_walk(c->k->body, weigh_access, &w);
    *from = fast_axis(&w, op->args[0]), *result = fast_axis(&w, op->results[0]);
}

/* Ties axes of both sides that stand at the same place and are of one extent: of a square tile both
   are then held alike, and named alike. All of them or none. */
static void tie_alike(Classes *c, const Op *op)
{
    const Value *from = op->args[0], *result = op->results[0];
    const Saved before = save(c);
    for (int a = 0; a < from->type.rank && a < result->type.rank; a++)
        if (from->type.dim[a] == result->type.dim[a] && !tie(c, from, a, result, a)) {
            restore(c, &before);
            return;
        }
}

/* Elements of a tile; many, if it has a whole axis: then a renaming is right for every length. */
static bool worth_staging(const Type *t)
{
    int64_t n = 1, k;
    for (int a = 0; a < t->rank; a++) {
        if (!sym_const_of(t->dim[a], &k))
            return false;
        n = k > INT64_MAX / n ? INT64_MAX : n * k;
    }
    return n >= FEW;
}

/* Ties all axes of a permute or reshape to those that they become, if that can be. */
static void rename_axes(Classes *c, Op *op, const int *to)
{
    const Value *from = op->args[0], *result = op->results[0];
    const Saved before = save(c);
    int fast, fast_result;
    find_fast(c, op, &fast, &fast_result);
    if (worth_staging(&from->type) && fast >= 0 && fast_result >= 0 && to[fast] != fast_result) {
        if (fast == fast_result)
            tie_alike(c, op);
        return;
    }
    op->renames = true;
    for (int a = 0; a < from->type.rank && op->renames; a++)
        op->renames = to[a] < 0 || tie(c, from, a, result, to[a]);
    if (!op->renames)
        restore(c, &before);
}

/* Ties the axes that a reshape leaves as they are, the first ones and the last ones: what lies
   along them is held alike on both sides. */
static void tie_ends(Classes *c, const Op *op)
{
    const Value *from = op->args[0], *to = op->results[0];
    int n = from->type.rank, m = to->type.rank, least = n < m ? n : m, a = 0, b = 0;
    while (a < least && from->type.dim[a] == to->type.dim[a])
        tie(c, from, a, to, a), a++;
    while (b < least - a && from->type.dim[n - 1 - b] == to->type.dim[m - 1 - b])
        tie(c, from, n - 1 - b, to, m - 1 - b), b++;
}

/* One op that moves elements. */
static void tie_move(Op *op, void *arg)
{
    Classes *c = arg;
    int to[MAX_TILE_RANK];
    bool moves = op->kind == OP_FLIP || op->kind == OP_EXTRACT || op->kind == OP_CAT;
    if (!moves && op->kind != OP_PERMUTE && op->kind != OP_RESHAPE)
        return;
    op->renames = false;
    if (!axes_of(op, to)) {
        tie_ends(c, op);
        return;
    }
    if (!moves) {
        rename_axes(c, op, to);
        return;
    }
    for (int i = 0; i < (op->kind == OP_CAT ? 2 : 1); i++)
        for (int a = 0; a < op->args[i]->type.rank; a++)
            if (to[a] >= 0)
                tie(c, op->args[i], a, op->results[0], to[a]);
}

/* Ties what moves keep in place, as far as the other ties let them. */
void tie_moves(Classes *c)
{
    ir_walk(c->k->body, tie_move, c);
}
