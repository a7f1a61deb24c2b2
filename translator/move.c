/* move.c -- elements that move inside a tile: permute, flip, extract, cat, reshape, new layouts */
/* needs: a body being written.  gives: CUDA C.  keeps: the plan.
 *
 * Each is a map from places in the result to places in the operands. The operands are written to
 * shared memory, and each thread reads what its part of the result wants. Where nothing goes from
 * thread to thread, registers do. */
#include "mapping.h"
#include <string.h>

/* ---- which way ------------------------------------------------------------------------------- */

/* Does a flip, extract or cat change places along this axis? */
bool moves_along(const Op *op, int axis)
{
    switch ((int)op->kind) {
    case OP_FLIP:    return op->axes >> axis & 1;
    case OP_CAT:     return op->axis == axis;
    case OP_EXTRACT: return op->args[0]->type.dim[axis] != op->results[0]->type.dim[axis];
    }
    return false;
}

/* Does op move elements, more than giving axes other names? */
bool is_move(const Op *op)
{
    switch ((int)op->kind) {
    case OP_PERMUTE: case OP_RESHAPE:
        return !op->renames;
    case OP_FLIP: case OP_EXTRACT: case OP_CAT: case OP_RELAYOUT:
        return true;
    }
    return false;
}

/* The number of a piece that is known at translation; false: at run time. */
static bool static_index(const Op *op, int axis, int64_t *k)
{
    const Op *def = op->args[1 + axis]->def;
    if (def && def->kind == OP_CONST)
        *k = def->constant.i;
    return def && def->kind == OP_CONST;
}

/* Does one thread hold all that lies along the Dim? */
static bool one_holds(const Body *b, const Dim *d)
{
    const Spread *s = d ? &b->spread.at[d->id] : NULL;
    return !d || (s->threads == 1 && s->vector == 1 && !s->loops && !d->whole && !d->fast);
}

/* Does each thread have already what its part of the result wants? Along axes where elements move
   one thread holds everything, along the others all tiles are held alike. */
bool moves_in_registers(const Body *b, const Op *op)
{
    if (b && op->kind == OP_RESHAPE)
        return regroups(b, op);
    if (!b || (op->kind != OP_FLIP && op->kind != OP_EXTRACT && op->kind != OP_CAT))
        return false;
    for (int i = 0; i < (op->kind == OP_CAT ? 2 : 1); i++)
        for (int a = 0; a < op->results[0]->type.rank; a++) {
            const Dim *from = map_of(op->args[i])->dim[a], *to = map_of(op->results[0])->dim[a];
            int64_t k;
            if (!moves_along(op, a) ? from != to : !one_holds(b, from) || !one_holds(b, to))
                return false;
            if (op->kind == OP_EXTRACT && !static_index(op, a, &k))
                return false;
        }
    return true;
}

/* The first of the pieces that are cut from one tile in one block: it writes the tile to shared
   memory for all of them. */
static const Op *first_piece(const Op *op)
{
    const Op *first = op;
    for (const Op *o = op->prev; o; o = o->prev)
        if (o->kind == OP_EXTRACT && op->kind == OP_EXTRACT && o->args[0] == op->args[0]
            && type_same(&o->results[0]->type, &op->results[0]->type)
            && !memcmp(map_of(o->results[0])->dim, map_of(op->results[0])->dim,
                       sizeof map_of(op->results[0])->dim))
            first = o;
    return first;
}

/* ---- how it lies in shared memory ------------------------------------------------------------ */

/* The axis of v that loads and stores run along; -1: none. */
static int fast_axis(const Value *v)
{
    for (int a = 0; a < v->type.rank; a++)
        if (map_of(v)->dim[a] && map_of(v)->dim[a]->fast)
            return a;
    return -1;
}

/* How the tile, or for cat both, lies there: row-major, with gaps so that neither side's threads
   meet in a bank. */
