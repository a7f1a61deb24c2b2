/* padding.c -- which elements of each tile are data, and which are padding */
/* needs: check().  gives: valid and pad of every value; errors of what would need to know more than
   `mixed`.  keeps: the IR. */
#include "padding.h"

/* Where the valid part of an axis comes from. */
Cause *cause_of(Pass *p, const Value *v, int axis)
{
    return &p->cause[v->id][axis];
}

/* ---- the parts and where they come from ------------------------------------------------------ */

/* Sets one axis to what an op made: a load, coord, keep. */
void make_part(Pass *p, Value *v, int axis, const Op *op, Valid valid)
{
    const CauseKind kind = valid.kind == VALID_MIXED ? CAUSE_LARGE
                         : valid.kind == VALID_INTERVAL ? CAUSE_FROM : CAUSE_NONE;
    v->valid[axis] = valid;
    *cause_of(p, v, axis) = (Cause){.kind = kind, .a = op, .va = valid};
}

/* Sets one axis to that of another tile. */
void copy_part(Pass *p, Value *v, int axis, const Value *from, int from_axis)
{
    v->valid[axis] = from->valid[from_axis];
    *cause_of(p, v, axis) = *cause_of(p, from, from_axis);
}

/* Rule 2: any takes the other's, equal intervals stay, everything else is mixed. True if that
   changed the part. */
bool join_parts(Valid *valid, Cause *mine, Valid with, Cause cause)
{
    if (with.kind == VALID_ANY || valid->kind == VALID_MIXED || valid_same(valid, &with))
        return false;
    if (valid->kind == VALID_ANY || with.kind == VALID_MIXED) {
        *valid = with;
        *mine = cause;
        return true;
    }
    *mine = (Cause){CAUSE_TWO, mine->a, cause.a, NULL, *valid, with};
    *valid = (Valid){.kind = VALID_MIXED};
    return true;
}

/* The same for one axis of a value. */
void join_part(Pass *p, Value *v, int axis, Valid with, Cause cause)
{
    if (join_parts(&v->valid[axis], cause_of(p, v, axis), with, cause))
        p->changed = true;
}

/* Joins all axes of a tile of the same shape. */
static void join_tile(Pass *p, Value *v, const Value *with)
{
    for (int a = 0; a < v->type.rank; a++)
        join_part(p, v, a, with->valid[a], *cause_of(p, with, a));
}

/* ---- ops that keep the shape or change it ---------------------------------------------------- */

/* Everything is data. */
void make_data(Pass *p, Value *v)
{
    for (int a = 0; a < v->type.rank; a++)
        make_part(p, v, a, NULL, (Valid){.kind = VALID_ANY});
}

/* Elementwise: what all operands combine to. */
static void combine(Pass *p, const Op *op)
{
    Value *v = op->results[0];
    const bool changed = p->changed;
    make_data(p, v);
    for (int i = 0; i < op->nargs; i++)
        if (op->args[i]->type.rank == v->type.rank)
            join_tile(p, v, op->args[i]);
    p->changed = changed;
}

/* Rule 1, by the axes that the tile has. */
static void load(Pass *p, const Op *op)
{
    Value *v = op->results[0];
    make_data(p, v);
    for (int a = 0; a < op->args[0]->type.rank; a++) {
        const int axis = op->access->map[a];
        if (axis >= 0 && axis < v->type.rank)
            make_part(p, v, axis, op, valid_of_load(p->k, op->access, a, v->type.dim[axis]));
    }
}

/* The axes of index tiles have what is valid of those, those of windows what is loaded. */
static void gather(Pass *p, const Op *op, Value *v)
{
    const bool changed = p->changed;
    load(p, op);
    for (int i = 2; i < op->nargs; i++)
        for (int a = 0; a < op->args[i]->type.rank; a++)
            join_part(p, v, a, op->args[i]->valid[a], *cause_of(p, op->args[i], a));
    p->changed = changed;
}

/* What an atomic operation gives: like the tile, and what is there. */
static void update(Pass *p, const Op *op)
{
    if (!op->nresults)
        return;
    const bool changed = p->changed;
    gather(p, op, op->results[0]);
    join_tile(p, op->results[0], op->args[1]);
    p->changed = changed;
}

