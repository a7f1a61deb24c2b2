/* boxes.c -- contractions on sm_90a: which kernels can have their operands brought by TMA */
/* needs: a plan on tensor cores.  gives: boxes, for a body of wgmma; the scalars by which they are
   found stand first.  keeps: what the program means.
 *
 * TMA copies a box of a tensor to shared memory, and wgmma multiplies from there; neither takes a
 * register for an operand. A thread that does nothing else asks for boxes rounds ahead, so that all
 * it needs must be known before the loop: its bounds, and where each round's boxes lie. A kernel
 * qualifies with one loop outside all others that does nothing but multiply tiles as they are
 * loaded, and add to what it carries. What stands before and after it is free.
 *
 * wgmma wants rows of 128 bytes, so that a box is 64 elements of 16 bits wide: a tile is as many
 * boxes as it takes, one behind the other. Only rows of 16 bits may run across k.
 *
 * Sums of f8 have few digits in tensor cores: those of each round begin at 0, and are added to what
 * the loop carries in f32, unless the kernel is #[fast_math]. */
#include "contraction.h"

enum { MOST_ROWS = 256, MOST_COLUMNS = 256, F8_ROUND = 128 };      /* of k, between promotions */

/* ---- boxes ----------------------------------------------------------------------------------- */

/* How many elements of this type a row of a box has: 128 bytes. */
int box_width(Elem elem)
{
    return 128 / elem_info[elem].bytes;
}

/* The number of the parameter that a tensor is; -1: it is none. */
static int param_number(const Kernel *k, const Value *tensor)
{
    for (int i = 0; i < k->params.n; i++)
        if (k->params.at[i].value == tensor)
            return i;
    return -1;
}

/* The axes of the tensor along which a tile has more than one element: the last one, and another;
   false: it is not so, or one of them goes by steps or is clipped before its end. */
static bool box_axes(const Op *load, int *outer)
{
    const Type *t = &load->args[0]->type;
    const Access *a = load->access;
    *outer = -1;
    for (int axis = 0; axis < t->rank; axis++) {
        const Dim *d = a->map[axis] < 0 ? NULL : map_of(load->results[0])->dim[a->map[axis]];
        if (a->index[axis] || !sym_is(a->lo[axis], 0) || a->hi[axis] != t->dim[axis]
            || (d && a->step[axis] != 1) || (d && axis < t->rank - 1 && *outer >= 0)
            || (!d && axis == t->rank - 1))
            return false;
        if (d && axis < t->rank - 1)
            *outer = axis;
    }
    return *outer >= 0;
}

/* Is the load of an operand a box, or several side by side? Of a tensor that nobody
   writes to, with 0 outside of it. */
static bool box_of(const Plan *p, const Op *load, Box *box)
{
    const Param *param = param_of(p->kernel, load->args[0]);
    const Op *pad = load->args[1]->def;
    if (!param || param->kind != PARAM_SHARED || param->strided || param->type.rank > 5
        || !pad || pad->kind != OP_CONST || pad->constant.u != 0 || !box_axes(load, &box->outer))
        return false;
    const ValueMap *m = map_of(load->results[0]);
    const Access *a = load->access;
    box->load = load;
    box->param = param_number(p->kernel, load->args[0]);
    box->along = m->dim[a->map[param->type.rank - 1]];
    box->rows = static_extent(m->dim[a->map[box->outer]]);
    box->across = static_extent(box->along);
    return box->across % box_width(param->type.elem) == 0 && box->rows % 8 == 0
        && box->rows <= MOST_ROWS;
}

/* Adds a box; its map is that of another one of the same tensor and shape, or a new one. */
static void add_box(Plan *p, Box box)
{
    box.map = 0;
    for (int i = 0; i < p->boxes.n; i++) {
        const Box *b = &p->boxes.at[i];
        if (b->load == box.load)
            return;
        if (b->param == box.param && b->outer == box.outer && b->rows == box.rows) {
            box.map = b->map;
            push(&p->boxes, box);
            return;
        }
        box.map = b->map + 1 > box.map ? b->map + 1 : box.map;
    }
    push(&p->boxes, box);
}

/* The box that an operand is; NULL if it is none. */
const Box *box_of_operand(const Plan *p, const Value *v)
{
    const Op *load = plain_load(v);
    for (int i = 0; i < p->boxes.n; i++)
        if (p->boxes.at[i].load == load)
            return &p->boxes.at[i];
    return NULL;
}

/* ---- what wgmma multiplies ------------------------------------------------------------------- */

/* Does the loop carry the result on, as what the contraction adds to, and is it that alone? */
static bool accumulates(const Op *loop, const Op *mma)
{
    const Block *b = loop->region[0];
    if (mma->nargs < 3)
        return false;
    for (int i = 0; i < b->last->nargs; i++)
        if (b->last->args[i] == mma->results[0])
            return b->args[1 + i] == mma->args[2] && mma->results[0]->uses == 1
                && mma->args[2]->uses == 1;
    return false;
}

/* Is it f8? */
static bool is_f8(Elem elem)
{
    return elem == EL_F8E4M3 || elem == EL_F8E5M2;
}

/* Do the sums of a round begin at 0, and are added up in f32? */
bool is_promoted(const Plan *p, const Op *mma)
{
    return is_f8(mma->args[0]->type.elem) && !is_fast(p->kernel);
}