static Stage stage_of(const Op *op)
{
    const Value *like = op->args[0], *to = op->results[0];
    if (op->kind == OP_CAT || op->kind == OP_RESHAPE)
        like = to;
    Stage s = stage_rows(&like->type);
    for (int a = 0; a < like->type.rank; a++)
        if (map_of(like)->dim[a] && map_of(like)->dim[a]->whole)
            s.along = map_of(like)->dim[a];
    int fast = fast_axis(to);
    if (op->kind == OP_RELAYOUT && fast == like->type.rank - 1 && fast_axis(like) == fast
        && (map_of(to)->dim[fast]->side || map_of(like)->dim[fast]->side))
        stage_gap(&s);                             /* from or to a result on tensor cores */
    if (op->kind == OP_RESHAPE || s.gap)
        return s;
    stage_pad(&s, op->kind == OP_PERMUTE && fast >= 0 ? op->perm[fast] : fast);
    stage_pad(&s, fast_axis(op->args[0]));
    return s;
}

/* Bytes of shared memory through which op passes a tile, if whole axes are so long; 0: it needs
   none. */
int64_t staged_bytes(const Op *op, int64_t whole)
{
    if (!is_move(op) || first_piece(op) != op)
        return 0;
    Stage s = stage_of(op);
    return (stage_bytes(&s, whole) + 15) / 16 * 16;
}

/* The number of the last op that reads the array for which op declares it: that of a piece cut from
   the same tile, or op itself. */
int last_piece(const Op *op)
{
    int last = op->last_number;
    for (const Op *o = op->next; o && op->kind == OP_EXTRACT; o = o->next)
        if (o->kind == OP_EXTRACT && first_piece(o) == op)
            last = o->last_number;
    return last;
}

/* Bytes of both operands of a contraction. */
static int64_t operand_bytes(const Op *op)
{
    const Stage a = stage_rows(&op->args[0]->type), b = stage_rows(&op->args[1]->type);
    return stage_bytes(&a, 1) + stage_bytes(&b, 1);
}

/* The same in one body, where registers may do. */
int64_t staged_in(const Body *b, const Op *op, int64_t whole)
{
    if (op->kind == OP_MMA)
        return operand_bytes(op);
    if (op->kind == OP_ATOMIC && op->nresults && held_twice(b, op)) {
        Stage s = stage_rows(&op->results[0]->type);
        return (stage_bytes(&s, whole) + 15) / 16 * 16;
    }
    if (op->kind == OP_SORT || op->kind == OP_HISTOGRAM || op->kind == OP_PRINT)
        return order_bytes(op);
    return is_move(op) && !moves_in_registers(b, op) ? staged_bytes(op, whole) : 0;
}

typedef struct { const Body *b; int64_t whole, bytes; } Sum;

/* Adds what op takes. */
static void add_bytes(Op *op, void *arg)
{
    Sum *s = arg;
    s->bytes += staged_in(s->b, op, s->whole);
}

/* Bytes of shared memory that all ops of a body take. */
int64_t shared_bytes(const Plan *p, const Body *b, int64_t whole)
{
    Sum s = { b, whole, 0 };
    ir_walk(p->kernel->body, add_bytes, &s);
    return s.bytes;
}

/* ---- from places in the result to places in the stage ---------------------------------------- */

/* "31 - row", "8 + row", or the number that it is at 0. */
static const char *shifted(const char *at, int64_t shift, bool back)
{
    if (!strcmp(at, "0") || (!shift && !back))
        return !strcmp(at, "0") ? arena_printf("%lld", (long long)shift) : at;
    if (back)
        return arena_printf(strchr(at, ' ') ? "%lld - (%s)" : "%lld - %s", (long long)shift, at);
    return arena_printf("%lld + %s", (long long)shift, at);
}

/* permute: result axis i is stage axis perm[i]. */
static Place permuted(Emit *e, const Op *op, Place at)
{
    Place p = { .guard = at.guard };
    (void)e;
    for (int a = 0; a < op->results[0]->type.rank; a++)
        p.at[op->perm[a]] = at.at[a];
    return p;
}

/* flip: from the end. */
static Place flipped(Emit *e, const Op *op, Place at)
{
    const Type *t = &op->results[0]->type;
    for (int a = 0; a < t->rank; a++)
        if (op->axes >> a & 1 && !sym_is(t->dim[a], 1))
            at.at[a] = type_is_whole(t, a)
                ? arena_printf(strchr(at.at[a], ' ') ? "%s - 1 - (%s)" : "%s - 1 - %s",
                               sym_c(e, t->dim[a]), at.at[a])
                : shifted(at.at[a], type_extent(t, a) - 1, true);
    return at;
}

