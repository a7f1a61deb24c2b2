/* pieces.c -- pieces of a load are loaded, and the parts of a cat are stored, each where it lies */
/* needs: valid parts.  gives: loads and stores of pieces in place of extract and cat.
   keeps: what the program means.
 *
 * A tile that is loaded and then only cut apart is loaded in pieces, each by the threads that want
 * it, and two tiles that are put together for a store are stored one behind the other: nothing goes
 * from thread to thread. Where a piece would not begin at a multiple of 16 bytes, accesses would
 * become narrow; there the tile goes through shared memory. */
#include "mapping.h"
#include "padding.h"
#include <string.h>

enum { LINE = 16 };                                /* bytes of the widest access */

/* ---- which pieces ---------------------------------------------------------------------------- */

/* Does op cut a piece whose place is known at translation? */
static bool is_static_piece(const Op *op)
{
    if (op->kind != OP_EXTRACT)
        return false;
    for (int i = 1; i < op->nargs; i++)
        if (!op->args[i]->def || op->args[i]->def->kind != OP_CONST)
            return false;
    return true;
}

/* The first element of a static piece along an axis. */
static int64_t first_of(const Op *piece, int axis)
{
    int64_t extent = type_extent(&piece->results[0]->type, axis);
    return extent < 0 ? 0 : piece->args[1 + axis]->def->constant.i * extent;
}

/* Does a part that begins `first` elements further along `axis` begin at a multiple of 16 bytes, or
   on another row? */
static bool begins_well(const Op *access, Elem elem, int axis, int64_t first)
{
    int last = access->args[0]->type.rank - 1;
    return access->access->map[last] != axis || first * elem_info[elem].bytes % LINE == 0;
}

/* Can v be made a piece at a time? It is a load, or computed from loads that nothing else uses. */
static bool comes_in_pieces(const Value *v, const Op *piece)
{
    const Op *op = v->def;
    if (!op)
        return false;
    switch ((int)op->kind) {
    case OP_LOAD:
        for (int a = 0; a < v->type.rank; a++)
            if (!begins_well(op, v->type.elem, a, first_of(piece, a)))
                return false;
        return true;
    case OP_BROADCAST:
        return op->args[0]->type.rank == 0;
    case OP_CAST: case OP_BITCAST: case OP_ELEM: case OP_SELECT:
        for (int i = 0; i < op->nargs; i++) {
            const Op *def = op->args[i]->def;
            bool scalar = def && def->kind == OP_BROADCAST;
            if ((op->args[i]->uses > 1 && !scalar) || !comes_in_pieces(op->args[i], piece))
                return false;
        }
        return true;
    }
    return false;
}

typedef struct { const Value *v; int pieces; bool all; } Cuts;

/* Counts the static pieces of a value; all: each can be loaded as such. */
static void count_cuts(Op *op, void *arg)
{
    Cuts *c = arg;
    if (!is_static_piece(op) || op->args[0] != c->v)
        return;
    c->pieces++;
    c->all = c->all && comes_in_pieces(c->v, op);
}

/* ---- loads ----------------------------------------------------------------------------------- */

/* Is the tensor a parameter that nobody writes to? */
bool is_shared(const Kernel *k, const Value *tensor)
{
    for (int i = 0; i < k->params.n; i++)
        if (k->params.at[i].value == tensor)
            return k->params.at[i].kind == PARAM_SHARED;
    return false;
}

/* The shape of a piece with the elements of v; which of it is valid. */
static void describe_piece(const Kernel *k, const Value *v, const Op *piece, Value *to)
{
    for (int a = 0; a < v->type.rank; a++)
        to->valid[a] = valid_shifted(k, &v->valid[a], v->type.dim[a],
                                     sym_const(first_of(piece, a)), to->type.dim[a]);
}

/* Loads a piece of what `load` loads: where the piece is cut, if memory is still the same there. */
static Op *load_piece(Kernel *k, const Op *load, Op *piece, Type type)
{
    Op *op = ir_op(k, NULL, OP_LOAD, load->pos, piece->stmt, load->nargs, load->args, 1, &type);
    op->access = new(Access);
    *op->access = *load->access;
    for (int a = 0; a < load->args[0]->type.rank; a++)
        if (op->access->map[a] >= 0) {
            Sym first = sym_const(first_of(piece, op->access->map[a]) * op->access->step[a]);
            op->access->start[a] = sym_add(op->access->start[a], first);
        }
    bool here = is_shared(k, load->args[0]) && load->block == piece->block;
    op->stmt = here ? piece->stmt : load->stmt;
    ir_insert_before(here ? piece : (Op *)load, op);
    return op;
}