/* Can wgmma add the product to what the loop carries, both operands being boxes? */
static bool multiplies(Plan *p, const Op *loop, const Op *mma)
{
    const Type *r = &mma->results[0]->type;
    const Elem elem = mma->args[0]->type.elem;
    const int64_t columns = type_extent(r, r->rank - 1);
    Box boxes[2];
    const bool wide = elem == EL_F16 || elem == EL_BF16;
    if ((!wide && elem != EL_TF32 && !is_f8(elem)) || mma->args[1]->type.elem != elem
        || (is_promoted(p, mma) && contracted(mma) != F8_ROUND) || r->elem != EL_F32
        || type_extent(r, r->rank - 2) % 64 != 0 || columns > MOST_COLUMNS
        || !accumulates(loop, mma))
        return false;
    for (int side = 0; side < 2; side++) {
        const Op *load = plain_load(mma->args[side]);
        if (!load || load->block != loop->region[0] || !box_of(p, load, &boxes[side])
            || operand_is_masked(mma, side))
            return false;
        const Value *v = mma->args[side];
        if (!wide && boxes[side].along != map_of(v)->dim[k_axis(v, side)])
            return false;
    }
    add_box(p, boxes[0]);
    add_box(p, boxes[1]);
    return true;
}

/* Does the loop do nothing but multiply boxes? */
static bool only_multiplies(Plan *p, const Op *loop)
{
    bool any = false;
    for (const Op *op = loop->region[0]->first; op; op = op->next)
        switch (op->kind) {
        case OP_CONST: case OP_SYM: case OP_YIELD:
        case OP_PERMUTE: case OP_SQUEEZE: case OP_EXPAND:
            break;
        case OP_LOAD:
            if (op->results[0]->type.rank < 2)
                return false;
            break;
        case OP_MMA:
            if (!multiplies(p, loop, op))
                return false;
            any = true;
            break;
        default:
            return false;
        }
    return any && !attr_of(loop->attrs, "unroll");
}

/* ---- scalars that come first ----------------------------------------------------------------- */

typedef struct { const Plan *p; LIST(Op *) ops; bool no; } Early;

static bool early_atom(Sym atom, void *arg);

/* Is it a scalar that can be computed at any time, from others? */
static bool is_timeless(const Kernel *k, const Op *op)
{
    const Param *p;
    if (op->nresults != 1 || op->results[0]->type.kind != TYPE_TILE || op->results[0]->type.rank)
        return false;
    switch (op->kind) {
    case OP_CONST: case OP_SYM: case OP_HAS: case OP_ELEM: case OP_CAST: case OP_SELECT:
        return true;
    case OP_LOAD:
        p = param_of(k, op->args[0]);
        return p && p->kind == PARAM_SHARED;
    default:
        return false;
    }
}

/* Notes that v is needed first, and what it is made of. */
static void need_early(Early *e, const Value *v)
{
    const Op *op = v->def;
    if (v->type.kind == TYPE_TENSOR || v == e->p->ring->region[0]->args[0])
        return;
    for (int i = 0; i < e->ops.n; i++)
        if (e->ops.at[i] == op)
            return;
    if (!op || op->block != e->p->kernel->body || !is_timeless(e->p->kernel, op)) {
        e->no |= op || v->block;
        return;
    }
    for (int i = 0; i < op->nargs; i++)
        need_early(e, op->args[i]);
    op_atoms(op, early_atom, e);
    push(&e->ops, (Op *)op);
}

/* The same of what a formula has. */
static bool early_atom(Sym atom, void *arg)
{
    if (atom->kind == SYM_VALUE)
        need_early(arg, atom->value);
    return false;
}

/* Is the op among those that come first? */
static bool is_early(const Early *e, const Op *op)
{
    for (int i = 0; i < e->ops.n; i++)
        if (e->ops.at[i] == op)
            return true;
    return false;
}

/* Moves them to the front, in their order; the op behind them. */
static const Op *move_early(const Early *e)
{
    Op *at = e->p->kernel->body->first;
    for (Op *op = at, *next; op; op = next) {
        next = op->next;
        if (!is_early(e, op))
            continue;
        if (op == at) {
            at = at->next;
        } else {
            ir_remove(op);
            ir_insert_before(at, op);
        }
    }
    return at;
}

/* ---- the whole ------------------------------------------------------------------------------- */

typedef struct { int loops, returns, others; const Op *ring; } Shape;

/* Counts what decides: contractions outside of the loop, and what all threads of a block do by
   functions of their own, or where they leave. */
static void note_shape(Op *op, void *arg)
{
    Shape *s = arg;
    const Op *loop = op->block->parent;
    if (op->kind == OP_MMA) {
        if (!loop || loop->kind != OP_FOR || loop->block->parent || (s->ring && s->ring != loop))
            s->others++;
        else
            s->ring = loop;
    }
    s->others += op->kind == OP_RETURN || op->kind == OP_SORT || op->kind == OP_HISTOGRAM
              || op->kind == OP_PRINT || op->kind == OP_ASSERT || op->kind == OP_FOLD
              || op->kind == OP_SCAN || op->kind == OP_REDUCE;
}

/* Can the kernel have a body with boxes? Then what it needs first stands first. */
bool find_boxes(Plan *p)
{
    Shape s = { 0 };
    ir_walk(p->kernel->body, note_shape, &s);
    if (!p->tensor || !s.ring || s.others)
        return false;
    const Op *step = s.ring->args[2]->def;
    Early e = { .p = p };
    p->ring = s.ring;
    if (step && step->kind == OP_CONST && step->constant.i == 1 && only_multiplies(p, s.ring)) {
        need_early(&e, s.ring->args[0]);
        need_early(&e, s.ring->args[1]);
        for (int i = 0; i < p->boxes.n; i++)
            op_atoms(p->boxes.at[i].load, early_atom, &e);
        if (!e.no) {
            p->ring_at = move_early(&e);
            return true;
        }
    }
    p->ring = NULL;
    p->boxes.n = 0;
    return false;
}