/* Rule 4: one axis is cut, the others stay. */
static void keep(Pass *p, const Op *op)
{
    Value *v = op->results[0];
    for (int a = 0; a < v->type.rank; a++)
        copy_part(p, v, a, op->args[0], a);
    const Valid valid = valid_kept(p->k, &v->valid[op->axis], sym_of_scalar(op->args[1]),
                                   sym_of_scalar(op->args[2]), v->type.dim[op->axis]);
    make_part(p, v, op->axis, op, valid);
}

/* What stretches, and what is new, is data. */
static void broadcast(Pass *p, const Op *op)
{
    Value *v = op->results[0];
    const Value *from = op->args[0];
    const int more = v->type.rank - from->type.rank;
    make_data(p, v);
    for (int a = 0; a < from->type.rank; a++)
        if (from->type.dim[a] == v->type.dim[a + more])
            copy_part(p, v, a + more, from, a);
}

/* expand: new axes are data. */
static void expand(Pass *p, const Op *op)
{
    Value *v = op->results[0];
    make_data(p, v);
    for (int a = 0, from = 0; a < v->type.rank; a++)
        if (!(op->axes >> a & 1))
            copy_part(p, v, a, op->args[0], from++);
}

/* squeeze, reduce: axes of the mask are gone. */
static void drop_axes(Pass *p, const Op *op, uint32_t axes)
{
    Value *v = op->results[0];
    for (int a = 0, to = 0; a < op->args[0]->type.rank; a++)
        if (!(axes >> a & 1))
            copy_part(p, v, to++, op->args[0], a);
}

/* squeeze: the others are mixed if what is dropped may be padding. */
static void squeeze(Pass *p, const Op *op)
{
    Value *v = op->results[0];
    const Value *from = op->args[0];
    drop_axes(p, op, op->axes);
    for (int a = 0; a < from->type.rank; a++) {
        if (!(op->axes >> a & 1) || valid_complete(&from->valid[a], sym_const(1)))
            continue;
        Cause cause = *cause_of(p, from, a);
        if (cause.kind == CAUSE_FROM)
            cause = (Cause){.kind = CAUSE_SQUEEZE, .a = cause.a, .where = op, .va = cause.va};
        for (int b = 0; b < v->type.rank; b++) {
            v->valid[b] = (Valid){.kind = VALID_MIXED};
            *cause_of(p, v, b) = cause;
        }
    }
}

/* permute: moved. */
static void permute(Pass *p, const Op *op)
{
    for (int a = 0; a < op->results[0]->type.rank; a++)
        copy_part(p, op->results[0], a, op->args[0], op->perm[a]);
}

/* flip: the axes of the mask backwards. */
static void flip(Pass *p, const Op *op)
{
    Value *v = op->results[0];
    for (int a = 0; a < v->type.rank; a++) {
        copy_part(p, v, a, op->args[0], a);
        if (op->axes >> a & 1)
            v->valid[a] = valid_flipped(p->k, &v->valid[a], v->type.dim[a]);
    }
}

/* extract: shifted and clamped. */
static void extract(Pass *p, const Op *op)
{
    Value *v = op->results[0];
    const Value *from = op->args[0];
    for (int a = 0; a < v->type.rank; a++) {
        const Sym start = sym_mul(sym_of_scalar(op->args[1 + a]), v->type.dim[a]);
        const Valid part = valid_shifted(p->k, &from->valid[a], from->type.dim[a], start,
                                         v->type.dim[a]);
        if (from->valid[a].kind == VALID_ANY)
            make_part(p, v, a, op, part);
        else
            copy_part(p, v, a, from, a);
        v->valid[a] = part;
        if (part.kind == VALID_MIXED && from->valid[a].kind != VALID_MIXED)
            *cause_of(p, v, a) = (Cause){.kind = CAUSE_LARGE, .a = op};
    }
}