/* extract: from the first element of the piece on; one that is chosen at run time may lie outside
   of the tile. */
static Place extracted(Emit *e, const Op *op, Place at)
{
    const Value *to = op->results[0];
    (void)e;
    for (int a = 0; a < to->type.rank; a++) {
        int64_t k, of;
        const char *first = map_of(to)->first[a];
        if (static_index(op, a, &k)) {
            at.at[a] = shifted(at.at[a], k * type_extent(&to->type, a), false);
            continue;
        }
        at.at[a] = strcmp(at.at[a], "0") ? arena_printf("%s + %s", first, at.at[a]) : first;
        sym_const_of(op->args[0]->type.dim[a], &of);
        const char *inside = arena_printf("%s < %lld", at.at[a], (long long)of);
        at.guard = at.guard ? arena_printf("%s && %s", at.guard, inside) : inside;
    }
    return at;
}

/* Names the first element of a piece that is chosen at run time; an index outside gives one that is
   past the end of the tile. */
static void name_firsts(Emit *e, const Op *op)
{
    Value *to = op->results[0];
    for (int a = 0; a < to->type.rank; a++) {
        int64_t k, of, extent = type_extent(&to->type, a);
        if (static_index(op, a, &k))
            continue;
        sym_const_of(op->args[0]->type.dim[a], &of);
        Ex x = element(e, op->args[1 + a]);
        const char *index = x.prec ? arena_printf("(%s)", x.s) : x.s;
        map_of(to)->first[a] = fresh(e, arena_printf("%s_first", map_of(web_root(to))->name));
        line(e, "const int %s = %s < 0 ? %lld : %lld * tile_clip(%s, %lld);",
             map_of(to)->first[a], index, (long long)of, (long long)extent, x.s,
             (long long)((of + extent - 1) / extent));
    }
}

/* Where each move finds the elements of its result; NULL: at the same place. */
static PlaceMap *map_for(const Op *op)
{
    switch ((int)op->kind) {
    case OP_PERMUTE: return permuted;
    case OP_FLIP:    return flipped;
    case OP_EXTRACT: return extracted;
    }
    return NULL;
}

/* Do neighbours along the fast axis of the result lie side by side in the stage, vectors whole? */
static bool keeps_neighbours(const Emit *e, const Op *op, const Stage *s)
{
    const Value *to = op->results[0];
    int fast = fast_axis(to);
    if (fast < 0 || op->kind == OP_PERMUTE)
        return false;
    if (op->kind == OP_FLIP)
        return !(op->axes >> fast & 1);
    for (int a = 0; op->kind == OP_EXTRACT && a < to->type.rank; a++) {
        int64_t k, w = spread_of(e, map_of(to)->dim[fast])->vector;
        if (!static_index(op, a, &k) ? a == fast
            : a == fast && k * type_extent(&to->type, a) % w)
            return false;
    }
    return s->rank == to->type.rank;
}

/* ---- through shared memory ------------------------------------------------------------------- */

static const char *const whys[OP_KIND_COUNT] = {
    [OP_PERMUTE] = "its axes change places", [OP_FLIP] = "it is turned around",
    [OP_EXTRACT] = "pieces are cut from it", [OP_CAT] = "two tiles become one",
    [OP_RESHAPE] = "its rows are cut anew", [OP_RELAYOUT] = "other threads want it next",
};

/* Says in the head how the tile lies there. */
static void note_stage(Emit *e, const Op *op, const Stage *s, const char *buffer)
{
    const char *text = arena_printf("%s: a tile on its way to other threads, since %s", buffer,
                                    whys[op->kind]);
    if (s->gap)
        text = arena_printf("%s. Rows are %s apart: %d bytes more than they are long, so that "
                            "those that a warp touches at once begin in different banks", text,
                            stride_text(e, s, s->rank - 2),
                            (int)s->gap * elem_info[s->elem].bytes);
    for (int a = 0; a < s->rank; a++)
        if (s->padded >> a & 1 && s->more[a])
            text = arena_printf("%s. Its elements along axis %d are %s apart, an odd number: the "
                                "lanes of a warp that go along this axis meet different banks",
                                text, a, stride_text(e, s, a));
    note_shared(e, text);
}