/* The piece of v, computed from pieces of what v is computed from. */
static Value *make_piece(Kernel *k, Value *v, Op *piece)
{
    Type type = piece->results[0]->type;
    type.elem = v->type.elem;
    const Op *from = v->def;
    Op *op;
    if (from->kind == OP_LOAD) {
        op = load_piece(k, from, piece, type);
    } else {
        Value **args = new_array(Value *, from->nargs);
        for (int i = 0; i < from->nargs; i++)
            args[i] = from->kind == OP_BROADCAST ? from->args[i]
                                                 : make_piece(k, from->args[i], piece);
        op = ir_op(k, NULL, from->kind, from->pos, piece->stmt, from->nargs, args, 1, &type);
        op->row = from->row;
        ir_insert_before(piece, op);
    }
    describe_piece(k, v, piece, op->results[0]);
    return op->results[0];
}

typedef struct { Kernel *k; const Value *from; Value *to; } Replacing;

/* Puts one value in another's place. */
static void replace_in(Op *op, void *arg)
{
    const Replacing *r = arg;
    for (int i = 0; i < op->nargs; i++)
        if (op->args[i] == r->from)
            op->args[i] = r->to;
}

/* A piece of what can be loaded in pieces becomes a load. */
static void load_pieces(Op *op, void *arg)
{
    Kernel *k = arg;
    Cuts cuts = { op->nargs ? op->args[0] : NULL, 0, true };
    if (!is_static_piece(op))
        return;
    ir_walk(k->body, count_cuts, &cuts);
    if (!cuts.all || cuts.pieces != op->args[0]->uses)
        return;
    Value *made = make_piece(k, op->args[0], op);
    if (op->results[0]->name)
        made->name = op->results[0]->name;
    Replacing r = { k, op->results[0], made };
    ir_walk(k->body, replace_in, &r);
}

/* ---- stores ---------------------------------------------------------------------------------- */

/* v in the type that a store wants of it: the casts between, again. */
static Value *cast_like(Kernel *k, Value *part, const Value *stored, Op *at)
{
    if (stored->def->kind != OP_CAST)
        return part;
    part = cast_like(k, part, stored->def->args[0], at);
    Type type = part->type;
    type.elem = stored->type.elem;
    Op *op = ir_op(k, NULL, OP_CAST, stored->def->pos, at->stmt, 1, &part, 1, &type);
    op->rounding = stored->def->rounding;
    memcpy(op->results[0]->valid, part->valid, sizeof part->valid);
    ir_insert_before(at, op);
    return op->results[0];
}

/* The cat that is stored, through casts, and used for nothing else; NULL if it is none. */
static Op *stored_cat(const Op *store)
{
    const Value *v = store->args[1];
    while (v->def && v->def->kind == OP_CAST && v->uses == 1)
        v = v->def->args[0];
    return v->def && v->def->kind == OP_CAT && v->uses == 1 ? v->def : NULL;
}

/* A store of two tiles that are put together becomes two stores. */
static void store_parts(Op *op, void *arg)
{
    Kernel *k = arg;
    Op *cat = op->kind == OP_STORE && op->nargs == 2 ? stored_cat(op) : NULL;
    if (!cat)
        return;
    int64_t first = type_extent(&cat->args[0]->type, cat->axis);
    if (!begins_well(op, op->args[1]->type.elem, cat->axis, first))
        return;
    Value *stored = op->args[1], *args[] = { op->args[0], cast_like(k, cat->args[0], stored, op) };
    Op *before = ir_op(k, NULL, OP_STORE, op->pos, op->stmt, 2, args, 0, NULL);
    before->access = new(Access);
    *before->access = *op->access;
    ir_insert_before(op, before);
    op->args[1] = cast_like(k, cat->args[1], stored, op);
    for (int a = 0; a < op->args[0]->type.rank; a++)
        if (op->access->map[a] == cat->axis)
            op->access->start[a] =
                sym_add(op->access->start[a], sym_const(first * op->access->step[a]));
    ir_count_uses(k);
    store_parts(before, k);
    store_parts(op, k);
}

/* Loads and stores in pieces what is only cut apart, or put together. */
void take_pieces(Kernel *k)
{
    ir_count_uses(k);
    ir_walk(k->body, store_parts, k);
    ir_count_uses(k);
    ir_walk(k->body, load_pieces, k);
    drop_unused(k);
}