/* cat: along its axis b's data behind a's, if there is no gap; elsewhere as of two operands. */
static void cat(Pass *p, const Op *op)
{
    Value *v = op->results[0];
    const Value *a = op->args[0], *b = op->args[1];
    const bool changed = p->changed;
    const int axis = op->axis;
    make_data(p, v);
    join_tile(p, v, a);
    join_tile(p, v, b);
    p->changed = changed;
    const Valid *x = &a->valid[axis], *y = &b->valid[axis];
    const Cause *ca = cause_of(p, a, axis), *cb = cause_of(p, b, axis);
    v->valid[axis] = valid_cat(p->k, x, a->type.dim[axis], y, b->type.dim[axis]);
    *cause_of(p, v, axis) = x->kind == VALID_MIXED || y->kind == VALID_ANY ? *ca : *cb;
    if (v->valid[axis].kind == VALID_MIXED && x->kind != VALID_MIXED && y->kind != VALID_MIXED)
        *cause_of(p, v, axis) = (Cause){CAUSE_GAP, ca->a, cb->a, op, *x, *y};
}

/* The first axis of a tile that is an interval or mixed. */
static int first_padded(const Value *v)
{
    int a = 0;
    while (a < v->type.rank - 1 && v->valid[a].kind == VALID_ANY)
        a++;
    return a;
}

/* reshape: merged and split, or an error. */
static void reshape(Pass *p, const Op *op)
{
    Value *v = op->results[0];
    const Value *from = op->args[0];
    int axis = 0;
    make_data(p, v);
    if (!valid_reshaped(p->k, &from->type, from->valid, &v->type, v->valid, &axis)) {
        make_data(p, v);                           /* so that nothing else is said about it */
        if (p->reporting)
            report_reshape(op, axis, cause_of(p, from, axis));
        return;
    }
    for (int a = 0; a < v->type.rank; a++)
        if (v->valid[a].kind != VALID_ANY)
            *cause_of(p, v, a) = *cause_of(p, from, first_padded(from));
}

/* coord: padding past the edges of the part. */
static void coord(Pass *p, const Op *op)
{
    Value *v = op->results[0];
    make_part(p, v, 0, op, valid_of_load(p->k, op->access, 0, v->type.dim[0]));
}

/* ---- control --------------------------------------------------------------------------------- */

/* Does the block stand in a region of op? */
static bool inside(const Block *b, const Op *op)
{
    while (b && b->parent && b->parent != op)
        b = b->parent->block;
    return b && b->parent == op;
}

/* Is the atom a value made in the regions of an op? */
static bool made_inside(Sym atom, void *op)
{
    if (atom->kind != SYM_VALUE)
        return false;
    const Value *v = atom->value;
    return inside(v->def ? v->def->block : v->block, op);
}

/* Joins a value that leaves the regions of op by one of its ways: bounds that are made in them are
   others the next time round, or unknown. */
static void join_out(Pass *p, Value *to, const Value *from, const Op *op)
{
    for (int a = 0; a < to->type.rank; a++) {
        Valid valid = from->valid[a];
        Cause cause = *cause_of(p, from, a);
        if (valid.kind == VALID_INTERVAL && (sym_mentions(valid.lo, made_inside, (void *)op)
                                             || sym_mentions(valid.hi, made_inside, (void *)op))) {
            cause.kind = op->kind == OP_IF ? CAUSE_ARM : CAUSE_LOOP;
            cause.where = op;
            valid = (Valid){.kind = VALID_MIXED};
        }
        join_part(p, to, a, valid, cause);
    }
}

/* Joins operands of op, from the one given on, into values of `of`; out: they leave its regions. */
static void hand(Pass *p, const Op *op, int first, Value **to, int n, const Op *of, bool out)
{
    for (int i = 0; i < n && first + i < op->nargs; i++)
        if (out)
            join_out(p, to[i], op->args[first + i], of);
        else
            join_tile(p, to[i], op->args[first + i]);
}

/* The innermost loop around an op. */
static const Op *loop_around(const Op *op)
{
    const Op *loop = op->block->parent;
    while (loop && loop->kind == OP_IF)
        loop = loop->block->parent;
    return loop;
}

/* To the next round of a loop. */
static void hand_to_head(Pass *p, const Op *op, const Op *loop)
{
    Block *head = loop->region[0];
    const int index = loop->kind == OP_FOR;
    hand(p, op, 0, head->args + index, head->nargs - index, loop, true);
    if (loop->kind == OP_FOR)                      /* after the last round */
        hand(p, op, 0, loop->results, loop->nresults, loop, true);
}