/* Writes the operands of a move to its array. */
static void put_operands(Emit *e, const Op *op, const Stage *s, const char *buffer)
{
    round_barrier(e, "the last round's tile has been read");
    if (op->kind == OP_RESHAPE) {
        const Stage before = stage_rows(&op->args[0]->type);
        shared_put(e, op, op->args[0], &before, buffer, 0, 0);
    } else {
        shared_put(e, op, op->args[0], s, buffer, 0, 0);
    }
    if (op->kind == OP_CAT)
        shared_put(e, op, op->args[1], s, buffer, op->axis,
                   type_extent(&op->args[0]->type, op->axis));
    barrier(e, "the tile is written before other threads read it");
}

/* Gives each thread the elements that the layout of the result wants from it. */
static void write_staged(Emit *e, const Op *op)
{
    Value *to = op->results[0];
    const Op *first = first_piece(op);
    const Stage s = stage_of(op);
    const char *buffer = map_of(first->results[0])->buffer;
    if (first == op) {
        const char *wish = op->kind == OP_CAT ? map_of(web_root(to))->name
                                              : value_called(op->args[0]);
        buffer = map_of(to)->buffer = shared_array(e, arena_printf("%s_shared", wish), &s);
        note_stage(e, op, &s, buffer);
        put_operands(e, op, &s, buffer);
    }
    if (op->kind == OP_EXTRACT)
        name_firsts(e, op);
    shared_get(e, op, to, &s, buffer, map_for(op), keeps_neighbours(e, op, &s));
}

/* ---- in registers ---------------------------------------------------------------------------- */

/* Writes one operand's part of the result, in the loops of `driver`: the operand of a cat, else the
   result. The other side stands at another place along the axes where elements move. */
static void move_part(Emit *e, const Op *op, Value *operand, int64_t shift)
{
    Value *to = op->results[0], *driver = op->kind == OP_CAT ? operand : to,
          *other = op->kind == OP_CAT ? to : operand;
    const char *name = map_of(web_root(to))->name, *index, *text;
    const Dim *dims[MAX_NEST];
    Phase p;
    phase_open(e, &p, op, dims, dims_of(driver, dims));
    phase_lanes(e, &p);
    index = index_suffix(e, to), text = op->kind == OP_CAT ? element_text(e, operand) : NULL;
    const Place at = place_in(e, driver, true);
    const char *rep[MAX_TILE_RANK], *coordinate[MAX_TILE_RANK];
    for (int a = 0; a < to->type.rank; a++) {
        const Dim *d = moves_along(op, a) ? map_of(other)->dim[a] : NULL;
        int64_t k = shift;
        if (!d)
            continue;
        rep[a] = e->repeat[d->id], coordinate[a] = e->coordinate[d->id];
        if (op->kind == OP_EXTRACT && static_index(op, a, &k))
            k *= type_extent(&to->type, a);
        if (op->kind == OP_FLIP)
            k = type_extent(&to->type, a) - 1;
        e->repeat[d->id] = e->coordinate[d->id] = shifted(at.at[a], k, op->kind == OP_FLIP);
    }
    index = op->kind == OP_CAT ? index_suffix(e, to) : index;
    text = text ? text : element_text(e, operand);
    for (int a = to->type.rank - 1; a >= 0; a--) {
        const Dim *d = moves_along(op, a) ? map_of(other)->dim[a] : NULL;
        if (d)
            e->repeat[d->id] = rep[a], e->coordinate[d->id] = coordinate[a];
    }
    line(e, "%s%s = %s;", name, index, text);
    phase_close(e, &p);
}

/* Moves elements between the registers of each thread. */
static void write_registers(Emit *e, const Op *op)
{
    declare(e, op->results[0]);
    move_part(e, op, op->args[0], 0);
    if (op->kind == OP_CAT)
        move_part(e, op, op->args[1], type_extent(&op->args[0]->type, op->axis));
}

/* One move. */
void write_move(Emit *e, const Op *op)
{
    if (moves_in_registers(e->body, op) && op->kind == OP_RESHAPE)
        write_regrouped(e, op);
    else if (moves_in_registers(e->body, op))
        write_registers(e, op);
    else
        write_staged(e, op);
}