/* What ends a region hands its operands over. */
static void leave(Pass *p, const Op *op)
{
    const Op *of = op->kind == OP_YIELD ? op->block->parent : loop_around(op);
    if (!of || op_combines(of))
        return;
    if (op->kind == OP_BREAK || of->kind == OP_IF) {
        hand(p, op, 0, of->results, of->nresults, of, true);
    } else if (of->kind == OP_WHILE && op->kind == OP_YIELD && op->block == of->region[0]) {
        hand(p, op, 1, of->region[1]->args, of->region[1]->nargs, of, false);
        hand(p, op, 1, of->results, of->nresults, of, true);
    } else {
        hand_to_head(p, op, of);
    }
}

/* The first values of what a loop carries; a for that never runs gives them back. */
static void enter(Pass *p, const Op *op)
{
    Block *head = op->region[0];
    const int bounds = op->kind == OP_FOR ? 3 : 0, index = op->kind == OP_FOR;
    hand(p, op, bounds, head->args + index, head->nargs - index, op, false);
    if (op->kind == OP_FOR)
        hand(p, op, bounds, op->results, op->nresults, op, false);
}

/* ---- all ops --------------------------------------------------------------------------------- */

/* The parts of what one op makes. */
static void visit(Op *op, void *arg)
{
    Pass *p = arg;
    switch (op->kind) {
    case OP_ELEM: case OP_CAST: case OP_BITCAST: case OP_SELECT: case OP_RELAYOUT:
        combine(p, op);
        break;
    case OP_FILL: case OP_VALID: case OP_HISTOGRAM:
        consume(p, op, op->args[0], ~0u);
        make_data(p, op->results[0]);
        break;
    case OP_REDUCE:
        consume(p, op, op->args[0], op->reduce_axes);
        drop_axes(p, op, op->reduce_axes);
        break;
    case OP_MMA:       padding_contract(p, op); break;
    case OP_RANDOM:    make_data(p, op->results[0]); break;
    case OP_SORT:      padding_sort(p, op); break;
    case OP_FOLD: case OP_SCAN: padding_members(p, op); break;
    case OP_BROADCAST: broadcast(p, op); break;
    case OP_EXPAND:    expand(p, op); break;
    case OP_SQUEEZE:   squeeze(p, op); break;
    case OP_RESHAPE:   reshape(p, op); break;
    case OP_PERMUTE:   permute(p, op); break;
    case OP_FLIP:      flip(p, op); break;
    case OP_EXTRACT:   extract(p, op); break;
    case OP_CAT:       cat(p, op); break;
    case OP_COORD:     coord(p, op); break;
    case OP_KEEP:      keep(p, op); break;
    case OP_LOAD:      load(p, op); break;
    case OP_GATHER:    gather(p, op, op->results[0]); break;
    case OP_SCATTER:   consume_places(p, op); break;
    case OP_ATOMIC:
        consume_places(p, op);
        update(p, op);
        break;
    case OP_FOR: case OP_WHILE: enter(p, op); break;
    case OP_YIELD: case OP_BREAK: case OP_CONTINUE: leave(p, op); break;
    case OP_CONST: case OP_SYM: case OP_HAS: case OP_IOTA: case OP_STORE: case OP_IF:
    case OP_RETURN: case OP_PRINT: case OP_ASSERT: case OP_KIND_COUNT:
        break;
    }
}

/* The valid parts of all values of a kernel. */
static void pad_kernel(Kernel *k)
{
    Pass p = {.k = k, .changed = true};
    if (k->padded)
        return;
    k->padded = true;
    p.cause = arena_alloc(sizeof *p.cause * (size_t)(k->values.n + 1));
    for (int i = 0; i < k->values.n; i++)
        for (int a = 0; a < MAX_TILE_RANK; a++)
            k->values.at[i]->valid[a] = (Valid){.kind = VALID_ANY};
    while (p.changed) {
        p.changed = false;
        ir_walk(k->body, visit, &p);
    }
    p.reporting = true;
    ir_walk(k->body, visit, &p);
    pad_values(k);
}

/* The valid part and the pad of every value of every kernel; reports what rules 3 and 4 refuse. */
void padding(Program *program)
{
    for (int f = 0; f < program->functions.n; f++)
        for (int k = 0; k < program->functions.at[f]->kernels.n; k++)
            pad_kernel(program->functions.at[f]->kernels.at[k]);
}
